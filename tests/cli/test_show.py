"""`agentspec show`: the effective spec and where each value came from."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.syntax import yaml
from agentspec.syntax.format import text_of
from agentspec.syntax.tree import plain
from agentspec.text.source import Source

BASE = """\
preset: base
execution:
  max_nudges: 2
  max_iterations: 9
"""
SPEC = """\
name: audit-branch
extends: ./base.yaml
inputs:
  branch: {type: string, default: main}
  depth: integer
execution:
  max_nudges: 3
context:
  system: You audit ${inputs.branch} to ${inputs.depth}.
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "a.yaml").write_text(SPEC)


def shown(done) -> dict:
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_json_has_the_effective_values_and_every_origin_lowest_first(agentspec, files):
    value = shown(agentspec("show", "a.yaml", "--format", "json"))

    assert sorted(value) == ["origins", "spec"]
    assert value["spec"]["execution"]["max_nudges"] == 3
    assert value["spec"]["execution"]["max_iterations"] == 9
    assert value["spec"]["execution"]["tool_timeout"] == "120s"
    chain = value["origins"]["execution.max_nudges"]
    assert [(one["file"], one["line"], one["column"], one["value"]) for one in chain[1:]] == [
        ("base.yaml", 3, 15, 2),
        ("a.yaml", 7, 15, 3),
    ]
    assert (chain[0]["file"], chain[0]["layer"], chain[0]["value"]) == (
        "stdlib/profiles/tool_using.yaml",
        "profile:tool_using",
        8,
    )
    assert value["origins"]["execution.tool_timeout"] == [
        {"file": None, "line": None, "column": None, "layer": "default", "value": "120s"}
    ]


def test_inputs_are_filled_in_where_they_have_a_value(agentspec, files):
    value = shown(agentspec("show", "a.yaml", "--format", "json"))
    given_value = shown(agentspec("show", "a.yaml", "--format", "json", "--input", "depth=3", "--input", "branch=dev"))

    assert value["spec"]["context"]["system"] == "You audit main to ${inputs.depth}."
    assert given_value["spec"]["context"]["system"] == "You audit dev to 3."


def test_what_the_command_line_sets_wins(agentspec, files):
    value = shown(
        agentspec("show", "a.yaml", "--format", "json", "--set", "execution.max_nudges=0", "--model", "ollama:small")
    )

    assert value["spec"]["execution"]["max_nudges"] == 0
    assert value["spec"]["model"]["provider"] == "ollama"
    assert value["origins"]["execution.max_nudges"][-1]["layer"] == "--set"


def test_text_tells_each_value_with_its_place(agentspec, files):
    done = agentspec("show", "a.yaml")

    lines = {line.partition(":")[0]: line for line in done.out.splitlines()}
    assert lines["execution.max_nudges"].split("  # ")[1] == "spec a.yaml:7:15"
    assert lines["execution.tool_timeout"].split("  # ")[1] == "default"


def test_errors_are_told_and_do_not_stop_it(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\nextends: ./none.yaml\nexecution: {max_nudges: 3}\n")

    done = agentspec("show", "a.yaml", "--format", "json")

    assert done.code == 0
    assert json.loads(done.out)["spec"]["execution"]["max_nudges"] == 3
    assert done.err.startswith("agentspec: the spec has errors: no such file: `none.yaml`")


@pytest.mark.parametrize("text", ["", "- a\n"])
def test_a_file_without_a_spec_is_refused(agentspec, tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)

    done = agentspec("show", "a.yaml")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: ")


def test_one_of_several_agents_is_picked_by_name(agentspec, tmp_path):
    (tmp_path / "two.agent").write_text("agent a { }\nagent b { }\n")

    done = agentspec("show", "two.agent#b", "--format", "json")

    assert shown(done)["spec"]["name"] == "b"
    assert agentspec("show", "two.agent").code == 2


@pytest.mark.parametrize("form", ["yaml", "dsl"])
def test_either_spelling_reads_back_to_the_same_spec_without_what_it_extends(agentspec, files, tmp_path, form):
    name = {"yaml": "b.yaml", "dsl": "b.agent"}[form]
    (tmp_path / name).write_text(agentspec("show", "a.yaml", "--format", form).out)

    again = shown(agentspec("show", name, "--format", "json"))["spec"]

    whole = shown(agentspec("show", "a.yaml", "--format", "json"))["spec"]
    assert again == {key: value for key, value in whole.items() if key != "extends"}


NAMES = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text(max_size=20)
    | st.sampled_from(["no", "1e3", "0o7", "a: b", "# x", "- x", "~", "a\nb\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, PLAIN, min_size=1, max_size=4))
def test_the_yaml_of_any_values_reads_back_to_them(values):
    parsed = yaml.parse(Source("a.yaml", text_of(values, "yaml")))

    assert [one.message for one in parsed.diagnostics if one.severity == "error"] == []
    assert plain(parsed.documents[0].root) == values


@pytest.mark.parametrize("form", ["text", "json", "yaml"])
def test_a_spec_that_cannot_be_read_is_refused_in_every_form(agentspec, tmp_path, form):
    (tmp_path / "broken.yaml").write_text("name: a\nmodel: {provider: [\n")

    done = agentspec("show", "broken.yaml", "--format", form)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: this `[` is never closed\n")


def test_an_unknown_key_of_the_command_line_is_refused_with_the_near_one(agentspec, files):
    done = agentspec("show", "a.yaml", "--set", "execution.max_iteratoins=3")

    assert (done.code, done.out) == (2, "")
    assert done.err == "agentspec: `execution` has no key `max_iteratoins`\n  did you mean `max_iterations`?\n"


def test_help_names_only_the_forms_that_are_there(agentspec):
    assert "[text|json|yaml|dsl]" in agentspec("show", "--help").out
