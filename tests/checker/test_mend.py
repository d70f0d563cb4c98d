"""Fixes change only what they must, and never make a file worse."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.checker.check import DEFAULTS, check_paths
from agentspec.checker.fixes import ALLOWED, apply, choose
from agentspec.checker.mend import count_mends, mend_paths, write
from agentspec.checker.report import Report
from agentspec.errors import NotAllowed
from agentspec.syntax.read import parse_bytes
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.source import Source, Span

SAFE = ALLOWED["safe"]
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*/*") if path.stem == path.parent.name)


def mended(tmp_path: Path, text: str, name: str = "a.yaml") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode())
    mend_paths([path], SAFE)
    return path.read_bytes().decode()


def diagnostic(source: Source, *edits: tuple[int, int, str], fix_class: str = "local") -> Diagnostic:
    changes = tuple(Edit(Span(source, start, end), text) for start, end, text in edits)
    return Diagnostic("AS999", "error", "wrong", Span(source, 0, 0), fix=Fix("mend", changes, fix_class))


def test_comments_layout_line_ends_and_the_byte_order_mark_stay(tmp_path):
    text = "\ufeff# top\r\nname: a   # name\r\n\r\nexecution:   {max_nudgs:  3 ,  # odd\r\n  tool_timout: 10s}\r\n"

    assert mended(tmp_path, text) == text.replace("nudgs", "nudges").replace("timout", "timeout")


def test_quotes_around_a_misspelt_name_stay(tmp_path):
    text = "name: a\nmodel: {'provider': \"opnai\"}\n"

    assert mended(tmp_path, text) == text.replace("opnai", "openai")


def test_several_files_are_mended_and_others_left_alone(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text("name: a\nexecution: {max_nudgs: 3}\n")
    (tmp_path / "c.yaml").write_text("name: c\nextends: ./d.yaml\nmodel: {}\n")
    other = tmp_path / "d.yaml"
    other.write_text("name: d\nexecution: {max_nudgs: 3}\n")

    done = mend_paths([tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "c.yaml"], SAFE)

    assert done.applied == 2
    assert [Path(name).name for name in done.changed] == ["a.yaml", "b.yaml"]
    assert other.read_text() == "name: d\nexecution: {max_nudgs: 3}\n"


def test_a_second_run_changes_nothing(tmp_path):
    once = mended(tmp_path, "name: a\nexecution: {max_nudgs: 3, profil: verifer}\n")

    assert mended(tmp_path, once) == once
    assert check_paths([tmp_path / "a.yaml"]).count("error") == 0


def test_an_unused_ignore_goes_with_its_line_or_its_blanks(tmp_path):
    text = "name: a  # agentspec: ignore[AS512]\n# agentspec: ignore[AS512]\nmodel: {provider: openai}\n"

    assert mended(tmp_path, text) == "name: a\nmodel: {provider: openai}\n"


def test_overlapping_fixes_are_never_mixed():
    source = Source("a.yaml", "abcdef")
    found = [diagnostic(source, (0, 3, "x")), diagnostic(source, (2, 4, "y")), diagnostic(source, (4, 6, "z"))]

    fixes = choose(found, SAFE, {"a.yaml"})

    assert apply(source.text, "a.yaml", fixes) == "xdz"


def test_two_insertions_at_one_place_wait_for_each_other():
    source = Source("a.yaml", "ab")
    found = [diagnostic(source, (1, 1, "x")), diagnostic(source, (1, 1, "y"))]

    assert apply(source.text, "a.yaml", choose(found, SAFE, {"a.yaml"})) == "axb"


def test_only_allowed_classes_and_given_files_are_touched():
    own, other = Source("a.yaml", "ab"), Source("b.yaml", "ab")
    found = [
        diagnostic(own, (0, 1, "x"), fix_class="surface"),
        diagnostic(other, (0, 1, "x")),
        diagnostic(own, (1, 2, "y"), fix_class="authority"),
    ]

    assert choose(found, SAFE, {"a.yaml"}) == []
    assert [fix.fix_class for fix in choose(found, ALLOWED["surface"], {"a.yaml"})] == ["surface"]


def test_a_file_that_changed_meanwhile_is_left_as_it_is(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("changed")

    with pytest.raises(NotAllowed, match="changed since it was read"):
        write(path, "before", "after")

    assert path.read_text() == "changed"


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.yaml", tmp_path / "a.yaml"
    real.write_text("name: a\nexecution: {max_nudgs: 3}\n")
    real.chmod(0o640)
    link.symlink_to(real)

    mend_paths([link], SAFE)

    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert real.read_text() == "name: a\nexecution: {max_nudges: 3}\n"


@given(st.data())
def test_the_text_outside_of_the_edits_never_changes(data):
    text = data.draw(st.text(max_size=30))
    source = Source("a.yaml", text)
    cuts = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    spans = data.draw(st.lists(cuts, max_size=5))
    found = [diagnostic(source, (start, end, "#")) for start, end in spans]

    fixes = choose(found, SAFE, {"a.yaml"})
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.span.start)

    expected, at = "", 0
    for edit in edits:
        assert edit.span.start >= at
        expected += text[at : edit.span.start] + "#"
        at = edit.span.end
    assert apply(text, "a.yaml", fixes) == expected + text[at:]


# Specs with one or more mistakes each.
BROKEN = {
    "two foreign names of one key": "name: a\nexecution: {max_turns: 3, recursion_limit: 4}\n",
    "two slips of one key": "name: a\nexecution:\n  max_nudgs: 3\n  max_nudges_: 4\n",
    "two slips in two layers": "name: a\nexecution: {<<: {max_nudgs: 3}, max_nudge: 4}\n",
    "a slip beside its key": "name: a\nexecution: {max_nudgs: 3, max_nudges: 4}\n",
    "a key whose value is wrong, too": "name: a\nexecution: {limits: {wallclock: 60}}\n",
    "a section with mistakes in it": "name: a\nexecutoin: {max_nudges: x, tool_timeout: 3, mox: 1}\n",
    "keys that exclude each other": "name: a\nexecution: {max_turns: 3, iteration_budget: {max: 3}}\n",
    "many mistakes": "name: a\nmodel: {provder: openai, seed: yes}\nexecution: {max_nudgs: 3, profil: verifer}\n",
    "a yes": "name: a\nexecution: {wrap_up: yes, done_judge: on}\n",
    "a tab": "name: a\nmodel:\n\tprovider: opnai\n",
    "a comment that silences nothing": "name: a  # agentspec: ignore[AS512]\nmodel: {provder: openai}\n",
    "nothing to mend": "name: a\nmodel: {provider: openai}\n",
}
BROKEN_DSL = {
    "two foreign names of one key": "agent a { execution { max_turns: 3  recursion_limit: 4 } }\n",
    "a text without quotes": "agent a { description: several words here\n  model { provder: openai } }\n",
    "single quotes and signs": "agent a { model { provder: 'openai'; } // why\n}\n",
    "a key whose value is wrong, too": "agent a { execution { limits { wallclock: 60 } } }\n",
}


@pytest.mark.parametrize(
    ("name", "text"),
    [*(("a.yaml", text) for text in BROKEN.values()), *(("a.agent", text) for text in BROKEN_DSL.values())],
    ids=[*BROKEN, *BROKEN_DSL],
)
def test_what_is_claimed_is_applied_and_a_second_time_nothing_is(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    before = check_paths([path])
    claimed = count_mends([path], DEFAULTS, before)
    assert path.read_text() == text

    done = mend_paths([path], SAFE)

    assert done.applied == claimed
    assert bool(claimed) == (path.read_text() != text)
    assert_no_worse(before, done.report)
    again = mend_paths([path], SAFE)
    assert (again.applied, again.changed) == (0, ())
    assert count_mends([path], DEFAULTS, again.report) == 0


def assert_no_worse(before: Report, after: Report) -> None:
    assert after.count("error") <= before.count("error")
    reading = [sum(one.code.startswith("AS0") for one in report.diagnostics) for report in (before, after)]
    assert reading[1] <= reading[0]


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        (BROKEN["two foreign names of one key"], 0),
        (BROKEN["two slips of one key"], 0),
        (BROKEN["a slip beside its key"], 0),
        (BROKEN["a key whose value is wrong, too"], 0),
        (BROKEN["a section with mistakes in it"], 1),
        (BROKEN["many mistakes"], 4),
        (BROKEN["nothing to mend"], 0),
    ],
)
def test_the_claim_is_what_can_be_done(tmp_path, text, claimed):
    path = tmp_path / "a.yaml"
    path.write_text(text)

    assert count_mends([path], DEFAULTS, check_paths([path])) == claimed


def test_keys_that_mean_the_same_are_both_told_and_neither_is_renamed(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(BROKEN["two foreign names of one key"])

    found = check_paths([path]).diagnostics

    assert [(one.span.text, one.help, one.fix) for one in found] == [
        ("max_turns", "did you mean `max_iterations`?", None),
        ("recursion_limit", "did you mean `max_iterations`?", None),
    ]


def test_one_fix_that_helps_nothing_does_not_keep_back_the_others(tmp_path):
    hiding = "executoin: {loop_control: [{when: iteratn > budgt.x, stop: y}, {when: usge.x, stop: y}]}\n"
    text = f"name: a\nmodel: {{provder: openai}}\n{hiding}capability: {{toolkit: [git]}}\n"

    assert mended(tmp_path, text) == text.replace("provder", "provider").replace("toolkit:", "toolkits:")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_misspelt_specs_are_mended_as_claimed(tmp_path, data):
    spec = data.draw(st.sampled_from(EXAMPLES))
    text = spec.read_text()
    words = list(re.finditer(r"[a-z_]{4,}(?=:)", text))
    chosen = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=4, unique=True))
    for match in sorted(chosen, key=lambda match: match.start(), reverse=True):
        at = data.draw(st.integers(match.start() + 1, match.end() - 1))
        text = text[:at] + data.draw(st.sampled_from(["", "x", "_"])) + text[at + 1 :]
    path = tmp_path / spec.name
    path.write_text(text)
    before = check_paths([path])
    claimed = count_mends([path], DEFAULTS, before)

    done = mend_paths([path], SAFE)

    assert done.applied == claimed
    assert done.report.count("error") <= before.count("error")
    assert parse_bytes(spec.name, path.read_bytes()).documents
    once = path.read_text()
    assert mend_paths([path], SAFE).applied == 0
    assert path.read_text() == once
