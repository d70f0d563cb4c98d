"""`SKILL.md` files: what the public format takes and does not take, and that no text breaks the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.compose.skill_file import SkillFile, parse_skill, read_skill

D = "description: Does it."
GOOD = {
    "the least": f"name: pdf\n{D}",
    "digits": ("2pdf3", f"name: 2pdf3\n{D}"),
    "hyphens": ("a-b-c", f"name: a-b-c\n{D}"),
    "a number for a name": ("123", f"name: 123\n{D}"),
    "a date for a name": ("2026-01-01", f"name: 2026-01-01\n{D}"),
    "the longest name": ("a" * 64, f"name: {'a' * 64}\n{D}"),
    "letters beyond ASCII": ("größe", f"name: größe\n{D}"),
    "quotes": "name: 'pdf'\ndescription: \"Does: it.\"",
    "a folded text": "name: pdf\ndescription: >\n  Does\n  it.",
    "a literal text": "name: pdf\ndescription: |\n  Does\n  it.",
    "the longest description": f"name: pdf\ndescription: {'x' * 1024}",
    "a license": f"name: pdf\n{D}\nlicense: MIT",
    "a compatibility": f"name: pdf\n{D}\ncompatibility: Needs git",
    "the longest compatibility": f"name: pdf\n{D}\ncompatibility: {'x' * 500}",
    "metadata": f"name: pdf\n{D}\nmetadata:\n  author: someone\n  version: 1.0",
    "tools": f"name: pdf\n{D}\nallowed-tools: Bash(git:*) Read",
    "everything": f"name: pdf\n{D}\nlicense: MIT\ncompatibility: any\nmetadata:\n  a: b\nallowed-tools: Read",
    "a comment": f"# about\nname: pdf\n{D}",
    "another order": f"{D}\nname: pdf",
    "a number for a description": "name: pdf\ndescription: 42",
}
BAD = {
    "no name": D,
    "no description": "name: pdf",
    "an empty name": f"name: ''\n{D}",
    "an empty description": "name: pdf\ndescription: ''",
    "blank description": "name: pdf\ndescription: '  '",
    "capitals": ("PDF", f"name: PDF\n{D}"),
    "a blank in the name": ("p df", f"name: p df\n{D}"),
    "an underscore": ("p_df", f"name: p_df\n{D}"),
    "a dot": ("p.df", f"name: p.df\n{D}"),
    "a slash": f"name: p/df\n{D}",
    "a hyphen in front": ("-pdf", f"name: -pdf\n{D}"),
    "a hyphen behind": ("pdf-", f"name: pdf-\n{D}"),
    "two hyphens": ("p--df", f"name: p--df\n{D}"),
    "too long a name": ("a" * 65, f"name: {'a' * 65}\n{D}"),
    "another folder": ("doc", f"name: pdf\n{D}"),
    "too long a description": f"name: pdf\ndescription: {'x' * 1025}",
    "too long a compatibility": f"name: pdf\n{D}\ncompatibility: {'x' * 501}",
    "a foreign field": f"name: pdf\n{D}\nversion: 2",
    "broken YAML": f"name: 'pdf\n{D}",
    "a list": "- name: pdf",
}


def folder_and_text(case: object) -> tuple[str, str]:
    folder, front = case if isinstance(case, tuple) else ("pdf", case)
    return folder, f"---\n{front}\n---\n\n# How\n\nDo it.\n"


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_what_the_format_takes_has_no_faults(case: object) -> None:
    folder, text = folder_and_text(case)

    read = parse_skill(text, folder)

    assert (read.problem, read.faults) == ("", ())
    assert read.skill is not None
    assert (read.skill.name, read.skill.body) == (folder, "# How\n\nDo it.")


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_what_the_format_refuses_is_told(case: object) -> None:
    folder, text = folder_and_text(case)

    read = parse_skill(text, folder)

    assert read.problem or read.faults


@pytest.mark.parametrize("text", ["", "# How", "---\nname: pdf\n", "--- name: pdf ---", "---\n---"])
def test_a_file_without_front_matter_is_no_skill(text: str) -> None:
    assert parse_skill(text, "pdf").skill is None
    assert parse_skill(text, "pdf").problem


def test_rules_in_the_text_and_other_line_ends_belong_to_the_instructions() -> None:
    text = "---\r\nname: pdf\r\ndescription: Does it.\r\n---\r\nOne\r\n---\r\nTwo ${HOME}"

    assert parse_skill(text, "pdf").skill == SkillFile("pdf", "Does it.", "One\r\n---\r\nTwo ${HOME}")


@given(st.text(), st.text(max_size=10))
def test_no_text_breaks_the_reader(text: str, folder: str) -> None:
    for whole in (text, f"---\n{text}\n---\n{text}"):
        read = parse_skill(whole, folder)

        assert (read.skill is None) == bool(read.problem)


def test_a_folder_is_read_and_what_is_no_skill_is_told_in_words(tmp_path) -> None:
    good, empty, away = tmp_path / "pdf", tmp_path / "empty", tmp_path / "away"
    for folder in (good, empty, away):
        folder.mkdir()
    (good / "SKILL.md").write_text(f"---\nname: pdf\n{D}\n---\nDo it.")
    (tmp_path / "outside.md").write_text("---\nname: away\n---\nsecret")
    (away / "SKILL.md").symlink_to(tmp_path / "outside.md")

    assert read_skill(good).skill == SkillFile("pdf", "Does it.", "Do it.")
    assert read_skill(empty).problem == "it has no `SKILL.md`"
    assert read_skill(tmp_path / "none").problem == "there is no such folder"
    assert read_skill(away).problem == "its `SKILL.md` is a link that leads out of the folder"
    (good / "SKILL.md").write_bytes(b"\xff\x00")
    assert "not" in read_skill(good).problem
