"""Findings about skills and deferred tools that need files, or more than one key."""

from pathlib import Path

import pytest

from agentspec.checker.check import check_paths


def found(tmp_path: Path, capability: str, **files: str) -> list[tuple[str, str]]:
    for name, text in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(text)
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\ncapability:\n{capability}")
    return [(one.code, one.message) for one in check_paths([path]).diagnostics]


LOOK = "  tools: {look: {description: Looks, expr: '1'}}\n"
GOOD = "---\nname: pdf\ndescription: Forms.\n---\nFill."


def test_a_skill_in_its_format_gives_nothing(tmp_path):
    assert found(tmp_path, "  skills: {pdf: pdf}\n", pdf=GOOD) == []


def test_a_skill_outside_of_its_format_is_told_with_what_is_wrong(tmp_path):
    text = "---\nname: Fill_Forms\nversion: 2\n---\nFill."

    assert found(tmp_path, "  skills: {pdf: {folder: pdf}}\n", pdf=text) == [
        (
            "AS642",
            (
                "the `SKILL.md` of `pdf` is not in the format of skills: `version` is no field of the format; "
                "`description` is missing; the name `Fill_Forms` holds more than small letters, digits and hyphens; "
                "and 1 more"
            ),
        )
    ]


def test_a_folder_that_is_no_skill_is_told_and_why(tmp_path):
    assert found(tmp_path, "  skills: {pdf: pdf}\n", pdf="Fill.") == [
        (
            "AS641",
            "`pdf` is no skill: its `SKILL.md` does not begin with front matter between two lines of `---`",
        )
    ]


@pytest.mark.parametrize(
    ("tools", "codes"),
    [("[look]", []), ("['lo*']", []), ("[lok]", ["AS601"]), ("['x*']", ["AS602"])],
)
def test_the_tools_that_a_skill_leaves_have_to_be_there(tmp_path, tools, codes):
    capability = f"{LOOK}  skills: {{dig: {{prompt: Dig., description: Digs, allowed_tools: {tools}}}}}\n"

    assert [code for code, _ in found(tmp_path, capability)] == codes


@pytest.mark.parametrize(
    "key", ["tool_search: {strategy: bm25, always_loaded: [lok]}", "narrowing: {hard_keep: [lok]}"]
)
def test_tools_that_stay_have_to_be_there(tmp_path, key):
    assert [code for code, _ in found(tmp_path, f"{LOOK}  {key}\n")] == ["AS601"]


DEFERRED = "  tools: {look: {description: Looks, expr: '1', defer: true}}\n"


@pytest.mark.parametrize(
    ("capability", "codes"),
    [
        (DEFERRED, ["AS617"]),
        (DEFERRED + "  tool_search: bm25\n", ["AS617"]),
        (DEFERRED + "  tool_search: {strategy: bm25, always_loaded: [look]}\n", []),
        (DEFERRED + "  toolkits: [math]\n", ["AS643"]),
        (DEFERRED + "  toolkits: [{math: {defer: true}}]\n", ["AS617"]),
        (DEFERRED + "  toolkits: [{math: {defer: true}}, text]\n  tool_search: hybrid\n", []),
    ],
)
def test_deferred_tools_have_a_search_and_not_all_are_deferred(tmp_path, capability, codes):
    assert [code for code, _ in found(tmp_path, capability)] == codes


def test_no_tool_takes_the_name_of_the_one_that_takes_up_skills(tmp_path):
    capability = "  tools: {activate_skill: {description: Mine, expr: '1'}}\n  skills: {dig: {prompt: Dig.}}\n"

    assert found(tmp_path, capability) == [("AS644", "`activate_skill` is the name of the tool that takes up skills")]
