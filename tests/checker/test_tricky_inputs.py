"""Inputs that other readers take silently for something else, or stumble over: what is said, where, and what mends it.

Each row: the file, then each finding as its code, the text that it points at, and the text that its fix writes there.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.fixes import ALLOWED
from agentspec.checker.mend import mend_paths
from agentspec.compose.load import load
from agentspec.syntax.tree import plain, same

UNSEEN = ("AS902",)
PENDING_LOOP = "name: a\nexecution:\n  loop_control:\n    - when: {}\n      stop: x\n"
FLOW_LOOP = "name: a\nexecution:\n  loop_control: [{{when: {}, stop: x}}]\n"
BOMB = "name: a\nx-a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"x-{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)

Found = tuple[str, str, str | None]


class Row(NamedTuple):
    what: str
    text: str
    found: tuple[Found, ...] = ()
    file: str = "a.yaml"


ROWS = (
    Row(
        "a word of YAML 1.1 where true or false is due",
        "name: a\nexecution: {loop_until_done: yes}\n",
        (("AS210", "yes", "true"),),
    ),
    Row("a country that YAML 1.1 reads as false", "name: NO\ndescription: no\ncontext: {system: x}\n"),
    Row("a key that YAML 1.1 reads as true", "name: a\ninputs: {on: string}\ncontext: {system: '${inputs.on}'}\n"),
    Row("a version that is a number", "name: a\nversion: 1.10\n", (("AS209", "1.10", '"1.10.0"'),)),
    Row("a number that YAML 1.1 reads as octal", "name: a\nexecution: {max_iterations: 010}\n", (("AS017", "010", "10"),)),
    Row("an octal number of YAML 1.2", "name: a\nexecution: {max_iterations: 0o17}\n"),
    Row("a number with an exponent", "name: a\nexecution: {max_iterations: 1e3}\n", (("AS201", "1e3", "1000"),)),
    Row("a number with underscores", "name: a\nexecution: {max_iterations: 1_000}\n", (("AS201", "1_000", "1000"),)),
    Row("a number in quotes", "name: a\nexecution: {max_iterations: '12'}\n", (("AS201", "'12'", "12"),)),
    Row("a time that YAML 1.1 reads as seconds", "name: a\ndescription: 12:30:45\n"),
    Row("a time where a number is due", "name: a\nexecution: {max_iterations: 12:30:45}\n", (("AS201", "12:30:45", None),)),
    Row("a date that there is not", "name: a\ndescription: 2024-02-30\n"),
    Row("an equals sign", "name: a\ndescription: =\n"),
    Row("a mapping by its alias where text is due", "name: a\nx-t: &t {a: 1}\ndescription: *t\n", (("AS201", "*t", None),)),
    Row("an anchor that is defined twice", "name: a\nx-a: &a 1\nx-b: &a 2\n", (("AS008", "&a", None),)),
    Row("an alias within its own anchor", "name: a\nx-a: &a [*a]\n", (("AS009", "*a", None),)),
    Row("an alias that nobody defined", "name: a\nx-p: &prompt x\ntask: *promt\n", (("AS007", "*promt", "*prompt"),)),
    Row("a bomb of aliases", BOMB, (("AS004", "*", None),)),
    Row("five thousand brackets", "name: a\nx-a: " + "[" * 5000 + "\n", (("AS004", "[", None),)),
    Row("a merge key in quotes", 'name: a\nmodel:\n  "<<": {a: 1}\n', (("AS102", '"<<"', None),)),
    Row("a colon without its space", "name: a\nexecution: {max_iterations:1}\n", (("AS015", ":", " "),)),
    Row(
        "a tab within an indentation, and the rest of the file",
        "name: a\ncapability: {toolkits: [files.edit]}\nexecution:\n  require_artifacts:\n\t- y\n  max_nugdes: 1\n",
        (("AS006", "\t", "  "), ("AS102", "max_nugdes", "max_nudges")),
    ),
    Row("an expression with a comment behind it", PENDING_LOOP.format("completion.vetoed # later")),
    Row(
        "an expression that a comma cuts",
        FLOW_LOOP.format("math.least(iteration, 5) > 3"),
        (("AS014", "math.least(iteration, 5) > 3", "'math.least(iteration, 5) > 3'"),),
    ),
    Row(
        "an expression that a comment cuts",
        'name: a\ncapability:\n  approval:\n    rules:\n      - when: args.x == "a #b"\n        decision: deny\n',
        (("AS014", "#", "'args.x == \"a #b\"'"),),
    ),
    Row(
        "an expression that begins with `!`",
        PENDING_LOOP.format("!completion.vetoed"),
        (("AS010", "!completion.vetoed", "'!completion.vetoed'"),),
    ),
    Row(
        "an expression with `? :`",
        PENDING_LOOP.format("completion.vetoed ? true : false"),
        (("AS013", ":", "'completion.vetoed ? true : false'"),),
    ),
    Row(
        "an expression that begins with a quote",
        'name: a\ncapability:\n  approval:\n    rules:\n      - when: "a" == args.x\n        decision: deny\n',
        (("AS013", "=", "'\"a\" == args.x'"),),
    ),
    Row("a condition that is true", FLOW_LOOP.format("true"), (("AS527", "x", None),)),
    Row("CRLF and a byte-order mark", "\ufeffname: a\r\nexecution: {max_iteratons: 1}\r\n", (("AS102", "max_iteratons", "max_iterations"),)),
    Row(
        "a name with a sign that turns its direction",
        "name: a\ncapability:\n  tools:\n    ab\u202ecd: {description: d, run: [x]}\n",
        (("AS020", "\u202e", ""),),
    ),
    Row(
        "a key that runs into its value, where a mapping is due",
        "name: a\ncontext:\n  history:\n    - role:user\ncapability:\n  tools: {t: description:x}\n",
        (("AS015", ":", " "), ("AS015", ":", None)),
    ),
    Row("a duration without its unit", "name: a\nexecution: {tool_timeout: 90}\n", (("AS202", "90", "90s"),)),
    Row(
        "one name where a list is due",
        "name: a\nexecution: {require_successful_tools: read_file}\ncapability: {toolkits: [files.read]}\n",
        (("AS201", "read_file", "[read_file]"),),
    ),
    Row("an empty file", "", (("AS018", "", None),)),
    Row("comments alone", "# x\n", (("AS018", "", None),)),
    Row("a mark of a document alone", "---\n", (("AS018", "", None),)),
    Row("two documents of one name", "name: a\n---\nname: a\n", (("AS019", "a", None),)),
    Row("two documents", "name: a\ntask: x\n---\nname: b\ntask: x\n"),
    Row("a line end that only YAML 1.1 knows", 'name: a\ndescription: "a\x85b"\nmodel: {provder: openai}\n', (("AS102", "provder", "provider"),)),
    Row("a version directive", "%YAML 1.2\n---\nname: a\ndescription: no\n"),
    Row("the largest integer", "name: a\nmodel: {seed: 9223372036854775807}\n"),
    Row("a prompt of 200 kB", "name: a\ncontext:\n  system: |\n" + "    some words here\n" * 12_500),
    Row("a path of Windows in a prompt", "name: a\ncontext:\n  system: |\n    Look into C:\\Users\\new\\table.\n"),
    Row(
        "an ignore comment within a text",
        "name: a\ncontext:\n  system: |\n    # agentspec: ignore-file[AS102]\nmodel: {provder: openai}\n",
        (("AS102", "provder", "provider"),),
    ),
    Row(
        "a folded list",
        "name: a\ncontext:\n  system: >\n    - one\n    - two\n",
        (("AS713", ">", "|"),),
    ),
    Row("a folded text whose list is deeper", "name: a\ncontext:\n  system: >\n    Look for:\n\n      - one\n      - two\n"),
    Row(
        "six mistakes of syntax",
        'name: a\nmodel: {provider: script\nexecution:\n  max_iterations: [1\n  profile: "x\ncontext:\n  system: @x\n'
        "description: a: b\ntask: %x\n",
        (
            ("AS012", "{", None),
            ("AS012", "[", None),
            ("AS012", '"', None),
            ("AS013", "@", "'@x'"),
            ("AS013", ":", "'a: b'"),
            ("AS013", "%", "'%x'"),
        ),
    ),
    Row(
        "a word of another language as an operator",
        "agent a {\n  execution { loop_control { when iteration > and => stop y } }\n}\n",
        (("AS302", "and", None),),
        "a.agent",
    ),
    Row(
        "minus without blanks",
        'agent a {\n  capability {\n    tool t(x: number) -> number "d"\n      = args.x-1.0\n  }\n}\n',
        (),
        "a.agent",
    ),
    Row("a block that is not closed", 'agent a {\n  context { system: "abc" }\n', (("AS051", "{", None),), "a.agent"),
    Row("a string that is not closed", 'agent a {\n  context { system: "abc\n  }\n}\n', (("AS053", '"abc', None),), "a.agent"),
    Row("an attribute twice", "agent a {\n  execution { max_nudges: 1 max_nudges: 2 }\n}\n", (("AS005", "max_nudges", None),), "a.agent"),
    Row("an unknown unit", "agent a {\n  execution { tool_timeout: 3days }\n}\n", (("AS203", "3days", "3d"),), "a.agent"),
    Row("an unknown escape", 'agent a {\n  description: "\\q"\n}\n', (("AS025", "\\q", "\\\\q"),), "a.agent"),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_a_tricky_input_is_told_where_it_stands_and_nothing_else_is(tmp_path: Path, row: Row):
    path = tmp_path / row.file
    path.write_bytes(row.text.encode())

    found = [one for one in check_paths([path]).diagnostics if one.code not in UNSEEN]

    told = [(one.code, one.span.text, one.fix.edits[0].text if one.fix else None) for one in found]
    assert told == list(row.found)


@pytest.mark.parametrize("row", [row for row in ROWS if any(fix for *_, fix in row.found)], ids=lambda row: row.what)
def test_what_is_mended_checks(tmp_path: Path, row: Row):
    path = tmp_path / row.file
    path.write_bytes(row.text.encode())
    before = len([one for one in check_paths([path]).diagnostics if one.code not in UNSEEN])

    mended = mend_paths([path], ALLOWED["surface"])

    left = [one.code for one in mended.report.diagnostics if one.code not in UNSEEN]
    assert len(left) == before - mended.applied, left
    assert set(left) <= {code for code, _, _ in row.found}


def test_a_letter_of_another_alphabet_is_named(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\nmodel: {pr\u043evider: script}\nexecution: {profile: verif\u0456er, require_successful_tools: [re\u0430d_file]}\n"
        "capability: {toolkits: [files.read]}\n"
    )

    assert [(one.code, one.help) for one in check_paths([path]).diagnostics] == [
        ("AS102", "did you mean `provider`?; the letter `\u043e` is U+043E, not `o`"),
        ("AS204", "did you mean `verifier`?; the letter `\u0456` is U+0456, not `i`"),
        ("AS601", "did you mean `read_file`?; the letter `\u0430` is U+0430, not `a`"),
    ]


def test_a_value_by_its_alias_is_told_at_the_alias_with_the_place_where_it_is_written(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\nx-t: &t {a: 1}\ndescription: *t\nexecution:\n  max_nudges: &n many\n  max_iterations: *n\n"
    )

    found = check_paths([path]).diagnostics

    assert [(one.span.text, [(other.span.text, other.message) for other in one.related]) for one in found] == [
        ("*t", [("{a: 1}", "the value is written here")]),
        ("many", []),
        ("*n", [("many", "the value is written here")]),
    ]


TWINS = {
    "plain.yaml": (
        "name: a\nexecution:\n  max_iterations: 5\n  loop_control:\n    - when: iteration > 3\n      stop: late\n"
        "capability:\n  toolkits: [files.read]\n"
    ),
    "anchors.yaml": (
        "name: a\nx-loop: &loop\n  - {when: iteration > 3, stop: late}\nx-five: &five {max_iterations: 5}\n"
        "execution:\n  <<: *five\n  loop_control: *loop\ncapability:\n  toolkits: [files.read]\n"
    ),
    "quoted.yaml": (
        '{"name": "a", "capability": {"toolkits": ["files.read"]}, "execution": '
        '{"max_iterations": 5, "loop_control": [{"when": "iteration > 3", "stop": "late"}]}}\n'
    ),
    "dsl.agent": (
        "agent a {\n  execution {\n    max_iterations: 5\n    loop_control { when iteration > 3 => stop late }\n  }\n"
        "  capability { toolkit files.read }\n}\n"
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_one_spec_in_several_spellings_is_one_spec(tmp_path, name):
    for each, text in TWINS.items():
        (tmp_path / each).write_text(text)

    trees = [load(tmp_path / each).tree for each in ("plain.yaml", name)]

    values = [{key: value for key, value in plain(tree).items() if not key.startswith("x-")} for tree in trees]
    assert values[0] == values[1]
    assert check_paths([tmp_path / name]).diagnostics == []
    assert same(*[tree.get("execution") for tree in trees])


# How expressions fare as plain values: each either arrives as it was written, or is found.
FORMS = (
    "a ? b : c", "!a", "*a", "&a", '"a" == b', "'a' == b", "[1, 2].size() > 1", "{'a': 1}.size() > 0", "%a", "@a", "`a`",
    "| a", "> a", "- a", "a # b", "a: b", "a :b", "a, b", "true", "1", "no", "on", "~", "null", "1.5", "0x1F", ".5",
    "a && b", "a || b", "a == 'b: c'", 'a == "b # c"', "a in ['x', 'y']", "f(a, b)", "a.b[0]", "a - 1", "-a", "=a",
    "? a", ", a", "]", "}", "a\tb",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_an_expression_without_quotes_arrives_whole_or_is_found(tmp_path, form):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\nexecution:\n  loop_control:\n    - when: {form}\n      stop: x\n")

    report = check_paths([path])

    composed = load(path)
    rules = plain(composed.tree.get("execution"))["loop_control"]
    arrived = isinstance(rules, list) and rules and rules[0].get("when")
    is_whole = str(arrived).lower() == form or arrived == form
    assert is_whole or report.count("error"), arrived
