"""A text in an expression that holds a slot of a template is told, wherever expressions stand."""

from __future__ import annotations

import pytest

from agentspec.expressions.places import PLACES
from agentspec.expressions.quoted_slots import quoted_slots

CONDITIONS = [place for place in PLACES.values() if not place.is_template]
APPROVAL = PLACES["approval.when"]
PRESET = "write the value itself, or let a preset with inputs bring it: `with: {b: …}`"


@pytest.mark.parametrize("place", CONDITIONS, ids=lambda place: place.id)
@pytest.mark.parametrize("owner", ["inputs", "args", "run", "env", "identity"])
def test_a_slot_in_a_text_is_told_at_every_place_of_expressions(place, owner):
    slot = f"${{{owner}.x}}"

    (found,) = quoted_slots(f'a == "on {slot}"', place)

    told = (found.code, found.severity, found.start, found.message)
    assert told == ("AS317", "error", 9, f"an expression takes no `${{…}}`: `{slot}` is compared as it stands")
    assert found.end == 9 + len(slot)
    assert (found.help == f"write `{owner}.x` itself, outside of the quotes") == (owner in place.names)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("'${inputs.a}' == b", ["${inputs.a}"]),
        ("b in ['${ inputs.a }', '${args.b.c}']", ["${ inputs.a }", "${args.b.c}"]),
        ('c.exists(one, one == r"${env.HOME}")', ["${env.HOME}"]),
        ('x == "${inputs.a" ', ["${inputs.a"]),
        ('x == "${HOME}/a"', []),
        ('x == "${other.name}"', []),
        ('x.contains("${inputs.")', []),
        ('x == "$${inputs.a}"', []),
        ("x == inputs.a", []),
        ("${inputs.a}", []),
        ("x == ${inputs.a}", []),
        ('x == "a" // "${inputs.a}"', []),
    ],
)
def test_what_is_no_slot_of_a_template_or_no_text_is_left_alone(text, slots):
    assert [text[one.start : one.end] for one in quoted_slots(text, APPROVAL)] == slots


def test_the_inputs_that_are_put_in_are_left_alone():
    text = 'x == "${inputs.a}" || x == "${inputs.b}"'

    assert [text[one.start : one.end] for one in quoted_slots(text, APPROVAL, {"a"})] == ["${inputs.b}"]


@pytest.mark.parametrize(
    ("place", "text", "way_out"),
    [
        ("approval.when", '"${env.A}" == url.host', "write the value itself"),
        ("approval.when", 'a == "${args.b}"', "write `args.b` itself, outside of the quotes"),
        ("loop_control.when", 'a == "${inputs.b}"', PRESET),
        (
            "permissions.when",
            'a == "${inputs.b}"',
            f"{PRESET}; `args` of a rule in `permissions` takes `${{inputs.b}}`",
        ),
    ],
)
def test_the_way_out_is_one_of_the_place(place, text, way_out):
    assert [one.help for one in quoted_slots(text, PLACES[place])] == [way_out]
