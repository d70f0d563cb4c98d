"""Replies as real models write them, torn, mixed and damaged: every reader and the kernel take whatever comes."""

import json
import random
from collections.abc import Iterator

import pytest

from agentspec.adapters.models.layers.formatted import read_in
from agentspec.core.events import ModelReplied
from agentspec.core.messages import AssistantMessage, Reply, ToolMessage
from agentspec.core.orders import CallModel, CallTool
from agentspec.ports import ModelRequest, ToolSchema
from agentspec.testing.kernel import Kernel, plan_for, tool

NOTE = {"reason": "to remember", "action": "tool", "tool": "note", "args": {"text": 'x {y} "z"'}, "answer": ""}
END = {"reason": "done", "action": "answer", "tool": "", "args": {}, "answer": "It is {42}."}
TAGGED = '<tool_call>\n{"name": "note", "arguments": {"text": <<END\nif "a" < 1:\n  {b}\nEND\n}}\n</tool_call>'
SEEDS = (
    json.dumps(NOTE),
    json.dumps(END, indent=2),
    f"Let me think: {{reason}}.\n```json\n{json.dumps(NOTE)}\n```\nDone.",
    json.dumps({"step": NOTE, "next": END}),
    f"I note it.\n{TAGGED}",
    TAGGED * 3,
    '{"name": "note", "arguments": {"text": "x"}}',
    '[{"name": "note", "parameters": {}}, {"name": "ghost"}]',
    "<think>hm</think> I am done. ##DONE##",
    json.dumps(NOTE)[:60] + json.dumps(END),
    "",
    "\ud83d",
)
SCRAPS = (
    "{",
    "}",
    '"',
    "\\",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "```",
    "<tool_call>",
    "</tool_call>",
    "<<END\n",
    "END",
    "null",
    "\x00",
)


def mutated(text: str, chance: random.Random) -> str:
    """The text with a few cuts, repeats, swaps and scraps."""
    for _ in range(chance.randint(0, 4)):
        at, to = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        match chance.randint(0, 5):
            case 0:
                text = text[:at]
            case 1:
                text = text[:at] + text[to:]
            case 2:
                text = text[:at] + chance.choice(SCRAPS) + text[at:]
            case 3:
                text = text[:to] + text[at:]
            case 4:
                text = text + chance.choice(SEEDS)
            case _:
                text = text[at:] + text[:at]
    return text[:4_000]


def replies(count: int, seed: int) -> Iterator[tuple[str, Reply]]:
    chance = random.Random(seed)
    for _ in range(count):
        text = mutated(chance.choice(SEEDS), chance)
        finish = chance.choice(("stop", "stop", "length", "other"))
        yield chance.choice(("native", "json", "text")), Reply(text=text, finish=finish)


def survive(count: int, seed: int) -> None:
    schema = ToolSchema(name="note", description="", parameters={"type": "object"})
    plan = plan_for({"execution": {"max_iterations": 1_000_000, "max_nudges": 1_000}}, tool("note", effect="write"))
    kernel = Kernel(plan)
    kernel.start("go")
    for chosen, reply in replies(count, seed):
        if kernel.state.is_over:
            assert_paired(kernel)
            kernel = Kernel(plan)
            kernel.start("go")
        order = kernel.pending(CallModel)
        request = ModelRequest(transcript=kernel.state.transcript, tools=(schema,), format=chosen)
        read = read_in(request, reply)
        for call in read.calls:
            assert_whole(call.name, reply.text)
        kernel.give(ModelReplied(at=kernel.tick(), order=order.id, reply=read))
        for pending in [each for each in kernel.state.pending.values() if isinstance(each, CallTool)]:
            kernel.returned(pending.call.id)
            while more := [each for each in kernel.state.pending.values() if isinstance(each, CallTool)]:
                kernel.returned(more[0].call.id)


def assert_whole(name: str, text: str) -> None:
    """What became a call stood in the text by its name, with its object closed after it."""
    place = text.find(name)
    assert place >= 0
    assert "}" in text[place:]


def assert_paired(kernel: Kernel) -> None:
    messages = list(kernel.state.transcript)
    wanted = [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls]
    given = [message.call_id for message in messages if isinstance(message, ToolMessage)]
    assert wanted == given


def test_two_thousand_damaged_replies_are_survived() -> None:
    survive(2_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_hundred_thousand_damaged_replies_are_survived(seed: int) -> None:
    survive(10_000, seed)
