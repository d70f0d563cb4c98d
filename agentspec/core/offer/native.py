"""native: whether the provider of a run can search for its tools itself. Pure; a table, and no guess.

What only the runtime can do (a budget, a ranking of one's own) is never left to a provider in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings

PLACE: Final = "capability.tool_search"
SEARCH: Final = "tool_search"  # what a provider's search is called in a reply, whatever its protocol calls it
LONGEST_QUERY: Final = 2_000  # characters that are kept
STAND_IN = "script"  # it plays what another provider would have answered
OWN: Final = ("budget_tokens", "rank", "python", "name", "include_stub_listing")  # what the runtime's search alone does


class Native(NamedTuple):
    """The strategies by which a provider searches, and its models that can."""

    strategies: tuple[str, ...]
    models: str  # a pattern


# Sources: the tool search pages of Claude (`tool_search_tool_bm25`, `tool_search_tool_regex`) and of OpenAI's Responses
# API (`tool_search`, which compares words in a way of its own).
NATIVE: Final[dict[str, Native]] = {
    "anthropic": Native(("bm25", "regex"), r"claude-[a-z]+-(4-[5-9]|[5-9]|\d\d|preview)"),
    "openai_responses": Native(("bm25", "hybrid"), r"gpt-(5\.([4-9]|\d\d)|[6-9]|\d\d)(?!\S*image)"),
}


def search_asked(settings: Settings) -> Mapping[str, Any] | None:
    """What a spec says of the search for tools; None where it wants none."""
    written = settings.get(PLACE)
    asked: Mapping[str, Any] = written if isinstance(written, Mapping) else {"strategy": written}
    return None if asked.get("strategy") in (None, "off") else asked


def is_native(settings: Settings) -> bool:
    """Whether the provider searches: where the spec says `native`, and with `auto` where it is known to be able to."""
    asked = search_asked(settings)
    if asked is None:
        return False
    match asked.get("mode") or "auto":
        case "native":
            return True
        case "auto":
            model = settings.get("model")
            return all(_is_known_to(route.model) for route in routes_of(model)) and not obstacles(model, asked)
        case _:
            return False


def obstacles(model: Mapping[str, Any] | None, asked: Mapping[str, Any]) -> list[str]:
    """Why the provider can't do this search, in words; none where it can, or where nobody knows who answers.

    `model` is the section of a spec; all of its routes have to search, or the tools would be others on each.
    """
    return list(dict.fromkeys(why for route in routes_of(model) for why in _of_route(route.model, asked)))


def _of_route(model: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    provider = str(model.get("provider") or "")
    native = NATIVE.get(provider)
    if native is None:
        if provider not in ("", STAND_IN):
            able = " and ".join(f"`{name}`" for name in NATIVE)
            yield f"the provider `{provider}` does not search for tools; {able} do"
        return
    strategy = asked.get("strategy") or "bm25"
    if strategy not in native.strategies:
        known = " or ".join(f"`{name}`" for name in native.strategies)
        yield f"`{provider}` does not search by `{strategy}`, but by {known}"
    yield from (f"`{name}` is for the search of the runtime" for name in OWN if asked.get(name))
    if model.get("tool_format") not in (None, "auto", "native"):
        yield f"with `tool_format: {model['tool_format']}` the provider knows of no tools"


def _is_known_to(model: Mapping[str, Any]) -> bool:
    """Whether a model at its provider's own address is known to search."""
    native = NATIVE.get(str(model.get("provider") or ""))
    if native is None or model.get("base_url") is not None:
        return False
    return re.match(native.models, str(model.get("model") or "")) is not None


def query_of(asked: Any) -> str:
    """What was searched for: words, a pattern, or the names of groups."""
    if not isinstance(asked, Mapping):
        return ""
    told = next((asked[name] for name in ("query", "pattern", "paths") if asked.get(name)), "")
    words = ", ".join(map(str, told)) if isinstance(told, list | tuple) else str(told)
    return words[:LONGEST_QUERY]
