"""A spec with all that it builds on: the layers in their order, the document that is meant, what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.load import load, load_all
from agentspec.errors import NotFound
from agentspec.syntax.tree import plain
from agentspec.text.diagnostic import Diagnostic

PROFILE = {"max_iterations": 50, "max_nudges": 8}


def test_a_spec_alone_gets_the_values_of_its_profile(folder) -> None:
    composed = folder.load("name: a\ntask: go\n")

    assert plain(composed.tree) == {"name": "a", "task": "go", "execution": PROFILE}
    assert composed.kind == "agent"
    assert composed.diagnostics == []
    assert not composed.has_broken


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("tool_using", {"max_iterations": 50, "max_nudges": 8}),
        ("researcher", {"max_iterations": 30, "max_nudges": 4}),
        ("verifier", {"max_iterations": 5, "max_nudges": 0}),
        ("completer", {"max_iterations": 1, "max_nudges": 0}),
    ],
)
def test_each_profile_has_its_values_and_written_keys_win(folder, profile: str, expected: dict[str, int]) -> None:
    alone = folder.value(f"name: a\nexecution: {{profile: {profile}}}\n")
    own = folder.value(f"name: a\nexecution: {{profile: {profile}, max_nudges: 2}}\n")

    assert alone == {"execution": {"profile": profile, **expected}}
    assert own == {"execution": {"profile": profile, **expected, "max_nudges": 2}}


def test_the_verifier_repairs_a_schema_thrice_but_brings_no_schema(folder) -> None:
    written = folder.value("name: a\nexecution: {profile: verifier, output: {schema: {type: object}}}\n")
    text = folder.value("name: a\nexecution: {profile: verifier, output: json}\n")

    assert written["execution"]["output"] == {"schema": {"type": "object"}, "repairs": 3}
    assert text["execution"]["output"] == "json"


def test_layers_stand_in_their_order_from_profile_to_set(folder) -> None:
    folder.write("low.yaml", "preset: low\nexecution: {max_nudges: 1, tool_retries: 1, tool_error_mode: abort}\n")
    folder.write("high.yaml", "preset: high\nexecution: {max_nudges: 2, tool_retries: 2}\n")

    composed = folder.load(
        "name: a\nextends: [./low.yaml, ./high.yaml]\nexecution: {max_nudges: 3}\n",
        sets=["execution.max_nudges=4", "execution.max_nudges=5"],
    )

    assert plain(composed.tree)["execution"] == {
        "max_iterations": 50,
        "max_nudges": 5,
        "tool_retries": 2,
        "tool_error_mode": "abort",
    }
    assert [layer.name for layer in composed.layers] == [
        "profile:tool_using",
        "file:low.yaml",
        "file:high.yaml",
        "spec",
        "--set",
        "--set",
    ]


def test_a_file_with_one_agent_among_presets_needs_no_name(folder) -> None:
    composed = folder.load("preset: p\nexecution: {max_nudges: 1}\n---\nname: a\nextends: p\n")

    assert plain(composed.tree) == {"name": "a", "extends": "p", "execution": {"max_iterations": 50, "max_nudges": 1}}
    assert [layer.name for layer in composed.layers] == ["profile:tool_using", "file:spec.yaml#p", "spec"]


def test_a_sharp_sign_or_a_name_picks_one_of_several_agents(folder) -> None:
    folder.write("two.yaml", "name: one\ntask: first\n---\nname: two\ntask: second\n")

    assert plain(load("two.yaml#two").tree)["task"] == "second"
    assert plain(load("two.yaml", name="one").tree)["task"] == "first"


def test_several_agents_without_a_name_are_an_error_that_names_them(folder) -> None:
    found = folder.load("name: one\n---\nname: two\n---\npreset: p\n").diagnostics

    assert found == [
        Diagnostic(
            "AS407",
            "error",
            "`spec.yaml` holds `one` and `two`; which one is meant?",
            found[0].span,
            help="write `spec.yaml#one`",
        )
    ]


def test_an_unknown_name_gets_the_nearest_one(folder) -> None:
    folder.write("two.yaml", "name: triage\n---\nname: other\n")

    composed = load("two.yaml#triag")

    assert [(found.code, found.message, found.help) for found in composed.diagnostics] == [
        ("AS408", "`two.yaml` holds no `triag`; did you mean `triage`?", "it holds `triage` and `other`")
    ]
    assert composed.has_errors
    assert composed.has_broken


def test_a_file_whose_own_name_has_a_sharp_sign_is_read(folder) -> None:
    folder.write("a#b.yaml", "name: odd\n")

    assert plain(load("a#b.yaml").tree)["name"] == "odd"


def test_no_such_file_is_raised(folder) -> None:
    with pytest.raises(NotFound, match=r"^no such file: `missing\.yaml`$"):
        load("missing.yaml")
    with pytest.raises(NotFound, match=r"^no such file: `missing\.yaml`$"):
        load("missing.yaml#name")
    with pytest.raises(NotFound, match="is a folder"):
        load(folder.path)


def test_a_broken_spec_keeps_its_intact_parts_and_its_findings(folder) -> None:
    composed = folder.load("name: a\nexecution: {max_nudges: 1}\nmodel: {provider: [openai\n")

    assert composed.has_errors
    assert composed.has_broken


def test_an_empty_file_and_a_list_at_the_top_compose_to_nothing(folder) -> None:
    empty = folder.load("")
    listed = folder.load("- a\n- b\n")

    assert [found.code for found in empty.diagnostics] == ["AS018"]
    assert empty.has_broken
    assert plain(listed.root) == ["a", "b"]


def test_other_documents_stand_alone(folder) -> None:
    library = folder.load("library: l\nversion: 1.0.0\nextends: x\n")
    scenario = folder.load("scenario: s\nfor: a.yaml\n")

    assert (library.kind, plain(library.tree)["library"], library.diagnostics) == ("library", "l", [])
    assert (scenario.kind, plain(scenario.tree)["scenario"], scenario.diagnostics) == ("scenario", "s", [])


def test_every_document_of_a_file_is_composed_without_repeating_what_reading_found(folder) -> None:
    folder.write("many.yaml", "name: one\nexecution: {max_iterations: 012}\n---\nname: two\nextends: nothing\n")

    parsed, composed = load_all(Path("many.yaml"))

    assert [found.code for found in parsed.diagnostics] == ["AS017"]
    assert [[found.code for found in each.diagnostics] for each in composed] == [[], ["AS401"]]


def test_the_dsl_composes_as_yaml_does(folder) -> None:
    folder.write("house.yaml", "preset: house\nexecution: {max_nudges: 1}\n")
    folder.write(
        "spec.agent", 'agent a extends house, audit {\n  task: "go"\n}\npreset house extends "./house.yaml" {}\n'
    )

    composed = load("spec.agent")

    assert [layer.name for layer in composed.layers] == [
        "profile:verifier",
        "file:house.yaml",
        "file:spec.agent#house",
        "preset:audit",
        "spec",
    ]
    assert composed.diagnostics == []
