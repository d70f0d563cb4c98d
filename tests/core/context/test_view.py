"""What a model is shown of a transcript: left out, shown otherwise, never changed, and never in halves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.context.view import Cut, View, project
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript

SYSTEM = SystemMessage(text="be brief")
TASK = UserMessage(text="look")
FIXED = frozenset((0, 1))


def reply(*ids: str, text: str = "", signed: bool = False) -> AssistantMessage:
    calls = tuple(ToolCall(id=one, name="look", arguments="{}") for one in ids)
    return AssistantMessage(text=text, calls=calls, extra={"message": {"content": ["signed"]}} if signed else {})


def result(call_id: str, text: str = "seen") -> ToolMessage:
    return ToolMessage(call_id=call_id, name="look", text=text)


def said(*messages: Message) -> Transcript:
    return Transcript([SYSTEM, TASK, *messages])


def shown(view: View, *messages: Message) -> list[Message]:
    return view.of(said(*messages))


def test_what_nobody_shapes_is_the_transcript_itself() -> None:
    recorded = said(reply("a"), result("a"))

    projected = project(recorded, View(), View(), Transcript())

    assert projected.transcript is recorded
    assert projected.changed_by == ()


def test_a_result_that_is_left_out_takes_its_call_and_a_silent_reply_with_it() -> None:
    view = View().with_lens("filter", 10, {3: None})

    assert shown(view, reply("a"), result("a"), UserMessage(text="and?")) == [SYSTEM, TASK, UserMessage(text="and?")]


def test_a_result_that_is_left_out_leaves_the_words_of_its_reply_and_the_other_calls() -> None:
    view = View().with_lens("filter", 10, {3: None})

    assert shown(view, reply("a", "b", text="both"), result("a"), result("b")) == [
        SYSTEM,
        TASK,
        reply("b", text="both"),
        result("b"),
    ]
    assert shown(view, reply("a", text="one"), result("a")) == [SYSTEM, TASK, reply(text="one")]


def test_a_reply_that_is_left_out_takes_its_results_with_it() -> None:
    view = View().with_lens("filter", 10, {2: None})

    assert shown(view, reply("a", "b", text="both"), result("a"), result("b")) == [SYSTEM, TASK]


def test_a_signed_reply_is_shown_whole_or_not_at_all() -> None:
    signed = reply("a", "b", text="both", signed=True)
    half = View().with_lens("filter", 10, {3: None})
    told_otherwise = View().with_lens("filter", 10, {2: reply("a", "b", text="other")})
    all_of_it = View().with_lens("filter", 10, {3: None, 4: None})

    assert shown(half, signed, result("a"), result("b")) == [SYSTEM, TASK, signed, result("a"), result("b")]
    assert shown(told_otherwise, signed, result("a"), result("b"))[2] == signed
    assert shown(all_of_it, signed, result("a"), result("b")) == [SYSTEM, TASK]


def test_the_system_text_and_the_task_are_never_left_out() -> None:
    view = View(fixed=FIXED).with_lens("filter", 10, {0: None, 1: None})
    cut = View(fixed=FIXED).with_cut(Cut(start=0, end=3, message=UserMessage(text="before")))

    assert shown(view) == [SYSTEM, TASK]
    assert shown(cut, UserMessage(text="old")) == [SYSTEM, TASK, UserMessage(text="before")]


def test_what_a_lower_lens_leaves_out_no_other_brings_back() -> None:
    view = View().with_lens("filter", 20, {2: UserMessage(text="other")}).with_lens("projection", 10, {2: None})

    assert shown(view, UserMessage(text="old")) == [SYSTEM, TASK]


def test_a_cut_stands_for_everything_within_it() -> None:
    view = View().with_lens("filter", 10, {2: UserMessage(text="other")})
    view = view.with_cut(Cut(start=2, end=5, message=UserMessage(text="summary")))

    assert shown(view, UserMessage(text="old"), reply("a"), result("a"), UserMessage(text="new")) == [
        SYSTEM,
        TASK,
        UserMessage(text="summary"),
        UserMessage(text="new"),
    ]


def test_news_are_added_to_what_was_shown() -> None:
    view = View().with_lens("filter", 10, {2: None})
    before = project(said(UserMessage(text="old")), view, View(), Transcript()).transcript

    after = project(said(UserMessage(text="old"), UserMessage(text="new")), view, view, before)

    assert after.changed_by == ()
    assert after.transcript.is_extension_of(before)
    assert list(after.transcript) == [SYSTEM, TASK, UserMessage(text="new")]


def test_it_is_told_who_changes_what_was_shown_before() -> None:
    first = View().with_lens("filter", 10, {2: None})
    later = first.with_lens("filter", 10, {2: None, 3: None})
    cut = later.with_cut(Cut(start=2, end=4, message=UserMessage(text="summary")))
    recorded = said(UserMessage(text="old"), UserMessage(text="new"))
    two = project(said(UserMessage(text="old")), first, View(), Transcript()).transcript
    three = project(recorded, first, first, two).transcript

    assert project(recorded, later, first, two).changed_by == ()  # what is left out was never shown
    assert project(recorded, later, first, three).changed_by == ("filter",)
    assert project(recorded, cut, first, three).changed_by == ("filter", "compaction")


def test_what_a_cut_hides_can_change_without_a_break() -> None:
    before = View(fixed=FIXED).with_cut(Cut(start=2, end=4, message=UserMessage(text="summary")))
    recorded = said(UserMessage(text="old"), UserMessage(text="older"), UserMessage(text="new"))
    shown_before = project(recorded, before, View(), Transcript()).transcript

    after = project(recorded, before.with_lens("filter", 10, {2: None}), before, shown_before)

    assert after.changed_by == ()
    assert after.transcript.is_extension_of(shown_before)


units = st.one_of(
    st.builds(lambda text: [UserMessage(text=text)], st.text(max_size=3)),
    st.builds(
        lambda ids, text, signed: [reply(*ids, text=text, signed=signed), *map(result, ids)],
        st.lists(st.sampled_from("abcd"), unique=True, max_size=3),
        st.text(max_size=3),
        st.booleans(),
    ),
)
conversations = st.lists(units, max_size=6).map(lambda made: said(*(one for unit in made for one in unit)))
edits = st.dictionaries(st.integers(0, 20), st.sampled_from((None, UserMessage(text="!"))), max_size=8)


def is_paired(messages: list[Message]) -> bool:
    """Whether every reply has exactly the results of its calls straight behind it, and every result such a reply."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if not waiting or message.call_id != waiting.pop(0):
                return False
            continue
        if waiting:
            return False
        waiting = [call.id for call in message.calls] if isinstance(message, AssistantMessage) else []
    return not waiting


@given(conversations, edits, edits)
def test_pairs_stay_pairs_and_the_task_stays_whatever_is_left_out(recorded: Transcript, one: dict, other: dict) -> None:
    left_out = [{place: None for place, edit in each.items() if edit is None} for each in (one, other)]
    view = View(fixed=FIXED).with_lens("a", 1, left_out[0]).with_lens("b", 2, left_out[1])
    before = list(recorded)

    messages = view.of(recorded)

    assert is_paired(messages)
    assert messages[:2] == [SYSTEM, TASK]
    assert list(recorded) == before


@given(conversations, edits, st.integers(2, 20))
def test_going_on_shows_the_same_as_beginning_anew(recorded: Transcript, left_out: dict, at: int) -> None:
    view = View(fixed=FIXED).with_lens("a", 1, dict.fromkeys(left_out))
    ends = [end for end in range(2, len(recorded) + 1) if not isinstance(([*recorded, TASK])[end], ToolMessage)]
    part = Transcript(list(recorded)[: ends[at % len(ends)]])
    before = project(part, view, View(), Transcript()).transcript

    after = project(recorded, view, view, before)

    assert list(after.transcript) == view.of(recorded)
    assert after.transcript.position == len(recorded)
