"""Who answers: the providers that there are, and scripts that cannot be played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.registry import OFFLINE_PROVIDERS
from agentspec.adapters.models.script import ROLES, ScriptTurn
from agentspec.adapters.models.script_file import CALL_KEYS, ERROR_KEYS, read_turns
from agentspec.api.check import check
from agentspec.checker.rules.as8_portability import unplayable_script
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.core.messages import FailureClass
from agentspec.errors import SpecInvalid


def findings(folder: Path, model: str) -> list[tuple[str, str, str, str | None]]:
    path = folder / "a.yaml"
    path.write_text(f"name: a\nmodel: {model}\n")
    return [(one.code, one.span.text, one.message, one.help) for one in check(path).diagnostics]


def test_the_providers_that_are_known_are_those_that_are_built():
    assert {*PROVIDERS, *OFFLINE_PROVIDERS} == set(BUILT_IN_PROVIDERS)


def test_the_keys_of_a_turn_are_those_that_a_run_knows():
    assert ScriptTurn.__struct_fields__ == unplayable_script.TURN_KEYS
    assert (unplayable_script.CALL_KEYS, unplayable_script.ERROR_KEYS) == (CALL_KEYS, ERROR_KEYS)
    assert (ROLES, get_args(FailureClass)) == (unplayable_script.ROLES, unplayable_script.CLASSES)


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
        ("{turns: hello}", [("hello", "`turns` is a list of turns", "put the turns in a list: `[…]`")]),
        ("{turns: [hi, {txt: hi}]}", [("txt", "unknown key `txt` in a turn", "did you mean `text`?")]),
        ("{turns: [{tool_calls: [{nme: x}]}]}", [("nme", "unknown key `nme` in a call", "did you mean `name`?")]),
        ("{turns: [{error: {sttus: 500}}]}", [("sttus", "unknown key `sttus` in an error", "did you mean `status`?")]),
        (
            "{file: gone.yaml}",
            [
                (
                    "gone.yaml",
                    "there is no script `gone.yaml`",
                    "it is looked for in the project folder `PROJECT`",
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

    told = [
        (code, word, message, help_ and help_.replace(str(tmp_path), "PROJECT")) for code, word, message, help_ in found
    ]
    assert told == [("AS808", *each) for each in expected]


def test_a_script_that_the_command_line_may_bring_is_left_alone(tmp_path):
    assert findings(tmp_path, "{provider: script}") == []


SPEC = "name: a\nmodel: {provider: script, options: {file: script.yaml}}\n"


def in_script(tmp_path: Path, script: str) -> list[tuple[str, str, int, str]]:
    """Code, text of the place, line and message of what a check of a spec finds in its script."""
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "script.yaml").write_text(script)
    found = check(tmp_path / "a.yaml").diagnostics
    assert all(one.span.source.name.endswith("script.yaml") for one in found)
    return [(one.code, one.span.text, one.span.first.line, one.message) for one in found]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("- txt: x\n", [("AS808", "txt", 1, "unknown key `txt` in a turn")]),
        ("turns:\n  - {text: x, role: jugde}\n", [("AS808", "jugde", 2, "there is no role `jugde`")]),
        ("- tool_calls: [{nam: x}]\n", [("AS808", "nam", 1, "unknown key `nam` in a call")]),
        ("- tool_calls: [{arguments: {}}]\n", [("AS808", "{arguments: {}}", 1, "a tool call needs a `name`")]),
        ("- tool_calls: {name: x}\n", [("AS808", "{name: x}", 1, "`tool_calls` is a list of calls, not a mapping")]),
        ("- text: a\n- 3\n", [("AS808", "3", 2, "a turn is a mapping or a text, not the number `3`")]),
        ("- error: {stat: 3}\n", [("AS808", "stat", 1, "unknown key `stat` in an error")]),
        ("- error: {status: rate_limited}\n- error: {status: 503}\n- just text\n", []),
        (
            "- error: {status: 7}\n",
            [
                (
                    "AS808",
                    "7",
                    1,
                    "`status` is an HTTP status from 300 to 599 or the class of a failure, not the number `7`",
                )
            ],
        ),
        (
            "x: 1\n",
            [
                (
                    "AS808",
                    "x: 1",
                    1,
                    "the script `script.yaml` is no list of turns, and holds none under `turns` or `model`",
                )
            ],
        ),
        ("- text: x\n  text: y\n", [("AS005", "text", 2, "`text` stands here twice")]),
        ("scenario: s\nmodel: [{text: x}]\n", []),
    ],
)
def test_a_script_is_checked_with_its_spec_at_its_own_places(tmp_path, script, told):
    found = in_script(tmp_path, script)

    assert [one[:3] for one in found] == [one[:3] for one in told]
    assert all(one[3] == other[3] for one, other in zip(found, told, strict=True) if one[0] == "AS808")


def test_a_script_with_a_broken_text_is_told_where_it_breaks(tmp_path):
    found = in_script(tmp_path, "- text: [x\n- txt: y\n")

    assert found[0][0].startswith("AS0")
    assert [(code, place) for code, place, *_ in found[1:]] == [("AS808", "txt")]


def told(tmp_path: Path, model: str, rest: str = "") -> list[tuple[str, str, str | None]]:
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\nmodel: {model}\n{rest}")
    return [(one.code, one.span.text, one.help) for one in check(path).diagnostics if one.code != "AS902"]


WAY_OUT = "if it is right, `context_window` and `prices` tell what the catalogue would"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            "{provider: openai, model: gpt-5.4-mni}",
            [("AS809", "gpt-5.4-mni", f"did you mean `gpt-5.4-mini`? {WAY_OUT}")],
        ),
        ("{provider: openai, model: our-own}", [("AS809", "our-own", WAY_OUT)]),
        ('{provider: openai, model: our-own, base_url: "http://localhost:8080/v1"}', []),
        ("{provider: openai, model: our-own, context_window: 9000}", []),
        ("{provider: openai, model: our-own, prices: {input: 1, output: 2}}", []),
        ("{provider: ollama, model: llama3}", []),
        ("{model: our-own}", []),
        (
            "{routes: [{provider: openai, model: x1, when: attempt > 1}, {provider: openai, model: gpt-5.4}]}",
            [("AS809", "x1", WAY_OUT)],
        ),
        ("{provider: openai, model: gpt-5.4, fallback: [gpt-5.4-mini, nope]}", [("AS809", "nope", WAY_OUT)]),
        ("{provider: openai, model: gpt-5.4, base_url: 'http://localhost/v1', fallback: [nope]}", []),
        ("{provider: openai, model: gpt-4o}", [("AS814", "gpt-4o", "plan for another model")]),
        (
            "{provider: anthropic, model: claude-3-5-haiku-20241022}",
            [("AS814", "claude-3-5-haiku-20241022", "`anthropic` names `claude-haiku-4-5` in its place")],
        ),
        (
            "{provider: openai, model: gpt-4o-mini, reasoning: high}",
            [("AS811", "high", "take it away, or another model")],
        ),
        (
            "{provider: openai, model: gpt-4o-mini, reasoning: {policy: low}}",
            [("AS811", "low", "take it away, or another model")],
        ),
        ("{provider: openai, model: gpt-4o-mini, reasoning: off}", []),
        (
            "{provider: anthropic, model: claude-opus-5, temperature: 0.2}",
            [("AS811", "0.2", "take it away, or another model")],
        ),
        ("{provider: anthropic, model: claude-opus-5, seed: 1}", [("AS812", "seed", "take it away")]),
        (
            "{provider: openai, model: gpt-4o-mini, max_output_tokens: 16385}",
            [("AS813", "16385", "write 16384 or less")],
        ),
        ("{provider: openai, model: gpt-4o-mini, max_output_tokens: 16384}", []),
    ],
)
def test_what_the_catalogue_knows_is_told_and_nothing_of_models_elsewhere(tmp_path, model, expected):
    assert told(tmp_path, model) == expected


TOOL = """capability:
  tools:
    t:
      description: x
      parameters: {}
      run: [t, "${{args.a}}"]
"""


@pytest.mark.parametrize(
    ("model", "parameters", "expected"),
    [
        ("{provider: openai}", "{schema: {type: object, properties: {a: {type: array}}}}", ["type"]),
        ("{provider: google}", "{schema: {type: object, properties: {a: {type: array}}}}", ["type"]),
        ("{provider: anthropic}", "{schema: {type: object, properties: {a: {type: array}}}}", []),
        ("{provider: openai}", "{schema: {type: object, properties: {a: {type: array, items: {}}}}}", []),
        ("{provider: openai}", "{a: {schema: {anyOf: [{type: string}, {type: array}]}}}", ["type"]),
        ("{provider: google}", "{a: {schema: {enum: [1, 2]}}}", ["enum"]),
        ("{provider: google}", '{a: {schema: {enum: ["1", "2"]}}}', []),
        ("{provider: openai}", "{a: {schema: {enum: [1, 2]}}}", []),
        ("{provider: openai}", "{a: {schema: {oneOf: [{type: string}]}}}", []),
        ("{provider: openai}", "{schema: {type: object, properties: {a: {}}, not: {}}}", ["not"]),
        ("{provider: anthropic}", "{schema: {type: object, properties: {a: {}}, not: {}}}", []),
        ("{provider: anthropic}", '{schema: {type: object, properties: {a: {}, "b c": {}}}}', ['"b c"']),
        ("{provider: openai, tool_format: text}", "{schema: {type: object, properties: {a: {}}, not: {}}}", []),
        ('{provider: openai, base_url: "http://localhost/v1"}', "{schema: {type: object, properties: {a: {}}, not: {}}}", []),
        ("{provider: openai}", "{a: {schema: {properties: {x: {not: {type: array}}}}}}", ["type"]),
    ],
)  # fmt: skip
def test_a_schema_that_the_provider_refuses_is_found_at_its_word(tmp_path, model, parameters, expected):
    found = told(tmp_path, model, TOOL.format(parameters))

    assert [text for code, text, _ in found if code == "AS810"] == expected


@pytest.mark.parametrize(
    ("model", "count", "more", "told"),
    [
        ({"provider": "openai"}, 128, {}, False),
        ({"provider": "openai"}, 129, {}, True),
        ({"provider": "openai_responses"}, 129, {}, True),
        ({"provider": "google"}, 512, {}, False),
        ({"provider": "anthropic"}, 600, {}, False),
        ({"provider": "openai", "base_url": "http://127.0.0.1:1/v1"}, 129, {}, False),
        ({"provider": "openai", "tool_format": "json"}, 129, {}, False),
        ({}, 129, {}, False),
        ({"provider": "openai"}, 129, {"defer": True}, False),
    ],
)
def test_more_tools_than_a_provider_takes_are_told_before_it_refuses_them(tmp_path, model, count, more, told):
    tools = {f"t{number}": {"description": "d", "expr": "1", **(more if number else {})} for number in range(count)}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "a", "model": model, "capability": {"tools": tools, "tool_search": "bm25"}}))

    found = [one.message for one in check(path).diagnostics if one.code == "AS818"]

    assert found == ([f"{count} tools are shown, and `{model['provider']}` takes 128 in a request"] if told else [])


MCP = {"type": "mcp", "require_approval": "never", "options": {"server_url": "https://a.example"}}


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        (["web_search", "code_execution"], []),
        (["web_serch"], [("AS652", "did you mean `web_search`?")]),
        (["bash"], [("AS652", "take a tool that it runs, or a toolkit")]),
        (["web_search", "web_search_20250305"], [("AS604", "rename one of them; a toolkit's tools are renamed by its `names:`")]),
        (["look"], [("AS604", "rename one of them; a toolkit's tools are renamed by its `names:`"), ("AS652", "take a tool that it runs, or a toolkit")]),
    ],
)  # fmt: skip
def test_a_tool_of_the_provider_is_one_that_it_has_and_the_only_one_of_its_name(tmp_path, tools, told):
    path = tmp_path / "a.json"
    own = {"look": {"description": "d", "expr": "1"}}
    path.write_text(
        json.dumps(
            {"name": "a", "model": {"provider": "anthropic"}, "capability": {"provider_tools": tools, "tools": own}}
        )
    )

    assert sorted((one.code, one.help) for one in check(path).diagnostics if one.code != "AS648") == told


def test_a_provider_may_reach_several_servers(tmp_path):
    path = tmp_path / "a.json"
    model = {"provider": "openai_responses"}
    path.write_text(json.dumps({"name": "a", "model": model, "capability": {"provider_tools": [MCP, MCP]}}))

    assert [one.code for one in check(path).diagnostics] == ["AS648", "AS648"]


KEYS_OF_A_TURN = (*unplayable_script.TURN_KEYS, "error.status", "error.retry_after", "call.name", "match.role")
VALUES = (
    *(None, "x", "50ms", "summary", "rate_limited", 5, -1, 503, 0.5, True, []),
    *({}, {"role": "summary"}, {"role": "nobody"}, {"txt": "*"}, {"text": 5, "role": "judge"}),
)


@pytest.mark.parametrize("key", KEYS_OF_A_TURN)
def test_what_a_run_refuses_of_a_turn_is_found_by_check(tmp_path, key):
    for value in VALUES:
        require_same_word(tmp_path, key, value)


def require_same_word(folder, key, value):
    within, _, name = key.rpartition(".")
    turns = {"": {name: value}, "error": {"error": {name: value}}, "call": {"tool_calls": [{name: value}]}}
    turn = {**turns, "match": {"match": {name: value}}}[within]
    path = folder / "spec.json"
    path.write_text(json.dumps({"name": "a", "model": {"provider": "script", "options": {"turns": [turn]}}}))

    found = [finding for finding in check(path).diagnostics if finding.code == "AS808"]

    if found:
        with pytest.raises(SpecInvalid, match=r"^turn 1 of the spec: ") as refused:
            read_turns([turn], "the spec")
        assert "Expected" not in str(refused.value)  # words of another project
    else:
        read_turns([turn], "the spec")
