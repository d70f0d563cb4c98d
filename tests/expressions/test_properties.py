"""What must hold for any text, any value, and any misspelt name."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentspec.errors import ExpressionError
from agentspec.expressions.compile import check_expression, compile_expression
from agentspec.expressions.parse import parse
from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.problem import Problem, apply
from agentspec.expressions.scope import names_of
from agentspec.expressions.template import parse_template
from agentspec.expressions.types import Type
from tests.expressions.asking import CALC

PLACE_LIST = [place for place in PLACES.values() if not place.is_template]
WORDS = [
    *[
        "&&",
        "||",
        "!",
        "==",
        "!=",
        "<=",
        ">=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "%",
        "?",
        ":",
        ".",
        ",",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "in",
        "and",
        "or",
        "not",
        "is",
        "=",
        "===",
        "true",
        "false",
        "null",
        "has",
    ],
    *[
        "iteration",
        "turn",
        "tool_names",
        "budget",
        "completion",
        "verdict",
        "args",
        "lhs",
        "free",
        "rows",
        "x",
        "exists",
        "map",
        "size",
        "matches",
        "text",
    ],
    *['"a"', "'b'", 'r"\\d"', '"\\d"', "1", "2.0", "0", "99999999999999999999", "// c", "${", "é", "“", "`x`", '"'],
]
PIECES = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
TEXTS = st.one_of(PIECES, st.text(max_size=40), st.text("()[]{}.!-+ab1\"'\\ ", max_size=60))
PEOPLE = ("CEL", "overload", "undeclared", "container", "wrapper", "dyn(", "_==_", "_+_", "@in", "INVALID", "<input>")


def well_placed(text: str, problems: list[Problem]) -> bool:
    """Whether every span and every edit lies in the text, and the words are ours."""
    for found in problems:
        spans = [(found.start, found.end), *(edit[:2] for edit in found.edits)]
        if any(not 0 <= start <= end <= len(text) for start, end in spans):
            return False
        if any(word in found.message for word in PEOPLE if word not in text):
            return False
    return True


@given(TEXTS, st.sampled_from(PLACE_LIST))
@example("(" * 500, PLACES["tools.expr"])
@example("[" * 45 + "]" * 45, PLACES["tools.expr"])
@example("!" * 3000 + "true", PLACES["loop_control.when"])
@example("1" + "+1" * 3000, PLACES["tools.expr"])
@example("turn" + ".a" * 3000, PLACES["loop_control.when"])
@example("true" + " && true" * 900, PLACES["loop_control.when"])
@example("a[" * 30 + "b" + ".c" * 70 + "]" * 30, PLACES["loop_control.when"])
@example("iteration == 1" * 3000, PLACES["loop_control.when"])
@example("+ " * 3000 + "1", PLACES["tools.expr"])
@example("not " * 2000 + "true", PLACES["loop_control.when"])
@example("- ! " * 2000 + "true", PLACES["loop_control.when"])
@example("true ? 1 : " * 900 + "1", PLACES["tools.expr"])
@example('"\ud800"', PLACES["loop_control.when"])
@example("iteration\0", PLACES["loop_control.when"])
def test_any_text_is_checked_without_an_exception(text: str, place: Place) -> None:
    problems = check_expression(text, place, CALC)

    assert well_placed(text, problems)
    assert problems == sorted(problems, key=lambda found: found.start)


@pytest.mark.slow
@given(TEXTS, st.sampled_from(PLACE_LIST))
@settings(max_examples=20_000, deadline=None)
def test_any_text_is_checked_without_an_exception_many_times(text: str, place: Place) -> None:
    assert well_placed(text, check_expression(text, place, CALC))


@given(PIECES)
def test_what_has_no_error_compiles_and_what_compiles_has_no_error(text: str) -> None:
    place = PLACES["tools.expr"]
    has_error = any(found.severity == "error" for found in check_expression(text, place, CALC))

    try:
        compile_expression(text, place, CALC)
        compiles = True
    except ExpressionError:
        compiles = False

    assert compiles is not has_error


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)
PROGRAMS = [
    "args",
    "args.free",
    "args.anything",
    "args.lhs / args.lhs",
    "args.free.a + args.free.b",
    "args.rows.map(row, row.qty / args.n)",
    "args.tags.map(tag, args.name.matches(tag))",
    "json.encode(args.anything)",
    "list.sum(args.widths)",
    "args.anything == args.free",
    'args.name.split("").size() > args.n ? args.name : args.op',
]


@given(
    st.sampled_from(PROGRAMS),
    st.dictionaries(st.sampled_from([name for name, _ in CALC.args or ()]), JSON, max_size=6) | JSON,
)
def test_running_fails_only_with_a_sentence(text: str, args: Any) -> None:
    program = compile_expression(text, PLACES["tools.expr"], CALC)

    try:
        program.evaluate({"args": args})
        said = "nothing"
    except ExpressionError as error:
        said = str(error)

    assert said
    assert not any(word in said for word in PEOPLE)


def dotted(name: str, form: Type) -> list[str]:
    if form.kind != "record":
        return [name]
    return [path for field, inner in form.fields for path in dotted(f"{name}.{field}", inner)]


DECLARED = [
    (place, path) for place in PLACE_LIST for name, form in names_of(place).items() for path in dotted(name, form)
]


@st.composite
def misspelt(draw: st.DrawFn) -> tuple[Place, str, str, int]:
    """A declared name with one word of it changed by one edit: place, text, the right word, where the wrong one is."""
    place, path = draw(st.sampled_from(DECLARED))
    words = path.split(".")
    index = draw(st.integers(0, len(words) - 1))
    word = words[index]
    at = draw(st.integers(1, len(word) - 1)) if len(word) > 1 else 0
    kind = draw(st.sampled_from(["drop", "double", "swap", "change"]))
    wrong = {
        "drop": word[:at] + word[at + 1 :],
        "double": word[:at] + word[at] + word[at:],
        "swap": word[: at - 1] + word[at : at + 1] + word[at - 1 : at] + word[at + 1 :],
        "change": word[:at] + "z" + word[at + 1 :],
    }[kind]
    before = "1 == 2 || "
    start = len(before) + sum(len(word) + 1 for word in words[:index])
    words[index] = wrong
    return place, before + ".".join(words) + " == 'x'", wrong, start


@given(misspelt())
def test_a_misspelt_name_is_found_at_its_own_characters(case: tuple[Place, str, str, int]) -> None:
    place, text, wrong, start = case
    known = {word for _, path in DECLARED for word in path.split(".")} | {"type", "int", "string", "list", "map"}
    if wrong in known or len(wrong) < 2:
        return

    problems = [found for found in check_expression(text, place) if found.severity == "error"]

    assert [(found.code, found.start, found.end) for found in problems if found.start == start] == [
        ("AS302" if text[start - 1] == " " else "AS303", start, start + len(wrong))
    ]
    assert [found for found in problems if found.start != start and found.code in ("AS302", "AS303", "AS313")] == []


@given(misspelt())
def test_a_fix_removes_its_problem(case: tuple[Place, str, str, int]) -> None:
    place, text, _, _ = case
    for found in check_expression(text, place):
        if found.edits:
            left = check_expression(apply(text, found.edits), place)
            assert (found.code, found.message) not in {(other.code, other.message) for other in left}


@given(PIECES)
def test_what_the_parser_mends_it_reads_without_complaint(text: str) -> None:
    parsed = parse(text)
    if parsed.root is None:
        return

    again = parse(apply(text, parsed.edits))

    assert again.root is not None
    assert again.edits == []


@example("${" + "not " * 2000 + "}")
@given(st.text(max_size=60) | st.lists(st.sampled_from(["${", "}", "$", "{", "a", '"', "\n", " "])).map("".join))
def test_any_text_is_a_template_without_an_exception(text: str) -> None:
    template = parse_template(text)

    problems = template.check(PLACES["prompt"])

    assert well_placed(text, problems)
    pieces = "".join(part if isinstance(part, str) else text[part.start : part.end] for part in template.parts)
    assert pieces == text or "$${" in text


@given(st.text(max_size=200).filter(lambda text: "${" not in text))
def test_a_text_without_slots_stays_as_it_is(text: str) -> None:
    assert parse_template(text).compile(PLACES["prompt"]).render({}) == text


@given(st.text(max_size=200))
def test_what_is_put_in_is_never_looked_through_again(value: str) -> None:
    filling = parse_template("<${run.task}>").compile(PLACES["prompt"])

    assert filling.render({"run": {"task": value}}) == f"<{value}>"
