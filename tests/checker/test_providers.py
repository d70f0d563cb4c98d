"""Who answers: providers that are not available yet, and scripts that cannot be played."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.adapters.models.registry import PROVIDERS
from agentspec.adapters.models.script import ScriptTurn
from agentspec.adapters.models.script_file import CALL_KEYS, ERROR_KEYS
from agentspec.api.check import check
from agentspec.checker.rules.as8_portability import unplayable_script
from agentspec.spec.in_effect import AVAILABLE_PROVIDERS


def findings(folder: Path, model: str) -> list[tuple[str, str, str, str | None]]:
    path = folder / "a.yaml"
    path.write_text(f"name: a\nmodel: {model}\n")
    return [(one.code, one.span.text, one.message, one.help) for one in check(path).diagnostics]


def test_the_available_providers_are_those_that_are_built():
    built = [name for name, provider in PROVIDERS.items() if provider.is_built]

    assert [*built, "script"] == list(AVAILABLE_PROVIDERS)


@pytest.mark.parametrize("name", ["anthropic", "google", "ollama", "openai_responses", "local"])
def test_a_provider_that_is_not_available_yet_is_noted(tmp_path, name):
    assert findings(tmp_path, f"{{provider: {name}}}") == [
        (
            "AS902",
            name,
            f"the provider `{name}` is not available yet, and a run with it is refused",
            "available are `openai` and `script`; `openai` with a `base_url` reaches any compatible server",
        )
    ]


def test_the_keys_of_a_turn_are_those_that_a_run_knows():
    assert ScriptTurn.__struct_fields__ == unplayable_script.TURN_KEYS
    assert (unplayable_script.CALL_KEYS, unplayable_script.ERROR_KEYS) == (CALL_KEYS, ERROR_KEYS)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("{}", [("options", "a script needs `turns` or `file`", None)]),
        ("{trns: []}", [("trns", "unknown key `trns` in the options of a script", "did you mean `turns`?")]),
        ("{turns: [], x: 1}", [("x", "unknown key `x` in the options of a script", "known are: `file`, `turns`")]),
        (
            "{turns: [], file: here.yaml}",
            [("turns", "`file` and `turns` stand side by side, and a script has one of them", "remove one of them")],
        ),
        ("{turns: hello}", [("hello", "`turns` is a list of turns", "begin each turn with `- `")]),
        ("{turns: [hi, {txt: hi}]}", [("txt", "unknown key `txt` in a turn", "did you mean `text`?")]),
        ("{turns: [{tool_calls: [{nme: x}]}]}", [("nme", "unknown key `nme` in a call", "did you mean `name`?")]),
        ("{turns: [{error: {sttus: 500}}]}", [("sttus", "unknown key `sttus` in an error", "did you mean `status`?")]),
        (
            "{file: gone.yaml}",
            [
                (
                    "gone.yaml",
                    "there is no script `gone.yaml`",
                    "a path begins in the folder of the project: that of `agentspec.toml`, else that of the spec",
                )
            ],
        ),
        ("{file: here.yaml}", []),
        ("{turns: [{text: hi, delay: 5ms}, hello]}", []),
    ],
)
def test_a_script_that_cannot_be_played_is_found(tmp_path, options, expected):
    (tmp_path / "here.yaml").write_text("- hello\n")

    found = findings(tmp_path, f"{{provider: script, options: {options}}}")

    assert found == [("AS808", *each) for each in expected]


def test_a_script_that_the_command_line_may_bring_is_left_alone(tmp_path):
    assert findings(tmp_path, "{provider: script}") == []
