"""What a document extends: where it is looked for, what it is given, and what is wrong with it."""

from __future__ import annotations

import pytest

from agentspec.compose.load import load
from agentspec.syntax.tree import plain


def layers(composed) -> list[str]:
    return [layer.name for layer in composed.layers]


def test_a_file_is_looked_for_from_the_file_that_names_it(folder) -> None:
    folder.write("lib/deep/low.yaml", "preset: low\nexecution: {max_nudges: 1}\n")
    folder.write("lib/high.yaml", "preset: high\nextends: deep/low.yaml\n")
    folder.write("specs/a.yaml", "name: a\nextends: ../lib/high.yaml\n")

    composed = load("specs/a.yaml")

    assert layers(composed) == ["profile:tool_using", "file:lib/deep/low.yaml", "file:lib/high.yaml", "spec"]
    assert plain(composed.tree)["execution"]["max_nudges"] == 1


def test_a_document_of_the_same_file_hides_a_built_in_preset(folder) -> None:
    own = folder.load("preset: audit\nexecution: {max_nudges: 6}\n---\nname: a\nextends: audit\n")
    built_in = folder.load("name: audit\nextends: audit\n")

    assert layers(own) == ["profile:tool_using", "file:spec.yaml#audit", "spec"]
    assert layers(built_in) == ["profile:verifier", "preset:audit", "spec"]


def test_an_agent_can_be_extended_and_keeps_its_name_to_itself(folder) -> None:
    values = folder.value(
        "name: base\ndescription: The base\nversion: 1.0.0\ntask: go\ntrust: [x]\nx-own: 1\n"
        "---\nname: a\nextends: base\n---\nname: b\n",
        name="a",
    )

    assert values == {"task": "go", "x-own": 1, "execution": {"max_iterations": 50, "max_nudges": 8}}


def test_one_of_several_documents_of_a_file_is_named_behind_it(folder) -> None:
    folder.write("house.yaml", "preset: p\nexecution: {max_nudges: 1}\n---\npreset: q\nexecution: {max_nudges: 2}\n")

    composed = folder.load("name: a\nextends: ./house.yaml#q\n")

    assert layers(composed) == ["profile:tool_using", "file:house.yaml#q", "spec"]
    assert folder.findings("name: a\nextends: ./house.yaml\n") == [
        "AS407 spec.yaml:2:10 `./house.yaml` holds `p` and `q`; which one is meant?"
    ]
    assert folder.findings("name: a\nextends: ./house.yaml#r\n") == ["AS408 spec.yaml:2:10 `./house.yaml` holds no `r`"]


def test_a_preset_that_is_reached_twice_is_one_layer_at_its_lowest_place(folder) -> None:
    folder.write("base.yaml", "preset: base\nexecution: {max_nudges: 1, tool_retries: 1}\n")
    folder.write("left.yaml", "preset: left\nextends: ./base.yaml\nexecution: {max_nudges: 2}\n")
    folder.write("right.yaml", "preset: right\nextends: ./base.yaml\nexecution: {tool_retries: 2}\n")

    composed = folder.load("name: a\nextends: [./left.yaml, ./right.yaml]\n")

    assert layers(composed)[1:] == ["file:base.yaml", "file:left.yaml", "file:right.yaml", "spec"]
    assert plain(composed.tree)["execution"] == {"max_iterations": 50, "max_nudges": 2, "tool_retries": 2}
    assert composed.diagnostics == []


# What is wrong, each with its place.

DIAMOND = """\
preset: base
execution: {max_nudges: 1}
---
preset: left
extends: base
execution: {max_nudges: 2}
---
preset: right
extends: base
execution: {max_nudges: 3}
---
"""


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("name: a\nextends: auidt\n", "AS401 2:10 unknown preset `auidt`; did you mean `audit`?"),
        ("name: a\nextends: [audit, nothing-like-it]\n", "AS401 2:18 unknown preset `nothing-like-it`"),
        ("name: a\nextends: huose\n", "AS401 2:10 unknown preset `huose`; did you mean `./house.yaml`?"),
        ("preset: strict\n---\nname: a\nextends: stirct\n", "AS401 4:10 unknown preset `stirct`; did you mean `strict`?"),
        ("name: a\nextends: ''\n", "AS401 2:10 unknown preset ``"),
        ("name: a\nextends: ./huose.yaml\n", "AS402 2:10 no such file: `huose.yaml`; did you mean `house.yaml`?"),
        ("name: a\nextends: ./lib/x.yaml\n", "AS402 2:10 no such file: `lib/x.yaml`"),
        ("name: a\nextends: ./lib/\n", "AS402 2:10 `lib` is a folder; name a file in it"),
        ("name: a\nextends: a\n", "AS403 2:10 `extends` goes in a circle: spec.yaml → spec.yaml"),
        ("name: a\nextends: ./spec.yaml\n", "AS403 2:10 `extends` goes in a circle: spec.yaml → spec.yaml"),
        ("name: a\nextends: ./note.txt#x\n", "AS402 2:10 no such file: `note.txt`"),
        ("library: l\nversion: 1.0.0\n---\nname: a\nextends: l\n", "AS406 5:10 `l` is a library; only presets and agents can be extended"),
        (
            DIAMOND + "name: a\nextends: [left, right]\n",
            ("AS405 13:17 `execution.max_nudges` is changed in two ways: `2` in `left`, `3` in `right`"
            " (`left` is extended here: 13:11) (one value: 6:25) (the other: 10:25)"),
        ),
        (
            DIAMOND + "name: a\nextends: [left, base]\n",
            "AS405 13:17 `base` comes after `left`, which extends it already (`left` is extended here: 13:11)",
        ),
        (
            DIAMOND + "name: a\nextends: [left, left]\n",
            "AS405 13:17 `left` is extended twice (`left` is extended here: 13:11)",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_extended_is_found_at_its_item(folder, spec: str, expected: str) -> None:
    folder.write("house.yaml", "preset: house\n")
    folder.write("lib/other.yaml", "preset: other\n")

    composed = folder.load(spec)

    found = [each.replace("spec.yaml:", "") for each in folder.findings(spec, **_last(composed))]
    assert found == [expected]


def _last(composed) -> dict[str, str]:
    return {} if composed.kind == "agent" else {"name": "a"}


@pytest.mark.parametrize(
    "spec",
    [
        DIAMOND + "name: a\nextends: [left, right]\nexecution: {max_nudges: 0}\n",
        DIAMOND + "name: a\nextends: [left, right]\nexecution: {max_nudges: !unset }\n",
        DIAMOND + "name: a\nextends: [left, right]\nexecution: !unset\n",
        DIAMOND + "name: a\nextends: [base, left]\n",
        DIAMOND + "preset: third\nextends: base\nexecution: {max_nudges: 2}\n---\nname: a\nextends: [left, third]\n",
        DIAMOND + "preset: free\nexecution: {max_nudges: 5}\n---\nname: a\nextends: [left, free]\n",
    ],
)
def test_a_diamond_that_is_settled_is_no_conflict(folder, spec: str) -> None:
    assert folder.findings(spec) == []


def test_a_circle_is_shown_whole_at_its_first_step(folder) -> None:
    folder.write("one.yaml", "preset: one\nextends: ./two.yaml\n")
    folder.write("two.yaml", "preset: two\nextends: ./three.yaml\n")
    folder.write("three.yaml", "preset: three\nextends: ./one.yaml\n")

    composed = folder.load("name: a\nextends: ./one.yaml\n")

    assert folder.findings("name: a\nextends: ./one.yaml\n") == [
        (
            "AS403 one.yaml:2:10 `extends` goes in a circle: ./one.yaml → ./two.yaml → ./three.yaml → ./one.yaml"
            " (`./two.yaml` extends this: two.yaml:2:10) (`./three.yaml` extends this: three.yaml:2:10)"
        )
    ]
    assert composed.has_broken
    assert layers(composed) == [
        "profile:tool_using",
        "file:three.yaml",
        "file:two.yaml",
        "file:one.yaml",
        "spec",
    ]


def test_a_chain_that_is_too_long_is_cut(folder) -> None:
    presets = "".join(f"preset: p{n}\nextends: p{n + 1}\n---\n" for n in range(80))

    found = folder.findings(presets + "preset: p80\n---\nname: a\nextends: p0\n")

    assert found == ["AS403 spec.yaml:244:10 `extends` leads too far: at most 64 deep and 1000 documents"]


def test_a_preset_that_cannot_be_read_is_found_where_it_is_extended(folder) -> None:
    folder.write("house.yaml", "preset: house\npreset: again\nexecution: {max_nudges: 1}\n")
    folder.write("empty.yaml", "# nothing\n")
    folder.write("list.yaml", "- a\n")
    folder.write("house.txt", "preset: house\n")

    broken = folder.load("name: a\nextends: ./house.yaml\n")

    assert [found.code for found in broken.diagnostics] == ["AS404"]
    assert broken.diagnostics[0].message.startswith("`./house.yaml` cannot be read: ")
    assert broken.diagnostics[0].related[0].span.source.name == "house.yaml"
    assert broken.has_broken
    assert plain(broken.tree)["execution"]["max_nudges"] == 1
    assert [each.partition(" ")[0] for each in folder.findings("name: a\nextends: ./empty.yaml\n")] == ["AS404"]
    assert folder.findings("name: a\nextends: ./list.yaml\n") == [
        "AS406 spec.yaml:2:10 `./list.yaml` holds a list, not a preset"
    ]


@pytest.mark.parametrize("item", ["5", "[[a]]", "[{use: 5}]", "[{with: {}}]", "{a: b}", "[null]"])
def test_a_malformed_item_is_left_to_the_check_of_the_form(folder, item: str) -> None:
    composed = folder.load(f"name: a\nextends: {item}\n")

    assert composed.diagnostics == []
    assert composed.has_broken


def test_an_unset_that_removes_nothing_is_noted_in_a_spec(folder) -> None:
    house = "preset: house\nexecution: {tool_retries: 1, nudge: !unset }\n---\n"
    own = "execution: {tool_retries: !unset , max_nudges: !unset , wrap_up: !unset }\n"

    found = folder.findings(house + "name: a\nextends: house\n" + own)

    assert found == ["AS414 spec.yaml:6:57 nothing below sets `execution.wrap_up`, so there is nothing to unset"]
    assert folder.findings("preset: house\n" + own) == []
    assert folder.findings("name: a\nextends: nothing-like-it\n" + own) == [
        "AS401 spec.yaml:2:10 unknown preset `nothing-like-it`"
    ]


# Inputs of presets.

HOUSE = """\
preset: house
inputs:
  turns: {type: integer, default: 8}
  place: string
  note: string?
execution:
  max_iterations: ${inputs.turns}
  nudge: Go to ${inputs.place} in ${inputs.turns} turns ($${inputs.place}, ${run.turn}).
context:
  system: ${inputs.note}
"""


def test_a_preset_takes_its_inputs_with_their_types(folder) -> None:
    folder.write("house.yaml", HOUSE)

    given = folder.value("name: a\nextends: [{use: ./house.yaml, with: {turns: 3, place: Rome, note: hi}}]\n")
    default = folder.value("name: a\nextends: [{use: ./house.yaml, with: {place: Rome}}]\n")

    nudge = "Go to Rome in {} turns ($${{inputs.place}}, ${{run.turn}})."
    assert given["execution"] == {"max_nudges": 8, "max_iterations": 3, "nudge": nudge.format(3)}
    assert given["context"] == {"system": "hi"}
    assert "inputs" not in given
    assert default["execution"] == {"max_nudges": 8, "max_iterations": 8, "nudge": nudge.format(8)}
    assert default["context"] == {}


def test_a_value_of_the_spec_can_be_passed_on(folder) -> None:
    folder.write("house.yaml", HOUSE)

    values = folder.value(
        "name: a\ninputs: {city: string}\nextends: [{use: ./house.yaml, with: {place: '${inputs.city}'}}]\n"
    )

    assert values["inputs"] == {"city": "string"}
    assert values["execution"]["nudge"].startswith("Go to ${inputs.city} in 8 turns")


def test_a_preset_passes_its_inputs_on_to_what_it_extends(folder) -> None:
    folder.write("low.yaml", "preset: low\ninputs: {n: integer}\nexecution: {max_iterations: '${inputs.n}'}\n")
    folder.write(
        "high.yaml", "preset: high\ninputs: {m: integer}\nextends: [{use: ./low.yaml, with: {n: '${inputs.m}'}}]\n"
    )

    values = folder.value("name: a\nextends: [{use: ./high.yaml, with: {m: 4}}]\n")

    assert values == {"execution": {"max_iterations": 4, "max_nudges": 8}}


def test_a_preset_can_be_extended_twice_with_different_values(folder) -> None:
    folder.write(
        "tool.yaml",
        "preset: tool\ninputs: {name: string}\nexecution: {+stop_after_successful_tools: ['${inputs.name}']}\n",
    )

    values = folder.value(
        "name: a\nextends: [{use: ./tool.yaml, with: {name: one}}, {use: ./tool.yaml, with: {name: two}}]\n"
    )

    assert values["execution"]["stop_after_successful_tools"] == ["one", "two"]


def test_different_values_by_two_ways_are_a_conflict(folder) -> None:
    folder.write("low.yaml", "preset: low\ninputs: {n: integer}\nexecution: {max_iterations: '${inputs.n}'}\n")
    folder.write("one.yaml", "preset: one\nextends: [{use: ./low.yaml, with: {n: 1}}]\n")
    folder.write("two.yaml", "preset: two\nextends: [{use: ./low.yaml, with: {n: 2}}]\n")

    assert folder.findings("name: a\nextends: [./one.yaml, ./two.yaml]\n") == [
        (
            "AS405 spec.yaml:2:23 `./one.yaml` and `./two.yaml` give `file:low.yaml` different inputs"
            " (`./one.yaml` is extended here: spec.yaml:2:11)"
        )
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{place: Rome, turn: 3}", "AS415 spec.yaml:2:51 `./house.yaml` has no input `turn`; did you mean `turns`?"),
        (
            "{place: Rome, turns: many}",
            ("AS416 spec.yaml:2:58 the input `turns` of `./house.yaml` does not fit: it must be an `integer`, not a string"
            " (declared here: house.yaml:3:3)"),
        ),
        (
            "{place: [Rome]}",
            ("AS416 spec.yaml:2:45 the input `place` of `./house.yaml` does not fit: it must be a `string`, not a list"
            " (declared here: house.yaml:4:3)"),
        ),
        (
            "{turns: 3}",
            "AS417 spec.yaml:2:17 `./house.yaml` needs its input `place` (declared here, without a default: house.yaml:4:3)",
        ),
    ],
)  # fmt: skip
def test_what_a_preset_is_given_is_checked(folder, given: str, expected: str) -> None:
    folder.write("house.yaml", HOUSE)

    assert folder.findings(f"name: a\nextends: [{{use: ./house.yaml, with: {given}}}]\n") == [expected]


SHAPES = [
    ("inputs: {city: string}", "{place: '${inputs.city}'}", []),
    ("inputs: {n: integer}", "{place: x, turns: '${inputs.n}'}", []),
    ("inputs: {n: integer}", "{place: 'at ${inputs.n}'}", []),
    ("inputs: {n: any}", "{place: '${inputs.n}', turns: '${inputs.n}'}", []),
    (
        "inputs: {n: any}",
        "{place: '${run.task}', turns: '$${inputs.x}'}",
        ["AS416 3: the input `turns` of `./house.yaml` does not fit: it must be of type `integer`, not a string"],
    ),
    (
        "inputs: {city: string}",
        "{place: '${inputs.ctiy}'}",
        ["AS419 3: `${inputs.ctiy}` is passed on, and there is no such input; did you mean `city`?"],
    ),
    (
        "x-a: 1",
        "{place: 'in ${inputs.a + inputs.b}'}",
        ["AS419 3: `${inputs.a}` is passed on, and there is no such input"],
    ),
    (
        "inputs: {city: string}",
        "{place: x, turns: '${inputs.city}'}",
        [
            (
                "AS416 3: the input `turns` of `./house.yaml` does not fit: it must be of type `integer`,"
                " not `inputs.city`, a `string`"
            )
        ],
    ),
    (
        "inputs: {n: integer}",
        "{place: x, turns: 'about ${inputs.n}'}",
        ["AS416 3: the input `turns` of `./house.yaml` does not fit: it must be of type `integer`, not a string"],
    ),
]


@pytest.mark.parametrize(("top", "given", "expected"), SHAPES)
def test_inputs_that_are_passed_on_are_held_against_what_they_are_for(folder, top, given, expected) -> None:
    folder.write("house.yaml", HOUSE)

    found = folder.load(f"name: a\n{top}\nextends: [{{use: ./house.yaml, with: {given}}}]\n").diagnostics

    assert [f"{each.code} {each.span.first.line}: {each.message}" for each in found] == expected


def test_an_input_of_an_agent_below_may_be_passed_on(folder) -> None:
    folder.write("house.yaml", HOUSE)
    base = "name: base\ninputs: {city: string}\n---\npreset: mid\nextends: base\n---\n"
    use = "{use: ./house.yaml, with: {place: '${inputs.city}'}}"

    assert folder.findings(f"{base}name: a\nextends: [mid, {use}]\n", name="a") == []
    assert folder.findings(f"name: a\nextends: [./gone.yaml, {use}]\n") == [
        "AS402 spec.yaml:2:11 no such file: `gone.yaml`"
    ]


def test_an_input_that_a_preset_does_not_use_is_told_in_the_preset(folder) -> None:
    use = "{use: ./house.yaml, with: {place: '${inputs.a}'}}"

    assert folder.findings("preset: p\ninputs: {a: integer, b: string}\nx-n: '${inputs.a} of it'\n") == [
        "AS427 spec.yaml:2:22 nothing in this preset uses its input `b`"
    ]
    assert folder.findings(f"preset: p\ninputs: {{a: integer}}\nextends: [{use}]\n") == [
        "AS402 spec.yaml:3:17 no such file: `house.yaml`"
    ]
    assert folder.findings("preset: p\ninputs: {a: integer}\nx-n: '${inputs[\"a\"]}'\n") == []


def test_an_address_is_told_to_be_no_file(folder) -> None:
    assert folder.findings("name: a\nextends: https://example.org/house.yaml\n") == [
        "AS402 spec.yaml:2:10 `https://example.org/house.yaml` is an address, and only files are extended"
    ]


def test_inputs_of_an_agent_are_inherited_and_those_it_is_given_are_gone(folder) -> None:
    base = "name: base\ninputs: {city: string, day: string}\ntask: To ${inputs.city} on ${inputs.day}\n---\n"

    values = folder.value(base + "name: a\nextends: [{use: base, with: {city: Rome}}]\n", name="a")

    assert values["inputs"] == {"day": "string"}
    assert values["task"] == "To Rome on ${inputs.day}"


def test_a_preset_by_itself_has_its_defaults_and_leaves_the_rest_open(folder) -> None:
    composed = folder.load(HOUSE.replace("{type: integer, default: 8}", "integer"))

    values = plain(composed.tree)
    assert composed.kind == "preset"
    assert composed.diagnostics == []
    assert values["execution"]["max_iterations"] == "${inputs.turns}"
    assert values["execution"]["nudge"].startswith("Go to ${inputs.place} in ${inputs.turns} turns")
    assert plain(folder.load(HOUSE).tree)["execution"]["max_iterations"] == 8


FINAL = "preset: p\nexecution: {max_nudges: !final 3}\n"
OTHER = "preset: q\nexecution: {max_nudges: 5}\n"


def test_two_items_of_a_list_that_disagree_about_a_final_value_are_told_at_the_list(folder) -> None:
    folder.write("p.yaml", FINAL)
    folder.write("q.yaml", OTHER)

    told = "AS410 spec.yaml:2:21 `execution.max_nudges` is final and cannot be overridden"
    places = "(final in `./p.yaml`: p.yaml:2:13) (overridden in `./q.yaml`, which comes after it: q.yaml:2:13)"
    assert folder.findings("name: a\nextends: [./p.yaml, ./q.yaml]\n") == [f"{told} {places}"]
    assert folder.findings("name: a\nextends: [./q.yaml, ./p.yaml]\n") == []


def test_a_preset_that_overrides_what_it_builds_on_is_told_itself_also_in_a_list(folder) -> None:
    folder.write("p.yaml", FINAL)
    folder.write("q.yaml", f"{OTHER}extends: ./p.yaml\n")
    folder.write("r.yaml", "preset: r\n")

    told = "AS410 q.yaml:2:13 `execution.max_nudges` is final and cannot be overridden"
    place = "(a lower layer makes this final: p.yaml:2:13)"
    assert folder.findings("name: a\nextends: [./r.yaml, ./q.yaml]\n") == [f"{told} {place}"]
