"""What is wrong with a DSL text: every error in one pass, at its place, and everything intact stays in the tree."""

from __future__ import annotations

import textwrap

import pytest

from agentspec.syntax.dsl import parse
from agentspec.syntax.tree import Broken, Document, Mapping, Node, Sequence, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source

BROKEN = "<broken>"


def shown(one: Diagnostic) -> str:
    """A finding on one line: code, place, path, message, and what it offers."""
    first, last = one.span.first, one.span.last
    line = f"{one.code} {first.line}:{first.column}-{last.line}:{last.column} {one.path or '-'}: {one.message}"
    if one.help:
        line += f" | {one.help}"
    for related in one.related:
        line += f" | {related.span.first.line}:{related.span.first.column} {related.message}"
    return line


def means(node: Node) -> object:
    """As `plain`, with broken parts marked."""
    match node:
        case Broken():
            return BROKEN
        case Mapping():
            return {entry.name: means(entry.value) for entry in node.entries}
        case Sequence():
            return [means(item) for item in node.items]
    return plain(node)


def read(text: str) -> tuple[list[str], list[object], list[Document]]:
    parsed = parse(Source("x.agent", text))
    assert {one.severity for one in parsed.diagnostics} <= {"error"}
    return (
        [shown(one) for one in parsed.diagnostics],
        [means(document.root) for document in parsed.documents],
        parsed.documents,
    )


def fixed(text: str) -> str:
    """The text after all fixes that are offered."""
    edits = [edit for one in parse(Source("x.agent", text)).diagnostics if one.fix for edit in one.fix.edits]
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def test_every_error_of_a_file_is_found_in_one_pass_and_the_rest_is_intact():
    text = textwrap.dedent("""\
        agent x extends audit {
          description "Audits"
          model {
            provider:
            model: gpt-5
            stream true
          }
          execution {
            loop_control {
              when a > 3 stop incomplete "enough"
              when b => extend 2
            }
            require_successful_tools: [a, [b, c]
            max_nudges: 3
          }
          capability {
            tool f(op: "add" | , n: number) -> number = args.n
            tool g(path: string) {
              run: [ls, ./src]
              timeout: 30s
            }
          }
          context {
            system: "You audit
            reminders: []
          }
        }
        """)

    findings, [root], [document] = read(text)

    assert findings == [
        "AS055 2:15-2:23 description: `:` is missing after `description`",
        "AS056 4:14-4:14 model.provider: a value is missing after `:`",
        "AS055 6:12-6:16 model.stream: `:` is missing after `stream`",
        "AS055 10:18-10:22 execution.loop_control[0].stop: `=>` is missing after the condition",
        "AS055 13:41-13:41 execution.require_successful_tools[1]: `]` is missing after `]` | 13:31 opened here",
        "AS056 17:24-17:25 capability.tools.f.parameters: a type is missing after `|`",
        "AS054 19:17-19:22 capability.tools.g.run[1]: `./src` is not a word or a number; it needs quotes",
        'AS053 24:13-24:23 context.system: this string is not closed; its closing `"` is missing',
    ]
    assert root == {
        "name": "x",
        "extends": "audit",
        "description": "Audits",
        "model": {"provider": BROKEN, "model": "gpt-5", "stream": True},
        "execution": {
            "loop_control": [{"when": "a > 3", "stop": "incomplete", "reason": "enough"}, {"when": "b", "extend": 2}],
            "require_successful_tools": ["a", ["b", "c"]],
            "max_nudges": 3,
        },
        "capability": {
            "tools": {
                "f": {
                    "parameters": {"op": {"any_of": [{"enum": ["add"]}, BROKEN]}, "n": "number"},
                    "returns": "number",
                    "expr": "args.n",
                },
                "g": {"parameters": {"path": "string"}, "run": ["ls", "./src"], "timeout": "30s"},
            }
        },
        "context": {"system": BROKEN, "reminders": []},
    }
    assert document.has_broken


# Each case: what stands in the braces of `agent x`, from line 2; the findings; what it means then.
CASES = {
    "a colon is missing before a list": (
        "a [1, 2]\nb: 3",
        ["AS055 2:3-2:4 a: `:` is missing after `a`"],
        {"a": [1, 2], "b": 3},
    ),
    "a value is missing before a key": (
        "a:\nb: 3",
        ["AS056 2:3-2:3 a: a value is missing after `:`"],
        {"a": BROKEN, "b": 3},
    ),
    "a value is missing before a block": (
        "a:\nb { c: 3 }",
        ["AS056 2:3-2:3 a: a value is missing after `:`"],
        {"a": BROKEN, "b": {"c": 3}},
    ),
    "a value is missing in a list": (
        "a: [1,, 2]\nb: [, 3]",
        ["AS056 2:7-2:8 a[1]: a value is missing after `,`", "AS056 3:5-3:6 b[0]: a value is missing after `[`"],
        {"a": [1, BROKEN, 2], "b": [BROKEN, 3]},
    ),
    "a value is missing after an append": (
        "a +=\nb: 3",
        ["AS056 2:5-2:5 a: a value is missing after `+=`"],
        {"a": BROKEN, "b": 3},
    ),
    "a comma is missing in a list": (
        "a: [\n  1\n  2\n]\nb: [c d]",
        ["AS055 3:4-3:4 a[0]: `,` is missing after `1`", "AS055 6:7-6:8 b[1]: `,` is missing after `c`"],
        {"a": [1, 2], "b": ["c", "d"]},
    ),
    "several lists are not closed": (
        "a: [1, [2, [3\nb: 3",
        ["AS055 2:14-2:14 a[1][1][0]: `]` is missing after `3` | 2:12 opened here"],
        {"a": [1, [2, [3]]], "b": 3},
    ),
    "a list ends with its block": (
        "a { b: [1, 2 }\nc: 3",
        ["AS055 2:13-2:13 a.b[1]: `]` is missing after `2` | 2:8 opened here"],
        {"a": {"b": [1, 2]}, "c": 3},
    ),
    "a list whose last comma hides the missing bracket": (
        "a: [1,\nb: 3",
        ["AS055 2:7-2:7 a: `]` is missing after `,` | 2:4 opened here"],
        {"a": [1], "b": 3},
    ),
    "an opening brace is missing": (
        "a\n  b: 3\n}\nc: 4",
        ["AS055 2:2-2:2 a: `{` is missing after `a`"],
        {"a": {"b": 3}, "c": 4},
    ),
    "a closing brace is missing, as the indent shows": (
        "  a {\n    b: 1\n  c { d: 2 }",
        ["AS051 2:5-2:6 a: this block is not closed; its `}` is missing | 3:9 it seems to end here"],
        {"a": {"b": 1}, "c": {"d": 2}},
    ),
    "two closing braces are missing, as the indent shows": (
        "  a {\n    b {\n      c: 1\n  d { e: 2 }",
        [
            "AS051 2:5-2:6 a: this block is not closed; its `}` is missing | 4:11 it seems to end here",
            "AS051 3:7-3:8 a.b: this block is not closed; its `}` is missing | 4:11 it seems to end here",
        ],
        {"a": {"b": {"c": 1}}, "d": {"e": 2}},
    ),
    "a closing brace too many, as the indent shows": (
        "  a {\n    b: 1\n    }\n  }\n  c: 2",
        ["AS052 4:5-4:6 a: this `}` closes nothing"],
        {"a": {"b": 1}, "c": 2},
    ),
    "a parenthesis closes nothing": (
        "a: 1 ) b: 2",
        ["AS052 2:6-2:7 -: this `)` closes nothing"],
        {"a": 1, "b": 2},
    ),
    "a misspelt first word of an entry": (
        "capability {\n tol f() = 1\n toolkt git\n skil s { p: 1 } }\ny { fnal a: 3\n unst b\n c: 1 }",
        [
            "AS050 3:2-3:5 capability.tools: expected `tool`, found `tol` | did you mean `tool`?",
            "AS050 4:2-4:8 capability.toolkits: expected `toolkit`, found `toolkt` | did you mean `toolkit`?",
            "AS050 5:2-5:6 capability.skills: expected `skill`, found `skil` | did you mean `skill`?",
            "AS050 6:5-6:9 y: expected `final`, found `fnal` | did you mean `final`?",
            "AS050 7:2-7:6 y: expected `unset`, found `unst` | did you mean `unset`?",
        ],
        {
            "capability": {"tools": {"f": {"expr": "1"}}, "toolkits": ["git"], "skills": {"s": {"p": 1}}},
            "y": {"a": 3, "b": None, "c": 1},
        },
    ),
    "rules without `when`, and as others begin them": (
        "r {\nwhen a => stop x\nb > 4 => stop y\nc.d => extend 2\nsize(e) > 3 => stop z\nif f > 5 => stop q\nwhne !g => accept\n}",
        [
            "AS055 4:1-4:2 r[1].when: `when` is missing before `b`",
            "AS055 5:1-5:4 r[2].when: `when` is missing before `c.d`",
            "AS055 6:1-6:5 r[3].when: `when` is missing before `size`",
            "AS050 7:1-7:3 r[4].when: expected `when`, found `if` | did you mean `when`?",
            "AS050 8:1-8:5 r[5].when: expected `when`, found `whne` | did you mean `when`?",
        ],
        {
            "r": [
                {"when": "a", "stop": "x"},
                {"when": "b > 4", "stop": "y"},
                {"when": "c.d", "extend": 2},
                {"when": "size(e) > 3", "stop": "z"},
                {"when": "f > 5", "stop": "q"},
                {"when": "!g", "accept": True},
            ]
        },
    ),
    "expressions behind `:` without quotes": (
        'a { when: b.c == "u", drop: true }\ne { expr: args.a + 1.0  timeout: 3s }\nf { where: !(g)\n that: "h" }\ni { when: "j" in k }\nl { expr: "m || \\"=> }\\" != n" }',
        [
            "AS054 2:11-2:21 a.when: an expression behind `:` needs quotes; behind `=` it needs none",
            "AS054 3:11-3:23 e.expr: an expression behind `:` needs quotes; behind `=` it needs none",
            "AS054 4:12-4:16 f.where: an expression behind `:` needs quotes; behind `=` it needs none",
            "AS054 6:11-6:19 i.when: an expression behind `:` needs quotes; behind `=` it needs none",
        ],
        {
            "a": {"when": BROKEN, "drop": True},
            "e": {"expr": BROKEN, "timeout": "3s"},
            "f": {"where": BROKEN, "that": "h"},
            "i": {"when": BROKEN},
            "l": {"expr": 'm || "=> }" != n'},
        },
    ),
    "a unit apart from its number": (
        "a: 5 m\nb { c: 1.5 KiB }",
        [
            "AS054 2:4-2:7 a: a unit stands right behind its number",
            "AS054 3:8-3:15 b.c: a unit stands right behind its number",
        ],
        {"a": BROKEN, "b": {"c": BROKEN}},
    ),
    "several words without quotes": (
        "a: Sorts the inbox, twice a day # ok\nb: two words\nc { d: one more time }",
        [
            "AS054 2:4-2:32 a: a text of several words needs quotes",
            "AS054 3:4-3:13 b: a text of several words needs quotes",
            "AS054 4:8-4:21 c.d: a text of several words needs quotes",
        ],
        {"a": BROKEN, "b": BROKEN, "c": {"d": BROKEN}},
    ),
    "paths, patterns, addresses, versions, dates": (
        "a: ./src/main.py\nb: [*.py, **/x, @s/p]\nc: https://h.io:8/x?y=1\nd: 1.2.0\ne: 2024-01-02\nf: 12:30\ng: 012\nh: ^1.4\ni: ~/x",
        [
            "AS054 2:4-2:17 a: `./src/main.py` is not a word or a number; it needs quotes",
            "AS054 3:5-3:9 b[0]: `*.py` is not a word or a number; it needs quotes",
            "AS054 3:11-3:15 b[1]: `**/x` is not a word or a number; it needs quotes",
            "AS054 3:17-3:21 b[2]: `@s/p` is not a word or a number; it needs quotes",
            "AS054 4:4-4:24 c: `https://h.io:8/x?y=1` is not a word or a number; it needs quotes",
            "AS054 5:4-5:9 d: `1.2.0` is not a word or a number; it needs quotes",
            "AS054 6:4-6:14 e: `2024-01-02` is not a word or a number; it needs quotes",
            "AS054 7:4-7:9 f: `12:30` is not a word or a number; it needs quotes",
            'AS054 8:4-8:7 g: `012` begins with a zero | write `12`, or `"012"` for a text',
            "AS054 9:4-9:8 h: `^1.4` is not a word or a number; it needs quotes",
            "AS054 10:4-10:7 i: `~/x` is not a word or a number; it needs quotes",
        ],
        {
            "a": "./src/main.py",
            "b": ["*.py", "**/x", "@s/p"],
            "c": "https://h.io:8/x?y=1",
            "d": "1.2.0",
            "e": "2024-01-02",
            "f": "12:30",
            "g": "012",
            "h": "^1.4",
            "i": "~/x",
        },
    ),
    "numbers of other languages": (
        "a: 0x1F\nb: .5\nc: 1_000\nd: +5\ne: -0o17\nf: 5.\ng: .inf\nh: -.nan",
        [
            'AS054 2:4-2:8 a: `0x1F` is not how a number is written | write `31`, or `"0x1F"` for a text',
            'AS054 3:4-3:6 b: `.5` is not how a number is written | write `0.5`, or `".5"` for a text',
            'AS054 4:4-4:9 c: `1_000` is not how a number is written | write `1000`, or `"1_000"` for a text',
            'AS054 5:4-5:6 d: `+5` is not how a number is written | write `5`, or `"+5"` for a text',
            'AS054 6:4-6:9 e: `-0o17` is not how a number is written | write `-15`, or `"-0o17"` for a text',
            'AS054 7:4-7:6 f: `5.` is not how a number is written | write `5.0`, or `"5."` for a text',
            "AS016 8:4-8:8 g: `.inf` is not a finite number",
            "AS016 9:4-9:9 h: `-.nan` is not a finite number",
        ],
        {"a": "0x1F", "b": ".5", "c": "1_000", "d": "+5", "e": "-0o17", "f": "5.", "g": ".inf", "h": "-.nan"},
    ),
    "single quotes": (
        "a: 'it is \"so\"'\nb: 1",
        ["AS054 2:4-2:16 a: strings take double quotes"],
        {"a": BROKEN, "b": 1},
    ),
    "a string is not closed": (
        'a: "b\nc: "d"\n"e: 1\nf: 2',
        [
            'AS053 2:4-2:6 a: this string is not closed; its closing `"` is missing',
            'AS053 4:1-4:6 -: this string is not closed; its closing `"` is missing',
        ],
        {"a": BROKEN, "c": "d", "f": 2},
    ),
    "a string goes over lines": (
        'a: "b\n   more\n   end"\nc: 1',
        [
            'AS053 2:4-2:6 a: this string is not closed; its closing `"` is missing | a string stands on one line; text over several lines is written between `"""`'
        ],
        {"a": BROKEN, "c": 1},
    ),
    "a raw text is not closed, and another follows": (
        '  a: """\n    x\n  b: """\n    y\n    """\n  c: 1',
        ['AS053 2:6-2:9 a: this text is not closed; its closing `"""` is missing'],
        {"a": BROKEN, "b": "y\n", "c": 1},
    ),
    "a raw text is not closed, and none follows": (
        '  a {\n    b: """\n      x\n\n      y\n  }\n  c: 1',
        ['AS053 3:8-3:11 a.b: this text is not closed; its closing `"""` is missing'],
        {"a": {"b": BROKEN}, "c": 1},
    ),
    "a raw text begins beside its quotes": (
        'a: """b"""\nc: """d\n  e\n  """',
        [
            'AS058 2:4-2:8 a: raw text begins on the line after its opening quotes | move it to the next line, or write a string in `"…"`; the text here is `b`',
            'AS058 3:4-3:8 c: raw text begins on the line after its opening quotes | move it to the next line, or write a string in `"…"`; the text here is `d`',
        ],
        {"a": "b", "c": "d\n  e\n"},
    ),
    "an unknown escape": (
        r'a: "C:\dir" b: "\ud83d" c: "\u12" d: "\u0041\udc00"',
        [
            r"AS025 2:7-2:9 a: unknown escape `\d` | for a backslash write `\\`",
            r"AS029 2:17-2:23 b: `\ud83d` is half a character | such escapes come in pairs",
            r"AS025 2:29-2:31 c: `\u` needs four hexadecimal digits | for a backslash write `\\`",
            r"AS029 2:45-2:51 d: `\udc00` is half a character | such escapes come in pairs",
        ],
        {"a": r"C:\dir", "b": "\ufffd", "c": r"\u12", "d": "A\ufffd"},
    ),
    "numbers that have no value": (
        f"a: 1e999 b: {'9' * 3001}",
        [
            "AS016 2:4-2:9 a: `1e999` is too large for a number",
            f"AS016 2:13-2:3014 b: `{'9' * 59}…` is a number of more than 3000 digits",
        ],
        {"a": BROKEN, "b": BROKEN},
    ),
    "signs of other languages": (
        "a: 1; b: 2\n// c\nd:\u00a03\ne: 4 & f: 5",
        [
            "AS059 2:5-2:6 a: entries are not ended by `;`",
            "AS059 3:1-3:3 -: a comment begins with `#`, not with `//`",
            "AS059 4:3-4:4 d: U+00A0 (no-break space) stands where only blanks and line ends may",
            "AS059 5:6-5:7 -: `&` has no meaning here",
        ],
        {"a": 1, "b": 2, "d": 3, "e": 4, "f": 5},
    ),
    "a key is written twice": (
        "a: 1\nb { a: 1 a: 2 }\na { c: 3 }\nname: y",
        [
            "AS005 3:10-3:11 b: duplicate key `a` | keep one of them | 3:5 first here",
            "AS005 4:1-4:2 -: duplicate key `a` | keep one of them | 2:1 first here",
            "AS005 5:1-5:5 -: duplicate key `name` | keep one of them | 1:1 first here",
        ],
        {"a": 1, "b": {"a": 1}},
    ),
    "a key is set and appended to": (
        "a: [1]\na += [2]\nb += [1]\nb += [2]",
        [
            "AS005 3:1-3:2 -: `a` is both set and appended to here | keep one of them | 2:1 first here",
            "AS005 5:1-5:2 -: `b +=` stands twice here | keep one of them | 4:1 first here",
        ],
        {"a": [1], "b": [1]},
    ),
    "an empty key": ('"": 1', ['AS011 2:1-2:3 [""]: a key is empty | write the key'], {"": 1}),
    "a tool is named twice": (
        "capability {\n  tool f() = 1\n  tool f() = 2\n}",
        ["AS005 4:8-4:9 capability.tools: duplicate key `f` | keep one of them | 3:8 first here"],
        {"capability": {"tools": {"f": {"expr": "1"}}}},
    ),
    "a tool says its doc twice": (
        'capability { tool f() "a" { description: "b" expr = 1 } }',
        [
            "AS005 2:29-2:40 capability.tools.f: duplicate key `description` | keep one of them | 2:23 first here",
        ],
        {"capability": {"tools": {"f": {"description": "a", "expr": "1"}}}},
    ),
    "a tool without a body": (
        "capability {\n  tool f(n: number) -> number\n  tool g() = 1\n}",
        ["AS050 3:30-3:30 capability.tools.f: expected a string, `{` or `=`, found the end of the line"],
        {"capability": {"tools": {"f": BROKEN, "g": {"expr": "1"}}}},
    ),
    "a parenthesis or a comma is missing among parameters": (
        "capability {\n  tool f(n: number -> number = 1\n  tool g(a: number b: string) = 2\n}",
        [
            "AS055 3:20-3:22 capability.tools.f.returns: `)` is missing after `number` | 3:9 opened here",
            "AS055 4:20-4:21 capability.tools.g.parameters.b: `,` is missing after `number`",
        ],
        {
            "capability": {
                "tools": {
                    "f": {"parameters": {"n": "number"}, "returns": "number", "expr": "1"},
                    "g": {"parameters": {"a": "number", "b": "string"}, "expr": "2"},
                }
            }
        },
    ),
    "a tool without a name": (
        "capability {\n  tool (n: number) = 1\n  mcp { url: x }\n}",
        ["AS056 3:8-3:9 capability: a name is missing after `tool`"],
        {"capability": {"mcp": {"url": "x"}}},
    ),
    "a tool outside of the capability block": (
        'tool f(n: number) -> number\n  "doc"\n  = args.n\na: 1\nb { mcp c { d: 1 } e: 2 }',
        [
            "AS057 2:1-2:5 -: `tool` stands only directly in `capability { … }`; as a key it is followed by `:` or `{`",
            "AS057 6:5-6:8 b: `mcp` stands only directly in `capability { … }`; as a key it is followed by `:` or `{`",
        ],
        {"a": 1, "b": {}},
    ),
    "an agent inside an agent": (
        "a: 1\n  agent b { c: 1 }\nd: 2",
        [
            "AS057 3:3-3:8 -: `agent` stands only at the top of the file; as a key it is followed by `:` or `{`",
        ],
        {"a": 1, "d": 2},
    ),
    "extends without its colon": (
        "extends audit\na: 1",
        ["AS055 2:9-2:14 extends: `:` is missing after `extends`"],
        {"extends": "audit", "a": 1},
    ),
    "an arrow of another shape": (
        "r { when a > 1 -> stop when b(c,\n d) = stop }\ncapability { tool f() => number = 1\n tool g(): number = 2 }",
        [
            "AS050 2:16-2:18 r[0]: `=>` is written here, not `->`",
            "AS050 3:5-3:6 r[1]: `=>` is written here, not `=`",
            "AS050 4:23-4:25 capability.tools.f.returns: `->` is written here, not `=>`",
            "AS050 5:10-5:11 capability.tools.g.returns: `->` is written here, not `:`",
        ],
        {
            "r": [{"when": "a > 1", "stop": True}, {"when": "b(c,\n d)", "stop": True}],
            "capability": {"tools": {"f": {"returns": "number", "expr": "1"}, "g": {"returns": "number", "expr": "2"}}},
        },
    ),
    "an arrow is missing, and quotes are open": (
        'r {\n  when a == "b && c stop\n  when d => stop\n}',
        ["AS050 3:25-3:25 r[0]: expected `=>`, found the end of the line"],
        {"r": [BROKEN, {"when": "d", "stop": True}]},
    ),
    "a rule without its deed": (
        "r {\n  when a =>\n  when b => stop\n}",
        ["AS050 3:12-3:12 r[0]: expected a word or `{`, found the end of the line"],
        {"r": [BROKEN, {"when": "b", "stop": True}]},
    ),
    "a rule without its condition": (
        "r { when => stop }",
        ["AS056 2:10-2:10 r[0].when: an expression is missing here"],
        {"r": [{"when": BROKEN, "stop": True}]},
    ),
    "a rule among keys and a key among rules": (
        "r {\n  a: 1\n  when b => stop\n  c: 2\n}\ns {\n  when d => stop\n  e: 3\n  when f => stop\n}",
        [
            "AS057 4:3-4:7 r: a block holds either rules, each beginning with `when`, or keys",
            "AS057 9:3-9:4 s[1]: a block holds either rules, each beginning with `when`, or keys",
        ],
        {"r": {"a": 1, "c": 2}, "s": [{"when": "d", "stop": True}, BROKEN, {"when": "f", "stop": True}]},
    ),
    "an expression is missing": (
        "a =\nb = c",
        ["AS056 2:4-2:4 a: an expression is missing here"],
        {"a": BROKEN, "b": "c"},
    ),
    "a broken expression breaks nothing else": (
        "a = f(b\nc { d = [e }\nf = (\n  g\ntool: 1\nh = i)",
        [],
        {"a": "f(b", "c": {"d": "[e"}, "f": "(\n  g", "tool": 1, "h": "i)"},
    ),
    "two question marks": (
        "inputs { a: string?? b: number }",
        ["AS050 2:20-2:21 inputs.a: `?` stands twice"],
        {"inputs": {"a": "string?", "b": "number"}},
    ),
    "a type is missing in an array": (
        "inputs {\n  a: []\n  b: number\n}",
        ["AS056 3:6-3:7 inputs: a type is missing after `:`"],
        {"inputs": {"a": BROKEN, "b": "number"}},
    ),
    "brackets of an expression run away": (
        "a = " + "(" * 70 + "\nb = c",
        [],
        {"a": "(" * 70, "b": "c"},
    ),
    "a list of tools": (
        "capability { tools: [a] tool b() = 1\n toolkit c toolkits: { d: 1 } }",
        [
            "AS005 2:25-2:29 capability: duplicate key `tools` | keep one of them | 2:14 first here",
            "AS005 3:12-3:20 capability: duplicate key `toolkits` | keep one of them | 3:2 first here",
        ],
        {"capability": {"tools": ["a"], "toolkits": ["c"]}},
    ),
    "something that nothing explains": (
        "a: 1\nb c: 2 d { e: 3\n  f: 4 }\ng: 5",
        ["AS055 3:3-3:4 b: `:` is missing after `b`"],
        {"a": 1, "b": "c", "g": 5},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_text(case):
    text, expected, meaning = CASES[case]

    findings, [root], _ = read(f"agent x {{\n{text}\n}}\n")

    assert findings == expected
    assert root == {"name": "x", **meaning}


# Documents.

FILES = {
    "a document is not closed before the next": (
        "agent a {\n  model {\n    provider: openai\n\nagent b { x: 1 }\n",
        [
            "AS051 1:9-1:10 -: this block is not closed; its `}` is missing | 3:21 it seems to end here",
            "AS051 2:9-2:10 model: this block is not closed; its `}` is missing | 3:21 it seems to end here",
        ],
        [{"name": "a", "model": {"provider": "openai"}}, {"name": "b", "x": 1}],
    ),
    "a broken entry is the last of a document that is not closed": (
        'agent a {\n  model foo "x"\nagent b { x: 1 }\n',
        [
            "AS051 1:9-1:10 -: this block is not closed; its `}` is missing | 2:16 it seems to end here",
            "AS055 2:9-2:12 model: `:` is missing after `model`",
        ],
        [{"name": "a", "model": "foo", "x": BROKEN}, {"name": "b", "x": 1}],
    ),
    "the file ends too early": (
        "agent a {\n  model {\n    provider:",
        [
            "AS051 1:9-1:10 -: this block is not closed; its `}` is missing",
            "AS051 2:9-2:10 model: this block is not closed; its `}` is missing",
        ],
        [{"name": "a", "model": {"provider": BROKEN}}],
    ),
    "a closing brace too many at the top": (
        "agent a { }\n}\nagent b { }\n",
        ["AS052 2:1-2:2 -: this `}` closes nothing"],
        [{"name": "a"}, {"name": "b"}],
    ),
    "a name is missing": (
        "agent { x: 1 }\n",
        ["AS056 1:7-1:8 -: a name is missing after `agent`"],
        [{"name": BROKEN, "x": 1}],
    ),
    "two documents of one name": (
        'agent a { }\npreset a { }\nscenario "a" { }\n',
        ["AS019 2:8-2:9 preset: two documents of this file are named `a` | rename one of them | 1:7 the first one"],
        [{"name": "a"}, {"preset": "a"}, {"scenario": "a"}],
    ),
    "a name of several words": (
        "agent my own agent { x: 1 }\n",
        ["AS050 1:10-1:13 -: expected `{` or `extends`, found `own`"],
        [{"name": "my", "x": 1}],
    ),
    "a head without its block": (
        "agent a\nagent b { }\n",
        ["AS050 1:8-1:8 -: expected `{` or `extends`, found the end of the line"],
        [BROKEN, {"name": "b"}],
    ),
    "a title without quotes": (
        "scenario x for y { }\nagent b { }\n",
        ["AS054 1:10-1:11 scenario: `x` needs quotes here"],
        [{"scenario": "x", "for": "y"}, {"name": "b"}],
    ),
    "a version without quotes": (
        "library x 1.2.0 { }\n",
        ["AS054 1:11-1:16 version: `1.2.0` is not a word or a number; it needs quotes"],
        [{"library": "x", "version": "1.2.0"}],
    ),
    "text between documents": (
        "agent a { }\n\nmodel {\n  provider: x\n}\nagent b { }\n",
        ["AS060 3:1-3:6 -: expected `agent`, `preset`, `library` or `scenario`, found `model`"],
        [{"name": "a"}, {"name": "b"}],
    ),
    "YAML under a wrong name": (
        "name: x\nmodel:\n  provider: openai\n",
        [
            "AS060 1:1-1:5 -: expected `agent`, `preset`, `library` or `scenario`, found `name` | a spec in YAML is named `*.yaml`"
        ],
        [],
    ),
    "JSON under a wrong name": (
        '{"name": "x"}\n',
        [
            "AS060 1:1-1:2 -: expected `agent`, `preset`, `library` or `scenario`, found `{` | a spec in JSON is named `*.json`"
        ],
        [],
    ),
    "nothing": ("", ["AS018 1:1-1:1 -: the file is empty | `agentspec init` writes a first spec"], []),
    "only comments": (
        "# a\n\n# b\n",
        ["AS018 1:1-1:1 -: the file is empty | `agentspec init` writes a first spec"],
        [],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_broken_file(case):
    text, expected, meaning = FILES[case]

    findings, roots, _ = read(text)

    assert findings == expected
    assert roots == meaning


def test_characters_that_nobody_sees_are_shown():
    parsed = parse(Source("x.agent", 'agent a { "b\u2066c": d "e": "f\u202eg" h: "i\u200dj" }'))

    assert [(one.code, one.severity, one.span.first.column) for one in parsed.diagnostics] == [
        ("AS020", "error", 13),
        ("AS021", "warning", 27),
    ]


def test_a_document_with_a_broken_part_says_so_and_its_neighbour_does_not():
    _, _, [first, second] = read("agent a { x: ] }\nagent b { x: 1 }\n")

    assert (first.has_broken, second.has_broken) == (True, False)


def test_more_empty_keys_than_anybody_mends_are_not_all_told():
    findings, [root], _ = read("agent a { x: [" + '{ "": 1 },' * 60 + "] }")

    assert len(findings) == 50
    assert root == {"name": "a", "x": [{"": 1}] * 60}


def test_after_fifty_errors_the_rest_is_left_alone():
    text = "agent a { x: 1 }\nagent b {\n" + "  k v\n" * 200 + "}\nagent c { }\n"

    findings, roots, [_, second] = read(text)

    assert len(findings) == 50
    assert roots == [{"name": "a", "x": 1}, BROKEN]
    assert second.has_broken


# Fixes and layout.


def test_what_the_fixes_give_reads_without_a_finding():
    text = textwrap.dedent("""\
        agent x {
          description "Audits"
          model { provider: openai;  stream: true }
          execution {
            loop_control { when a > 3 -> stop incomplete }
            require_successful_tools: [a [b, c]
          }
          // why
          capability {
            tool f(n: number m: ./x -> number = args.n
            toolkit files.read { root: ./src  exclude: [*.py, 'a "b"'] }
          }
          context { system: You audit, twice
          }
          text: "C:\\dir" )
        }
        """)
    assert len(parse(Source("x.agent", text)).diagnostics) == 12

    mended = fixed(fixed(fixed(text)))

    findings, [root], _ = read(mended)
    assert findings == []
    assert root == {
        "name": "x",
        "description": "Audits",
        "model": {"provider": "openai", "stream": True},
        "execution": {
            "loop_control": [{"when": "a > 3", "stop": "incomplete"}],
            "require_successful_tools": ["a", ["b", "c"]],
        },
        "capability": {
            "tools": {
                "f": {"parameters": {"n": "number", "m": {"enum": ["./x"]}}, "returns": "number", "expr": "args.n"}
            },
            "toolkits": [{"files.read": {"root": "./src", "exclude": ["*.py", 'a "b"']}}],
        },
        "context": {"system": "You audit, twice"},
        "text": "C:\\dir",
    }


@pytest.mark.parametrize(
    "text",
    [
        "agent x {\na {\nb: 1\nc {\nd: 2\n}\n}\n}",
        "agent x\n{\n  a\n  {\n    b: 1\n  }\n}",
        "      agent x {\n  a {\n b: 1 c {\n d: 2\n    }\n  }\n      }",
        "agent x { a { b: 1\nc { d: 2 } } }",
        'agent x {\n  a: """\n    b: """\n}',
        "agent x {\n  a: [\n1,\n2\n]\n}",
    ],
)
def test_no_layout_is_wrong_while_the_brackets_add_up(text):
    assert parse(Source("x.agent", text)).diagnostics == []


def test_one_error_in_a_text_without_indents_stays_one_error():
    findings, [root], _ = read('agent x {\na {\nb: "1\nc {\nd: 2\n}\n}\n}')

    assert findings == ['AS053 3:4-3:6 a.b: this string is not closed; its closing `"` is missing']
    assert root == {"name": "x", "a": {"b": BROKEN, "c": {"d": 2}}}


LISTS = """\
agent a {
  model {
    routes: [
      { provider: x
        when = attempt > 1
      },
      { provider: y  label: "z" },
    ]
  }
  capability {
    tool f(a: string) -> string = args.a
    mcp gh { command: [npx, gh] }
  }
}
"""


@pytest.mark.parametrize("sign", "()[]{}")
def test_whatever_bracket_is_wrong_every_message_names_what_it_means(sign):
    wrong = (LISTS[:at] + sign + LISTS[at + 1 :] for at, old in enumerate(LISTS) if old in "()[]{}" and old != sign)

    told = [one.message for text in wrong for one in parse(Source("x.agent", text)).diagnostics]

    assert [message for message in told if "``" in message or "` `" in message] == []
    assert len(told) > 10


@pytest.mark.parametrize(
    "text",
    [
        "inputs { when: string?  where: (string)[]  expr: string | number }",
        "x { when: completion.vetoed  where: a-b  expr: -1  that: [a, b]  rank { a: 1 } }",
        'x { when: "a == b"  expr: """\n  a + b\n  """  rank: 3\n until: true }',
        "capability { tool f(when: string?, expr: integer[]) = args.expr\n }",
    ],
)
def test_what_a_key_of_expressions_can_hold_is_no_expression_without_quotes(text):
    assert parse(Source("x.agent", f"agent a {{ {text} }}")).diagnostics == []


@pytest.mark.parametrize("expression", ['a.b == "a\\b"', "f(a,\n  'b') > 1", "!(a)"])
def test_an_expression_is_mended_by_its_quotes(expression):
    text = f"agent a {{ x: [{{ when: {expression}, drop: true }}] }}"

    (found,) = parse(Source("x.agent", text)).diagnostics

    (edit,) = found.fix.edits
    mended = parse(Source("x.agent", text[: edit.span.start] + edit.text + text[edit.span.end :]))
    assert mended.diagnostics == []
    assert plain(mended.documents[0].root)["x"] == [{"when": expression, "drop": True}]
