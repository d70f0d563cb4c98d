"""What was put last is there, what is older is forgotten, and no mapping that was given out changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.repeats.recent import FRESH, Recent

PUTS = st.lists(st.tuples(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.integers(1, 9)), max_size=120)


@given(PUTS, st.integers(FRESH + 1, FRESH + 9))
def test_the_newest_entries_are_there_with_their_last_values(puts, most):
    recent: Recent[int] = Recent()
    last: dict[str, int] = {}
    for key, value in puts:
        recent = recent.put(key, value, most=most)
        last.pop(key, None)
        last[key] = value

    newest = dict([*last.items()][FRESH - most :])

    assert {key: recent.get(key) for key in newest} == newest
    assert {key: recent[key] for key in newest} == newest
    assert len(newest) <= len(recent) <= most


def test_a_put_leaves_the_earlier_mapping_as_it_was():
    earlier = Recent({"a": 1}, {"b": 2})

    later = earlier.put("a", 3, most=8)

    assert (earlier.get("a"), later.get("a"), "c" in later) == (1, 3, False)


def test_putting_copies_only_what_is_fresh():
    recent: Recent[int] = Recent()
    copies = 0
    for number in range(1_000):
        before = recent
        recent = recent.put(str(number), number, most=500)
        copies += recent.older is not before.older

    assert copies == 1_000 // FRESH
