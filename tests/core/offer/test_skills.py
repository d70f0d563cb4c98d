"""Which skills fit what a run works on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.offer.skills import Skills, allowed, candidates, instructions, skills_of
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings

WRITTEN: dict[str, Any] = {
    "pdf": {"prompt": "P", "description": "Fills in forms of PDF documents", "allowed_tools": ["read_*", "look"]},
    "mail": {"prompt": "M", "description": "Writes letters", "when_to_use": "Somebody wants a message sent"},
    "tests": {"prompt": "T", "paths": ["tests/**", "*_test.py"], "allowed_tools": ["look"]},
    "late": {"prompt": "L", "description": "Fills in forms", "when": "iteration > 2"},
    "secret": {"prompt": "S", "description": "Fills in forms", "disable_model_invocation": True},
    "shy": {"prompt": "Y", "user_invocable": False},
}


def skills(match: Any = "metadata", written: dict[str, Any] | None = None) -> Skills:
    values = {"name": "s", "capability": {"skills": written or WRITTEN, "skill_match": match}}
    found = skills_of(Settings(effective(values)))
    assert found is not None
    return found


def fitting(words: str, *files: str, match: Any = "metadata", iteration: int = 0) -> list[str]:
    return [one.name for one in candidates(skills(match), words, files, iteration=iteration)]


@pytest.mark.parametrize(
    ("words", "files", "iteration", "names"),
    [
        ("Fill in this form", (), 0, ["pdf"]),
        ("Send a message to Ada", (), 0, ["mail"]),
        ("Dance", (), 0, []),
        ("Dance", ("tests/a.py",), 0, ["tests"]),
        ("Dance", ("src/a_test.py", "tests/b.py"), 0, ["tests"]),
        ("Use the skill mail for this form", (), 0, ["mail", "pdf"]),
        ("Use /secret", (), 0, ["secret"]),
        ("Use the shy one", (), 0, []),
        ("Dance", (), 3, ["late"]),
    ],
)
def test_a_skill_fits_by_its_words_its_paths_its_name_or_its_condition(
    words: str, files: tuple[str, ...], iteration: int, names: list[str]
) -> None:
    assert fitting(words, *files, iteration=iteration) == names


def test_by_expression_only_conditions_and_names_count() -> None:
    assert fitting("Fill in this form", "tests/a.py", match="expression", iteration=3) == ["late"]
    assert fitting("Fill in this pdf form", match="expression") == ["pdf"]


def test_a_condition_that_can_not_be_evaluated_does_not_match_and_is_told() -> None:
    broken = skills("expression", {"x": {"prompt": "X", "when": "working_files[0] == 'a'"}})

    (found,) = candidates(broken, "go", (), iteration=0)

    assert (found.name, found.score) == ("x", 0.0)
    assert found.problem


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=3))
def test_the_same_work_finds_the_same_skills_and_none_without_a_score(words: str, files: list[str]) -> None:
    once = candidates(skills(), words, files, iteration=0)

    assert once == candidates(skills(), words, files, iteration=0)
    assert all(one.score > 0 for one in once)
    assert once == sorted(once, key=lambda one: -one.score)


def test_what_the_active_skills_leave_is_the_sum_of_what_they_name() -> None:
    assert allowed(skills(), ["pdf", "tests"]) == ("read_*", "look")
    assert allowed(skills(), ["pdf", "mail"]) == ("read_*", "look")
    assert allowed(skills(), ["mail"]) is None


def test_the_settings_of_the_match_are_read_with_their_defaults() -> None:
    plain, long = skills(), skills({"strategy": "expression", "top_n": 3, "sticky": False})

    assert (plain.strategy, plain.top_n, plain.sticky) == ("metadata", 1, True)
    assert (long.strategy, long.top_n, long.sticky) == ("expression", 3, False)
    assert [skill.name for skill in plain.by_model] == ["pdf", "mail", "tests", "late", "shy"]
    assert skills_of(Settings(effective({"name": "s"}))) is None


def test_the_instructions_name_the_tools_that_are_left() -> None:
    skill = skills().named("pdf")
    assert skill is not None

    assert instructions(skill) == (
        "The skill `pdf` is active. Follow it wherever it fits the task.\n\nP\n\n"
        "While it is active, only these tools of yours can be called: `read_*`, `look`."
    )
