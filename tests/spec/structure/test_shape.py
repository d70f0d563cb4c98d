"""shape: each finding of structure and values, at its place, with its way out, in both spellings."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.spec.structure.shape import Mark, annotated, check_shape
from agentspec.syntax import dsl, yaml
from agentspec.syntax.tree import Broken, Document, Entry, Mapping
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source
from tests.spec.trees import tree


def document(text: str, name: str = "spec.yaml") -> Document:
    source = Source(name, text)
    parsed = dsl.parse(source) if name.endswith(".agent") else yaml.parse(source)
    assert parsed.diagnostics == []
    return parsed.documents[0]


def check(text: str, kind: str = "agent", name: str = "spec.yaml") -> list[Diagnostic]:
    return check_shape(document(text, name).root, kind)


def mended(finding: Diagnostic) -> str:
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    text = edit.span.source.text
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


class Case(NamedTuple):
    """A value at `key` of an agent, and the one finding that it gives."""

    key: str
    value: str
    code: str
    message: str
    help: str | None = None
    mended: str | None = None  # what stands at the key after the fix
    fix_class: str = "local"
    marked: str | None = None  # the text under the caret, where it isn't the value


CASES = [
    # wrong type
    Case(
        "execution.stop_after_successful_tools",
        "read",
        "AS201",
        "expected a list, found the string `read`",
        mended="[read]",
    ),
    Case(
        "execution.loop_control",
        "{when: x, stop: y}",
        "AS201",
        "expected a list, found a mapping",
        "put it in a list: `[…]`",
        "[{when: x, stop: y}]",
    ),
    Case(
        "capability.approval",
        "[{tool: x, decision: deny}]",
        "AS201",
        "expected a mapping, found a list",
        "the key for it is `rules`",
        "{rules: [{tool: x, decision: deny}]}",
    ),
    Case(
        "model",
        "[{provider: openai, model: x}]",
        "AS201",
        "expected a mapping, found a list",
        "the key for it is `routes`",
        "{routes: [{provider: openai, model: x}]}",
    ),
    Case("capability.permissions", "[{tool: x}]", "AS201", "expected a mapping, found a list"),
    Case(
        "execution.profile",
        "[verifier]",
        "AS201",
        "expected `tool_using`, `researcher`, `verifier` or `completer`, found a list",
        "write the value without a list",
        "verifier",
    ),
    Case("execution.max_nudges", '"3"', "AS201", "expected a whole number from 0, found the string `3`", mended="3"),
    Case(
        "execution.max_nudges",
        "1_000",
        "AS201",
        "expected a whole number from 0, found the string `1_000`",
        mended="1000",
    ),
    Case(
        "execution.max_nudges",
        "3.0",
        "AS201",
        "expected a whole number, found the number `3.0`",
        None,
        "3",
        "equivalent",
    ),
    Case("execution.max_nudges", "3.5", "AS201", "expected a whole number, found the number `3.5`"),
    Case(
        "execution.limits.cost_usd", "$5", "AS201", "expected a number of US dollars, found the string `$5`", mended="5"
    ),
    Case("execution.limits", "5m", "AS201", "expected a mapping, found the string `5m`"),
    Case(
        "model.retry",
        "true",
        "AS201",
        "expected `false` or a mapping, found `true`",
        "leave the key out for what holds without it",
    ),
    Case(
        "model.headers",
        "[a]",
        "AS201",
        "expected a mapping, found a list",
        "write the names as keys: `NAME: …`",
    ),
    Case(
        "capability.tools.t.run",
        "ls -l 'a b'",
        "AS201",
        "expected a list of a command and its arguments, found the string `ls -l 'a b'`",
        "no shell reads it: each argument is an item",
        '["ls", "-l", "a b"]',
    ),
    Case(
        "capability.tools.t.run",
        "ls | wc",
        "AS201",
        "expected a list of a command and its arguments, found the string `ls | wc`",
        "no shell reads it: write each argument as an item, without `|`, `>`, `*` and the like",
    ),
    Case(
        "capability.tools.t.expr",
        "{a: 1}",
        "AS201",
        "expected an expression, found a mapping",
        "put the expression in quotes",
        "'{a: 1}'",
    ),
    Case(
        "model",
        "gpt-5",
        "AS201",
        "expected a mapping, found the string `gpt-5`",
        "the key for it is `model`: write `{model: …}`",
        "{model: gpt-5}",
    ),
    Case(
        "model",
        "openai:gpt-5",
        "AS201",
        "expected a mapping, found the string `openai:gpt-5`",
        "the key for it is `model`: write `{model: …}`",
        '{provider: openai, model: "gpt-5"}',
    ),
    Case(
        "model.retry",
        "5",
        "AS201",
        "expected `false` or a mapping, found the number `5`",
        "the key for it is `max_attempts`: write `{max_attempts: …}`",
        "{max_attempts: 5}",
    ),
    Case(
        "inputs.branch",
        "5",
        "AS201",
        "expected a type such as `string`, `number?` or `string[]` or a mapping, found the number `5`",
        "a default stands beside its type",
        "{type: integer, default: 5}",
    ),
    Case(
        "inputs.branch",
        "[main, next]",
        "AS201",
        "expected a type such as `string`, `number?` or `string[]` or a mapping, found a list",
        "values to choose from stand under `enum`",
        "{enum: [main, next]}",
        "surface",
    ),
    # durations and sizes
    Case(
        "execution.tool_timeout",
        "90",
        "AS202",
        "a duration needs a unit: expected a duration such as `30s`, found `90`",
        "units are `ms`, `s`, `m`, `h` and `d`",
        "90s",
        "manual",
    ),
    Case(
        "execution.tool_timeout",
        "'90'",
        "AS202",
        "a duration needs a unit: expected a duration such as `30s`, found `90`",
        "units are `ms`, `s`, `m`, `h` and `d`",
        "'90s'",
        "manual",
    ),
    Case(
        "execution.tool_result_max",
        "4096",
        "AS202",
        "a size needs a unit: expected a size such as `64KiB`, found `4096`",
        "units are `B`, `kB`, `KB`, `MB`, `GB`, `KiB`, `MiB` and `GiB`",
        "4096B",
        "manual",
    ),
    Case(
        "execution.tool_timeout",
        "3days",
        "AS203",
        "unknown unit `days` in the duration `3days`",
        "did you mean `3d`?",
        "3d",
    ),
    Case(
        "execution.tool_timeout",
        "5 minutes",
        "AS203",
        "unknown unit `minutes` in the duration `5 minutes`",
        "did you mean `5m`?",
        "5m",
    ),
    Case(
        "execution.tool_timeout",
        "5parsecs",
        "AS203",
        "unknown unit `parsecs` in the duration `5parsecs`",
        "units are `ms`, `s`, `m`, `h` and `d`",
    ),
    Case(
        "execution.tool_result_max",
        "64kib",
        "AS203",
        "unknown unit `kib` in the size `64kib`",
        "did you mean `64KiB`?",
        "64KiB",
    ),
    Case("execution.tool_timeout", "5 s", "AS207", "a duration has no space before its unit: found `5 s`", None, "5s"),
    Case(
        "execution.tool_timeout",
        "1h30m",
        "AS207",
        "expected a duration such as `30s`, found the string `1h30m`",
        "write one number and one unit: `ms`, `s`, `m`, `h` or `d`",
    ),
    Case("execution.tool_timeout", "0s", "AS205", "expected a duration above zero, found `0s`"),
    # words
    Case(
        "execution.profile",
        "verifyer",
        "AS204",
        "`verifyer` is not a value of `profile`",
        "did you mean `verifier`?",
        "verifier",
    ),
    Case(
        "execution.profile",
        '"verifyer"',
        "AS204",
        "`verifyer` is not a value of `profile`",
        "did you mean `verifier`?",
        '"verifier"',
    ),
    Case(
        "execution.profile",
        "banana",
        "AS204",
        "`banana` is not a value of `profile`",
        "write `tool_using`, `researcher`, `verifier` or `completer`",
    ),
    Case(
        "model.tool_choice",
        "any",
        "AS204",
        "`any` is not a value of `tool_choice`",
        "did you mean `required`?",
        "required",
    ),
    Case("model.reasoning", "false", "AS204", "`false` is not a value of `reasoning`", "did you mean `off`?", "off"),
    Case("model.reasoning", "yes", "AS204", "`yes` is not a value of `reasoning`", "did you mean `auto`?", "auto"),
    Case(
        "execution.loop_until_done",
        "yes",
        "AS210",
        "expected `true` or `false`, found the string `yes`",
        "`yes` is text; the words are `true` and `false`",
        "true",
    ),
    Case(
        "model.stream",
        "off",
        "AS210",
        "expected `auto`, `true` or `false`, found the string `off`",
        "`off` is text; the words are `true` and `false`",
        "false",
    ),
    # ranges, emptiness, form
    Case("model.temperature", "3", "AS205", "expected a number from 0 to 2, found the number `3`"),
    Case("model.top_p", "0", "AS205", "expected a number above 0 to 1, found the number `0`"),
    Case("execution.max_iterations", "0", "AS205", "expected a whole number from 1, found the number `0`"),
    Case(
        "execution.loop_control",
        "[]",
        "AS206",
        "an empty list means nothing here: expected a list with at least one item",
        "add an item, or leave the key out",
    ),
    Case("description", '" "', "AS206", "expected text, found an empty text", "write something, or leave the key out"),
    Case(
        "execution.max_iterations",
        "",
        "AS208",
        "a value is missing here",
        "write a whole number from 1, or leave the key out",
        marked="",
    ),
    Case(
        "execution.max_iterations",
        "null",
        "AS208",
        "a value is missing here",
        "write a whole number from 1, or leave the key out",
    ),
    Case(
        "version",
        "1.10",
        "AS209",
        "expected a version such as `1.2.0`, found the number `1.10`",
        "quote it, so that it is read as text",
        '"1.10.0"',
    ),
    Case(
        "model.model",
        "4",
        "AS209",
        "expected text, found the number `4`",
        "quote it, so that it is read as text",
        '"4"',
    ),
    Case(
        "model.model", "true", "AS209", "expected text, found `true`", "quote it, so that it is read as text", '"true"'
    ),
    Case("version", "v1", "AS207", "expected a version such as `1.2.0`, found the string `v1`"),
    Case(
        "capability.tools.t.python",
        "pkg.mod.fn",
        "AS207",
        "expected a function such as `package.module:function`, found the string `pkg.mod.fn`",
    ),
    Case(
        "observability.redact.patterns",
        "['(']",
        "AS207",
        "expected a regular expression of RE2, found the string `(`",
        marked="'('",
    ),
    Case(
        "capability.ceiling.hosts",
        "['https://a.org/x']",
        "AS207",
        "expected a host such as `api.example.org`, found the string `https://a.org/x`",
        "it is written with no scheme, no path and no space",
        marked="'https://a.org/x'",
    ),
    Case("capability.tools.t.returns", "strng", "AS212", "unknown type `strng`", "did you mean `string`?", "string"),
    Case("capability.tools.t.returns", "list", "AS212", "unknown type `list`", "did you mean `any[]`?", "any[]"),
    Case(
        "capability.tools.t.returns", "int[]", "AS212", "unknown type `int[]`", "did you mean `integer[]`?", "integer[]"
    ),
    *(
        Case(
            "capability.tools.t.returns",
            f'"{other}"',
            "AS212",
            f"unknown type `{other}`",
            f"did you mean `{here}`?",
            f'"{here}"',
        )
        for other, here in (
            ("list[int]", "integer[]"),
            ("Array<string>", "string[]"),
            ("Optional[str]", "string?"),
            ("str | None", "string?"),
            ("Dict[str, float]", "object"),
        )
    ),
    Case(
        "capability.tools.t.returns",
        "wobble",
        "AS212",
        "unknown type `wobble`",
        "types are `string`, `integer`, `number`, `boolean`, `object` and `any`, each with `[]` for a list or `?` for optional",
    ),
]


def spec_with(key: str, value: str) -> str:
    steps = key.split(".")
    lines = [f"{'  ' * depth}{step}:" for depth, step in enumerate(steps)]
    head = "" if steps[0] == "description" else "description: x\n"
    if "tools" in steps and steps[-1] == "returns":
        lines.insert(-1, "      expr: a")
    return f"name: x\n{head}" + "\n".join(lines) + f" {value}\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.key}={case.value}")
def test_a_value_that_does_not_fit(case: Case):
    (finding,) = check(spec_with(case.key, case.value))

    assert (finding.code, finding.message) == (case.code, case.message)
    assert finding.help == case.help
    assert finding.span.text == (case.value if case.marked is None else case.marked)
    assert finding.path.startswith(case.key)
    if case.mended is None:
        assert finding.fix is None
    else:
        assert mended(finding) == spec_with(case.key, case.mended)
        assert finding.fix is not None
        assert finding.fix.fix_class == case.fix_class
        assert check(mended(finding)) == []


KEYS = [
    ("execution:\n  max_iteratons: 3", "max_iteratons", "did you mean `max_iterations`?", "max_iterations"),
    ("execution:\n  max_turns: 3", "max_turns", "did you mean `max_iterations`?", "max_iterations"),
    ("model:\n  max_nudges: 3", "max_nudges", "it belongs in `execution`", None),
    ("tools: {}", "tools", "it belongs in `capability`", None),
    ("max_steps: 3", "max_steps", "here this is called `execution.max_iterations`", None),
    ("instructions: hi", "instructions", "here this is called `context.system`", None),
    ("recursion_limit: 3", "recursion_limit", "here this is called `execution.max_iterations`", None),
    ("execution:\n  done_judge: true", "done_judge", "did you mean `verify_completion_judge`?", "verify_completion_judge"),
    ("execution:\n  tool_mode: native", "tool_mode", "here this is called `model.tool_format`", None),
    ("capability:\n  tools_allowed: [a]", "tools_allowed", "here this is called `capability.ceiling.tools`", None),
    ("max_iteratons: 3", "max_iteratons", "did you mean `execution.max_iterations`?", None),
    ("toolz: [a]", "toolz", "did you mean `capability.tools`?", None),
    ("sytem_prompt: hi", "sytem_prompt", "here this is called `context.system`", None),
    ("polices: []", "polices", "here this is called `capability.ceiling`", None),
    ("banana: 3", "banana", "keys here are `name`, `description`, `version`, `extends`, `inputs`, `use`, `task`, `model`, `execution`, `capability`, `lifecycle`, `context` and 2 more", None),
    ("execution:\n  output: {banana: 1}", "banana", "keys here are `schema` and `repairs`", None),
    ("agent: {name: y}", "agent", "the keys of an agent stand at the top, with nothing around them; its name goes under `name`", None),
    ("name2: y", "name2", "did you mean `name`? it is here already", None),
    ("capability:\n  tools:\n    a: {desc: x, expr: '1'}", "desc", "did you mean `description`?", "description"),
    ("capability:\n  approval:\n    rules:\n      - {tool: a, action: deny, decision: deny}", "action", "did you mean `decision`? it is here already", None),
    ("inputs:\n  a: {type: string, required: true}", "required", "a value is needed unless it says `optional: true` or has a `default`", None),
    ("model:\n  api_key: sk", "api_key", "a spec never holds a key: name its environment variable under `api_key_env`", None),
    ("capability:\n  mcp:\n    s: {command: [npx], args: [x]}", "args", "`command` holds the program and its arguments: `[npx, -y, some-server]`", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "help_text", "rename"), KEYS, ids=[key for _, key, _, _ in KEYS])
def test_an_unknown_key_is_told_what_it_is_here(text, key, help_text, rename):
    (finding,) = check(f"name: x\n{text}\n")

    assert (finding.code, finding.span.text, finding.help) == ("AS102", key, help_text)
    if rename is None:
        assert finding.fix is None
    else:
        assert mended(finding) == f"name: x\n{text}\n".replace(key, rename, 1)
        assert check(mended(finding)) == []


def test_a_foreign_key_whose_value_is_foreign_too_is_not_renamed_by_itself():
    (finding,) = check("name: x\ncapability:\n  approval:\n    rules:\n      - {tool: a, action: auto_approve}\n")[:1]

    assert finding.fix is not None
    assert (finding.fix.title, finding.fix.is_safe) == ("rename to `decision`", False)


def test_quotes_of_a_key_stay_when_it_is_renamed():
    finding = check('{"name": "x", "execution": {"max_iteratons": 3}}', name="spec.json")[0]

    assert mended(finding) == '{"name": "x", "execution": {"max_iterations": 3}}'


def test_a_key_that_begins_with_x_is_allowed_everywhere():
    assert check("name: x\nx-team: 1\nexecution: {x-why: null, limits: {x-cap: []}}\n") == []


def test_keys_that_exclude_each_other_are_both_shown():
    (finding,) = check("name: x\ncapability:\n  tools:\n    t: {expr: '1', run: [ls]}\n")

    assert (finding.code, finding.message) == ("AS103", "`run` and `expr` exclude each other")
    assert finding.span.text == "run"
    assert [related.span.text for related in finding.related] == ["expr"]


def test_a_key_that_needs_another_says_so():
    (finding,) = check("name: x\ncapability:\n  mcp:\n    s: {url: 'http://a', env: {A: b}}\n")

    assert (finding.code, finding.message, finding.span.text) == ("AS105", "`env` needs `command` beside it", "env")


def test_what_is_missing_is_told_at_the_key_that_holds_it():
    findings = check("description: x\ncapability:\n  tools:\n    t: {description: y}\n    h: {http: {method: GET}}\n")

    assert [(one.code, one.message, one.span.text) for one in findings] == [
        ("AS104", "`expr`, `run`, `http`, `python`, `agent`, `mcp` or `external` is missing in `capability.tools.t`", "t"),
        ("AS101", "`url` is missing in `capability.tools.h.http`", "http"),
        ("AS101", "`name` is missing in an agent", "description"),
    ]  # fmt: skip


def test_what_is_missing_because_of_a_misspelt_key_follows_from_that():
    findings = check("name: x\nexecution:\n  loop_control:\n    - {when: a, extnd: 2}\n")

    assert [(one.code, one.caused_by) for one in findings] == [
        ("AS102", None),
        ("AS104", "AS102 execution.loop_control[0].extnd"),
    ]


def test_in_a_preset_nothing_is_missing_but_in_lists():
    text = "preset: x\ncapability:\n  tools:\n    t: {timeout: 5s}\n  approval:\n    rules: [{tool: a}]\n"

    assert [(one.code, one.path) for one in check(text, "preset")] == [("AS101", "capability.approval.rules[0]")]


def test_nothing_is_missing_where_something_could_not_be_read():
    root = document("name: x\ncapability:\n  tools:\n    t: {description: y}\n").root

    assert check_shape(root, "agent", broken=True) == []


def test_a_broken_value_is_unknown_and_its_neighbours_are_not_missed():
    root = document("description: y\nexecution:\n  max_iteratons: 3\n").root
    assert isinstance(root, Mapping)
    root.entries.append(Entry(key=root.entries[0].key, value=Broken(span=root.span)))
    root.entries.pop(0)

    assert [one.code for one in check_shape(root, "agent")] == ["AS102"]


def test_what_stands_at_the_top_must_be_a_mapping():
    found = [check_shape(tree(value), "agent")[0].code for value in ([1], "x", 5)]

    assert found == ["AS106", "AS106", "AS106"]


def test_a_status_of_the_runtime_is_not_an_authors():
    (finding,) = check("name: x\nexecution:\n  loop_control: [{when: a, stop: done}]\n")

    assert finding.code == "AS211"
    assert finding.message == "a rule can't end a run as `done`: that word is the runtime's own"


def test_removed_and_appended_keys_are_checked_as_far_as_they_say_something():
    text = "name: x\nexecution:\n  max_nudges: !unset\n  max_nudgs: !unset\n  +loop_control: [{when: a, extnd: 1}]\n"

    assert [(one.code, one.path) for one in check(text)] == [
        ("AS102", "execution.max_nudgs"),
        ("AS102", "execution.loop_control[0].extnd"),
        ("AS104", "execution.loop_control[0]"),
    ]


def test_a_value_that_waits_for_an_input_fits_everywhere():
    text = "name: x\nexecution:\n  profile: ${inputs.a}\n  limits: {tokens: '${inputs.b}', wall_clock: '${inputs.c}'}\n"

    assert check(text) == []


def test_names_have_the_letters_of_their_place():
    text = "name: a b\ninputs:\n  d-e: string\ncapability:\n  tools:\n    get me: {expr: '1'}\n"

    assert [(one.code, one.span.text) for one in check(text)] == [
        ("AS107", "a b"),
        ("AS107", "d-e"),
        ("AS107", "get me"),
    ]


def test_the_dsl_gives_the_same_findings_at_its_own_places():
    text = """agent x {
  model { provder: openai  timeout: 90 }
  execution {
    loop_control {
      when true => extnd 2 "why"
      when true => stop done
    }
  }
  capability {
    tool calc(lhs: nmber) -> number = args.lhs
  }
}
"""
    findings = check(text, name="x.agent")

    assert [(one.code, one.span.first, one.span.text) for one in findings] == [
        ("AS102", (2, 11), "provder"),
        ("AS202", (2, 37), "90"),
        ("AS102", (5, 20), "extnd"),
        ("AS104", (5, 7), "when"),
        ("AS211", (6, 25), "done"),
        ("AS212", (10, 20), "nmber"),
    ]


def test_places_are_true_after_signs_that_take_several_bytes():
    (finding,) = check("name: x\ndescription: '🚀 ünï'\nmodel: {model: '🚀', timeout: 90}\n")

    assert (finding.span.first, finding.span.last) == ((3, 30), (3, 32))


def test_what_the_schema_knows_about_values_is_handed_on():
    root = document(
        "name: x\ncapability:\n  tools:\n    t:\n      http: {url: 'http://a/${args.q}', json: {a: ['${args.q}', 1]}}\n"
        "      parameters: {q: string}\nexecution:\n  require_successful_tools: [t, [u]]\n"
    ).root

    def told(mark: Mark) -> tuple[str, str, str]:
        return mark.node.span.text, mark.annotation["kind"], mark.annotation.get("place", mark.annotation.get("to", ""))

    assert [told(mark) for mark in annotated(root, "agent")] == [
        ("x", "name", ""),
        ("t", "name", ""),
        ("'http://a/${args.q}'", "template", "tools.template.env"),
        ("'${args.q}'", "template", "tools.template"),
        ("{q: string}", "parameters", ""),
        ("q", "name", ""),
        ("string", "type", ""),
        ("t", "reference", "tool"),
        ("u", "reference", "tool"),
    ]


def test_a_whole_json_schema_of_parameters_is_taken_as_written():
    full = "schema: {type: object, properties: {a: {whatever: 1}}}"

    assert check(f"name: x\ncapability:\n  tools:\n    t: {{expr: '1', parameters: {{{full}}}}}\n") == []


def test_what_aliases_and_merges_repeat_is_told_once_at_its_own_place():
    text = """name: x
x-base: &base {tool_timeout: 90}
execution: {<<: *base}
capability:
  tools:
    a: &a {expr: "1", desc: y}
    b: *a
    c: {<<: *a, timeout: 5s}
"""

    assert [(one.code, one.span.first, one.span.text) for one in check(text)] == [
        ("AS202", (2, 30), "90"),
        ("AS102", (6, 23), "desc"),
    ]


def test_a_pattern_that_could_backtrack_is_refused():
    (finding,) = check("name: x\nobservability:\n  redact: {patterns: ['a(?=b)', 'a+b']}\n")

    assert finding.message == "expected a regular expression of RE2, found the string `a(?=b)`"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["name", "model", "execution", "when", "tools", "capability", "x-a", "q"])
                | st.text(max_size=5),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    ),
    st.sampled_from(["agent", "preset", "library", "scenario"]),
)
def test_whatever_is_written_gives_findings_and_nothing_worse(value: object, kind: str):
    for finding in check_shape(tree(value), kind):
        assert finding.message
        assert "schema" not in finding.message.lower().replace("json schema", "").replace("`schema`", "")
        assert "pydantic" not in finding.message


@pytest.mark.parametrize(
    ("command", "help_text", "mended"),
    [
        ("git log --stat", 'write `[git, log, "--stat"]`', '[git, log, "--stat"]'),
        ("sh -c 'a b'", "write one element a word, as in `[git, log]`", None),
    ],
)
def test_a_command_that_is_typed_as_for_a_shell_is_a_list(command, help_text, mended):
    (finding,) = check(f"name: s\ncapability:\n  toolkits:\n    - command: {{allow: [ls, {json.dumps(command)}]}}\n")

    assert (finding.code, finding.help) == ("AS207", help_text)
    assert finding.message == f"a command of several words is a list of them, found the string `{command}`"
    assert (finding.fix.edits[0].text if finding.fix else None) == mended


@pytest.mark.parametrize(
    ("other", "here"),
    [
        ("list[string]", "string[]"),
        ("Array<number>", "number[]"),
        ("Optional[int]", "integer?"),
        ("string[] | null", "string[]?"),
    ],
)
@pytest.mark.parametrize("place", ["inputs {{ a: {} }}", "capability {{ tool f(a: {}) = 1\n }}"])
def test_a_type_of_another_language_is_told_in_the_dsl_as_in_yaml(place: str, other: str, here: str):
    text = f"agent a {{ {place.format(other)} }}"

    (finding,) = check(text, name="spec.agent")

    assert (finding.code, finding.message, finding.help) == (
        "AS212",
        f"unknown type `{other}`",
        f"did you mean `{here}`?",
    )
    assert check(mended(finding), name="spec.agent") == []
