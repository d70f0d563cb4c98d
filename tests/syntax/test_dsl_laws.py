"""Laws of the DSL reader over generated texts: what is printed is what is read, and nothing breaks it."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.syntax.characters import FORBIDDEN
from agentspec.syntax.dsl import parse
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Operation, Scalar, Sequence, find, same, walk
from agentspec.text.source import Source, Span

NOWHERE = Span(Source("nowhere", ""), 0, 0)
WORD = re.compile(r"[^\W\d]\w*(?:[.\-]\w+)*")
QUANTITY = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[A-Za-z]+")
ODD = ["", "when", "true", "null", "tool", "a b", "30s", "-", "#", '"""', '"', "\\", "=>", "{", "}", "a: b", "// x", "é", "\u2028", "😀", "a\nb", "\r\n", "\t", "012", "-0", "{x}", "${x}", "'"]  # fmt: skip
Spelled = tuple[str, Node]  # a text, and what it means

texts = st.one_of(st.sampled_from(ODD), st.text(max_size=12), st.from_regex(r"[a-z_]{1,8}", fullmatch=True))
keys = st.one_of(
    st.from_regex(r"[a-z_]{1,6}([.\-][a-z0-9]{1,3})?", fullmatch=True), st.sampled_from([odd for odd in ODD if odd])
)


def scalar(value: bool | float | str | None) -> Scalar:
    return Scalar(value=value, span=NOWHERE)


def entry(name: str, value: Node, operation: Operation = "set", *, final: bool = False) -> Entry:
    return Entry(key=scalar(name), value=value, operation=operation, final=final)


def mapping(*entries: Entry) -> Mapping:
    return Mapping(entries=list(entries), span=NOWHERE)


def quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return written if not re.search(FORBIDDEN, written) else json.dumps(text)


@st.composite
def spelled_texts(draw: st.DrawFn) -> Spelled:
    """A string, bare where that says the same, as raw text where it may be one."""
    text = draw(texts)
    forms = [quoted(text)]
    if (WORD.fullmatch(text) and text not in ("true", "false", "null")) or QUANTITY.fullmatch(text):
        forms.append(text)
    lines = text.split("\n")
    if not re.search(rf"\r|{FORBIDDEN}", text) and all(line.strip(" \t") for line in lines[:-1]):
        quotes = '"' * max(3, 1 + max((len(run) for run in re.findall('"+', text)), default=0))
        if lines[-1] == "":
            forms.append(quotes + "\n" + "".join(f"      {line}\n" for line in lines[:-1]) + "      " + quotes)
        elif lines[-1].strip(" \t") and lines[-1][-1] != '"' and any(line[0] not in " \t" for line in lines):
            forms.append(quotes + "\n" + "\n".join("    " + line for line in lines) + quotes)
    return draw(st.sampled_from(forms)), scalar(text)


@st.composite
def spelled_scalars(draw: st.DrawFn) -> Spelled:
    value = draw(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.just(None),
        )
    )
    return json.dumps(value), scalar(value)


def spelled_lists(values: st.SearchStrategy[Spelled]) -> st.SearchStrategy[Spelled]:
    def build(drawn: tuple[list[Spelled], bool]) -> Spelled:
        items, trailing = drawn
        text = "[" + ", ".join(text for text, _ in items) + (" ,\n]" if trailing and items else "]")
        return text, Sequence(items=[found for _, found in items], span=NOWHERE)

    return st.tuples(st.lists(values, max_size=4), st.booleans()).map(build)


@st.composite
def spelled_entries(draw: st.DrawFn, values: st.SearchStrategy[Spelled], name: str) -> tuple[str, Entry]:
    written = name if WORD.fullmatch(name) and draw(st.booleans()) else quoted(name)
    kind = draw(st.sampled_from(["set", "set", "set", "block", "append", "unset", "final", "expression"]))
    if kind == "unset":
        return f"unset {written}", entry(name, scalar(None), "unset")
    if kind == "expression":
        text, value = draw(st.sampled_from(EXPRESSIONS))
        return f"{written} = {text}\n", entry(name, scalar(value))
    text, found = draw(values)
    if kind == "append":
        return f"{written} += {text}", entry(name, found, "append")
    if kind == "final":
        return f"final {written}: {text}", entry(name, found, final=True)
    if kind == "block" and text[0] == "{":
        return f"{written} {text}", entry(name, found)
    return f"{written}: {text}", entry(name, found)


EXPRESSIONS = [
    (text, text)
    for text in (
        "a",
        "a.b-1",
        "f(x, [1, 2]) ? {'k': \"v\"} : [\n  a,\n  b]",
        "x == 'a # b'",
        "r'\\' + b\"}\"",
        '"""\n"""',
    )
] + [("(a # why\n  && b)", "(a      \n  && b)")]


@st.composite
def spelled_blocks(draw: st.DrawFn, values: st.SearchStrategy[Spelled]) -> Spelled:
    names = draw(st.lists(keys, max_size=4, unique=True))
    entries = [draw(spelled_entries(values, name)) for name in names]
    between = draw(st.sampled_from([" ", "\n", ",", " , \n", "\n# é\n", " # c\r\n"]))
    return "{ " + between.join(text for text, _ in entries) + " }", mapping(*(found for _, found in entries))


@st.composite
def spelled_rules(draw: st.DrawFn, values: st.SearchStrategy[Spelled]) -> Spelled:
    written: list[str] = []
    rules: list[Node] = []
    for condition, value in draw(st.lists(st.sampled_from(EXPRESSIONS), min_size=1, max_size=3)):
        verb = draw(st.sampled_from(["stop", "extend", "accept", "tool"]))
        kind = draw(st.integers(0, 3))
        operand, found = draw(values)
        operand = '"when"' if operand == "when" else operand  # bare, it begins the next rule
        if kind == 0 or operand[0] == "{":
            written.append(f"when {condition} => {verb}")
            rules.append(mapping(entry("when", scalar(value)), entry(verb, scalar(value=True))))
        elif kind == 1:
            written.append(f"when {condition}\n=> {verb} {operand}")
            rules.append(mapping(entry("when", scalar(value)), entry(verb, found)))
        elif kind == 2:
            written.append(f'when {condition} => {verb} {operand} "why" {{ x: 1 }}')
            said = [entry("when", scalar(value)), entry(verb, found), entry("reason", scalar("why"))]
            rules.append(mapping(*said, entry("x", scalar(1))))
        else:
            written.append(f"when {condition} => {{ y: {operand} }}")
            rules.append(mapping(entry("when", scalar(value)), entry("y", found)))
    return "{\n" + "\n".join(written) + "\n}", Sequence(items=rules, span=NOWHERE)


values = st.recursive(
    spelled_texts() | spelled_scalars(),
    lambda inner: spelled_lists(inner) | spelled_blocks(inner) | spelled_rules(inner),
    max_leaves=12,
)


def check_that_it_reads(text: str, expected: Node) -> None:
    parsed = parse(Source("x.agent", f"agent x {{ k: {text} }}"))

    assert [one for one in parsed.diagnostics if one.code not in ("AS011", "AS020", "AS021")] == []
    [document] = parsed.documents
    found = find(document.root, ("k",))
    assert found is not None
    assert same(found, expected), text
    assert not document.has_broken


@given(values)
def test_what_is_printed_is_what_is_read(spelled):
    check_that_it_reads(*spelled)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(values)
def test_what_is_printed_is_what_is_read_at_length(spelled):
    check_that_it_reads(*spelled)


# Types, printed from their tree and read back.

names = st.sampled_from(["string", "integer", "number", "boolean", "object", "any"])
types = st.recursive(
    names.map(lambda name: (name, name)) | st.sampled_from([('schema "a.json"', {"schema": "a.json"})]),
    lambda inner: st.one_of(
        inner.map(lambda form: (f"({form[0]})[]", {"items": form[1]} if isinstance(form[1], dict) else f"{form[1]}[]")),
        st.lists(inner, min_size=2, max_size=3).map(
            lambda forms: (" | ".join(f"({text})" for text, _ in forms), {"any_of": [form for _, form in forms]})
        ),
        st.lists(inner, max_size=3).map(
            lambda forms: (
                "{" + ", ".join(f"f{index}: {text}" for index, (text, _) in enumerate(forms)) + "}",
                {"fields": {f"f{index}": form for index, (_, form) in enumerate(forms)}},
            )
        ),
        st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(
            lambda found: ("(" + " | ".join(f'"{name}"' for name in found) + ")", {"enum": found})
        ),
    ),
    max_leaves=6,
)


def as_node(value: object) -> Node:
    if isinstance(value, dict):
        return mapping(*(entry(name, as_node(each)) for name, each in value.items()))
    if isinstance(value, list):
        return Sequence(items=[as_node(each) for each in value], span=NOWHERE)
    assert isinstance(value, str)
    return scalar(value)


@given(types)
def test_a_type_keeps_its_form(form):
    text, expected = form
    parsed = parse(Source("x.agent", f"agent x {{ inputs {{ k: {text} }} capability {{ tool t(k: {text}) = 1 }} }}"))

    assert parsed.diagnostics == []
    root = parsed.documents[0].root
    for path in (("inputs", "k"), ("capability", "tools", "t", "parameters", "k")):
        found = find(root, path)
        assert found is not None
        assert same(found, as_node(expected))


# Whatever the text, an answer comes back, in bounds.

WHOLE = '''\
# all of it
agent x extends a, "b" {
  description: "d" # inline
  inputs { n: number = 3  s: ("a" | "b")[]? }
  model { provider: openai  timeout: 30s  retry { max_attempts: 3 } }
  execution {
    loop_control {
      when a > 3 && f(x,
        y) => stop incomplete "why" { label: z }
      when b => { provider: c }
    }
    limit = (a # c
      + 1)
    list: [1, -2.5, [x, "y"], { z: 64KiB }]
  }
  capability {
    toolkit files.read { root: "." }
    tool f(a: {b: string}, c: integer? = 2 "doc") -> string "doc" = args.a.b
    tool g() { run: [ls, "${args.x}"] }
    mcp m { url: "http://x" }
    final max: 3
    unset old
    more += [1]
  }
  context { system: """
      text
        more
      """ }
}
library l "1.2.0" { exports { presets: [p] } }
scenario "t" for x { model: [{ text: "hi" }] }
'''
TOKENS = re.findall(r'"""[\s\S]*?"""|"[^"\n]*"|\w+|\s+|.', WHOLE)
WRONG = ['"', '"""', "'", "{", "}", "[", "]", "(", ")", "=", "=>", "->", ":", ",", "when ", "tool ", "agent y {", "\n", "#", "$", ";", "//", "\\", "é", "\u00a0", "\x85"]  # fmt: skip


def mangled(chance: random.Random) -> str:
    tokens = list(TOKENS)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens[at] = chance.choice(TOKENS)
            case _:
                tokens.insert(at, chance.choice(WRONG))
    return "".join(tokens)


def check_that_it_answers(text: str) -> int:
    parsed = parse(Source("x.agent", text))

    for one in parsed.diagnostics:
        assert 0 <= one.span.start <= one.span.end <= len(text)
        assert one.message
    for document in parsed.documents:
        nodes = [found for _, found in walk(document.root)]
        assert all(0 <= found.span.start <= found.span.end <= len(text) for found in nodes)
        assert document.has_broken or not any(isinstance(found, Broken) for found in nodes)
    assert not any(document.has_broken for document in parsed.documents) or parsed.diagnostics
    return len(parsed.diagnostics)


def test_the_whole_text_reads():
    assert check_that_it_answers(WHOLE) == 0


def test_a_mangled_text_never_raises():
    for seed in range(300):
        check_that_it_answers(mangled(random.Random(seed)))


@pytest.mark.slow
def test_many_mangled_texts_never_raise():
    for seed in range(300, 20_000):
        check_that_it_answers(mangled(random.Random(seed)))


@given(st.lists(st.sampled_from([*WRONG, *TOKENS]), max_size=40).map("".join))
def test_any_heap_of_tokens_gets_an_answer(text):
    check_that_it_answers(text)
    check_that_it_answers("agent x {\n" + text)


@given(st.text(max_size=60))
def test_any_text_gets_an_answer(text):
    check_that_it_answers(text)


def test_one_wrong_token_mostly_gives_one_finding_at_its_line_or_the_next():
    near = few = wrong = 0
    for at, token in enumerate(TOKENS):
        if token.isspace() or token in ("#", "all", "of", "it", "inline", "c"):
            continue
        text = "".join(TOKENS[:at] + TOKENS[at + 1 :])
        parsed = parse(Source("x.agent", text))
        if not parsed.diagnostics:
            continue
        wrong += 1
        few += len(parsed.diagnostics) == 1
        line = Source("x", text).position(len("".join(TOKENS[:at]))).line
        near += abs(parsed.diagnostics[0].span.first.line - line) <= 1

    assert wrong > 100
    assert few / wrong >= 0.8
    assert near / wrong >= 0.9
