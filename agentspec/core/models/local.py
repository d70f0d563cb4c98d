"""local: what is known beforehand of a model that runs in this process: its file, and what it is loaded with.

A table and the readings of it. Nothing is loaded here.
"""

from __future__ import annotations

from typing import Any

USUAL = "smollm2"
NAMED = (USUAL,)  # models that a wheel has; every other one is the path of a file
MAGIC = b"GGUF"
# What else than the window an engine is loaded with, by its name in `model.options`: its type, the least, in words.
ENGINE_OPTIONS: dict[str, tuple[type, int, str]] = {
    "threads": (int, 1, "a whole number above 0"),
    "slots": (int, 1, "a whole number above 0"),
    "gpu_layers": (int, 0, "a whole number, 0 or more"),
    "chat_template": (str, 0, "a text"),
}


def wanted_of(name: str, value: Any) -> str | None:
    """What an option of the engine has to be, in words; None where it is that, or is no option of the engine.

    >>> wanted_of("threads", 0), wanted_of("threads", 8), wanted_of("top_k", "many")
    ('a whole number above 0', None, None)
    """
    kind, least, words = ENGINE_OPTIONS.get(name, (object, 0, ""))
    is_fit = isinstance(value, kind) and (kind is not int or (type(value) is int and value >= least))
    return None if is_fit else words
