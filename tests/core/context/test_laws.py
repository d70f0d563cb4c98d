"""What holds of every compaction, whatever was said: pairs stay pairs, the task stays, it gets smaller, and it ends."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentspec.core.context.compacting import Compacted, Strategy, strategy_of
from agentspec.core.context.fold import fold_of
from agentspec.core.context.view import View
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.proposals import Think
from agentspec.core.transcript import Transcript, weight_of
from agentspec.spec.settings import Settings

WORDS = st.integers(0, 60).map(lambda count: "many words of it " * count)


@st.composite
def turns(draw: st.DrawFn) -> list[Message]:
    """A turn: an answer with its calls and their results, or something that a person says."""
    if draw(st.integers(0, 6)) == 0:
        return [UserMessage(text=draw(WORDS) or "more")]
    number = draw(st.integers(0, 10**9))
    count = draw(st.integers(0, 3))
    calls = tuple(ToolCall(id=f"c{number}_{at}", name="look", arguments=draw(WORDS)) for at in range(count))
    extra = {"message": {"signed": True}} if draw(st.booleans()) else {}
    results = [ToolMessage(call_id=call.id, name="look", text=draw(WORDS)) for call in calls]
    return [AssistantMessage(text=draw(WORDS) or "so", calls=calls, extra=extra), *results]


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Transcript, View]:
    before = draw(st.lists(turns(), max_size=4))
    system: list[Message] = [SystemMessage(text="You look.")] if draw(st.booleans()) else []
    opening = [*system, *(message for turn in before for message in turn), UserMessage(text="the task")]
    after = [message for turn in draw(st.lists(turns(), max_size=14)) for message in turn]
    fixed = frozenset({*range(len(system)), len(opening) - 1})
    return Transcript([*opening, *after]), View(fixed=fixed)


STRATEGIES = st.fixed_dictionaries(
    {
        "strategy": st.sampled_from(["truncate", "summarize_middle", "summarize_all", "hybrid"]),
        "keep_first": st.integers(0, 4),
        "keep_last": st.integers(0, 12),
        "threshold": st.integers(20, 2_000),
    },
    optional={"target": st.integers(10, 500)},
)


def strategy(given: dict[str, Any], window: int | None) -> Strategy:
    return strategy_of(Settings({"model": {"context_window": window}, "context": {"compaction": given}}))


def think_of(transcript: Transcript, view: View, turn: int = 1) -> Think:
    shown = Transcript(view.of(transcript))
    while shown.position < len(transcript):
        shown = shown.skip()
    return Think(turn=turn, transcript=transcript, view=view, shown=shown)


@given(conversations(), STRATEGIES, st.one_of(st.none(), st.integers(100, 5_000)), st.sampled_from(["", "Notes."]))
def test_every_pass_keeps_pairs_task_system_and_signed_replies_and_ends(
    conversation: tuple[Transcript, View], given: dict[str, Any], window: int | None, summary: str
) -> None:
    transcript, view = conversation
    chosen, known, passes = strategy(given, window), Compacted(), 0
    think = think_of(transcript, view)

    while (planned := chosen.planned(known, think, 0.0)) is not None:
        assert chosen.planned(known, think_of(transcript, view), 0.0) == planned, "the same input gives the same cut"
        passes += 1
        made = known.passes if known.turn == think.turn else ()
        known = replace(known, planned=planned, turn=think.turn, passes=(*made, planned.way))
        known = chosen.compacted(known, summary if planned.way == "summary" else "")
        before = think.tokens
        view = view.with_cut(known.cut)
        think = think_of(transcript, view)
        assert think.tokens < before, "the result is smaller"
        assert passes <= 2, "at most one pass of each kind in a turn"

    _require_whole(view.of(transcript), transcript, view)


@given(conversations(), st.integers(0, 4), st.integers(0, 12), st.one_of(st.none(), st.floats(0, 500)), st.booleans())
def test_a_fold_lies_between_turns_and_says_truly_what_it_takes(
    conversation: tuple[Transcript, View], keep_first: int, keep_last: int, shed: float | None, is_deep: bool
) -> None:
    transcript, view = conversation

    fold = fold_of(transcript, view, keep_first=keep_first, keep_last=keep_last, shed=shed, is_deep=is_deep)

    if fold is None:
        return
    assert not isinstance(transcript[fold.start], ToolMessage)
    assert fold.end == len(transcript) or not isinstance(transcript[fold.end], ToolMessage)
    assert set(fold.taken) == set(range(fold.start, fold.end)) - set(fold.kept)
    assert abs(fold.tokens - sum(weight_of(transcript[place]) for place in fold.taken)) < 1e-6
    assert is_deep or len(transcript) - fold.end >= min(keep_last, len(transcript) - fold.start)
    assert not is_deep or any(isinstance(message, AssistantMessage) for message in transcript.since(fold.end))


def _require_whole(shown: list[Message], transcript: Transcript, view: View) -> None:
    open_calls: list[str] = []
    for message in shown:
        if isinstance(message, ToolMessage):
            open_calls.remove(message.call_id)
            continue
        assert not open_calls
        if isinstance(message, AssistantMessage):
            open_calls += [call.id for call in message.calls]
            assert message in list(transcript), "a reply is shown as it was, or not at all"
    assert not open_calls
    for place in view.fixed:
        assert transcript[place] in shown
    said = [message for message in transcript if isinstance(message, UserMessage)]
    assert said[-1] in shown, "what a person said last stays"
