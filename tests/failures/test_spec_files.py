"""Spec files: what is text stays text, also in a run; what the checker finds is held by the tests of the checker."""

import json

import pytest

from agentspec import SpecInvalid, run_sync
from agentspec.adapters.stores.sqlite import SqliteStore

HELLO = "model: {provider: script, options: {turns: [hello]}}\n"


def system_of(folder, text: str, **options) -> str:
    path = folder / "a.yaml"
    path.write_text(text + HELLO)
    result = run_sync(path, "go", **options)
    assert result.status == "done"
    store = SqliteStore(folder / ".agentspec" / "runs.db")
    opening = json.loads(store.read_run(result.run_id)[0].body)["opening"]
    store.close()
    return opening[0]["text"]


@pytest.mark.parametrize(
    "text",
    [
        'Answer as {"name": "x"}, {x} or {{y}}.',
        "match .*\\.md$, the hash $2a$14$abc and $HOME",
        "A literal $${inputs.who} too",
    ],
)
def test_braces_and_dollar_signs_reach_the_model_as_they_stand(tmp_path, text):
    """O-07 O-09"""
    assert system_of(tmp_path, f"name: a\ncontext: {{system: {json.dumps(text)}}}\n") == text.replace("$${", "${")


def test_a_value_that_was_put_in_is_not_looked_at_again(tmp_path):
    """O-08"""
    text = "name: a\ninputs: {who: string}\ncontext: {system: 'For ${inputs.who}.'}\n"

    assert system_of(tmp_path, text, inputs={"who": "${run.id} {x}"}) == "For ${run.id} {x}."


def test_text_of_a_tool_is_never_taken_for_a_template(tmp_path):
    """O-09"""
    turns = [{"tool_calls": [{"name": "say", "arguments": {"text": "${run.id} {x} {{y}}"}}]}, {"text": "end"}]
    tool = {"description": "S", "parameters": {"text": "string"}, "run": ["printf", "%s", "${args.text}"]}
    spec = {"name": "a", "model": {"provider": "script", "options": {"turns": turns}}}
    (tmp_path / "a.json").write_text(json.dumps({**spec, "capability": {"tools": {"say": tool}}}))

    result = run_sync(tmp_path / "a.json", "go", trace=True)

    assert result.trace[2]["text"] == "${run.id} {x} {{y}}"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("name: a\ncontext: {instructions: x}\n", ["AS102"]),
        ("name: a\nname: b\n", ["AS005"]),
        ("name: a\nexecution: {loop_until_done: yes}\n", ["AS210"]),
        ("name: a\ncapability: {tools: [a]}\n", ["AS201"]),
    ],
)
def test_a_spec_with_an_error_starts_nothing_and_brings_every_finding(tmp_path, text, codes):
    """O-01 O-02 O-03 O-10"""
    path = tmp_path / "a.yaml"
    path.write_text(text + HELLO)

    with pytest.raises(SpecInvalid) as raised:
        run_sync(path, "go")

    assert [found.code for found in raised.value.diagnostics if found.severity == "error"] == codes
    assert not (tmp_path / ".agentspec").exists()
