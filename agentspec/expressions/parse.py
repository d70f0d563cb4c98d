"""parse: the tree of an expression with true places, and its mistakes of spelling in our words.

CEL decides what is valid. This parser follows its grammar, and reads on where the spelling of another language leaves
no doubt (`and`, `===`), so that the rest of the expression is checked too; `edits` turn the text into CEL.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import NamedTuple

from agentspec.expressions.atoms import LITERALS, Atoms
from agentspec.expressions.foreign import METHODS, OPERATORS
from agentspec.expressions.functions import MACROS
from agentspec.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Group,
    Index,
    Literal,
    Logic,
    Name,
    Node,
    Select,
    Unary,
    bare,
)
from agentspec.expressions.problem import Edit, Problem, problem
from agentspec.expressions.reader import PRECEDENCE, TOO_DEEP, Reader, Stop
from agentspec.expressions.tokens import Token

# CEL's own limit is a depth of 32; a little more is read, so that CEL is the one to refuse.
MOST_NESTED = 40
MOST_CHAINED = 80


class ParsedExpression(NamedTuple):
    """`root` is None after a syntax error; `fragments` are the names and calls that were read before it."""

    root: Node | None
    problems: list[Problem]
    edits: list[Edit]
    fragments: list[Node]


class _Operator(NamedTuple):
    op: str
    precedence: int
    tokens: tuple[Token, ...]
    negated: bool = False


def parse(text: str) -> ParsedExpression:
    """Read an expression. Never raises."""
    parser = _Parser(text)
    root: Node | None = None
    with contextlib.suppress(Stop):
        root = parser.whole()
    parser.reader.problems.sort(key=lambda found: found.start)
    return ParsedExpression(root, parser.reader.problems, parser.reader.edits, parser.fragments)


class _Parser:
    """The grammar of CEL, from the loosest operator to the tightest."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reader = Reader(text)
        self.atoms = Atoms(self.reader, self.expression)
        self.fragments: list[Node] = []
        self.depth = 0

    def whole(self) -> Node:
        if self.reader.now.kind == "end":
            raise self.reader.fail((0, len(self.text)), "the expression is empty", code="AS316")
        self.unwrap()
        root = self.expression()
        if self.reader.now.kind != "end":
            raise self.reader.unexpected(self.reader.now)
        return root

    def unwrap(self) -> None:
        """`${x}` and `{{ x }}` around a whole expression: an expression is written bare."""
        last = self.reader.tokens[-2]
        first, second = self.reader.now, self.reader.next
        opened = first.end == second.start and (first.text, second.text) in (("$", "{"), ("{", "{"))
        doubled = first.text == "{"
        before = self.reader.tokens[-3] if len(self.reader.tokens) > 4 else first
        closed = last.text == "}" and (not doubled or before.text == "}")
        if not opened or not closed:
            return
        self.reader.tokens = [*self.reader.tokens[2 : -3 if doubled else -2], self.reader.tokens[-1]]
        if self.reader.now.kind == "end":
            raise self.reader.fail((0, len(self.text)), "the expression is empty", code="AS316")
        wrapper = "{{ }}" if doubled else "${ }"
        found = problem("AS314", (first.start, second.end), f"an expression is written bare, without `{wrapper}`")
        ending = (before.start if doubled else last.start, last.end, "")
        self.reader.mend(found, f"remove `{wrapper}`", (first.start, second.end, ""), ending)

    def expression(self) -> Node:
        return self.deeper(self.conditional)

    def conditional(self) -> Node:
        condition = self.binary(1)
        return self.choice(condition) if self.reader.sees("?") else condition

    def choice(self, condition: Node) -> Node:
        question = self.reader.take()
        yes = self.expression()
        if isinstance(yes, Choice):
            found = problem("AS301", (yes.start, yes.end), "a choice within a choice needs brackets")
            self.reader.mend(found, "add `( )`", (yes.start, yes.start, "("), (yes.end, yes.end, ")"))
        if not self.reader.sees(":"):
            way_out = "write `condition ? value : other`"
            raise self.reader.fail((question.start, question.end), "this `?` has no `:`", way_out)
        self.reader.take()
        return Choice(condition, yes, self.expression(), question.start)

    def binary(self, lowest: int) -> Node:
        left = self.unary()
        levels = 0
        while levels <= MOST_CHAINED:
            operator = self.operator()
            if operator is None or operator.precedence < lowest:
                return left
            levels += operator.precedence > PRECEDENCE["&&"]  # a row of `&&` is one level
            left = self.operation(left, operator)
        raise self.reader.fail((0, len(self.text)), "the expression is nested too deeply", TOO_DEEP, "AS312")

    def operation(self, left: Node, operator: _Operator) -> Node:
        token = operator.tokens[0]
        self.reader.at += len(operator.tokens)
        if token.text in OPERATORS and not operator.negated:
            self.foreign(operator)
        right = self.binary(operator.precedence + 1)
        if operator.op in ("&&", "||"):
            if isinstance(left, Logic) and left.op == operator.op:
                return Logic(operator.op, [*left.operands, right], [*left.anchors, token.start])
            return Logic(operator.op, [left, right], [token.start])
        found = Binary(operator.op, left, right, token.start)
        return self.not_in(found, operator.tokens) if operator.negated else found

    def operator(self) -> _Operator | None:
        token, following = self.reader.now, self.reader.next
        if token.kind not in ("op", "word"):
            return None
        if token.text == "not" and following.text == "in":
            return _Operator("in", 3, (token, following), negated=True)
        if token.text == "is" and following.text == "not":
            return _Operator("!=", 3, (token, following))
        op, _ = OPERATORS.get(token.text, (token.text, None))
        return _Operator(op, PRECEDENCE[op], (token,)) if op in PRECEDENCE else None

    def foreign(self, operator: _Operator) -> None:
        first, last = operator.tokens[0], operator.tokens[-1]
        text = self.text[first.start : last.end]
        span = (first.start, last.end)
        found = problem("AS314", span, f"`{text}` is written `{operator.op}` here")
        spaced = "" if first.start == 0 or not self.text[first.start - 1].isalnum() else " "
        self.reader.mend(found, f"write `{operator.op}`", (*span, spaced + operator.op))
        self.reader.problems[-1] = self.reader.problems[-1]._replace(fix_class=OPERATORS[first.text][1])

    def not_in(self, found: Binary, words: tuple[Token, ...]) -> Node:
        start, end = words[0].start, words[1].end
        wrong = problem("AS314", (start, end), "`a not in b` is written `!(a in b)` here")
        edits = ((found.start, found.start, "!("), (start, end, "in"), (found.end, found.end, ")"))
        self.reader.mend(wrong, "write `!(a in b)`", *edits)
        found.anchor = start
        return Unary(found.start, "!", 1, found)

    def unary(self) -> Node:
        token = self.reader.now
        if token.kind == "word" and token.text == "not" and self.reader.next.text not in (".", "["):
            return self.python_not()
        if token.kind == "op" and token.text == "+":
            self.reader.take()
            self.reader.slip("AS314", token, "a number has no `+` before it", "", "remove `+`")
            return self.deeper(self.unary)
        if token.kind != "op" or token.text not in ("!", "-"):
            return self.member()
        count = 0
        while self.reader.sees(token.text):
            self.reader.take()
            count += 1
        if not self.reader.sees("!", "-"):
            return Unary(token.start, token.text, count, self.member())
        is_number = self.reader.sees("-") and self.reader.next.kind in ("integer", "number")
        operand = self.deeper(self.unary)
        if is_number:  # the sign of a literal is part of it
            return Unary(token.start, token.text, count, operand)
        found = problem(
            "AS301", (operand.start, operand.start + 1), f"`{token.text}` before another sign needs brackets"
        )
        self.reader.mend(found, "add `( )`", (operand.start, operand.start, "("), (operand.end, operand.end, ")"))
        return Unary(token.start, token.text, count, operand)

    def deeper(self, read: Callable[[], Node]) -> Node:
        """Read one level further down; what is nested deeper than CEL reads is refused here."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.reader.fail((0, len(self.text)), "the expression is nested too deeply", TOO_DEEP, "AS312")
        node = read()
        self.depth -= 1
        return node

    def python_not(self) -> Node:
        token = self.reader.take()
        operand = self.deeper(lambda: self.binary(3))
        found = problem("AS314", (token.start, token.end), "`not` is written `!` here")
        if isinstance(bare(operand), Binary) and not isinstance(operand, Group):
            self.reader.mend(found, "write `!( )`", (token.start, operand.start, "!("), (operand.end, operand.end, ")"))
        else:
            self.reader.mend(found, "write `!`", (token.start, operand.start, "!"))
        return Unary(token.start, "!", 1, operand)

    def member(self) -> Node:
        node = self.atoms.primary()
        for _ in range(MOST_CHAINED):
            if self.reader.sees("."):
                node = self.selection(node)
            elif self.reader.sees("["):
                node = self.index(node)
            elif self.reader.now.kind == "number" and self.reader.now.text.startswith("."):
                node = self.numbered(node)
            elif self.reader.sees("{") and isinstance(node, Name | Select):
                way_out = 'a mapping is written `{"key": value}`'
                raise self.reader.fail(
                    (node.start, self.reader.now.end), "a record cannot be made in an expression", way_out
                )
            else:
                self.fragments.append(node)
                return node
        raise self.reader.fail((node.start, node.end), "the expression is nested too deeply", TOO_DEEP, "AS312")

    def selection(self, target: Node) -> Node:
        dot = self.reader.take()
        optional = self.reader.sees("?")
        if optional:
            self.reader.take()
        token = self.reader.now
        if token.kind == "quoted":
            self.reader.take()
            return Select(target, token.text[1:-1], (dot.start, token.start, token.end), optional=optional)
        if token.kind != "word":
            self.fragments.append(target)
            raise self.reader.fail((dot.start, dot.end), "a name is missing after this `.`")
        if token.text in LITERALS or token.text == "in":
            way_out = "give the field another name"
            raise self.reader.fail((token.start, token.end), f"`{token.text}` cannot follow a dot", way_out)
        self.reader.take()
        if self.reader.sees("("):
            bracket = self.reader.now.start
            args, end = self.atoms.arguments()
            name = self.macro(token, args)
            return Call(target, name, args, (token.start, bracket, end))
        return Select(target, token.text, (dot.start, token.start, token.end), optional=optional)

    def macro(self, token: Token, args: list[Node]) -> str:
        """`any(x, …)` of another language brings in a name, so it is read as what it means."""
        here = METHODS.get(token.text, "")
        if here not in MACROS or len(args) != 2 or not isinstance(args[0], Name):
            return token.text
        found = problem("AS304", (token.start, token.end), f"unknown function `{token.text}`", f"write `.{here}(…)`")
        self.reader.mend(found, f"write `{here}`", (token.start, token.end, here))
        return here

    def numbered(self, target: Node) -> Node:
        token = self.reader.take()
        number = token.text[1:]
        if not number.isdigit():
            raise self.reader.unexpected(token)
        self.reader.slip("AS314", token, "an element is taken with `[ ]`", f"[{number}]", f"write `[{number}]`")
        element = Literal(token.start, token.end, "integer", int(number))
        return Index(target, element, token.start, token.end)

    def index(self, target: Node) -> Node:
        bracket = self.reader.take()
        if self.reader.sees("?"):
            self.reader.take()
        if self.reader.sees(":"):
            raise self.slice(bracket)
        inner = self.expression()
        if self.reader.sees(":"):
            raise self.slice(bracket)
        return Index(target, inner, bracket.start, self.atoms.close(bracket))

    def slice(self, bracket: Token) -> Stop:
        way_out = "write `text.substring(start, end)` or `items.slice(start, end)`"
        return self.reader.fail((bracket.start, self.reader.now.end), "there are no slices", way_out, "AS314")
