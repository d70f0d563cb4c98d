"""The tools of a spec act in a run as the spec says."""

import pytest

import agentspec
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.api.assembly.assemble import model_settings
from agentspec.spec.catalogue import longest_answer
from agentspec.spec.settings import Settings

SPEC = """
name: tools
model:
  provider: script
  options:
    turns:
      - tool_calls:
          - {name: slow, arguments: {n: "300"}}
          - {name: count, arguments: {to: 20000}}
          - {name: read_file, arguments: {path: notes.vault}}
      - text: done
execution: {tool_timeout: 1500ms, tool_result_max: 2KiB}
lifecycle: {grace: 1s}
capability:
  toolkits: [files.read]
  approval: {secrets: ["*.vault"]}
  tools:
    slow:
      description: says something and sleeps
      parameters: {n: string}
      run: [sh, -c, 'echo begun; sleep "$0"', "${args.n}"]
    count:
      description: counts
      parameters: {to: integer, from: integer?}
      run: [seq, "${args.from}", "${args.to}"]
"""


def results(project):
    (project / "a.yaml").write_text(SPEC)
    (project / "notes.vault").write_text("secret")
    result = agentspec.run_sync(project / "a.yaml", "go", trace=True)
    return {entry["name"]: entry for entry in result.trace if entry["kind"] == "result"}


def test_a_program_that_is_stopped_shows_what_it_said(tmp_path):
    found = results(tmp_path)["slow"]

    assert (found["status"], found["text"]) == (
        "timeout",
        "ERROR: no result after 1.5 s; it was stopped and may have acted\nstdout:\nbegun\n",
    )


def test_a_long_output_is_cut_and_kept_whole_beside_the_store(tmp_path):
    text = results(tmp_path)["count"]["text"]

    assert text.startswith("1\n2\n3\n")
    assert text.endswith("\n19999\n20000\n")
    assert len(text.encode()) <= 2048
    [artifact] = [path for path in (tmp_path / ".agentspec" / "artifacts").rglob("*") if path.is_file()]
    assert artifact.read_text() == "".join(f"{number}\n" for number in range(1, 20001))
    assert artifact.name in text


def test_the_files_that_a_spec_calls_secret_are_not_read(tmp_path):
    assert results(tmp_path)["read_file"]["text"] == (
        "DENIED: refused by the list of secret files: `notes.vault` may hold secrets (`*.vault`). "
        "Trying again does not help."
    )


@pytest.mark.parametrize(
    ("model", "reasoning", "known"),
    [
        ("gpt-5.4-mini", {"policy": "auto", "task": "code"}, True),
        ("gpt-4o", {"policy": "auto", "task": "code"}, False),
        ("our-own", {"policy": "auto", "task": "code"}, False),
        ("gpt-5.4-mini", "auto", False),
    ],
)
def test_whether_a_model_thinks_is_looked_up_where_a_task_decides(model, reasoning, known):
    given = {"model": {"provider": "openai", "model": model, "reasoning": reasoning}}

    assert model_settings(Settings(given), {}).is_known_to_think is known


@pytest.mark.parametrize(
    ("model", "longest"),
    [
        ({"provider": "anthropic", "model": "claude-opus-5"}, longest_answer("anthropic", "claude-opus-5")),
        ({"provider": "anthropic"}, longest_answer("anthropic", PROVIDERS["anthropic"].model)),
        ({"provider": "anthropic", "model": "our-own"}, None),
        ({"provider": "openai", "model": "gpt-5.4-mini"}, None),
    ],
)
def test_the_longest_answer_is_looked_up_where_a_request_has_to_say_it(model, longest):
    settings = model_settings(Settings({"model": model}), {})

    assert settings.longest_answer == longest
