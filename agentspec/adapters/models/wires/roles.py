"""roles: the order of roles that strict chat templates insist on: one system text first, then both sides in turns.

Nothing that somebody said is changed or left out: where one side would speak twice, the other says a few words in
between. So a request stays the beginning of the next one. Written for a server only after it has refused another order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.message_log import Between
from agentspec.core.messages import Message, SystemMessage, UserMessage

GO_ON = "Go on."  # where a conversation ends with the model's own words, which not every model takes up

REFUSED = re.compile(
    r"roles? (?:must|should) alternate|first message must use|"  # templates of Mistral and Gemma; Bedrock
    r"turn comes immediately after|"  # Google, behind others
    r"should alternate with|last message must have role|"  # Perplexity
    r"successive user or assistant|"  # DeepSeek
    r"unexpected role '?\w+'? after|expected last role|"  # Mistral, vLLM
    r"system message must (?:be|come) (?:at the beginning|first)"  # Qwen
)
NO_SYSTEM = re.compile(
    r"system role (?:is )?not supported|only user and assistant roles are supported"
)  # Gemma; Mistral

_ROLE = re.compile(rb'\{"role":"(\w+)"')


def in_between(said: Mapping[tuple[str, str], Any]) -> Between:
    """What stands between two messages, by the roles of both; the first has none at the beginning.

    >>> in_between({("tool", "user"): "Aha."})(b'{"role":"tool","tool_call_id":"c1"', b'{"role":"user","content":"x"}')
    b'"Aha."'
    """
    words = {roles: to_json(message) for roles, message in said.items()}

    def between(before: bytes, after: bytes) -> bytes | None:
        first, second = (found[1].decode() if (found := _ROLE.match(each)) else "" for each in (before, after))
        return words.get((first, second))

    return between


def in_turns(say: Callable[[str, str], Any]) -> Between:
    """What lets both sides speak in turns; `say` makes a message of a role and a text."""
    onwards, understood = say("user", GO_ON), say("assistant", "Understood.")
    return in_between(
        {
            ("user", "user"): understood,
            ("tool", "user"): say("assistant", "I have the results."),
            ("assistant", "assistant"): onwards,
            ("system", "assistant"): onwards,
            ("", "assistant"): onwards,
        }
    )


class Roles:
    """What a server takes of the roles in a conversation, learnt from its refusals."""

    def __init__(self) -> None:
        self.is_strict = False
        self._has_system = True

    def learn(self, words: str) -> bool:
        """Whether a complaint, in lower case, is about roles and teaches something."""
        if self._has_system and NO_SYSTEM.search(words):
            self._has_system, self.is_strict = False, True
            return True
        if not self.is_strict and REFUSED.search(words):
            self.is_strict = True
            return True
        return False

    def of(self, messages: Sequence[Message], is_first: bool) -> Iterator[Message]:
        """The messages with one system text, at the beginning; the words of a later one come from the user's side."""
        opening = tuple(takewhile(lambda each: isinstance(each, SystemMessage), messages if is_first else ()))
        if text := "\n\n".join(each.text for each in opening if each.text.strip()):
            yield SystemMessage(text) if self._has_system else UserMessage(text)
        for message in messages[len(opening) :]:
            if not isinstance(message, SystemMessage):
                yield message
            elif message.text.strip():
                yield UserMessage(message.text)
