"""An order of roles that strict chat templates take, written for a server that has refused another one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings

from agentspec.adapters.models.wires.anthropic_wire import MessagesWire
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.openai_wire import ChatWire
from agentspec.core.messages import (
    AssistantMessage,
    FailureClass,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from tests.adapters.models.conversations import conversations, decoded

CALLED = [AssistantMessage(calls=(ToolCall("c1", "lookup", "{}"),)), ToolMessage("c1", "lookup", "x")]
OF_MISTRAL = "Unexpected role 'user' after role 'tool'"
ORDERS = (
    OF_MISTRAL,
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls.",
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    "System message must be at the beginning.",
    "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2]).",
    "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
    "Last message must have role `user`.",
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    'messages: first message must use the "user" role',
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
)
NO_SYSTEM = ("System role not supported", "Only user and assistant roles are supported!")
IN_BETWEEN = ("Understood.", "I have the results.", "Go on.")
OTHERS = (
    "messages.2.content: None is not a valid string",
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user', and 'tool'.",
    "You do not have the role that this project needs",
)


def complaint(words: str, category: FailureClass = "invalid_request") -> Refusal:
    return Refusal(category, retryable=False, retry_after=None, words=words)


def wire_after(*words: str) -> ChatWire:
    wire = ChatWire({"model": "m-1"}, "here m-1")
    for each in words:
        assert wire.adapt(complaint(each))
    return wire


def sent(wire: ChatWire, messages: Iterable[Message], harness: str | None = None) -> list[dict[str, Any]]:
    return decoded(wire.body(ModelRequest(Transcript(list(messages)), harness=harness), stream=False))["messages"]


def short(messages: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(each["role"], each["content"]) for each in messages]


@pytest.mark.parametrize("words", ORDERS)
@pytest.mark.parametrize("category", ["invalid_request", "server_error"])
def test_an_order_that_is_refused_teaches_another_one_and_only_once(words, category):
    wire = ChatWire({"model": "m-1"}, "here m-1")
    usual = sent(wire, [UserMessage("Go."), *CALLED], harness="Note.")

    learnt = [wire.adapt(complaint(words, category)) for _ in range(2)]

    assert learnt == [True, False]
    assert short(usual) == [("user", "Go."), ("assistant", None), ("tool", "x"), ("user", "Note.")]
    assert short(sent(wire, [UserMessage("Go."), *CALLED], harness="Note.")) == [
        *short(usual)[:3],
        ("assistant", "I have the results."),
        ("user", "Note."),
    ]


@pytest.mark.parametrize("words", OTHERS)
def test_other_complaints_teach_no_order(words):
    wire = ChatWire({"model": "m-1"}, "here m-1")

    wire.adapt(complaint(words))

    assert len(sent(wire, [UserMessage("Go."), UserMessage("More.")])) == 2


@pytest.mark.parametrize("words", NO_SYSTEM)
def test_where_a_template_has_no_system_role_its_text_is_said_first(words):
    said = sent(wire_after(words), [SystemMessage("Be brief."), UserMessage("Go.")])

    assert short(said) == [("user", "Be brief."), ("assistant", "Understood."), ("user", "Go.")]


def test_one_system_text_stands_first_and_a_later_one_comes_from_the_users_side():
    messages = [
        SystemMessage("One."),
        SystemMessage("Two."),
        UserMessage("Go."),
        AssistantMessage("a"),
        SystemMessage("S"),
    ]

    said = short(sent(wire_after(OF_MISTRAL), messages))

    assert said == [("system", "One.\n\nTwo."), ("user", "Go."), ("assistant", "a"), ("user", "S")]


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([UserMessage("a"), UserMessage("b")], "user:a assistant:Understood. user:b"),
        ([UserMessage("a"), AssistantMessage("b"), AssistantMessage("c")], "user:a assistant:b user:Go on. assistant:c user:Go on."),
        ([AssistantMessage("a"), UserMessage("b")], "user:Go on. assistant:a user:b"),
        ([SystemMessage("s"), AssistantMessage("a"), UserMessage("b")], "system:s user:Go on. assistant:a user:b"),
        ([UserMessage("a"), *CALLED, UserMessage("b")], "user:a assistant:None tool:x assistant:I have the results. user:b"),
        ([UserMessage("a"), *CALLED], "user:a assistant:None tool:x"),
    ],
)  # fmt: skip
def test_where_one_side_would_speak_twice_the_other_says_a_few_words(messages, said):
    told = short(sent(wire_after(OF_MISTRAL), messages))

    assert " ".join(f"{role}:{text}" for role, text in told) == said


def test_a_server_of_the_messages_api_that_insists_on_turns_gets_them():
    wire = MessagesWire({"model": "m-1"}, "here m-1")
    messages = [AssistantMessage("a"), AssistantMessage("b"), UserMessage("c"), *CALLED]

    learnt = [wire.adapt(complaint('messages: first message must use the "user" role')) for _ in range(2)]
    said = decoded(wire.body(ModelRequest(Transcript(messages), harness="Note."), stream=False))["messages"]

    assert learnt == [True, False]
    words = [(each["role"], each["content"][0].get("text", each["content"][0]["type"])) for each in said]
    assert words == [
        ("user", "Go on."),
        ("assistant", "a"),
        ("user", "Go on."),
        ("assistant", "b"),
        ("user", "c"),
        ("assistant", "tool_use"),
        ("user", "tool_result"),
        ("assistant", "Understood."),
        ("user", "Note."),
    ]


def is_taken(messages: list[dict[str, Any]]) -> bool:
    """What the strictest of the templates and servers ask of an order of roles."""
    roles = [each["role"] for each in messages]
    spoken = [role for role in roles if role != "system"]
    words = [each["role"] for each in messages if each["role"] != "tool" and not each.get("tool_calls")]
    in_turns = [role for role in words if role != "system"]
    return (
        "system" not in roles[1:]
        and spoken[:1] == ["user"]
        and in_turns == (["user", "assistant"] * len(in_turns))[: len(in_turns)]
        and all(pair not in itertools.pairwise(roles) for pair in (("tool", "user"), ("user", "user")))
        and roles[-1] in ("user", "tool")
    )


@given(conversations())
@settings(max_examples=25, deadline=None)
def test_any_conversation_is_in_an_order_that_the_strictest_server_takes_and_says_all_that_it_said(conversation):
    for harness in (None, "Note."):
        said = sent(wire_after(OF_MISTRAL), conversation, harness)

        assert is_taken(said)
        assert words_of(said) == words_of(sent(wire_after(), conversation, harness))


def words_of(messages: list[dict[str, Any]]) -> list[str]:
    """All that is said, but for the few words in between."""
    said = [each["content"] for each in messages if each["content"] not in (None, *IN_BETWEEN)]
    return "\n".join(said).split()


@given(conversations())
@settings(max_examples=15, deadline=None)
def test_a_request_is_the_same_whatever_was_asked_before(conversation):
    wire, messages = wire_after(OF_MISTRAL), list(conversation)
    answered = [number for number in range(1, len(messages)) if not isinstance(messages[number], ToolMessage)]

    for end in (*answered, len(messages)):
        assert sent(wire, messages[:end], "Note.") == sent(wire_after(OF_MISTRAL), messages[:end], "Note.")
