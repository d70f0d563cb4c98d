"""What holds of repetition whatever a model and its tools do."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.messages import ToolMessage
from agentspec.core.orders import CallTool, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

NAMES = ("look", "list", "write", "test")
TOOLS = (tool("look"), tool("list"), tool("write", effect="write"), tool("test", effect="process"))
TURNS = st.lists(
    st.lists(
        st.tuples(st.sampled_from([*NAMES, "ghost"]), st.sampled_from(["{}", '{"n": 1}']), st.sampled_from("xy")),
        max_size=3,
    ),
    max_size=25,
)


def kernel_with(stall: Any = True) -> Kernel:
    execution = {"loop_until_done": True, "max_iterations": 500, "stall": stall, "max_nudges": 500}
    kernel = Kernel(plan_for({"execution": execution}, *TOOLS))
    kernel.start("go")
    return kernel


class Played:
    """A run as it was played, and what really came of its calls."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.asked: dict[tuple[str, str], int] = {}
        self.ran: dict[tuple[str, str], int] = {}
        self.skipped: list[tuple[int, str, int]] = []  # turn, text, how often its call had been asked for until then
        self.warnings: list[dict[str, Any]] = []

    def turn(self, calls: list[tuple[str, str, str]], number: int) -> None:
        named = [call(name, f"{number}.{index}", text) for index, (name, text, _) in enumerate(calls)]
        turn = self.kernel.state.facts.iteration
        self.kernel.reply(f"{number}", *named)
        self._hear()
        for made, (name, text, brought) in zip(named, calls, strict=True):
            self.asked[name, text] = self.asked.get((name, text), 0) + 1
            running = [order.call for order in self.kernel.state.pending.values() if isinstance(order, CallTool)]
            if made in running:
                self.ran[name, text] = self.ran.get((name, text), 0) + 1
                self.kernel.returned(made.id, brought, effect=self.kernel.plan.tools[name].effect)
                self._hear()
        told = {each.call_id: each.text for each in self.kernel.state.transcript if isinstance(each, ToolMessage)}
        count: dict[tuple[str, str], int] = {}
        for made, (name, text, _) in zip(named, calls, strict=True):
            count[name, text] = count.get((name, text), 0) + 1
            if "not run: " in told.get(made.id, ""):
                later = sum(other == (name, text) for other in [c[:2] for c in calls]) - count[name, text]
                self.skipped.append((turn, told[made.id], self.asked[name, text] - later))

    def _hear(self) -> None:
        self.warnings += [note.fields for note in self.kernel.ordered(Note) if note.event == "stall_warning"]

    @property
    def is_over(self) -> bool:
        return self.kernel.state.outcome is not None


def play(turns: list[list[tuple[str, str, str]]], stall: Any = True) -> Played:
    played = Played(kernel_with(stall))
    for number, calls in enumerate(turns):
        if played.is_over:
            break
        played.turn(calls or [("look", f'{{"turn": {number}}}', str(number))], number)
    return played


@given(TURNS)
def test_a_run_is_rescued_in_one_turn_at_most(turns: list[Any]) -> None:
    played = play(turns)

    rescued = {turn for turn, text, _ in played.skipped}
    ended = played.is_over and played.kernel.state.outcome.reason == "repeated_call"
    assert len(rescued) <= 2
    assert len(rescued) <= 1 or ended


@given(st.lists(st.sampled_from("ab"), min_size=5, max_size=12))
def test_the_numbers_that_are_told_are_true(letters: list[str]) -> None:
    played = play([[("look", f'{{"at": "{letter}"}}', "same")] for letter in letters])

    for _, text, asked in played.skipped:
        said = re.search(r"asked for (\d+) times, and it brought the same (\d+) times", text)
        assert said is not None
        assert int(said[1]) == asked
    if played.is_over and "asked for" in played.kernel.state.outcome.detail:
        said = re.search(
            r"asked for (\d+) times, and it brought the same (\d+) times", played.kernel.state.outcome.detail
        )
        assert said is not None
        assert int(said[1]) in played.asked.values()
        assert int(said[2]) in played.ran.values()


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=60))
def test_nothing_is_seen_in_a_run_whose_every_result_is_new(names: list[str]) -> None:
    played = play([[(name, "{}", str(number))] for number, name in enumerate(names)])

    assert not played.is_over
    assert played.warnings == []
    assert played.kernel.state.facts.stall.repeated_tool_calls == 0


@given(st.lists(st.integers(1, 2), min_size=1, max_size=40))
def test_a_poll_that_changes_at_least_at_every_third_look_is_never_stopped(rows: list[int]) -> None:
    looks = [("look", "{}", f"{number} %") for number, times in enumerate(rows) for _ in range(times)]

    played = play([[look] for look in looks])

    assert not played.is_over
    assert played.warnings == []


@given(TURNS)
def test_without_it_no_run_is_stopped_for_repeating(turns: list[Any]) -> None:
    played = play(turns, stall=False)

    assert not played.is_over
    assert played.skipped == []


@given(TURNS)
def test_a_run_is_only_called_stuck_for_what_has_been_warned_of(turns: list[Any]) -> None:
    played = play(turns)

    if played.is_over:
        assert played.kernel.state.outcome.status == "stuck"
        assert played.warnings
