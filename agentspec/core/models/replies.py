"""replies: what every provider's answer becomes before the kernel sees it.

Pure. Nothing is guessed into an effect: a call without a name is no call, and argument text stays as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from agentspec.core.messages import Failure, Finish, Reply, ToolCall

MAX_ID = 128
MAX_CALLS = 256  # calls of one reply that are taken; real replies have a few dozen, one that never stopped has more
BYTES_PER_TOKEN = 4  # a rough mean over prose, code and JSON; what is counted with it is marked as estimated

FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "spii": "content_filter",
    "language": "content_filter",
    "image_safety": "content_filter",
    "model_armor": "content_filter",
    "refusal": "refusal",
    "pause_turn": "pause",
}

COMPLETE = frozenset(word for word, finish in FINISHES.items() if finish in ("stop", "tool_calls"))

REFUSED_FORMAT = (
    "tools", "functions", "tool_choice", "response_format", "output_config", "json_schema", "does not support",
    "functiondeclarations", "function_declarations", "toolconfig", "tool_config", "function calling is not enabled",
    "responsejsonschema", "response_json_schema", "responseschema", "response_schema", "responsemimetype",
    "response_mime_type", "json mode is not enabled",
)  # fmt: skip


class RawCall(NamedTuple):
    """A tool call as a provider sent it, before its id and name are known to be usable."""

    id: str
    name: str
    arguments: str


def finish_of(word: str, *, has_calls: bool, refused: bool = False) -> Finish:
    """The kernel's word for a provider's. The calls decide, the provider's word only qualifies.

    >>> finish_of("stop", has_calls=True)
    'tool_calls'
    >>> finish_of("made_up", has_calls=False)
    'other'
    """
    finish = FINISHES.get(word.lower(), "other") if word else "stop"
    if refused and finish in ("stop", "tool_calls", "other"):
        return "refusal"
    if has_calls and finish in ("stop", "other", "pause"):
        return "tool_calls"
    if finish == "tool_calls" and not has_calls:
        return "other"  # it says that it called, and nothing came: that is no finished answer
    return finish


def says_complete(word: str) -> bool:
    """Whether a provider's word says that the reply is whole. No word, or one that nobody knows, does not.

    >>> says_complete("end_turn"), says_complete("")
    (True, False)
    """
    return word.lower() in COMPLETE


def was_cut(reply: Reply) -> bool:
    """Whether something may be missing at the end of a reply, so that none of its calls is mended."""
    is_said = reply.is_complete and (not reply.finish_text or says_complete(reply.finish_text))
    return reply.finish == "length" or not is_said


def settle_calls(
    raw: Iterable[RawCall], taken: Collection[str], mint: Callable[[int], str]
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """Usable calls in their order, and in words what had to be dropped.

    An id that is missing, overlong or already `taken` (by this reply or an earlier one) is replaced by
    `mint(position)`, which must give the same id for the same position; clashes are resolved here. Calls after the
    first `MAX_CALLS` are dropped, and that is said.
    """
    calls: list[ToolCall] = []
    lost: list[str] = []
    used: set[str] = set()
    over = 0
    for position, call in enumerate(raw):
        name = call.name.strip()
        if len(calls) == MAX_CALLS:
            over += 1
            continue
        if not name:
            lost.append(f"call {position + 1} has no name")
            continue
        chosen = call.id if _is_usable(call.id) else mint(position)
        base, attempt = mint(position), 1
        while chosen in used or chosen in taken:
            chosen = base if attempt == 1 else f"{base}_{attempt}"
            attempt += 1
        used.add(chosen)
        calls.append(ToolCall(id=chosen, name=name, arguments=call.arguments))
    if over:
        lost.append(f"{over} more calls came; at most {MAX_CALLS} calls of one reply are taken")
    return tuple(calls), tuple(lost)


def _is_usable(call_id: str) -> bool:
    return 0 < len(call_id) <= MAX_ID and call_id.isprintable() and not call_id.isspace()


def estimate_tokens(size: int) -> int:
    """Tokens of `size` bytes of text, where nobody counted them; never zero for something."""
    return -(-size // BYTES_PER_TOKEN)


def refuses_format(failure: Failure) -> bool:
    """Whether a provider turned a request down because of the tool or output format that it asked for."""
    if failure.retryable:  # whoever asked has learned from it, and asks otherwise
        return False
    if failure.category != "invalid_request" or failure.http_status not in (400, 404, 422):
        return False
    words = failure.message.lower()
    return any(word in words for word in REFUSED_FORMAT)
