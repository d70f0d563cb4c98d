"""Places: the tables of names are whole, and the facts of a run have the same names and kinds."""

from typing import Any, get_args, get_origin, get_type_hints

import pytest

from agentspec.core import facts
from agentspec.core.messages import FailureClass, ToolResult, ToolStatus
from agentspec.expressions.compile import check_expression
from agentspec.expressions.groups import GROUPS, facts_groups, group_type
from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.scope import names_of
from agentspec.expressions.types import Type

KINDS: dict[str, Any] = {"integer": int, "number": float, "string": str, "boolean": bool}


def paths(name: str, form: Type) -> list[str]:
    """Every dotted name that a name stands for."""
    if form.kind != "record":
        return [name]
    return [path for field, inner in form.fields for path in paths(f"{name}.{field}", inner)]


@pytest.mark.parametrize("place", PLACES.values(), ids=lambda place: place.id)
def test_every_name_of_a_place_can_be_read_there(place: Place) -> None:
    every = [path for name, form in names_of(place).items() for path in paths(name, form)]
    close = "" if place.gives == "text" else " == '' ? 1.0 : 2.0" if place.gives == "number" else " == ''"

    # AS326: a condition on rows can't call functions; their names are read all the same.
    told = [check_expression(f"json.encode([{path}]){close}", place) for path in every]
    problems = [[one for one in found if one.code != "AS326"] for found in told]

    assert problems == [[] for _ in every]


@pytest.mark.parametrize("place", PLACES.values(), ids=lambda place: place.id)
def test_every_name_says_what_it_is(place: Place) -> None:
    said = [does for _, does in place.names.values()]

    assert all((does and does[0].islower()) or does[0] == "`" for does in said)
    assert PLACES[place.id] is place


def test_every_field_of_a_group_says_what_it_is() -> None:
    assert [name for fields in GROUPS.values() for name, (_, does) in fields.items() if not does] == []


def kind_of(form: Type) -> Any:
    if form.kind == "list":
        assert form.item is not None
        return tuple[KINDS[form.item.kind], ...]
    return KINDS[form.kind]


FROM_ELSEWHERE = {"calls"}  # counted by the kernel itself, not by what writes the session's facts
RECORDS = {
    "turn": facts.TurnFacts,
    "session": facts.SessionFacts,
    "completion": facts.CompletionFacts,
    "usage": facts.UsageFacts,
    "budget": facts.BudgetFacts,
}


@pytest.mark.parametrize("group", RECORDS)
def test_the_facts_of_a_run_have_the_names_and_kinds_of_their_group(group: str) -> None:
    hints = get_type_hints(RECORDS[group])

    declared = {name: kind_of(form) for name, form in facts_groups()[group].fields}

    assert hints.items() <= declared.items()
    assert declared.keys() - hints.keys() <= FROM_ELSEWHERE


def test_the_words_of_statuses_and_failures_are_those_of_the_kernel() -> None:
    result, error = group_type("tool_result"), group_type("last_error")

    status, failure = result.field("status"), error.field("class")

    assert status is not None
    assert failure is not None
    assert status.members == get_args(ToolStatus)
    assert failure.members == ("", *get_args(FailureClass))


def test_the_fields_of_a_tool_result_are_those_of_the_envelope() -> None:
    assert {name for name, _ in group_type("tool_result").fields} <= {*get_type_hints(ToolResult), "ok"}
    assert get_origin(get_type_hints(ToolResult)["status"]) is get_origin(ToolStatus)
