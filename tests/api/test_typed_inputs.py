"""Texts are filled in with the types that check has read them with: what it accepts, a run can say."""

import pytest

from agentspec import check, run

SPEC = """\
name: a
task: t
inputs: {{x: {{type: '{}', default: {}}}}}
model: {{provider: script, options: {{turns: [{{tool_calls: [{{name: say, arguments: {{}}}}]}}, {{text: done}}]}}}}
context: {{system: '${{{}}}'}}
capability: {{tools: {{say: {{description: d, run: [echo, '-${{{}}}-']}}}}}}
"""
ROWS = [
    ("integer", "3", "inputs.x + 1", "4"),
    ("number", "3", "inputs.x + 1.5", "4.5"),
    ("integer[]", "[1, 2]", "inputs.x[1] * 2", "4"),
    ("string", "a", 'inputs.x + "b"', "ab"),
]


@pytest.mark.parametrize(("form", "value", "text", "said"), ROWS)
async def test_what_check_accepts_of_an_input_a_run_fills_in(tmp_path, form, value, text, said):
    path = tmp_path / "a.yaml"
    path.write_text(SPEC.format(form, value, text, text))
    heard = []

    result = await run(path, on_event=heard.append, store=tmp_path / "store")

    assert check(path).diagnostics == []
    assert (result.status, result.error) == ("done", None)
    assert [event["text"] for event in heard if event["kind"] == "tool_result"] == [f"-{said}-\n"]
