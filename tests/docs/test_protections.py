"""The page on protections is fresh, and what it shows is what the protections are for: they save, and they never lie."""

import pytest

from agentspec.testing.weak import HABITS, Row, plan_of_task, play, rows
from scripts.protections import PAGE, page


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str], Row]:
    return {(habit.name, setting): row for habit, setting, row in rows(12)}


@pytest.mark.slow
def test_the_page_is_what_the_script_would_write() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("habit", ["steady", "polls"])
def test_a_model_without_a_bad_habit_is_left_alone(table: dict[tuple[str, str], Row], habit: str) -> None:
    found = [row for (name, _), row in table.items() if name == habit]

    assert len(set(found)) == 1
    assert found[0].done == 100


@pytest.mark.parametrize("habit", [habit.name for habit in HABITS])
def test_no_protection_makes_a_run_say_what_is_not_so(table: dict[tuple[str, str], Row], habit: str) -> None:
    with_all = table[habit, "as it comes"]

    assert all(
        with_all.lies <= row.lies for (name, setting), row in table.items() if name == habit and "req" not in setting
    )


@pytest.mark.parametrize("habit", [habit.name for habit in HABITS])
def test_seeing_repetition_saves_where_there_is_some_and_costs_next_to_nothing_elsewhere(
    table: dict[tuple[str, str], Row], habit: str
) -> None:
    without = table[habit, "no `stall`"].tokens

    saved = 1 - table[habit, "as it comes"].tokens / without

    assert saved > (0.6 if habit in ("repeats", "swings", "goes on") else -0.05)


@pytest.mark.parametrize("habit", [habit.name for habit in HABITS])
def test_a_gate_makes_every_done_true(table: dict[tuple[str, str], Row], habit: str) -> None:
    assert table[habit, "`read` required"].lies == 0


def test_a_run_that_is_not_done_says_why() -> None:
    plan = plan_of_task({})

    ended = {
        (run.status, run.reason)
        for habit in HABITS
        for seed in range(6)
        if not (run := play(habit, plan, seed)).is_done
    }

    assert {status for status, _ in ended} == {"stuck"}
    assert {reason for _, reason in ended} <= {"repeated_call", "thrash", "barren_reply", "max_nudges"}
