"""The JSON value of a final answer."""

from typing import Any

import pytest

from agentspec.core.formats.answer import read_value

VALUES = {
    "an object": ('{"n": 1}', {"n": 1}),
    "a list": ("[1, 2]", [1, 2]),
    "a number": (" 7 ", 7),
    "in a fence": ('```json\n{"n": 1}\n```', {"n": 1}),
    "in a fence with prose around": ("Here:\n```\n[1]\n```\nGood luck.", [1]),
    "in prose": ('It is {"n": 1}, I think.', {"n": 1}),
}
PROBLEMS = {
    "nothing": ("  ", "the answer is empty"),
    "prose": ("I am done.", "the answer is no JSON"),
    "cut off": ('{"n": [1, 2', "the JSON of the answer is cut off"),
    "two objects": (
        'Either {"n": 1} or {"n": 2}',
        "the answer holds 2 JSON objects, and it is not said which one counts",
    ),
    "no JSON words": ("NaN", "the answer is no JSON"),
}


@pytest.mark.parametrize(("text", "value"), VALUES.values(), ids=VALUES)
def test_the_one_value_of_an_answer_is_read(text: str, value: Any) -> None:
    assert read_value(text) == (value, "")


@pytest.mark.parametrize(("text", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_an_answer_without_one_value_is_told(text: str, problem: str) -> None:
    assert read_value(text) == (None, problem)
