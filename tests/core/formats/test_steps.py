"""The step object of the format `json`, found in what real models write around it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.formats.steps import Step, exact_step_schema, read_step, step_schema, write_step
from agentspec.core.schema.validate import compile_schema


def step(**changed: Any) -> str:
    return json.dumps({"reason": "r", "action": "answer", "tool": "", "args": {}, "answer": "4", **changed})


CALL = step(action="tool", tool="look", args={"at": "sky"}, answer="")
FOUR = Step("r", None, {}, "4")
LOOK = Step("r", "look", {"at": "sky"}, "")

FOUND = {
    "alone": (step(), FOUR),
    "in a fence": (f"```json\n{step()}\n```", FOUR),
    "after prose": (f"Let me think. The answer: {step()}", FOUR),
    "before prose": (f"{step()} I hope that helps", FOUR),
    "after a stray quote": (f'He said " and then {step()}', FOUR),
    "after a stray brace": (f"I use {'{'} braces. {step()}", FOUR),
    "after a pseudo object": ("So: {reason, action, tool} means " + step(), FOUR),
    "after a draft": (step(answer="3") + "\nWait, no.\n" + step(), FOUR),
    "after a draft, a long text and a correction": (step(answer="3") + "x" * 30_000 + CALL, LOOK),
    "a call": (CALL, LOOK),
    "in a wrapper": (json.dumps({"step": json.loads(CALL)}), LOOK),
    "in a list in a wrapper": (json.dumps({"steps": [json.loads(step()), json.loads(CALL)]}), LOOK),
    "with line ends inside of a string": (step(answer="a\nb").replace("\\n", "\n"), Step("r", None, {}, "a\nb")),
    "with nothing where nothing is needed": (step(tool=None, args=None), FOUR),
    "with a brace in a string": (step(answer="{ok"), Step("r", None, {}, "{ok")),
    "after an object that is none": ('{"a": 1} ' + step(), FOUR),
    "with fields of its own beside": (step(confidence=1), FOUR),
    "a call of a file with a step in it": (
        step(action="tool", tool="write", args={"text": step(answer="no")}, answer=""),
        Step("r", "write", {"text": step(answer="no")}, ""),
    ),
}
NONE = {
    "nothing": ("", ""),
    "prose": ("I am done.", "it holds no step object"),
    "a field that lacks": (
        json.dumps({"reason": "r", "action": "answer", "answer": "4"}),
        "the object lacks `tool`, `args`",
    ),
    "another action": (step(action="think"), "the object has the five fields, but not with values that can be used"),
    "a call without a tool": (
        step(action="tool"),
        "the object has the five fields, but not with values that can be used",
    ),
    "an answer that is a number": (
        step(answer=4),
        "the object has the five fields, but not with values that can be used",
    ),
    "a call that is cut off": (CALL[:-3], "the object is cut off"),
    "a file that is cut off, with a step in it": (
        '{"reason": "r", "action": "tool", "tool": "write", "args": {"text": ' + CALL + ', "more": "x',
        "the object is cut off",
    ),
    "a whole step before one that is cut off": (step() + CALL[:-3], "the object is cut off"),
}


@pytest.mark.parametrize(("text", "expected"), FOUND.values(), ids=FOUND)
def test_the_last_whole_step_is_found(text: str, expected: Step) -> None:
    assert read_step(text).step == expected


@pytest.mark.parametrize(("text", "why"), NONE.values(), ids=NONE)
def test_what_is_no_step_is_none_and_it_is_said_why(text: str, why: str) -> None:
    assert read_step(text) == (None, why)


@given(st.text(), st.text())
def test_a_step_is_read_back_from_any_prose_without_braces(before: str, after: str) -> None:
    said = before.replace("{", "(") + CALL + after.replace("{", "(")

    assert read_step(said).step == LOOK


@given(st.integers(1, len(CALL) - 1))
def test_no_beginning_of_a_call_is_ever_a_step(length: int) -> None:
    assert read_step(CALL[:length]).step is None


@given(st.text(min_size=1).filter(str.strip), st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_call_that_is_written_as_a_step_is_read_as_the_same_call(name: str, args: dict[str, str]) -> None:
    read = read_step(write_step(name, json.dumps(args))).step

    assert read == Step("", name.strip(), args, "")


def test_the_schema_of_a_step_admits_steps_and_no_other_tool() -> None:
    held = compile_schema(step_schema(("look",)))

    assert held.check(json.loads(CALL)) == []
    assert held.check(json.loads(step(tool="other"))) != []
    assert compile_schema(step_schema(())).check(json.loads(CALL)) != []


@pytest.mark.parametrize(
    ("written", "must_call", "fits"),
    [
        (step(action="tool", tool="look", args={"at": "sky"}, answer=""), False, True),
        (step(action="tool", tool="look", args={"at": 1}, answer=""), False, False),
        (step(action="tool", tool="other", args={}, answer=""), False, False),
        (step(), False, True),
        (step(), True, False),
        (step(args={"at": "sky"}), False, False),
    ],
)
def test_an_exact_step_has_the_arguments_of_its_tool(written, must_call, fits):
    look = {"look": {"type": "object", "properties": {"at": {"type": "string"}}, "additionalProperties": False}}

    problems = compile_schema(exact_step_schema(look, must_call=must_call)).check(json.loads(written))

    assert (problems == []) is fits
