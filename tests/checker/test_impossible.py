"""Bounds that exclude each other, lists that name one thing twice, requests and commands that are not what they look like."""

import pytest

from agentspec.checker.check import check_paths

INPUT = "inputs: {{x: {}}}\ncontext: {{system: '${{inputs.x}}'}}"
OUTPUT = "execution: {{output: {{schema: {}}}}}"
TOOL = "capability: {{tools: {{t: {{description: d, parameters: {{a: {}}}, returns: any, expr: args.a}}}}}}"
HTTP = "capability: {{tools: {{t: {{description: d, http: {{url: 'https://a.org', {}}}}}}}}}"
RUN = "capability: {{tools: {{t: {{description: d, run: {}}}}}}}"
OBJECT = "{type: object, properties: {name: {type: string}}, "
ROWS = [
    (INPUT.format("{type: integer, minimum: 5, maximum: 3}"), [("AS217", "3")]),
    (INPUT.format("{type: integer, minimum: 3, maximum: 3}"), []),
    (INPUT.format("{type: number, exclusiveMinimum: 3, maximum: 3}"), [("AS217", "3")]),
    (INPUT.format("{type: string, minLength: 9, maxLength: 8}"), [("AS217", "8")]),
    (TOOL.format("{items: string, minItems: 3, maxItems: 2}"), [("AS217", "2")]),
    (TOOL.format("{fields: {b: {type: number, minimum: 1.5, maximum: 0.5}}}"), [("AS217", "0.5")]),
    (OUTPUT.format(OBJECT + "required: [nmae]}"), [("AS217", "nmae")]),
    (OUTPUT.format(OBJECT + "required: [other]}"), []),
    (OUTPUT.format(OBJECT + "required: [other], additionalProperties: false}"), [("AS217", "other")]),
    (OUTPUT.format(OBJECT + "required: [name], additionalProperties: false}"), []),
    (OUTPUT.format("{type: integer, enum: [1, 2.0, two]}"), [("AS217", "two")]),
    (OUTPUT.format("{type: boolean, enum: [true, 1]}"), [("AS217", "1")]),
    (OUTPUT.format("{type: [string, 'null'], enum: [a, null]}"), []),
    (OUTPUT.format("{enum: [a, b, a]}"), [("AS623", "a")]),
    ("context: {compaction: {threshold: 0.5, target: 0.8}}", [("AS706", "0.8")]),
    ("context: {compaction: {threshold: 0.5, target: 0.4}}", []),
    ("observability: {events: [stderr, stderr]}", [("AS623", "stderr")]),
    ("context: {instructions_files: [a.yaml, a.yaml]}", [("AS623", "a.yaml")]),
    ("context: {working_files: ['gone/*.py']}", [("AS613", "'gone/*.py'")]),
    ("context: {working_files: ['*.py', '**/gone/*.py', '!gone/**']}", []),
    ("capability: {mcp: {s: {command: [x], allow: [get, list], deny: [get, get]}}}", [("AS603", "get"), ("AS623", "get")]),
    ("capability: {mcp: {s: {command: [x, a, a], allow: ['get_*'], deny: [get_all]}}}", []),
    ("capability: {toolkits: [scratch: {enabled: [scratch_read, scratch_read]}]}", [("AS623", "scratch_read")]),
    ("model: {options: {stop: [a, a]}}", []),
    ("model: {provider: openai, model: gpt-5.4, stop: [a, b, c, d, e]}", [("AS822", "stop")]),
    ("model: {provider: anthropic, model: claude-opus-5, stop: [a, b, c, d, e]}", []),
    ("model: {stop: ['\\n', '']}", [("AS206", "''")]),
    ("model: {provider: openai, model: gpt-5.4, shadow: {model: gpt-5.5, sample: 0}}", [("AS524", "shadow")]),
    ("model: {rate_limit: {}}", [("AS524", "rate_limit")]),
    (HTTP.format("body: x"), [("AS638", "body")]),
    (HTTP.format("method: HEAD, json: {a: 1}"), [("AS638", "json")]),
    (HTTP.format("method: POST, json: {a: 1}"), []),
    (HTTP.format("headers: {Authorization: Bearer $TOKEN}"), [("AS333", "$TOKEN")]),
    (HTTP.format("headers: {X: '$5 and $$X'}"), []),
    (RUN.format("[ls -la]"), [("AS639", "ls -la")]),
    (RUN.format("[cat, a.txt, '|', wc, -l]"), [("AS639", "'|'")]),
    (RUN.format("[cat, ~/notes, $HOME/x]"), [("AS639", "~/notes"), ("AS639", "$HOME/x")]),
    (RUN.format("[sh, -c, 'ls ~ > $HOME/x']"), [("AS608", "sh")]),
    (RUN.format("[find, ., -name, '*.py', -exec, wc, '{}', ';']"), []),
    (RUN.format("[awk, '$NF > 2 { print $1 }', a.txt]"), []),
    (RUN.format("['C:/Program Files/tool.exe', -v]"), []),
    ("capability: {mcp: {s: {command: [server, $HOME]}}}", [("AS333", "$HOME")]),
    ("capability: {toolkits: [command: {allow: [[cat, a, '|', wc]]}]}", [("AS639", "'|'")]),
    ("context: {compaction: {threshold: 70}}", [("AS728", "70")]),
    ("context: {compaction: {threshold: 0.7}}", []),
    ("model: {context_window: 8000}\nexecution: {tool_result_max: 1MB}", [("AS729", "1MB")]),
    ("model: {context_window: 8000}\nexecution: {tool_result_max: 30kB}", []),
    ("context: {filter: [{keep: true}, {when: message.tokens > 5, drop: true}]}", [("AS512", "message.tokens > 5")]),
    (HTTP.format("headers: {Accept: a, accept: b}"), [("AS638", "accept")]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), ROWS)
def test_what_cannot_be_meant_is_told_at_its_place(tmp_path, body, expected):
    (tmp_path / "a.yaml").write_text(f"name: a\n{body}\n")

    found = check_paths([tmp_path / "a.yaml"]).diagnostics

    assert [(one.code, one.span.text) for one in found] == expected
