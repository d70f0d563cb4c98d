"""likeness: whether a YAML or JSON text is meant to be a document of ours, told by its top-level keys.

Nothing is parsed: what cannot be read may be a spec all the same, and is to be reported rather than passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.text.suggest import nearest

SECTIONS = frozenset(("model", "execution", "capability", "lifecycle", "context", "observability"))
HEADS = frozenset(("preset", "library", "scenario"))
TELLING = (*SECTIONS, *HEADS, "extends")  # the words that few other documents have at their top
COMMON = ("name", "description", "version", "inputs", "use", "task", "trust", "for")
# Words of other documents that are near to one of ours by chance.
ORDINARY = frozenset(
    ("models", "mode", "modes", "modal", "module", "modules", "content", "contents", "contexts", "libraries",
     "presets", "scenarios", "same", "tasks", "form", "user", "users", "test")
)  # fmt: skip

# A key at the start of a line: at the top level of a block mapping. Its value is what follows on the line.
_BLOCK_KEY = r"""(?m)^(?P<quote>["']?)(?P<key>[A-Za-z_][\w-]*)(?P=quote)[ \t]*:(?=\s|$)(?P<value>.*)"""
_TOKENS = r'(?s)"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+'


class _Key(NamedTuple):
    name: str
    may_hold_mapping: bool


def is_like_spec(text: str) -> bool:
    """Whether the text has the top-level keys of a spec, a preset, a library or a scenario, or keys near to them.

    >>> is_like_spec("nmae: a\\nmodel: {provider: script}"), is_like_spec("name: web\\nservices: {}")
    (True, False)
    """
    keys = list(_flow_keys(text) if text.lstrip().startswith("{") else _block_keys(text))
    names = {key.name for key in keys}
    if names & HEADS or ("name" in names and names & {*SECTIONS, "use"}):
        return True
    ours = {name for key in keys if (name := _meant(key))}
    others = sum(not _meant(key) for key in keys)
    # `for` and a list of turns make a scenario, `name` and `version` make a thousand other things.
    return len(ours) > 1 and bool(ours & set(TELLING)) and len(ours) >= others


def _meant(key: _Key) -> str | None:
    """The top-level word that a key is, or most likely was to be."""
    if key.name in (*TELLING, *COMMON):
        return key.name
    if key.name.lower() in ORDINARY:
        return None
    near = nearest(key.name, (*TELLING, *COMMON))
    return near[0] if near and (key.may_hold_mapping or near[0] not in SECTIONS) else None


def _block_keys(text: str) -> Iterator[_Key]:
    for found in re.finditer(_BLOCK_KEY, text):
        yield _Key(found["key"], found["value"].lstrip()[:1] in ("", "#", "{", "&", "*", "!"))


def _flow_keys(text: str) -> Iterator[_Key]:
    depth = 0
    pieces: list[str] = re.findall(_TOKENS, text)
    for index, piece in enumerate(pieces):
        if piece in "{[":
            depth += 1
        elif piece in "}]":
            depth -= 1
        elif piece == ":" and depth == 1 and index:
            yield _Key(pieces[index - 1].strip("\"'"), pieces[index + 1 : index + 2] == ["{"])
