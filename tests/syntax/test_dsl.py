"""The DSL spelling: what a valid text means, and where each part of it stands."""

from __future__ import annotations

import sys
from subprocess import run

import pytest

from agentspec.syntax.dsl import parse
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Document, Mapping, Node, Scalar, Sequence, find, plain, walk
from agentspec.text.source import Source

PAGE = '''\
agent release-audit extends audit {
  description: "Read-only audit of a release branch"
  inputs { branch: string = "main" }

  model { provider: openai  model: "gpt-5.4-mini" }

  execution {
    iteration_budget { mode: adaptive  initial: 4  max: 12  extend_by: 2 }
    loop_control {
      when completion.vetoed => extend 2 "completion gate vetoed"
      when progress.turns_since_progressing > 3 => stop incomplete "nothing new for three turns"
    }
    require_successful_tools: [read_file, [search_files, list_directory]]
  }

  capability {
    toolkit files.read { root: "." }
    tool calc(lhs: number, rhs: number, op: "add" | "sub") -> number
      "Deterministic arithmetic"
      = args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs
  }

  context {
    system: """
      You audit the branch ${inputs.branch}. You never edit.
      """
  }
}
'''


def documents(text: str) -> list[Document]:
    parsed = parse(Source("x.agent", text))
    assert parsed.diagnostics == []
    assert parsed.spelling == "dsl"
    return parsed.documents


def body(text: str) -> dict[str, object]:
    """What an agent with this text in its braces means, without its name."""
    [document] = documents(f"agent x {{\n{text}\n}}\n")
    assert not document.has_broken
    means = plain(document.root)
    assert isinstance(means, dict)
    assert means.pop("name") == "x"
    return means


def node(text: str, *path: str | int) -> Node:
    [document] = documents(text)
    found = find(document.root, path)
    assert found is not None
    return found


def scalar(text: str, *path: str | int) -> Scalar:
    found = node(text, *path)
    assert isinstance(found, Scalar)
    return found


def mapping(text: str, *path: str | int) -> Mapping:
    found = node(text, *path)
    assert isinstance(found, Mapping)
    return found


def test_the_page_example_means_what_its_yaml_twin_means():
    [document] = documents(PAGE)

    assert plain(document.root) == {
        "name": "release-audit",
        "extends": "audit",
        "description": "Read-only audit of a release branch",
        "inputs": {"branch": {"type": "string", "default": "main"}},
        "model": {"provider": "openai", "model": "gpt-5.4-mini"},
        "execution": {
            "iteration_budget": {"mode": "adaptive", "initial": 4, "max": 12, "extend_by": 2},
            "loop_control": [
                {"when": "completion.vetoed", "extend": 2, "reason": "completion gate vetoed"},
                {
                    "when": "progress.turns_since_progressing > 3",
                    "stop": "incomplete",
                    "reason": "nothing new for three turns",
                },
            ],
            "require_successful_tools": ["read_file", ["search_files", "list_directory"]],
        },
        "capability": {
            "toolkits": [{"files.read": {"root": "."}}],
            "tools": {
                "calc": {
                    "description": "Deterministic arithmetic",
                    "parameters": {"lhs": "number", "rhs": "number", "op": {"enum": ["add", "sub"]}},
                    "returns": "number",
                    "expr": 'args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs',
                }
            },
        },
        "context": {"system": "You audit the branch ${inputs.branch}. You never edit.\n"},
    }
    assert not document.has_broken


# Heads.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agent x { }", {"name": "x"}),
        ('agent "odd name" { }', {"name": "odd name"}),
        ("agent x extends a { }", {"name": "x", "extends": "a"}),
        ('agent x extends a, "./b.yaml" { }', {"name": "x", "extends": ["a", "./b.yaml"]}),
        ("agent x { extends: [a] }", {"name": "x", "extends": ["a"]}),
        (
            "preset safe extends plat.base { execution { max_nudges: 1 } }",
            {"preset": "safe", "extends": "plat.base", "execution": {"max_nudges": 1}},
        ),
        ('library plat "1.2.0" { exports { presets: [safe] } }', {"library": "plat", "version": "1.2.0", "exports": {"presets": ["safe"]}}),
        ('library plat { version: "1.2.0" }', {"library": "plat", "version": "1.2.0"}),
        ('scenario "refuses to edit" for release-audit { task: "Fix" }', {"scenario": "refuses to edit", "for": "release-audit", "task": "Fix"}),
        ('scenario "s" { for: "a.yaml" }', {"scenario": "s", "for": "a.yaml"}),
    ],
)  # fmt: skip
def test_a_head_is_the_first_keys_of_its_document(text, expected):
    [document] = documents(text)

    assert plain(document.root) == expected
    assert list(expected) == document.root.names()


def test_a_file_holds_several_documents():
    found = documents("agent a { }\npreset b { x: 1 }\n\n# end\nagent c { }")

    assert [plain(each.root) for each in found] == [{"name": "a"}, {"preset": "b", "x": 1}, {"name": "c"}]
    assert [each.span.text for each in found] == ["agent a { }", "preset b { x: 1 }", "agent c { }"]


def test_no_word_is_reserved():
    words = "agent preset library scenario extends for inputs capability tool toolkit mcp resource skill unset final schema when true false null"
    lines = "\n".join(f"{word}: {word}" for word in words.split())

    found = body(f"x {{ {lines} }} y {{ {' '.join(f'{word} {{ }}' for word in words.split() if word != 'when')} }}")

    expected = {word: {"true": True, "false": False, "null": None}.get(word, word) for word in words.split()}
    assert found["x"] == expected
    assert found["y"] == {word: {} for word in words.split() if word != "when"}


def test_keywords_name_documents_tools_and_keys():
    assert plain(documents("agent agent extends extends { }")[0].root) == {"name": "agent", "extends": "extends"}
    assert body("capability { tool tool(for: string) = args.for\n toolkit final  unset unset  final final: 1 }") == {
        "capability": {
            "tools": {"tool": {"parameters": {"for": "string"}, "expr": "args.for"}},
            "toolkits": ["final"],
            "final": 1,
        }
    }


# Values.


@pytest.mark.parametrize(
    ("text", "value", "style"),
    [
        ("gpt-5.4-mini", "gpt-5.4-mini", "word"),
        ("_a.b", "_a.b", "word"),
        ("größe", "größe", "word"),
        ('"a b"', "a b", "string"),
        ('""', "", "string"),
        (r'"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"', '"\\/\b\f\n\r\té😀', "string"),
        ("0", 0, "number"),
        ("-7", -7, "number"),
        ("1.50", 1.5, "number"),
        ("2e3", 2000.0, "number"),
        ("-1.5E-2", -0.015, "number"),
        ("123456789012345678901234567890", 123456789012345678901234567890, "number"),
        ("30s", "30s", "quantity"),
        ("64KiB", "64KiB", "quantity"),
        ("-1.5h", "-1.5h", "quantity"),
        ("true", True, "word"),
        ("false", False, "word"),
        ("null", None, "word"),
        ("no", "no", "word"),
        ("when", "when", "word"),
    ],
)
def test_a_value_is_what_it_looks_like(text, value, style):
    found = scalar(f"agent x {{ k: {text} }}", "k")

    assert (found.value, type(found.value), found.style) == (value, type(value), style)
    assert found.span.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1 b: 2", {"a": 1, "b": 2}),
        ("a: 1, b: 2,", {"a": 1, "b": 2}),
        ("a:1\nb:{c:2}", {"a": 1, "b": {"c": 2}}),
        ("a { } b: { } c: []", {"a": {}, "b": {}, "c": []}),
        ("a: [1, [2, ], {b: 3}, { c { } },]", {"a": [1, [2], {"b": 3}, {"c": {}}]}),
        ('files.read: 1 "a key" : 2', {"files.read": 1, "a key": 2}),
        ("a +=  [1] final b: 2 final c { d: 3 } final e = f", {"a": [1], "b": 2, "c": {"d": 3}, "e": "f"}),
        ("a: 1\r\nb: 2 # c\r\n", {"a": 1, "b": 2}),
        ("a: 1\rb: 2", {"a": 1, "b": 2}),
        ("a { inputs { n: 1 } tool: x capability { tool: y } }", {"a": {"inputs": {"n": 1}, "tool": "x", "capability": {"tool": "y"}}}),
        ("inputs: { n: 1 } capability: { tool: x }", {"inputs": {"n": 1}, "capability": {"tool": "x"}}),
    ],
)  # fmt: skip
def test_entries_stand_on_lines_or_share_them(text, expected):
    assert body(text) == expected


def test_an_entry_says_what_it_does_to_the_layers_below():
    root = mapping("agent x { a += [1]  unset b  final c: 2  d: 3  final e += [4] }")

    said = {entry.name: (entry.operation, entry.final, plain(entry.value)) for entry in root.entries[1:]}

    assert said == {
        "a": ("append", False, [1]),
        "b": ("unset", False, None),
        "c": ("set", True, 2),
        "d": ("set", False, 3),
        "e": ("append", True, [4]),
    }


@pytest.mark.parametrize(
    ("text", "value", "lost"),
    [
        ('"""\n    a\n      b\n    """', "a\n  b\n", 4),
        ('"""\n    a\n    b"""', "a\nb", 4),
        ('"""\n  a\n    """', "a\n", 2),
        ('"""\n    a\n  """', "  a\n", 2),
        ('"""\n\n    a\n\n    """', "\na\n\n", 4),
        ('"""\n    a\n   \n      \n    """', "a\n\n  \n", 4),
        ('"""\n"""', "", 0),
        ('"""\n\n"""', "\n", 0),
        ('"""  \r\n    a\r\n    """', "a\n", 4),
        ('""""\n    a """ b\n    """"', 'a """ b\n', 4),
        ('"""\n    \\n ${x} $${y} # no\n    """', "\\n ${x} $${y} # no\n", 4),
        ('"""\n\ta\n\t"""', "a\n", 1),
        ('"""\na\n"""', "a\n", 0),
        ('"""  """', "", 0),
        ('"""\n\t  a\n\t b\n  """', "\t  a\n\t b\n", 0),
    ],
)
def test_raw_text_loses_the_indent_that_its_lines_have_in_common(text, value, lost):
    found = scalar(f"agent x {{\n  k: {text}\n  l: 1\n}}", "k")

    assert (found.value, found.base_indent, found.style, found.span.text) == (value, lost, "text", text)


# Expressions.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = x - 1", {"a": "x - 1"}),
        ("a = x-1 # why\nb: 2", {"a": "x-1", "b": 2}),
        ("a =   x == 'a # b'  \nb: 2", {"a": "x == 'a # b'", "b": 2}),
        ("a { b = x } c: 1", {"a": {"b": "x"}, "c": 1}),
        ("a { b = [1, 2].exists(e, e > x), c: 1 }", {"a": {"b": "[1, 2].exists(e, e > x)", "c": 1}}),
        ("a = {'b': 1}['b']\nc: 1", {"a": "{'b': 1}['b']", "c": 1}),
        ("a = f(x,\n  y)\nb: 1", {"a": "f(x,\n  y)", "b": 1}),
        ("a = f(x, # one }\n  y)", {"a": "f(x,        \n  y)"}),
        ("a = r'\\' + \"}\"\nb: 1", {"a": "r'\\' + \"}\"", "b": 1}),
        ('a = """ } \n " """ + b\nc: 1', {"a": '""" } \n " """ + b', "c": 1}),
        ('a = "x" in y ? b"z" : c', {"a": '"x" in y ? b"z" : c'}),
    ],
)
def test_an_expression_ends_with_its_line_outside_brackets(text, expected):
    assert body(text) == expected


def test_an_expression_maps_one_to_one_to_its_source():
    text = 'agent x {\n  a = f("é\\"}", # why\n    b)\n}'
    found = scalar(text, "a")

    assert found.style == "expression"
    assert isinstance(found.value, str)
    assert len(found.value) == len(found.span.text)
    assert [span_in(found, at, at + 1).text for at in range(len(found.value)) if found.value[at] != " "] == [
        character for character in found.span.text.replace("# why", "") if character != " "
    ]


# Rules.


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("when a => stop", {"when": "a", "stop": True}),
        ("when a => stop incomplete", {"when": "a", "stop": "incomplete"}),
        ('when a => stop incomplete "why"', {"when": "a", "stop": "incomplete", "reason": "why"}),
        ('when a => veto "cite"', {"when": "a", "veto": "cite"}),
        ('when a => extend 2 "more" { note: x }', {"when": "a", "extend": 2, "reason": "more", "note": "x"}),
        ("when a => claim_tool [b, c]", {"when": "a", "claim_tool": ["b", "c"]}),
        ("when a => accept { note: x }", {"when": "a", "accept": True, "note": "x"}),
        ("when a => { provider: b model: c }", {"when": "a", "provider": "b", "model": "c"}),
        ('when a == "=> }" && b["}"] => none', {"when": 'a == "=> }" && b["}"]', "none": True}),
        ("when a\n  && b\n  =>\n  stop", {"when": "a\n  && b", "stop": True}),
        ("when a # one\n  && b => stop", {"when": "a      \n  && b", "stop": True}),
        ("when a >= 1 ? b : c => stop", {"when": "a >= 1 ? b : c", "stop": True}),
        ("when ({'a': 1}.a == 1) => stop", {"when": "({'a': 1}.a == 1)", "stop": True}),
        ("when when.when => stop", {"when": "when.when", "stop": True}),
    ],
)
def test_a_rule_is_a_mapping_that_begins_with_its_condition(text, rule):
    assert body(f"r {{ {text} }}") == {"r": [rule]}


def test_a_block_of_rules_is_a_list_and_keys_named_when_are_keys():
    assert body("r { when a => stop\n when b => none, when c => extend 1 }") == {
        "r": [{"when": "a", "stop": True}, {"when": "b", "none": True}, {"when": "c", "extend": 1}]
    }
    assert body("r { when: a b: when } s { when = x == 1 } t { when { } } u { b: 1 unset when }") == {
        "r": {"when": "a", "b": "when"},
        "s": {"when": "x == 1"},
        "t": {"when": {}},
        "u": {"b": 1},
    }


# Types.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("number", "number"),
        ("string?", "string?"),
        ("string[]", "string[]"),
        ("string[][]?", "string[][]?"),
        ("string?[]", "string?[]"),
        ('"a"', {"enum": ["a"]}),
        ('"a" | "b"', {"enum": ["a", "b"]}),
        ('("a" | "b")[]', {"items": {"enum": ["a", "b"]}}),
        ('("a" | "b")?', {"enum": ["a", "b"], "optional": True}),
        ('("a" | "b")[]?', {"items": {"enum": ["a", "b"]}, "optional": True}),
        ('number | "a" | "b" | string[]', {"any_of": ["number", {"enum": ["a", "b"]}, "string[]"]}),
        ('("a" | "b") | "c"', {"any_of": [{"enum": ["a", "b"]}, {"enum": ["c"]}]}),
        ("(number | string)?", {"any_of": ["number", "string"], "optional": True}),
        ("{a: number, b: string?}", {"fields": {"a": "number", "b": "string?"}}),
        ("{a: {b: integer}[] }", {"fields": {"a": {"items": {"fields": {"b": "integer"}}}}}),
        ("{}", {"fields": {}}),
        ('schema "a.json"', {"schema": "a.json"}),
        ("number = 3", {"type": "number", "default": 3}),
        ('"a" | "b" = "a"', {"enum": ["a", "b"], "default": "a"}),
        ('string[] = ["a"]', {"type": "string[]", "default": ["a"]}),
        ("object = { a: 1 }", {"type": "object", "default": {"a": 1}}),
    ],
)
def test_a_type_has_a_form_in_the_document(text, expected):
    assert body(f"inputs {{ n: {text} }}") == {"inputs": {"n": expected}}
    assert body(f"capability {{ tool t(n: {text}) = 1 }}") == {
        "capability": {"tools": {"t": {"parameters": {"n": expected}, "expr": "1"}}}
    }


def test_inputs_have_types_or_their_long_form():
    assert body('inputs { a: string b { type: number, default: 2 } "c d": boolean = true, }') == {
        "inputs": {
            "a": "string",
            "b": {"type": "number", "default": 2},
            "c d": {"type": "boolean", "default": True},
        }
    }


# Capability.


def test_heads_of_one_kind_join_their_group_where_the_first_stands():
    found = body("""
      capability {
        approval { default: allow }
        tool a() = 1
        mcp gh { command: [npx, gh] }
        toolkit files.read
        tool b(n: number "how many", m: string? = "x" "which") -> string "doc" { run: [echo, "${args.m}"]  timeout: 3s }
        toolkit git { repo: "." }
        tools { c { expr = 3 } }
        tool d() { expr = 4 }
        resource orders { where = row.owner == identity.user }
        skill review { description: "d" }
      }
    """)

    assert found == {
        "capability": {
            "approval": {"default": "allow"},
            "tools": {
                "a": {"expr": "1"},
                "b": {
                    "description": "doc",
                    "parameters": {
                        "n": {"type": "number", "description": "how many"},
                        "m": {"type": "string?", "default": "x", "description": "which"},
                    },
                    "returns": "string",
                    "run": ["echo", "${args.m}"],
                    "timeout": "3s",
                },
                "c": {"expr": "3"},
                "d": {"expr": "4"},
            },
            "mcp": {"gh": {"command": ["npx", "gh"]}},
            "toolkits": ["files.read", {"git": {"repo": "."}}],
            "resources": {"orders": {"where": "row.owner == identity.user"}},
            "skills": {"review": {"description": "d"}},
        }
    }


def test_a_group_may_be_spelled_out_after_its_heads():
    assert body("capability { mcp a { b: 1 } toolkit git  toolkits: [todo] mcp { c { d: 2 } } mcp e { } }") == {
        "capability": {"mcp": {"a": {"b": 1}, "c": {"d": 2}, "e": {}}, "toolkits": ["git", "todo"]}
    }


def test_a_group_may_be_spelled_out_before_its_heads():
    assert body("capability { tools { a { expr = 1 } }  tool b() = 2\n toolkits: [git]  toolkit todo }") == {
        "capability": {"tools": {"a": {"expr": "1"}, "b": {"expr": "2"}}, "toolkits": ["git", "todo"]}
    }


# Places.


@pytest.mark.parametrize(
    ("path", "text", "first", "last"),
    [
        (("name",), "release-audit", (1, 7), (1, 20)),
        (("extends",), "audit", (1, 29), (1, 34)),
        (("description",), '"Read-only audit of a release branch"', (2, 16), (2, 53)),
        (("inputs",), '{ branch: string = "main" }', (3, 10), (3, 37)),
        (("inputs", "branch", "type"), "string", (3, 20), (3, 26)),
        (("inputs", "branch", "default"), '"main"', (3, 29), (3, 35)),
        (("execution", "iteration_budget", "max"), "12", (8, 57), (8, 59)),
        (("execution", "loop_control", 0), 'when completion.vetoed => extend 2 "completion gate vetoed"', (10, 7), (10, 66)),
        (("execution", "loop_control", 1, "when"), "progress.turns_since_progressing > 3", (11, 12), (11, 48)),
        (("execution", "loop_control", 1, "stop"), "incomplete", (11, 57), (11, 67)),
        (("execution", "require_successful_tools", 1, 0), "search_files", (13, 44), (13, 56)),
        (("capability", "toolkits", 0), 'files.read { root: "." }', (17, 13), (17, 37)),
        (("capability", "tools", "calc", "description"), '"Deterministic arithmetic"', (19, 7), (19, 33)),
        (("capability", "tools", "calc", "parameters"), '(lhs: number, rhs: number, op: "add" | "sub")', (18, 14), (18, 59)),
        (("capability", "tools", "calc", "parameters", "op", "enum", 1), '"sub"', (18, 53), (18, 58)),
        (("capability", "tools", "calc", "returns"), "number", (18, 63), (18, 69)),
        (("capability", "tools", "calc", "expr"), 'args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs', (20, 9), (20, 69)),
    ],
)  # fmt: skip
def test_a_value_knows_its_exact_place(path, text, first, last):
    found = node(PAGE, *path)

    assert (found.span.text, found.span.first, found.span.last) == (text, first, last)


def test_a_key_stands_where_it_is_spelled_and_a_sign_stands_for_its_key():
    keys = [
        (entry.name, entry.key.span.text)
        for path, found in walk(documents(PAGE)[0].root)
        if isinstance(found, Mapping)
        for entry in found.entries
    ]

    assert dict(keys) == {
        "name": "agent",
        "extends": "extends",
        "description": '"Deterministic arithmetic"',
        "inputs": "inputs",
        "branch": "branch",
        "type": "string",
        "default": '"main"',
        "model": "model",
        "provider": "provider",
        "execution": "execution",
        "iteration_budget": "iteration_budget",
        "mode": "mode",
        "initial": "initial",
        "max": "max",
        "extend_by": "extend_by",
        "loop_control": "loop_control",
        "when": "when",
        "extend": "extend",
        "reason": '"nothing new for three turns"',
        "stop": "stop",
        "require_successful_tools": "require_successful_tools",
        "capability": "capability",
        "toolkits": "toolkit",
        "files.read": "files.read",
        "root": "root",
        "tools": "tool",
        "calc": "calc",
        "parameters": "(",
        "lhs": "lhs",
        "rhs": "rhs",
        "op": "op",
        "enum": '"add" | "sub"',
        "returns": "->",
        "expr": "=",
        "context": "context",
        "system": "system",
    }


def test_columns_count_code_points():
    found = scalar('agent x { a: "é😀" b: c }', "b")

    assert (found.span.first, found.span.last) == ((1, 22), (1, 23))


def test_every_node_lies_inside_its_parent():
    def inside(outer: Node, inner: Node) -> bool:
        return outer.span.start <= inner.span.start <= inner.span.end <= outer.span.end

    for _, found in walk(documents(PAGE)[0].root):
        match found:
            case Mapping():
                assert all(inside(found, entry.value) for entry in found.entries)
            case Sequence():
                assert all(inside(found, item) for item in found.items)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        (r'"a\n\u00e9\ud83d\ude00b"', "a\né😀b", ["a", r"\n", r"\u00e9", r"\ud83d\ude00", "b"]),
        ('"""\n    a\n      b\n    """', "a\n  b\n", ["a", "\n", " ", " ", "b", "\n"]),
        ('"""\r\n    a\r\n\r\n    b"""', "a\n\nb", ["a", "\r\n", "\r\n", "b"]),
        ('""""\n  a\n    """"', "a\n", ["a", "\n"]),
    ],
)
def test_each_character_of_a_text_knows_its_source(text, value, expected):
    found = scalar(f"agent x {{ k: {text} }}", "k")

    assert found.value == value
    assert [span_in(found, at, at + 1).text for at in range(len(value))] == expected


def test_a_dsl_file_is_read_without_lark_and_without_a_pickle():
    code = (
        "import sys; from agentspec.syntax.dsl import parse; from agentspec.text.source import Source; "
        "parse(Source('x.agent', 'agent x { a = b }')); "
        "print([name for name in ('lark', 'pickle', 'pydantic', 'rich', 'jsonschema') if name in sys.modules])"
    )

    found = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout == "[]\n"
