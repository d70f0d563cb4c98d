"""A Python function sees what expressions see, and what it says is read strictly."""

import pytest

from agentspec.core.facts import BudgetFacts, Facts, TurnFacts
from agentspec.core.rules.functions import Command, read_command, state_of
from agentspec.expressions.groups import GROUPS
from agentspec.expressions.places import PLACES

VERBS = {"extend": ("true", "a whole number"), "stop": ("text",), "next_options": ("a mapping",), "reason": ("text",)}


def test_the_state_has_every_name_of_its_place_with_every_field():
    facts = Facts(iteration=3, turn=TurnFacts(tool_names=("look",)), budget=BudgetFacts(current_limit=4))

    state = state_of("loop_control.when", facts)

    assert set(state) == set(PLACES["loop_control.when"].names)
    assert {name: set(state[name]) for name in state if name != "iteration"} == {
        name: set(GROUPS[name]) for name in state if name != "iteration"
    }
    assert (state["iteration"], state["turn"]["tool_names"], state["budget"]["current_limit"]) == (3, ["look"], 4)


def test_what_facts_do_not_hold_is_given_beside_them():
    state = state_of("verify_completion.when", Facts(), answer="42", artifacts={"present": (), "missing": ("a",)})

    assert (state["answer"], state["artifacts"]) == ("42", {"present": (), "missing": ("a",)})


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"value": None}, Command()),
        ({"value": {}}, Command({})),
        ({"value": {"extend": 2, "reason": "why"}}, Command({"extend": 2, "reason": "why"})),
        ({"value": {"extend": True, "stop": None}}, Command({"extend": True})),
        ({"value": {"next_options": {"seed": 1}}}, Command({"next_options": {"seed": 1}})),
        ({"value": {"extend": "2"}}, Command(problem="its `extend` is not true or a whole number")),
        ({"value": {"stop": True}}, Command(problem="its `stop` is not text")),
        (
            {"value": {"halt": True}},
            Command(problem="it gave `halt`, which is none of `extend`, `stop`, `next_options`, `reason`"),
        ),
        ({"value": ["stop"]}, Command(problem="it gave neither a mapping nor None")),
        ({"error": "`a:b`: no answer after 1 s"}, Command(problem="`a:b`: no answer after 1 s")),
        (None, Command(problem="it gave no answer")),
        ({}, Command(problem="it gave no answer")),
    ],
)
def test_a_command_is_read_strictly(answer, read):
    assert read_command(answer, VERBS) == read
