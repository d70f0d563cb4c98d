"""Whatever a spec is called and holds, no printer passes a character that steers a terminal."""

import json
import re
import secrets
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.cli.terminal.progress import Lines
from agentspec.text.visible import BIDI, plain_json

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff" + "".join(sorted(BIDI)) + "]")
SIGNS = 'a\n\t\r\x1b\x07\x7f\x85\x9b\u2028\u202e\u2066\u200d\ufeff\U000e0041"\\é#'
ODD = st.text(st.sampled_from(SIGNS), min_size=1, max_size=6)
COMMANDS = (
    "check b.json",
    "check b.json --format json",
    "check b.json --format sarif",
    "check b.json --format github",
    "check . --all",
    "show b.json",
    "show b.json --format json",
    "show b.json --format yaml",
    "explain b.json description",
    "run b.json go",
    "run b.json go --json",
)


@pytest.mark.parametrize("line", COMMANDS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=ODD, key=ODD, tool=ODD)
def test_no_printer_passes_what_steers_a_terminal(agentspec, tmp_path, monkeypatch, line, text, key, tool):
    folder = tmp_path / secrets.token_hex(4)
    folder.mkdir()
    monkeypatch.chdir(folder)
    values = {"name": f"a{text}", "description": text, key: text, "capability": {"tools": {tool: {"expr": text}}}}
    (folder / "b.json").write_text(json.dumps({"model": {"provider": text}, **values}))

    done = agentspec(*line.split())

    assert done.code in (0, 1, 2)
    assert STEERING.search(done.out + done.err) is None
    if line.endswith(("json", "sarif")) and "--" in line:
        assert json.loads(done.out)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ODD, name=ODD)
def test_an_event_is_one_line_whatever_it_says(capsys, text, name):
    events = (
        {"kind": "model_call", "error_class": name, "error": text, "ts": 1.0},
        {"kind": "model_call", "error_class": None, "tokens": {}, "calls": [name, text], "ts": 1.0},
        {"kind": "model_call", "error_class": None, "tokens": {}, "asker": name, "role": "judge", "ts": 1.0},
        {"kind": "tool_result", "status": "unknown_outcome", "name": name, "text": text, "ts": 1.0},
        {"kind": "tool_result", "status": "error", "name": name, "text": text, "ts": 1.0},
    )
    lines = Lines(sys.stdout)

    for event in events:
        lines.show(event)

    out = capsys.readouterr().out
    assert out.count("\n") == len(events)
    assert STEERING.search(out) is None


@given(st.recursive(ODD, lambda inner: st.dictionaries(ODD, inner) | st.lists(inner), max_leaves=5))
def test_json_says_the_same_without_such_characters(value):
    shown = plain_json(json.dumps(value, ensure_ascii=False, indent=1))

    assert json.loads(shown) == value
    assert STEERING.search(shown) is None
