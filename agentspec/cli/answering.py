"""answering: what the options of `resume` answer a run that waits for people or for its caller."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agentspec.adapters.people.person import ANY
from agentspec.api.options import Approve
from agentspec.cli.usage import Usage

Approvals = Approve | dict[str, str]


def read_answers(
    approve: Sequence[str], answers: Sequence[str], results: Sequence[str]
) -> tuple[Approvals, dict[str, str], dict[str, Any]]:
    """What `--approve`, `--answer` and `--tool-result` say. Raises `Usage` for what can't be read."""
    return _approvals(approve), _replies(answers), dict(map(_result, results))


def _approvals(given: Sequence[str]) -> Approvals:
    """One word for all calls, or a decision for each of some."""
    words = [word for word in given if "=" not in word]
    if words and len(given) > 1:
        raise Usage(f"`--approve {words[0]}` answers all calls: give it alone")
    if not given or words:
        return _word(words[0] if words else "ask")
    return {call_id: decision for call_id, _, decision in (word.rpartition("=") for word in given)}


def _word(word: str) -> Approve:
    """The word of an answer to all calls. Raises `Usage` for another one."""
    match word:
        case "ask" | "allow" | "deny":
            return word
        case _:
            raise Usage(f"`--approve {word}`: it is `ask`, `allow`, `deny`, or `ID=allow`")


def _replies(given: Sequence[str]) -> dict[str, str]:
    """Replies by call; a single one without an id is for the only question that there is."""
    found: dict[str, str] = {}
    for text in given:
        call_id, equals, reply = text.partition("=")
        if not equals and len(given) > 1:
            raise Usage(f"`--answer {text}`: name the call that it answers, `ID={text}`")
        found |= {call_id: reply} if equals else {ANY: text}
    return found


def _result(text: str) -> tuple[str, Any]:
    call_id, equals, result = text.partition("=")
    try:
        value = json.loads(result)
    except ValueError:
        value, equals = None, ""
    if not equals:
        raise Usage(f"`--tool-result {text}`: write it as `ID=JSON`; a text is JSON in quotes")
    return call_id, value
