"""What a command line puts over a spec and cannot stand there is told by every command that takes it."""

from __future__ import annotations

import pytest

COMMANDS = {
    "show": ("show", "a.yaml"),
    "show as JSON": ("show", "a.yaml", "--format", "json"),
    "show as YAML": ("show", "a.yaml", "--format", "yaml"),
    "explain": ("explain", "a.yaml", "execution.max_iterations"),
    "authority": ("authority", "a.yaml"),
    "plan": ("plan", "a.yaml"),
}
WRONG = {
    "a word for a number": ("--set", "execution.max_iterations=abc", "AS201"),
    "a number out of bounds": ("--set", "execution.max_iterations=0", "AS205"),
    "no unit": ("--set", "execution.limits.wall_clock=5x", "AS203"),
    "a text for an input": ("--input", "n=x", "AS424"),
    "a provider that is none": ("--model", "nobody:x", "AS801"),
}


@pytest.fixture
def spec(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("name: a\ninputs: {n: {type: integer, default: 1}}\nmodel: {provider: script}\n")
    return file


@pytest.mark.parametrize(
    ("command", "option", "value", "code"),
    [
        pytest.param(
            command,
            *wrong,
            id=f"{name}, {what}",
            marks=[] if name == "show" or what == "no unit" else pytest.mark.slow,
        )
        for name, command in COMMANDS.items()
        for what, wrong in WRONG.items()
    ],
)
def test_what_cannot_stand_there_is_refused_with_its_place(agentspec, spec, command, option, value, code):
    done = agentspec(*command, option, value)

    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]" in done.err
    assert f"--> {option} {value}:1:" in done.err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_errors_of_the_spec_itself_stop_nothing_that_only_shows(agentspec, spec, command):
    spec.write_text(spec.read_text() + "execution: {max_nudges: many}\n")

    done = agentspec(*command, "--set", "execution.max_iterations=3")

    assert done.code == (2 if command[0] == "plan" else 0)
