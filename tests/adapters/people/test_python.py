"""A Python function of the author answers with plain JSON, whatever it does."""

import sys

import pytest

from agentspec.adapters.people.python import PythonFunctions

RULES = """
import asyncio, time

def decide(state):
    return {"extend": state["iteration"], "names": ("a", "b")}

def changes(state):
    state["iteration"] = 99

async def later(state):
    await asyncio.sleep(0)
    return {"stop": "late"}

def raises(state):
    raise ValueError("no such day")

def leaves(state):
    raise SystemExit

def gives_an_object(state):
    return {"extend": object()}

def gives_nan(state):
    return float("nan")

def gives_half_a_character(state):
    return {"stop": chr(0xD800)}

def gives_much(state):
    return "x" * 70_000

class Rules:
    @staticmethod
    def decide(state):
        return None

def hangs(state):
    time.sleep(30)

number = 3
"""


@pytest.fixture
def functions(tmp_path, monkeypatch):
    """The functions of a project with the module `rules_of_a_project`."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "rules_of_a_project", raising=False)
    (tmp_path / "rules_of_a_project.py").write_text(RULES)
    (tmp_path / "broken_rules.py").write_text("1 / 0")
    (tmp_path / "json.py").write_text("def dumps(state): return 'not the one of Python'")
    return PythonFunctions(tmp_path, timeout=5.0)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("rules_of_a_project:decide", {"value": {"extend": 3, "names": ["a", "b"]}}),
        ("rules_of_a_project:changes", {"value": None}),
        ("rules_of_a_project:later", {"value": {"stop": "late"}}),
        ("rules_of_a_project:Rules.decide", {"value": None}),
        ("rules_of_a_project:gives_half_a_character", {"value": {"stop": "\ufffd"}}),
        (
            "rules_of_a_project:raises",
            {"error": "`rules_of_a_project:raises`: it failed: ValueError: no such day"},
        ),
        ("rules_of_a_project:leaves", {"error": "`rules_of_a_project:leaves`: it failed: SystemExit"}),
        (
            "rules_of_a_project:gives_an_object",
            {
                "error": "`rules_of_a_project:gives_an_object`: its answer is no plain JSON value: "
                "Object of type object is not JSON serializable"
            },
        ),
        (
            "rules_of_a_project:gives_much",
            {"error": "`rules_of_a_project:gives_much`: its answer is 70002 characters long; at most 65536 are taken"},
        ),
        (
            "rules_of_a_project:number",
            {"error": "`rules_of_a_project:number`: it can't be imported: TypeError: `number` is no function"},
        ),
        (
            "no_such_rules:decide",
            {
                "error": "`no_such_rules:decide`: it can't be imported: "
                "ModuleNotFoundError: No module named 'no_such_rules'"
            },
        ),
        (
            "broken_rules:decide",
            {"error": "`broken_rules:decide`: it can't be imported: ZeroDivisionError: division by zero"},
        ),
        ("json:dumps", {"value": '{"iteration": 3}'}),
    ],
)
async def test_whatever_a_function_does_the_answer_is_plain_json(functions, name, answer):
    question = {"function": name, "state": {"iteration": 3}}

    assert await functions.answer(question) == answer
    assert question["state"] == {"iteration": 3}


async def test_what_json_has_no_word_for_is_no_answer(functions):
    answer = await functions.answer({"function": "rules_of_a_project:gives_nan", "state": {}})

    assert list(answer) == ["error"]
    assert "no plain JSON value" in answer["error"]


async def test_a_function_that_hangs_is_left_to_itself(functions, tmp_path):
    slow = PythonFunctions(tmp_path, timeout=0.05)

    answer = await slow.answer({"function": "rules_of_a_project:hangs", "state": {}})

    assert answer == {"error": "`rules_of_a_project:hangs`: no answer after 0.05 s"}
