"""Unreadable YAML: every broken place is named once, and what is intact stays in the tree."""

from __future__ import annotations

import pytest

from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Sequence, plain
from agentspec.syntax.yaml import parse
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source

BROKEN = "(broken)"


def found(text: str) -> list[tuple[str, str, tuple[int, int]]]:
    return [(each.code, each.message, each.span.first) for each in parse(Source("x.yaml", text)).diagnostics]


def only(text: str) -> Diagnostic:
    [finding] = parse(Source("x.yaml", text)).diagnostics
    return finding


def outline(node: Node) -> object:
    """The plain value of a tree, with what is broken in its place."""
    match node:
        case Broken():
            return BROKEN
        case Mapping():
            return {entry.name: outline(entry.value) for entry in node.entries}
        case Sequence():
            return [outline(item) for item in node.items]
        case _:
            return plain(node)


def tree(text: str) -> object:
    [document] = parse(Source("x.yaml", text)).documents
    return outline(document.root)


def fixed(text: str) -> str:
    """The text after the fixes of all of its findings."""
    edits = [edit for each in parse(Source("x.yaml", text)).diagnostics if each.fix for edit in each.fix.edits]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


NINE = """\
name: release-audit
description: "Read-only audit of a release branch
execution:
  max_iterations: 3
  loop_control:
    - when: a ? b : c
      extend: 2
      reason: completion gate vetoed
    - when: "a" == b
      stop: incomplete
	- when: c
  require_successful_tools: [read_file, [search_files, list_directory]
capability:
  tools:
    calc:
      description Deterministic arithmetic
      parameters:
        lhs: number
         rhs: number
        op: {enum: [add, sub}
      returns: number
context:
  system: |
    You audit: the "branch
  file: "C:\\Users\\new"
"""


def test_all_syntax_errors_of_a_file_come_in_one_pass() -> None:
    assert found(NINE) == [
        ("AS012", "this double quote is never closed", (2, 14)),
        ("AS013", "a second `:` in one entry; the value needs quotes", (6, 19)),
        ("AS013", "the value goes on after its end; the value needs quotes", (9, 17)),
        ("AS006", "a tab indents this line", (11, 1)),
        ("AS012", "this `[` is never closed", (12, 29)),
        ("AS001", "no key: `description Deterministic arithmetic`", (16, 7)),
        ("AS028", "`rhs` stands below `lhs`, which has a value already", (19, 10)),
        ("AS012", "`}` cannot close `[`", (20, 29)),
        ("AS025", "`\\U` is no escape", (25, 12)),
    ]


def test_the_intact_parts_stay_in_the_tree() -> None:
    assert tree(NINE) == {
        "name": "release-audit",
        "description": BROKEN,
        "execution": {
            "max_iterations": 3,
            "loop_control": [
                {"when": BROKEN, "extend": 2, "reason": "completion gate vetoed"},
                {"when": BROKEN, "stop": "incomplete"},
            ],
            "require_successful_tools": BROKEN,
        },
        "capability": {"tools": {"calc": {"parameters": {"lhs": BROKEN, "op": BROKEN}, "returns": "number"}}},
        "context": {"system": 'You audit: the "branch\n', "file": BROKEN},
    }


def test_findings_inside_a_broken_file_know_their_path() -> None:
    paths = [each.path for each in parse(Source("x.yaml", NINE)).diagnostics]

    assert paths[:3] == ["description", "execution.loop_control[0].when", "execution.loop_control[1].when"]
    assert paths[-3:] == ["capability.tools.calc.parameters.lhs", "capability.tools.calc.parameters.op", "context.file"]


def test_what_is_intact_keeps_its_places() -> None:
    text = "a: [1\nb:\n  c: 'x'\n  d: y: z\n  e: *no\n"
    [document] = parse(Source("x.yaml", text)).documents
    assert isinstance(document.root, Mapping)
    entry = document.root.entry("b")
    assert isinstance(entry, Entry)
    assert isinstance(entry.value, Mapping)

    assert entry.value.span.text == "c: 'x'\n  d: y: z\n  e: *no"
    assert [(each.key.span.text, each.value.span.text) for each in entry.value.entries] == [
        ("c", "'x'"),
        ("d", "y: z"),
        ("e", "*no"),
    ]


def test_other_findings_of_intact_parts_are_still_made() -> None:
    assert found("a: [1\nb: 1\nb: 2\nc: {x: 1, x: 2}\nd: *e\n") == [
        ("AS012", "this `[` is never closed", (1, 4)),
        ("AS005", "duplicate key `b`", (3, 1)),
        ("AS005", "duplicate key `x`", (4, 11)),
        ("AS007", "unknown alias `*e`", (5, 4)),
    ]


def test_an_anchor_in_a_broken_part_makes_its_aliases_unknown_not_wrong() -> None:
    text = "base: &b [1\nuse: *b\nmore: {<<: *b, x: 1}\n"

    assert [code for code, _, _ in found(text)] == ["AS012"]
    assert tree(text) == {"base": BROKEN, "use": BROKEN, "more": {"x": 1}}


def test_anchors_and_merges_work_across_intact_parts() -> None:
    text = "base: &b {x: 1, y: 2}\nbad: [1\n<<: *b\nx: 9\nuse:\n  <<: *b\n  bad: a: b\n"

    assert tree(text) == {
        "base": {"x": 1, "y": 2},
        "bad": BROKEN,
        "x": 9,
        "y": 2,
        "use": {"x": 1, "y": 2, "bad": BROKEN},
    }


def test_a_document_is_broken_alone() -> None:
    parsed = parse(Source("x.yaml", "name: a\n---\nname: b\nx: [1\n---\nname: c\n"))

    assert [(outline(each.root), each.has_broken) for each in parsed.documents] == [
        ({"name": "a"}, False),
        ({"name": "b", "x": BROKEN}, True),
        ({"name": "c"}, False),
    ]


def test_brackets_and_quotes_over_several_lines_are_read_beside_an_error() -> None:
    text = 'bad: a: b\nlist: [\n  1,\n  2\n]\nmap: {\n"k": 1\n}\ntext: "one\ntwo"\nlast: 1\n'

    assert tree(text) == {"bad": BROKEN, "list": [1, 2], "map": {"k": 1}, "text": "one two", "last": 1}


def test_tabs_are_named_and_the_lines_are_still_read() -> None:
    text = "a:\n\tb: 1\n\tc:\n\t\td: 2\nlist:\n  - x: 1\n\ty: 2\nz: 1\n"

    assert found(text) == [
        ("AS006", "a tab indents this line (and 2 more)", (2, 1)),
        ("AS006", "a tab indents this line", (7, 1)),
    ]
    assert tree(text) == {"a": {"b": 1, "c": {"d": 2}}, "list": [{"x": 1}, BROKEN], "z": 1}


def test_the_fix_of_tabs_writes_spaces() -> None:
    assert fixed("a:\n\tb:\n\t\tc: 1\n") == "a:\n  b:\n    c: 1\n"


def test_tabs_that_indent_nothing_are_no_error() -> None:
    assert found('a:\tb\nc: [\n\t1,\n\t2 ]\nd: "x\n\ty"\ne: |\n  \tz\n  y\n\t\n') == []


@pytest.mark.parametrize(
    ("value", "message", "offset", "repaired"),
    [
        ("a ? b : c", "a second `:` in one entry; the value needs quotes", 6, "'a ? b : c'"),
        ('"a" == b', "the value goes on after its end; the value needs quotes", 4, "'\"a\" == b'"),
        ("'a' == b  # why", "the value goes on after its end; the value needs quotes", 4, "'''a'' == b'  # why"),
        ("[a] + b", "the value goes on after its end; the value needs quotes", 4, "'[a] + b'"),
        ("!done && x", "`!` begins a tag; the value needs quotes", 0, "'!done && x'"),
        ("!(a || b)", "`!` begins a tag; the value needs quotes", 0, "'!(a || b)'"),
        ("*.md", "`*` begins an alias; the value needs quotes", 0, "'*.md'"),
        ("* 2", "`*` begins an alias; the value needs quotes", 0, "'* 2'"),
        ("&& a", "`&` begins an anchor; the value needs quotes", 0, "'&& a'"),
        ("%d items", "a text cannot begin with `%`; the value needs quotes", 0, "'%d items'"),
        ("@user", "a text cannot begin with `@`; the value needs quotes", 0, "'@user'"),
        ("`run`", "a text cannot begin with a backtick; the value needs quotes", 0, "'`run`'"),
        ("> 3", "a text cannot begin with `>`; the value needs quotes", 0, "'> 3'"),
        ("| a", "a text cannot begin with `|`; the value needs quotes", 0, "'| a'"),
        ("- a", "a list item cannot begin behind a key; the value needs quotes", 0, "'- a'"),
        ("'it's x'", "this quote ends the text too early", 3, "'it''s x'"),
        ('"say "hi" now"', "this quote ends the text too early", 5, '"say \\"hi\\" now"'),
    ],
)
def test_a_wounded_value_is_recognised_and_its_fix_reads_as_written(
    value: str, message: str, offset: int, repaired: str
) -> None:
    text = f"a: 1\nwhen: {value}\nb: 2\n"

    finding = only(text)

    assert (finding.code, finding.message, finding.span.start) == ("AS013", message, 11 + offset)
    assert fixed(text) == f"a: 1\nwhen: {repaired}\nb: 2\n"
    assert found(fixed(text)) == []
    assert tree(text) == {"a": 1, "when": BROKEN, "b": 2}


@pytest.mark.parametrize(
    ("value", "repaired"),
    [
        ("{when: a ? b : c, do: stop}", "{when: 'a ? b : c', do: stop}"),
        ('{when: "a" == b, do: stop}', "{when: '\"a\" == b', do: stop}"),
        ("[{when: x in [1, 2]}]", "[{when: 'x in [1, 2]'}]"),
        ('["a" "b"]', '["a", "b"]'),
        ('{"a": 1\n  "b": 2}', '{"a": 1,\n  "b": 2}'),
    ],
)
def test_wounds_inside_brackets_are_recognised(value: str, repaired: str) -> None:
    assert fixed(f"k: {value}\n") == f"k: {repaired}\n"
    assert found(fixed(f"k: {value}\n")) == []


@pytest.mark.parametrize(
    ("text", "code", "message", "marked"),
    [
        ("a: 'x", "AS012", "this single quote is never closed", "'"),
        ("a: {b: [1}", "AS012", "`}` cannot close `[`", "}"),
        ("a: 1]\nb: ]", "AS012", "`]` closes nothing", "]"),
        ("a: {b: 1", "AS012", "this `{` is never closed", "{"),
        ("a: 1\n  b: 2", "AS028", "`b` stands below `a`, which has a value already", "b"),
        ("a: 1\n- b", "AS028", "`-` stands below `a`, which has a value already", "-"),
        ("a:\n    b: 1\n  c: 2", "AS028", "the indentation of `c: 2` fits no line above", "c: 2"),
        ("- a\nb: 1", "AS028", "`b: 1` stands among list items and is none", "b: 1"),
        ("a: |\n      \n  x\n", "AS028", "a blank line is indented deeper than the text below it", "    "),
        ("a: |\n  x\n y\nb: 1", "AS028", "`y` is indented less than the text above it", "y"),
        ("a: |\n  x\n\ty\nb: 1", "AS006", "a tab indents this line", "\t"),
        ("a: {\n  b: 1\n  c: 2\n}", "AS001", "a comma is missing before `c`", "c"),
        ("a: 1\nb:2", "AS015", "a space is missing after `:`", ":"),
        ("- a\n-b\n- c", "AS015", "a space is missing after `-`", "-"),
        ("a: 1\n-b", "AS015", "a space is missing after `-`", "-"),
        ("a: 1\nb = 2", "AS001", "no key: `b = 2`", "b = 2"),
        ("a: 1\nfoo bar", "AS001", "no key: `foo bar`", "foo bar"),
        ("a: 1\n// foo bar", "AS001", "no key: `// foo bar`", "// foo bar"),
        ("a: 1\n: b", "AS011", "a key is missing in front of `:`", ":"),
        ('a: "\\d+"', "AS025", "`\\d` is no escape", "\\d"),
        ('a: "\\x4"', "AS025", "`\\x` is no escape", "\\x"),
        ('a: "C:\\temp\\"', "AS025", 'this `\\"` is an escaped quote and ends no text', '\\"'),
        ("a: [1,,2]", "AS001", "nothing stands in front of this comma", ","),
        ("a: {b: 1 c: 2}", "AS013", "a second `:` in one entry", ":"),
    ],
)
def test_each_mistake_has_its_own_words_and_place(text: str, code: str, message: str, marked: str) -> None:
    finding = only(text)

    assert (finding.code, finding.message, finding.span.text) == (code, message, marked)


def test_a_file_that_is_no_yaml_at_all_is_not_listed_for_ever() -> None:
    findings = found("".join(f"k{n}: a: b\n" for n in range(300)))

    assert len(findings) == 51
    assert findings[-1][:2] == ("AS001", "more than 50 places cannot be read; the rest is not listed")


def test_recovery_takes_no_time_on_long_files() -> None:
    text = (
        "".join(f"k{n}:\n  a: [1, 2]\n  b: x: y\n  c: {{d: 1}}\n" for n in range(40)) + "z:\n" + "  - a: b\n" * 20_000
    )

    parsed = parse(Source("x.yaml", text))

    assert len(parsed.diagnostics) == 40
    [document] = parsed.documents
    assert isinstance(document.root, Mapping)
    last = document.root.get("z")
    assert isinstance(last, Sequence)
    assert len(last.items) == 20_000


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("run: [cat, ${args.p}]", 'run: [cat, "${args.p}"]'),
        ("run: [cat, a/${args.p}/${args.q}, -n]", 'run: [cat, "a/${args.p}/${args.q}", -n]'),
        ("http: {url: ${f(a, b)}, method: GET}", 'http: {url: "${f(a, b)}", method: GET}'),
        ("url: {${args.p}}", 'url: "${args.p}"'),
        ("http: {url: {${args.p}}}", 'http: {url: "${args.p}"}'),
        ('run: [cat, ${a["k"]}]', "run: [cat, '${a[\"k\"]}']"),
    ],
)
def test_a_slot_without_quotes_in_brackets_is_offered_its_quotes(text, mended):
    source = Source("a.yaml", text + "\n")

    (finding,) = parse(source).diagnostics

    assert (finding.code, finding.span.text) == ("AS013", "${")
    assert finding.message == "`${` opens a mapping inside of brackets; the value needs quotes"
    (edit,) = finding.fix.edits
    written = source.text[: edit.span.start] + edit.text + source.text[edit.span.end :]
    assert (written, finding.fix.fix_class) == (mended + "\n", "local")
    assert parse(Source("a.yaml", written)).diagnostics == []


@pytest.mark.parametrize("text", ["run: [cat, ${args.p", "x: {${a}: b}"])
def test_a_slot_whose_end_is_not_certain_is_offered_no_quotes(text):
    (finding,) = parse(Source("a.yaml", text + "\n")).diagnostics

    assert (finding.code, finding.fix) == ("AS013", None)
