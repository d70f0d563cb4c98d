"""expressions: conditions and templates whose names are right and whose sense is not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from agentspec.expressions.functions import by_name
from tests.mutation.defect import Change, Kind, put
from tests.mutation.sites import Expression, Sites, literals_out, names_of

NUMBER = re.compile(r"(?<=[<>=] )(\d+)(?![\w.])")
COMPARED = re.compile(r"([\w.]+)(?:\[\d\])? ([<>]=?|==|!=) (\d+)(?![\w.])")
CONDITIONS = (
    "loop_control.when",
    "verify_completion.when",
    "approval.when",
    "post_turn.when",
    "terminal.when",
    "model.routes.when",
)


def _conditions(sites: Sites) -> Iterator[Expression]:
    for expression in sites.expressions:
        if expression.place in CONDITIONS and "\n" not in expression.node.span.text:
            yield expression


def _expressions(sites: Sites) -> Iterator[Expression]:
    yield from (expression for expression in sites.expressions if not expression.is_template)


def text_beside_number(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A number compared with a text: the finding stands on the sign between them."""
    quote = {"double": "'", "string": "'", "single": '"'}
    for expression in _expressions(sites):
        raw = literals_out(expression.node)
        for found in COMPARED.finditer(raw):
            mark = quote.get(expression.node.style, '"')
            span = expression.node.span
            start, end = span.start + found.start(3), span.start + found.end(3)
            sign = span.start + found.start(2)
            text = put(sites.text, (start, end), f"{mark}three{mark}")
            yield Change(text, ("AS306",), sign, sign + len(found[2]))


def operator_without_operand(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for expression in _conditions(sites):
        raw = literals_out(expression.node)
        for found in re.finditer(r"( && | \|\| )(\S.*)", raw):
            span = expression.node.span
            closing = span.text[-1:] if expression.node.style in ("single", "double", "string") else ""
            start = span.start + found.start(1) + 1
            text = put(sites.text, (span.start + found.end(1) - 1, span.end), closing)
            yield Change(text, ("AS301",), start, start + 2)


def words_for_signs(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`and`, `or`, `not` as in Python."""
    words = {"&&": "and", "||": "or"}
    for expression in _expressions(sites):
        raw = literals_out(expression.node)
        for found in re.finditer(r"(?<= )(&&|\|\|)(?= )", raw):
            start = expression.node.span.start + found.start()
            word = words[found[0]]
            text = put(sites.text, (start, start + 2), word)
            yield Change(text, ("AS314",), start, start + len(word), word=found[0], mends=True)


def one_equals_sign(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for expression in _expressions(sites):
        raw = literals_out(expression.node)
        for found in re.finditer(r"(?<= )==(?= )", raw):
            start = expression.node.span.start + found.start()
            text = put(sites.text, (start, start + 2), "=")
            yield Change(text, ("AS314", "AS301"), start, start + 1, word="==", mends=True)


def three_equals_signs(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for expression in _expressions(sites):
        raw = literals_out(expression.node)
        for found in re.finditer(r"(?<= )==(?= )", raw):
            start = expression.node.span.start + found.start()
            text = put(sites.text, (start, start + 2), "===")
            yield Change(text, ("AS314",), start, start + 3, word="==", mends=True)


def no_condition(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A number where a condition is due; it stands for the whole of it."""
    for expression in _conditions(sites):
        node = expression.node
        quotes = 1 if node.style in ("single", "double", "string") else 0
        start, end = node.span.start + quotes, node.span.end - quotes
        if "\n" not in node.span.text and node.style != "expression":
            name = "size(tool.name)" if expression.place == "approval.when" else "iteration"
            if expression.place == "model.routes.when":
                name = "attempt"
            yield Change(put(sites.text, (start, end), name), ("AS307",), start, start + len(name))


def unclosed_parenthesis(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A call whose bracket is not closed: told at the opener, or where the text ends."""
    for expression in _expressions(sites):
        node = expression.node
        raw = literals_out(node)
        end = len(raw.rstrip().rstrip("'\"").rstrip())
        is_last = raw.count("(") == raw.count(")") == 1 and raw[end - 1 : end] == ")"
        if is_last and node.style in ("single", "double", "string") and "\n" not in raw:
            opener = node.span.start + raw.index("(")
            text = put(sites.text, (node.span.start + end - 1, node.span.start + end), "")
            yield Change(text, ("AS301",), opener, opener + 1)


def too_many_arguments(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for expression in _expressions(sites):
        is_cut = expression.node.style == "plain"  # a comma may end it
        raw = "" if is_cut else literals_out(expression.node)
        for found in re.finditer(r"(?<![\w.])([a-z]+(?:\.\w+)?)\(([\w.]+)\)", raw):
            ways = by_name().get((found[1], False), [])
            if ways and not any(function.takes(2) for function in ways):
                place = expression.node.span.start + found.end(2)
                start = expression.node.span.start + found.start(1)
                text = put(sites.text, (place, place), ", 2")
                yield Change(text, ("AS305",), start, start + len(found[1]))


def name_of_another_place(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`answer` in a rule of the loop: a name that is right elsewhere."""
    for expression in _expressions(sites):
        if expression.place != "loop_control.when":
            continue
        for name in names_of(expression):
            if not name.above and not name.is_function and not name.has_fields:
                yield Change(put(sites.text, name.span, "answer"), ("AS313",), name.span.start, name.span.start + 6)


def open_slot(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`${inputs.branch` without its bracket."""
    for expression in sites.expressions:
        if expression.is_template and expression.node.style in ("literal", "text", "plain", "double", "string"):
            raw = expression.node.span.text
            found = list(re.finditer(r"\$\{[^}]*\}", raw))
            if len(found) == 1 and "}" not in raw[found[0].end() :]:
                start = expression.node.span.start + found[0].start()
                end = expression.node.span.start + found[0].end()
                yield Change(put(sites.text, (end - 1, end), ""), ("AS330",), start, start + 2)


def slot_of_another_language(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for expression in sites.expressions:
        if expression.is_template and expression.place == "prompt" and expression.path[0] == "context":
            for found in re.finditer(r"(?<!\$)\$\{(inputs\.\w+)\}", expression.node.span.text):
                start, end = expression.node.span.start + found.start(), expression.node.span.start + found.end()
                wrong = f"{{{{ {found[1]} }}}}"
                yield Change(
                    put(sites.text, (start, end), wrong),
                    ("AS333",),
                    start,
                    start + len(wrong),
                    word=found[0],
                    mends=True,
                )


EXPRESSIONS = (
    Kind("text compared with a number", "expressions", text_beside_number),
    Kind("sign without its operand", "expressions", operator_without_operand),
    Kind("`and` for `&&`", "expressions", words_for_signs),
    Kind("one equals sign", "expressions", one_equals_sign),
    Kind("three equals signs", "expressions", three_equals_signs),
    Kind("condition that is none", "expressions", no_condition),
    Kind("bracket that is not closed in an expression", "expressions", unclosed_parenthesis),
    Kind("too many arguments", "expressions", too_many_arguments),
    Kind("name of another place", "expressions", name_of_another_place),
    Kind("slot that is not closed", "expressions", open_slot),
    Kind("slot of another language", "expressions", slot_of_another_language),
)
