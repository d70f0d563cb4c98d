"""Each event that people wait for has its line."""

import pytest

from agentspec.cli.terminal.progress import Counts, describe


@pytest.mark.parametrize(
    ("status", "text", "line"),
    [
        ("ok", "done", None),
        ("skipped", "not run", None),
        ("error", "ERROR: no such file\nmore", "turn 0: write_file error: no such file"),
        ("denied", "DENIED: nobody allows it", "turn 0: write_file denied: nobody allows it"),
        ("deferred", "DEFERRED: the reads come first", "turn 0: write_file deferred: the reads come first"),
        ("error", "ERROR: DENIED: it says so itself", "turn 0: write_file error: DENIED: it says so itself"),
    ],
)
def test_a_call_that_did_not_do_what_was_asked_says_why(status, text, line):
    event = {"kind": "tool_result", "status": status, "name": "write_file", "text": text, "ts": 1.0}

    assert describe(event, Counts()) == line


@pytest.mark.parametrize(
    ("kinds", "line"),
    [
        (
            ["budget", "nudge"],
            "turn 0: asked again: it called nothing and did not say that it is done (`execution.nudge`)",
        ),
        (["completion_confirmation"], "turn 0: asked again: it answered before it had called any tool"),
        (["reminder", "veto"], None),
    ],
)
def test_an_answer_that_was_not_the_end_says_why(kinds, line):
    assert describe({"kind": "feedback_composed", "kinds": kinds}, Counts()) == line
