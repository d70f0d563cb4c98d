"""What single rules leave alone, and what they say where pages show only one case."""

from pathlib import Path

import pytest

from agentspec.checker.check import check_paths

WAITING = ("AS902",)  # keys that only a later version acts on


def found(tmp_path: Path, text: str, name: str = "a.yaml") -> list[tuple[str, str, str]]:
    """Code, the text of the place, and the message of each finding but the those on keys not in effect."""
    path = tmp_path / name
    path.write_text(text)
    report = check_paths([path])
    return [(one.code, one.span.text, one.message) for one in report.diagnostics if one.code not in WAITING]


def agent(capability: str = "", execution: str = "", rest: str = "") -> str:
    text = "name: a\n"
    if execution:
        text += f"execution:\n{execution}"
    if capability:
        text += f"capability:\n{capability}"
    return text + rest


@pytest.mark.parametrize(
    "name",
    ["read_file", "calc", "get_orders", "expert", "web__search", "read_output", "renamed"],
)
def test_names_of_every_kind_of_tool_are_known(tmp_path, name):
    capability = (
        "  toolkits: [{files.read: {names: {file_outline: renamed}}}]\n"
        "  tools: {calc: {description: adds, expr: '1.0', returns: number}}\n"
        "  resources: {orders: {url: '${env.DATABASE_URL}', table: orders, verbs: [get]}}\n"
        "  subagents: {expert: {agent: 'b.yaml#b', description: knows}}\n"
        "  mcp: {web: {command: [server]}}\n"
    )
    (tmp_path / "b.yaml").write_text("name: b\ntask: go\n")

    assert found(tmp_path, agent(capability, f"  require_successful_tools: [{name}]\n")) == []


@pytest.mark.parametrize("name", ["file_outline", "search_orders", "web_search", "wob__search"])
def test_names_that_options_take_away_are_unknown(tmp_path, name):
    capability = (
        "  toolkits: [{files.read: {names: {file_outline: renamed}}}]\n"
        "  resources: {orders: {url: '${env.DATABASE_URL}', table: orders, verbs: [get]}}\n"
        "  mcp: {web: {command: [server]}}\n"
    )

    assert found(tmp_path, agent(capability, f"  require_successful_tools: [{name}]\n")) == [
        ("AS601", name, f"unknown tool `{name}`")
    ]


def test_a_toolkit_whose_helpers_are_many_leaves_names_open(tmp_path):
    assert found(tmp_path, agent("  toolkits: [text]\n", "  require_successful_tools: [count_chars]\n")) == []


def test_nothing_is_unknown_where_the_tools_themselves_are_misspelt(tmp_path):
    text = agent("  tolkits: [files.read]\n", "  require_successful_tools: [read_file]\n")

    assert [code for code, _, _ in found(tmp_path, text)] == ["AS102"]


def test_a_preset_names_tools_of_those_that_extend_it(tmp_path):
    (tmp_path / "b.yaml").write_text("name: b\nextends: ./a.yaml\ncapability: {toolkits: [files.red]}\n")
    preset = "preset: p\nexecution: {require_successful_tools: [deploy]}\n"

    assert found(tmp_path, preset) == []


def test_what_a_preset_requires_must_be_there(tmp_path):
    (tmp_path / "p.yaml").write_text("preset: p\nexecution: {require_successful_tools: [read_file, deploy]}\n")

    assert found(tmp_path, "name: b\nextends: ./p.yaml\ncapability: {toolkits: [files.read]}\n") == [
        ("AS601", "deploy", "unknown tool `deploy`")
    ]


def test_a_preset_may_have_rules_for_tools_that_a_spec_lacks(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "preset: p\ncapability: {approval: {rules: [{tool: delete_path, decision: deny}, {tool: 'x_*', decision: ask}]}}\n"
    )

    assert found(tmp_path, "name: b\nextends: ./p.yaml\ncapability: {toolkits: [files.read]}\n") == []


def test_a_ceiling_bounds_what_others_add_and_a_server_knows_its_own_tools(tmp_path):
    capability = (
        "  toolkits: [files.read]\n  ceiling: {tools: ['read_*', 'list_*', 'search_*', 'find_*', file_outline, deploy, 'w__*']}\n"
        "  mcp: {w: {command: [server], allow: [anything]}}\n"
    )

    assert found(tmp_path, agent(capability)) == []


def test_a_toolkit_listed_twice_is_told_once(tmp_path):
    assert found(tmp_path, agent("  toolkits: [files.read, files.read]\n")) == [
        ("AS604", "files.read", "the names `read_file`, `read_file_tail`, `list_directory` and more are taken already")
    ]


@pytest.mark.parametrize(
    ("run", "is_shell"),
    [
        ("[sh, -c, 'a | b']", True),
        ("[/bin/bash, -lc, 'x ${args.p}']", True),
        ("[bash, script.sh]", False),
        ("[python, -c, 'print(1)']", False),
        ("[sh, --version, x]", False),
        ("[bash, -o, pipefail, -c, 'a ${args.p} | b']", True),
        ("[sh, -c, 'wc -l \"$1\" | sort', sh, '${args.p}']", False),
        ("[sh, -c, 'eval \"$1\"', sh, '${args.p}']", True),
        ("[sh, -c, 'x=1; sh -c \"$1\"', sh, '${args.p}']", True),
        ("[cmd, /c, dir, '${args.p}']", True),
        ("[pwsh, -NoProfile, -Command, ls, '${args.p}']", True),
        ("[bash, script.sh, -c, '${args.p}']", False),
    ],
)
def test_only_a_shell_that_runs_text_is_one(tmp_path, run, is_shell):
    text = agent(f"  tools: {{t: {{description: runs, parameters: {{p: string}}, run: {run}, x-p: '${{args.p}}'}}}}\n")

    assert ("AS608" in [code for code, _, _ in found(tmp_path, text)]) is is_shell


@pytest.mark.parametrize(
    ("prefix", "is_open"),
    [
        ("[git, status]", False),
        ("[git, -c, alias.x=!sh]", True),
        ("[git]", False),
        ("[find, ., -exec]", True),
        ("[env]", True),
        ("[/usr/bin/xargs]", True),
        ("[timeout, '60', make, test]", False),
        ("[python]", True),
        ("[python, -m]", True),
        ("[python, tools/build.py]", False),
        ("[tar, --to-command=sh]", True),
        ("[make, test]", False),
    ],
)
def test_allow_lists_are_told_by_program_and_option(tmp_path, prefix, is_open):
    codes = [code for code, _, _ in found(tmp_path, agent(f"  toolkits: [{{command: {{allow: [{prefix}]}}}}]\n"))]

    assert codes == (["AS609"] if is_open else [])


@pytest.mark.parametrize(
    ("root", "code"),
    [(".", None), ("src", None), ("none", "AS633"), ("a.yaml", "AS633"), ("..", "AS611"), ("/", "AS611")],
)
def test_roots_count_from_the_project(tmp_path, root, code):
    (tmp_path / "src").mkdir()

    codes = [one for one, _, _ in found(tmp_path, agent(f"  toolkits: [{{files.read: {{root: '{root}'}}}}]\n"))]

    assert codes == ([code] if code else [])


def test_a_root_that_was_granted_is_none_of_our_business(tmp_path):
    capability = "  toolkits: [{files.read: {root: ..}}]\n  approval: {external_roots: [..]}\n"

    assert found(tmp_path, agent(capability)) == []


@pytest.mark.parametrize("hosts", ["", ": {hosts: [a.example.org]}"])
def test_fetching_from_known_hosts_is_no_way_out(tmp_path, hosts):
    assert found(tmp_path, agent(f"  toolkits:\n    - files.read\n    - web.fetch{hosts}\n")) == []


def test_a_question_before_each_fetch_closes_the_way_out(tmp_path):
    capability = (
        "  toolkits:\n    - files.read\n    - web.fetch: {hosts: ['*']}\n"
        "  approval: {rules: [{tool: fetch, decision: ask}]}\n"
    )

    assert found(tmp_path, agent(capability)) == []


@pytest.mark.parametrize("handler", ["args.a + args['b']", "has(args.a) ? args.a : 'x'", "args.a + args . b"])
def test_a_parameter_counts_as_used_however_it_is_named(tmp_path, handler):
    text = agent(f'  tools: {{t: {{description: x, parameters: {{a: string}}, expr: "{handler}"}}}}\n')

    assert "AS614" not in [code for code, _, _ in found(tmp_path, text)]


@pytest.mark.parametrize(
    "value",
    [
        "sk-" + "a1B2c3D4" * 4,
        "AKIA" + "ABCDEFGH12345678",
        "ghp_" + "a1b2c3d4e5" * 4,
        "postgresql://ada:hunter22@db.example.org/shop",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_keys_of_known_forms_are_secrets_wherever_they_stand(tmp_path, value):
    assert [code for code, _, _ in found(tmp_path, f"name: a\nx-note: '{value}'\n")] == ["AS701"]


@pytest.mark.parametrize(
    "value", ["${env.OPENAI_API_KEY}", "Bearer ${env.TOKEN}", "postgresql://${env.DB}/shop", "ghp_short"]
)
def test_prose_and_placeholders_are_no_secrets(tmp_path, value):
    text = f"name: a\nmodel: {{base_url: 'https://x.example.org/v1', headers: {{Authorization: '{value}'}}}}\n"

    assert "AS701" not in [code for code, _, _ in found(tmp_path, text)]


def test_a_word_that_begins_like_a_key_is_none(tmp_path):
    assert found(tmp_path, "name: a\ndescription: sk-learn-and-other-libraries are tools\n") == []


@pytest.mark.parametrize(
    ("provider", "help_text"),
    [
        ("opnai", "did you mean `openai`?"),
        ("Claude", "did you mean `anthropic`?"),
        ("openrouter", "write `provider: openai` with the `base_url` of openrouter"),
    ],
)
def test_an_unknown_provider_is_led_to_the_right_one(tmp_path, provider, help_text):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\nmodel: {{provider: {provider}}}\n")

    (one,) = check_paths([path]).diagnostics

    assert (one.code, one.span.text, one.help) == ("AS801", provider, help_text)


def test_a_default_that_nobody_wrote_contradicts_nothing(tmp_path):
    text = agent(execution="  limits: {wall_clock: 10s}\n  iteration_budget: {mode: adaptive, initial: 4, max: 12}\n")

    assert found(tmp_path, text) == []


VETOED, PROPOSED = "completion.vetoed", "completion.proposed"


@pytest.mark.parametrize(
    ("first", "second", "is_shadowed"),
    [
        (VETOED, f"{VETOED} && {PROPOSED}", True),
        ("true", VETOED, True),
        ("iteration >= 3", "iteration > 3", True),
        (f"{VETOED} && {PROPOSED}", VETOED, False),
        (VETOED, "true", False),
        ("iteration > 3", "iteration >= 3", False),
    ],
)
def test_a_rule_is_shadowed_only_by_one_that_always_matches_first(tmp_path, first, second, is_shadowed):
    rules = f"  loop_control: [{{when: {first}, stop: x}}, {{when: {second}, stop: y}}]\n"

    places = [place for code, place, _ in found(tmp_path, agent(execution=rules)) if code == "AS512"]

    assert places == ([second] if is_shadowed else [])


def test_keys_of_a_preset_that_wait_are_told_in_one_note_where_it_is_extended(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "preset: p\nexecution: {max_nudges: 2}\nobservability: {otel: true}\nlifecycle: {daemon: true}\n"
    )
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nextends: ./p.yaml\nlifecycle: {on_start: []}\n")

    found = [(one.code, one.span.text, one.message) for one in check_paths([path]).diagnostics]

    assert found == [
        ("AS902", "./p.yaml", "what this extends sets keys that are not yet in effect: `daemon`, `otel`"),
        ("AS902", "on_start", "`on_start` is accepted, but not yet in effect"),
    ]


def test_a_profile_of_our_own_is_checked_like_any_preset(tmp_path):
    path = tmp_path / "stdlib" / "profiles" / "p.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("preset: p\nexecution: {max_nudgs: 3}\n")

    assert [one.code for one in check_paths([path]).diagnostics] == ["AS102"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name: a\ncapability: {tools: {t: {description: x, paameters: {p: string}, expr: args.p}}}\n", "paameters"),
        ("name: a\ninuts: {branch: string}\ncontext: {system: 'Look at ${inputs.branch}.'}\n", "inuts"),
        (
            "name: a\ncapabilty: {toolkits: [files.read]}\nexecution: {require_successful_tools: [read_file]}\n",
            "capabilty",
        ),
        ("name: a\nexecution: {loop_until_don: true, verify_completion_judge: true}\n", "loop_until_don"),
    ],
)
def test_nothing_is_derived_from_a_misspelt_key(tmp_path, text, key):
    assert [(code, place) for code, place, _ in found(tmp_path, text)] == [("AS102", key)]


def test_a_tool_in_a_misspelt_section_of_the_dsl_gives_one_finding(tmp_path):
    text = 'agent a {\n  caability {\n    tool t(p: string) "x" = args.p\n  }\n}\n'

    assert [(code, place) for code, place, _ in found(tmp_path, text, "a.agent")] == [("AS102", "caability")]


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ("['${args.p}']", "'${args.p}'"),
        ("['bin/${args.p}', x]", "'bin/${args.p}'"),
        ("[env, A=b, '${args.p}', x]", "'${args.p}'"),
        ("[nice, -n, '${args.p}']", "'${args.p}'"),
        ("[python3, -c, '${args.p}']", "'${args.p}'"),
        ("[env, node, -e, 'f(${args.p})']", "'f(${args.p})'"),
        ("[ls, '${args.p}']", None),
        ("[python3, tool.py, '${args.p}']", None),
        ("[python3, -c, 'import sys', '${args.p}']", None),
        ("[env, A=b, ls, '${args.p}']", None),
        ("[env]", None),
    ],
)
def test_a_program_that_the_model_chooses_is_told_at_its_element(tmp_path, run, place):
    text = agent(f"  tools: {{t: {{description: runs, parameters: {{p: string}}, run: {run}, x-p: '${{args.p}}'}}}}\n")

    told = [span for code, span, _ in found(tmp_path, text) if code == "AS627"]

    assert told == ([] if place is None else [place])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{type: integer, default: main}", "it must be an `integer`, not a string"),
        ("{enum: [a, b], default: c}", 'it must be one of `"a"`, `"b"`'),
        ("{items: integer, default: [x]}", "`[0]` must be an `integer`, not a string"),
        ("{fields: {a: integer}, default: {b: 1}}", "it has no field `b`"),
        ("{type: 'string?', default: 3}", "it must be a `string`, not an integer"),
        ("{type: number, default: 3}", None),
        ("{enum: [a, b], default: b}", None),
        ("{type: intger, default: x}", None),
    ],
)
def test_a_default_of_a_parameter_is_held_against_its_type(tmp_path, form, message):
    text = agent(
        f"  tools: {{t: {{description: d, parameters: {{p: {form}}}, returns: string, expr: 'args.p + \"\"'}}}}\n"
    )

    told = [text for code, _, text in found(tmp_path, text) if code == "AS426"]

    assert told == ([] if message is None else [f"the default of `p` does not fit: {message}"])


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("{type: numbr}", [("numbr", "JSON Schema has no type `numbr`")]),
        ("{type: [string, nul]}", [("nul", "JSON Schema has no type `nul`")]),
        ("{type: 3}", [("3", "number `3`")]),
        ("{properties: [a]}", [("[a]", "a mapping of names to schemas")]),
        ("{properties: {a: text}}", [("text", "a schema")]),
        ("{required: x, minLength: -1}", [("x", "a list of names"), ("-1", "a whole number from 0")]),
        ("{anyOf: []}", [("[]", "a list of schemas")]),
        ("{$defs: {a: {items: {pattern: 3}}}}", [("3", "a text")]),
        ("{uniqueItems: often, enum: a}", [("often", "`true` or `false`"), ("a", "a list of values")]),
        ("{maximum: high}", [("high", "a number")]),
        ("{type: [string, 'null'], items: true, not: {const: 3}, examples: [3], default: 3, x-own: {type: 3}}", []),
        ("{$ref: '#/$defs/a', $defs: {a: {type: object, required: [b], additionalProperties: false}}}", []),
        ("{properties: {type: {type: string}, required: {type: boolean}}}", []),
    ],
)
def test_a_schema_that_is_none_is_told_at_its_part(tmp_path, schema, told):
    of_answers = agent("", f"  output: {{schema: {schema}}}\n")
    whole = schema if schema.startswith("{properties") else f"{{type: object, properties: {{p: {schema}}}}}"
    of_a_tool = agent(
        f"  tools: {{t: {{description: d, parameters: {{schema: {whole}}}, run: [ls, '${{args.p}}']}}}}\n"
    )

    for text in (of_answers, of_a_tool):
        errors = [(span, message) for code, span, message in found(tmp_path, text) if code == "AS213"]
        assert [span for span, _ in errors] == [span for span, _ in told]
        assert all(part in message for (_, message), (_, part) in zip(errors, told, strict=True))
