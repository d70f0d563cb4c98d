"""catalogue: what is known of models beforehand, by provider and id, and of the providers' ways.

The data is `stdlib/models.json`. The file is read where somebody asks, and at no other time: a check of a spec that
names no model does not need it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from agentspec.resources import resource

FREE: Final = ("script", "process", "local", "ollama")  # what they cost is not counted in dollars
SAME: Final = {"openai_responses": "openai"}
PRICES: Final = ("input", "output", "cached_input", "cache_write")
SERVED: Final = ("search", "searched")  # by a provider that searches itself: each time, or each answer with any
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
    {'input': 0.75, 'output': 4.5, 'cached_input': 0.075, 'search': 0.01}
    """
    row = _row(provider, model)
    return None if row is None else {name: row[name] for name in (*PRICES, *SERVED, *LONG) if name in row}


def known_window(provider: str, model: str) -> int | None:
    """The tokens that fit into a request and its answer together; None where nobody knows."""
    row = _row(provider, model)
    return None if row is None else row.get("window")


def is_known(provider: str, model: str) -> bool:
    """Whether the catalogue has a model of this provider."""
    return _row(provider, model) is not None


def owner_of(model: str, provider: str) -> str | None:
    """The provider beside this one that has a model of this id: the first, since clouds have those of others too.

    >>> owner_of("claude-opus-5", "openai"), owner_of("our-own", "openai")
    ('anthropic', None)
    """
    if not has_models_of(provider):
        return None
    own = SAME.get(provider, provider)
    return next((name for name in _models() if name != own and is_known(name, model)), None)


def has_models_of(provider: str) -> bool:
    """Whether the catalogue is about a provider: a model of it that is not there is an unknown one."""
    return SAME.get(provider, provider) in _models()


def providers() -> tuple[str, ...]:
    """The providers whose models the catalogue has."""
    return tuple(_models())


def rows_of(provider: str) -> tuple[Mapping[str, Any], ...]:
    """What the catalogue says of the models of a provider, in its order."""
    return tuple(_models().get(provider, ()))


def written_on() -> str:
    """The day of the catalogue, as `2026-12-31`."""
    day: str = _catalogue()["updated"]
    return day


def names_of(provider: str) -> list[str]:
    """The ids under which the models of a provider are known."""
    return [row["id"] for row in _models().get(SAME.get(provider, provider), ())]


def longest_answer(provider: str, model: str) -> int | None:
    """The most tokens that a model writes in one answer; None where nobody knows."""
    row = _row(provider, model)
    return None if row is None else row.get("answer")


def lacks(provider: str, model: str) -> tuple[str, ...]:
    """What a model certainly does not have, of `tools`, `reasoning` and `sampling`.

    >>> lacks("openai", "gpt-4o"), lacks("openai", "our-own-model")
    (('reasoning',), ())
    """
    row = _row(provider, model)
    return () if row is None else tuple(row.get("lacks", ()))


def takes(provider: str, model: str) -> tuple[str, ...]:
    """What a model certainly takes that not every one does: `prefill`, the beginning of its own answer.

    >>> takes("anthropic", "claude-haiku-4-5"), takes("anthropic", "claude-opus-5")
    (('prefill',), ())
    """
    row = _row(provider, model)
    return () if row is None else tuple(row.get("takes", ()))


def last_day(provider: str, model: str) -> str | None:
    """The day on which a provider stops serving a model, as `2026-12-31`, where it has said so."""
    row = _row(provider, model)
    return None if row is None else row.get("ends")


def successor(provider: str, model: str) -> str | None:
    """The model that a provider names in the place of one that it ends, where it has.

    >>> successor("anthropic", "claude-3-haiku-20240307")
    'claude-haiku-4-5'
    """
    row = _row(provider, model)
    return None if row is None else row.get("instead")


def ladders() -> tuple[str, ...]:
    """The names of the ladders: rungs of models that a preset names instead of ids, which change.

    >>> ladders()
    ('small', 'mid', 'frontier')
    """
    return tuple(_catalogue()["ladders"])


def rung(ladder: str, provider: str) -> str | None:
    """The model of a provider on a ladder; None where it has none there.

    >>> rung("small", "ollama") is None
    True
    """
    rungs: Mapping[str, str] = _catalogue()["ladders"].get(ladder, {})
    return rungs.get(SAME.get(provider, provider))


def dialect(provider: str) -> Mapping[str, Any]:
    """What a provider takes, refuses or leaves unread.

    The words of `top` may not stand at the top of a tool's schema; with `items` a list must say what it holds; `names`
    is the pattern of property names, `tool_names` of the names of tools; with `enum` its values are texts. The keys of
    `ignores` are settings without effect, `most` the largest values of settings; `most_tools` is how many a request may
    have; with `prefill` some of its models go on with the beginning of an answer; `options` are the fields of a request
    that `model.options` may set, `inner` what its field `options` holds.
    """
    found: Mapping[str, Any] = _catalogue()["providers"].get(provider, {})
    return found


def providers_with(option: str) -> tuple[str, ...]:
    """The providers whose requests have a field of this name.

    >>> providers_with("keep_alive"), providers_with("made_up")
    (('ollama',), ())
    """
    ways: Mapping[str, Mapping[str, Any]] = _catalogue()["providers"]
    return tuple(name for name, way in ways.items() if option in way.get("options", ()))


def is_match(row: Mapping[str, Any], model: str) -> bool:
    """Whether a row of the table is about a model of this id."""
    name = model.lower()
    return any(_TESTS[kind](name, word) for kind, word in row["match"])


@lru_cache(maxsize=256)
def _row(provider: str, model: str) -> Mapping[str, Any] | None:
    return next((row for row in _models().get(SAME.get(provider, provider), ()) if is_match(row, model)), None)


def _models() -> Mapping[str, list[dict[str, Any]]]:
    models: Mapping[str, list[dict[str, Any]]] = _catalogue()["models"]
    return models


@cache
def _catalogue() -> Mapping[str, Any]:
    catalogue: Mapping[str, Any] = json.loads(resource("stdlib", "models.json").read_bytes())
    return catalogue
