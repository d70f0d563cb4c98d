"""catalogue: what is known of models beforehand: their prices and windows, by provider and id.

The data is `stdlib/prices.json`. The file is read where somebody asks, and at no other time: a check without a bound on
cost does not need it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from agentspec.resources import resource

FREE: Final = ("script", "process", "local", "ollama")  # what they cost is not counted in dollars
SAME: Final = {"openai_responses": "openai"}
PRICES: Final = ("input", "output", "cached_input", "cache_write")
LONG: Final = ("long_from", "long_input", "long_output", "long_cached_input", "long_cache_write")

_TESTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "equals": lambda model, word: model == word,
    "starts_with": lambda model, word: model.startswith(word),
    "ends_with": lambda model, word: model.endswith(word),
    "contains": lambda model, word: word in model,
    "regex": lambda model, word: re.search(word, model) is not None,
}


def known_prices(provider: str, model: str) -> dict[str, float] | None:
    """The prices of a model on its provider's own server, in dollars for a million tokens; None where nobody knows.

    With `long_from`, the prices that begin with `long_` hold for requests of more tokens than that.

    >>> known_prices("openai", "gpt-5.4-mini")
    {'input': 0.75, 'output': 4.5, 'cached_input': 0.075}
    """
    row = _row(provider, model)
    return None if row is None else {name: row[name] for name in (*PRICES, *LONG) if name in row}


def known_window(provider: str, model: str) -> int | None:
    """The tokens that fit into a request and its answer together; None where nobody knows."""
    row = _row(provider, model)
    return None if row is None else row.get("window")


def _row(provider: str, model: str) -> Mapping[str, Any] | None:
    rows = _models().get(SAME.get(provider, provider), ())
    name = model.lower()
    return next((row for row in rows if any(_TESTS[kind](name, word) for kind, word in row["match"])), None)


@cache
def _models() -> Mapping[str, list[dict[str, Any]]]:
    models: Mapping[str, list[dict[str, Any]]] = json.loads(resource("stdlib", "prices.json").read_bytes())["models"]
    return models
