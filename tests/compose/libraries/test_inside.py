"""The texts and skills of a library: those that its presets name, and those that a spec takes from it."""

from __future__ import annotations

import pytest

from agentspec.checker.check import check_paths
from agentspec.compose.load import load
from agentspec.syntax.tree import plain

MANIFEST = "library: platform\nversion: 1.5.0\nexports: {presets: [safe], prompts: [calm], skills: [review]}\n"
SKILL = "---\nname: review\ndescription: Reviews a change.\n---\nLook at the whole change first.\n"


@pytest.fixture
def stocked(project):
    """The library with a text and a skill, both exported."""
    project.put("platform/library.yaml", MANIFEST)
    project.put("platform/prompts/calm.md", "Stay calm, ${inputs.who}.\n")
    project.put("platform/skills/review/SKILL.md", SKILL)
    project.put(
        "platform/presets/safe.yaml",
        "preset: safe\ninputs: {who: {type: string, default: reader}}\n"
        "context: {system: {file: prompts/calm.md}}\ncapability: {skills: {review: skills/review}}\n",
    )
    assert project.lock() == []
    return project


def test_a_text_comes_into_the_preset_with_its_inputs_filled_in(stocked) -> None:
    composed = load("triage.yaml")

    assert stocked.findings() == []
    assert plain(composed.tree)["context"]["system"] == "Stay calm, reader.\n"
    assert plain(composed.tree)["capability"]["skills"] == {"review": "platform/skills/review"}
    assert check_paths([stocked.path / "triage.yaml"]).diagnostics == []


def test_a_spec_takes_what_is_exported_by_its_name(stocked) -> None:
    stocked.put(
        "triage.yaml",
        'name: triage\nuse: {p: {source: ./platform, version: "^1.5"}}\n'
        "inputs: {who: {type: string, default: you}}\n"
        "context: {system: {file: p.calm}}\ncapability: {skills: {look: p.review}}\n",
    )

    values = plain(load("triage.yaml").tree)

    assert stocked.findings() == []
    assert values["context"]["system"] == "Stay calm, ${inputs.who}.\n"
    assert values["capability"]["skills"] == {"look": "platform/skills/review"}


def test_what_is_not_exported_is_not_taken(stocked) -> None:
    stocked.put(
        "triage.yaml",
        'name: triage\nuse: {p: {source: ./platform, version: "^1.5"}}\ncontext: {system: {file: p.clam}}\n',
    )

    assert stocked.findings() == [
        "AS445 triage.yaml:3:26 `platform` exports no `clam` among its prompts; did you mean `calm`?"
    ]


def test_no_text_is_read_from_outside_of_the_library(stocked) -> None:
    stocked.put("secret.md", "x\n")
    stocked.put("platform/presets/safe.yaml", "preset: safe\ncontext: {system: {file: ../secret.md}}\n")

    assert stocked.lock(accept_changed=True) == [
        (
            "AS454 triage.yaml:3:10 `../secret.md` leads out of the library `platform` "
            "(this is inherited: platform/presets/safe.yaml:2:26)"
        )
    ]


@pytest.mark.parametrize("name", ["prompts/calm.md", "skills/review/SKILL.md", "skills/review/forms.md"])
def test_a_text_is_part_of_what_an_export_means(stocked, name) -> None:
    stocked.put(f"platform/{name}", SKILL + "More.\n")

    assert [found.split()[0] for found in stocked.findings()] == ["AS444"]


def test_a_text_that_nothing_exported_needs_changes_no_meaning(stocked) -> None:
    stocked.put("platform/README.md", "About\n")

    assert [found.split()[0] for found in stocked.findings()] == ["AS443"]


def test_an_agent_of_a_library_is_called_from_wherever_the_spec_lies(stocked) -> None:
    stocked.put("platform/agents/counter.yaml", "name: counter\nextends: base\nmodel: {provider: script}\n")
    stocked.put("platform/presets/base.yaml", "preset: base\nexecution: {max_nudges: 1}\n")
    stocked.put(
        "platform/presets/safe.yaml",
        "preset: safe\ncapability: {tools: {count: {description: Counts, agent: ../agents/counter.yaml}}}\n",
    )
    stocked.put(
        "teams/one/triage.yaml",
        'name: triage\nuse: {p: {source: ../../platform, version: "^1.5"}}\nextends: p.safe\ntrust: [p]\n',
    )
    assert stocked.lock(accept_changed=True) == []

    tool = plain(load("teams/one/triage.yaml").tree)["capability"]["tools"]["count"]

    assert tool["agent"] == "../../platform/agents/counter.yaml"
    assert [one.code for one in check_paths([stocked.path / "teams"]).diagnostics] == []


CALLS = "preset: safe\ncapability: {tools: {count: {description: Counts, agent: ../agents/counter.yaml}}}\n"
COUNTER = "name: counter\nextends: base\ncapability: {tools: {add: {description: Adds, agent: ./adder.yaml}}}\n"
ADDER = "name: adder\ncapability: {tools: {count: {description: Counts, agent: ./counter.yaml}}}\n"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("agents/counter.yaml", COUNTER + "execution: {max_nudges: 1}\n", "AS444"),
        ("agents/adder.yaml", ADDER + "execution: {max_nudges: 1}\n", "AS444"),
        ("presets/base.yaml", "preset: base\nexecution: {max_iterations: 9}\n", "AS444"),
        ("agents/counter.yaml", "# counts\n" + COUNTER, "AS443"),
        ("agents/other.yaml", "name: other\n", "AS443"),
    ],
)
def test_an_agent_that_is_called_is_part_of_what_an_export_means(stocked, name, text, code) -> None:
    for place, before in (("presets/safe", CALLS), ("agents/counter", COUNTER), ("agents/adder", ADDER)):
        stocked.put(f"platform/{place}.yaml", before)
    assert stocked.lock(accept_changed=True) == []

    stocked.put(f"platform/{name}", text)

    assert [found.split()[0] for found in stocked.findings() if "AS455" not in found] == [code]
