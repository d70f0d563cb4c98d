"""provider_run: which tools a provider has run itself while it answered, read from what its protocol tells of them.

Nothing here is run or believed: it is a record. Results stay with the provider's own blocks, which go back to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agentspec.adapters.models.wires.draft import keepable, label_of, mapping_of, word_of
from agentspec.core.messages import ProviderCall, ProviderStatus
from agentspec.core.offer.native import SEARCH

# Anthropic's Messages API
USE: Final = ("server_tool_use", "mcp_tool_use")
RESULT: Final = "_tool_result"
# OpenAI's Responses API; what `mcp_list_tools` tells is no call
ITEMS: Final = {
    "tool_search_call": SEARCH,
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "mcp_call": "mcp",
}
ASIDE: Final = ("tool_search_output", "mcp_list_tools")  # goes back with them
ASKED: Final = ("action", "queries", "code", "server_label", "name", "arguments")
ENDED: Final[dict[str, ProviderStatus]] = {"completed": "ok", "failed": "error"}
# Gemini
PARTS: Final = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
OUTCOMES: Final[dict[str, ProviderStatus]] = {"OUTCOME_OK": "ok", "": "open"}


def is_run_by_anthropic(kind: str) -> bool:
    """Whether a block of this kind is a call that the provider runs, or its result.

    >>> is_run_by_anthropic("web_search_tool_result"), is_run_by_anthropic("tool_use")
    (True, False)
    """
    return kind in USE or kind.endswith(RESULT)


def calls_of_blocks(blocks: Sequence[Mapping[str, Any]]) -> tuple[ProviderCall, ...]:
    """The calls of an answer of the Messages API; a result may come in the answer after its call."""
    results = {word_of(block.get("tool_use_id")): block for block in blocks if _is_result(block)}
    used = [block for block in blocks if block.get("type") in USE]
    told = [_of_block(block, results.pop(word_of(block.get("id")), None)) for block in used]
    return (*told, *(_late(block) for block in results.values()))


def is_open(block: Mapping[str, Any], blocks: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a block is a call whose result is not among the blocks."""
    return block.get("type") in USE and all(other.get("tool_use_id") != block.get("id") for other in blocks)


def _is_result(block: Mapping[str, Any]) -> bool:
    return word_of(block.get("type")).endswith(RESULT)


def _of_block(block: Mapping[str, Any], result: Mapping[str, Any] | None) -> ProviderCall:
    call = ProviderCall(
        name=_plain(word_of(block.get("name"))),
        id=label_of(block.get("id")),
        arguments=keepable(block.get("input")),
        status="open",
    )
    return call if result is None else _with_result(call, result)


def _late(result: Mapping[str, Any]) -> ProviderCall:
    name = word_of(result.get("type")).removesuffix(RESULT)
    return _with_result(ProviderCall(name=_plain(name), id=label_of(result.get("tool_use_id"))), result)


def _with_result(call: ProviderCall, result: Mapping[str, Any]) -> ProviderCall:
    content = result.get("content")
    inner = mapping_of(content)
    is_error = result.get("is_error") is True or word_of(inner.get("type")).endswith("_error")
    found = [mapping_of(one).get("tool_name") for one in _list(inner.get("tool_references"))]
    return ProviderCall(call.name, call.id, call.arguments, "error" if is_error else "ok", _names(found))


def _plain(name: str) -> str:
    """The search for tools has a name of its own by each strategy."""
    return SEARCH if name.startswith(SEARCH) else label_of(name)


def calls_of_items(items: Iterable[Mapping[str, Any]]) -> tuple[ProviderCall, ...]:
    """The calls of an answer of the Responses API."""
    items = list(items)
    outputs = [item for item in items if item.get("type") == "tool_search_output"]
    told: list[ProviderCall] = []
    for item in items:
        name = ITEMS.get(word_of(item.get("type")))
        if name is None:
            continue
        is_failed = bool(item.get("error"))
        asked = {key: keepable(item[key]) for key in ASKED if item.get(key) is not None}
        output = next((one for one in outputs if one.get("call_id") == item.get("call_id")), None)
        told.append(
            ProviderCall(
                name=name,
                id=label_of(item.get("id")),
                arguments=asked.get("arguments") if name == SEARCH else asked,
                status="error" if is_failed else ENDED.get(word_of(item.get("status")), "open"),
                found=_names(_functions(_list((output or {}).get("tools")))) if name == SEARCH else (),
            )
        )
    return tuple(told)


def _functions(tools: list[Any]) -> Iterator[Any]:
    for tool in map(mapping_of, tools):
        inner = tool.get("tools")
        yield from _functions(inner) if isinstance(inner, list) else (tool.get("name"),)


def calls_of_parts(parts: Sequence[Mapping[str, Any]], queries: Sequence[str]) -> tuple[ProviderCall, ...]:
    """The calls of an answer of Gemini; `queries` are what it has searched the web for, where no part tells of it."""
    told: list[ProviderCall] = []
    for place, part in enumerate(parts):
        code, call = part.get("executableCode"), part.get("toolCall")
        if isinstance(code, dict):
            after = mapping_of(parts[place + 1]).get("codeExecutionResult") if place + 1 < len(parts) else None
            status = OUTCOMES.get(word_of(mapping_of(after).get("outcome")), "error")
            told.append(ProviderCall("code_execution", arguments=keepable(code), status=status))
        elif isinstance(call, dict):
            name = label_of(call.get("toolType")).lower()
            told.append(ProviderCall(name, label_of(call.get("id")), keepable(call.get("args"))))
    if queries and not told:
        told.append(ProviderCall("google_search", arguments={"queries": list(queries)}))
    return tuple(told)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _names(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(label_of(value) for value in values if word_of(value))
