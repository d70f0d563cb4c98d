"""A process that dies at any moment: its run goes on, and nothing that finished is done twice.

The moments are before, inside (after the statements, before the commit) and after every write to the store, and before
and after every effect of a tool.
"""

import random
from collections import Counter

import pytest

from agentspec.core.events import Consulted, ToolReturned
from agentspec.core.orders import CallTool
from tests.durability.place import Place, crash, wait_until
from tests.sample import fast_first

# 20 calls: some may be repeated by their nature, some by their author's word, some never; twice two run at once.
TURNS = [
    "look l1", "mark m1", "put p1", ["both b1", "both b2"], "mark m2", "look l2", "put p2", "mark m3", "put p3",
    "look l3", "mark m4", ["both b3", "both b4"], "put p4", "mark m5", "look l4", "mark m6", "put p5", "mark m7",
    "all done",
]  # fmt: skip
# The older calls are summarised again and again, so that some moments lie within that.
COMPACTION = {"compaction": {"strategy": "hybrid", "threshold": 400, "keep_last": 4}}
SUMMARIES = [{"role": "summary", "text": "Calls were made."}] * 12
EFFECTS = Counter(f"{kind}{n}" for kind, most in (("m", 7), ("p", 5), ("b", 4)) for n in range(1, most + 1))
MOMENTS = ("before", "inside", "after")


@pytest.fixture(scope="module")
def moments(tmp_path_factory, zygote):
    """Every moment at which the process of a whole run could die."""
    place = Place(tmp_path_factory.mktemp("whole"), zygote)
    place.spec(*TURNS, *SUMMARIES, context=COMPACTION)
    told = place.drive("start").json
    assert told["status"] == "done"
    assert 3 < sum(isinstance(record, Consulted) for record in place.records()) < len(SUMMARIES)
    assert Counter(place.effects()) == EFFECTS
    counts = told["counts"]
    assert counts["tool"] == 20
    writes = [
        [f"{what} {n + 1}", moment]
        for what in ("append", "describe", "close")
        for n in range(counts[what])
        for moment in MOMENTS
    ]
    others = [
        [f"{what} {n + 1}", moment]
        for what in ("flush", "tool")
        for n in range(counts[what])
        for moment in ("before", "after")
    ]
    return writes + others


def assert_whole(place, before):
    """What must hold of a resumed run, whose journal was `before` when its process died."""
    answered = {record.order for record in before if isinstance(record, ToolReturned)}
    ordered = [record for record in before if isinstance(record, CallTool)]
    finished = [call for call in ordered if call.id in answered]
    ambiguous = [call for call in ordered if call.id not in answered and call.repeat == "once"]
    effects = Counter(place.effects())
    for call in finished:
        assert effects[call.arguments["n"]] == EFFECTS[call.arguments["n"]], f"{call.call.name} was repeated or lost"
    for name, count in effects.items():
        assert count == 1 or name.startswith("p"), f"{name} was done {count} times"
    unknown = [
        record.result.arguments["n"]
        for record in place.records()
        if isinstance(record, ToolReturned) and record.result.status == "unknown_outcome"
    ]
    assert sorted(unknown) == sorted(call.arguments["n"] for call in ambiguous)
    assert set(EFFECTS) - set(effects) <= set(unknown), "a call was lost"
    keys: dict[str, set[str]] = {}
    for call in place.calls():
        keys.setdefault(call["call"], set()).add(call["key"])
    assert all(len(different) == 1 for different in keys.values()), "a call was repeated with another key"


def die_and_resume(place, moment):
    place.spec(*TURNS, *SUMMARIES, context=COMPACTION)
    died = place.drive("start", die=moment)
    if died.code == 0:  # two calls that ended at once share a commit, so that a run may do with fewer
        what, number = moment[0].split()
        assert died.json["counts"][what] < int(number)
        return
    assert died.code == -9, died.err
    if moment[0] == "append 1" and moment[1] != "after":
        refused = place.drive("resume", run_id=place.run_id())
        assert (refused.code, "died before its first record" in refused.err) == (2, True)
        assert place.effects() == []
        return
    before = place.records()
    has_ended = type(before[-1]).__name__ == "Finish"
    assert place.runs()[0]["status"] == ("done" if has_ended else "crashed")

    resumed = place.drive("resume", run_id=place.run_id())

    if has_ended:
        assert (resumed.code, "has ended: done" in resumed.err) == (2, True)
    else:
        assert (resumed.code, resumed.json["status"]) == (0, "done"), resumed.err
        assert place.runs()[0]["status"] == "done"
    assert_whole(place, before)


@pytest.mark.parametrize("part", fast_first(range(4)))
def test_a_run_survives_the_death_of_its_process(places, moments, part):
    moment = random.Random(part).choice(moments[part * len(moments) // 4 : (part + 1) * len(moments) // 4])

    die_and_resume(places("-".join(moment).replace(" ", "-")), moment)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_a_run_survives_the_death_of_its_process_at_every_moment(places, moments, part):
    assert len(moments) >= 160
    for moment in moments[part::8]:
        die_and_resume(places("-".join(moment).replace(" ", "-")), moment)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_run_survives_dying_again_while_it_is_resumed(places, moments, part):
    """Each is two more points: one in the first process and one in the process that resumes."""
    chance = random.Random(part)
    first_moments = [moment for moment in moments if moment[0].startswith(("append", "tool"))]
    for number in range(20):
        place = places(f"twice-{number}")
        place.spec(*TURNS, *SUMMARIES, context=COMPACTION)
        place.drive("start", die=chance.choice(first_moments))
        before = place.records()
        if not before:
            continue
        second = [f"{chance.choice(['append', 'tool'])} {chance.randint(1, 12)}", chance.choice(["before", "after"])]
        place.drive("resume", run_id=place.run_id(), die=second)
        if type(place.records()[-1]).__name__ != "Finish":
            before = place.records()
            assert place.drive("resume", run_id=place.run_id()).json["status"] == "done"
        assert_still_whole(place, before)


def assert_still_whole(place, before):
    """As `assert_whole`, where calls of unknown outcome may have been settled by an earlier resume as well."""
    answered = {record.order for record in before if isinstance(record, ToolReturned)}
    effects = Counter(place.effects())
    unknown = Counter(
        record.result.arguments["n"]
        for record in place.records()
        if isinstance(record, ToolReturned) and record.result.status == "unknown_outcome"
    )
    assert all(count == 1 for count in unknown.values())
    assert all(count == 1 or name.startswith("p") for name, count in effects.items())
    assert set(EFFECTS) - set(effects) <= set(unknown)
    lost = [record for record in before if isinstance(record, CallTool) and record.id not in answered]
    assert {call.arguments["n"] for call in lost if call.repeat == "once"} <= set(unknown)


def kill_until_it_is_done(place, chance):
    """Kill the program from outside, again and again, until its run is done; how often that was."""
    going = place.start("run", "spec.json", "--quiet")
    kills = 0
    while True:
        seen = len(place.effects()) + chance.randint(0, 8)
        wait_until(lambda seen=seen, going=going: len(place.effects()) >= seen or going.has_ended())
        done = crash(going)
        if done.code != -9:
            was_over = done.code == 2 and "has ended: done" in done.err  # it was killed after the end of its run
            assert was_over or (done.code, done.out) == (0, "all done\n"), done.err
            return kills
        kills += 1
        has_begun = place.database.exists() and place.runs() and place.records()
        going = place.start(*(("resume", place.run_id()) if has_begun else ("run", "spec.json")), "--quiet")


def assert_killed_and_whole(place, chance):
    place.spec(*TURNS, *SUMMARIES, context=COMPACTION)

    kills = kill_until_it_is_done(place, chance)

    assert_still_whole(place, [])
    replayed = place.run("replay", place.run_id(), "--json")
    assert replayed.json["identical"], replayed.out
    return kills


@pytest.mark.slow
def test_a_run_survives_being_killed_from_outside(place):
    assert assert_killed_and_whole(place, random.Random(3)) > 0


@pytest.mark.slow
def test_a_run_survives_being_killed_from_outside_many_times(places):
    kills = sum(assert_killed_and_whole(places(f"killed-{seed}"), random.Random(seed)) for seed in range(25))

    assert kills >= 50
