"""parse: the tree of an expression with true places, and its mistakes of spelling in our words.

CEL decides what is valid. This parser follows its grammar, and reads on where the spelling of another language leaves
no doubt (`and`, `===`), so that the rest of the expression is checked too; `edits` turn the text into CEL.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from agentspec.expressions.foreign import METHODS, OPERATORS, PHRASES
from agentspec.expressions.functions import MACROS
from agentspec.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Group,
    Index,
    Items,
    Literal,
    Logic,
    Name,
    Node,
    Pairs,
    Select,
    Unary,
    bare,
)
from agentspec.expressions.problem import Edit, Problem, problem
from agentspec.expressions.reader import CLOSERS, PRECEDENCE, TOO_DEEP, Reader, Stop
from agentspec.expressions.tokens import Token, bad_escape, text_of

OR_RAW = "write `\\\\` for a backslash, or `r` before the quote"


# CEL's own limit is a depth of 32; a little more is read, so that CEL is the one to refuse.
MOST_NESTED = 40
MOST_CHAINED = 80

LITERALS: dict[str, tuple[str, object]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    "null": ("null", None),
}
RESERVED = frozenset(
    (
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    )
)


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
    parser.problems.sort(key=lambda found: found.start)
    return ParsedExpression(root, parser.problems, parser.edits, parser.fragments)


class _Parser(Reader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.fragments: list[Node] = []
        self.depth = 0

    def whole(self) -> Node:
        if self.now.kind == "end":
            raise self.fail((0, len(self.text)), "the expression is empty", code="AS316")
        self.unwrap()
        root = self.expression()
        if self.now.kind != "end":
            raise self.unexpected(self.now)
        return root

    def unwrap(self) -> None:
        """`${x}` and `{{ x }}` around a whole expression: an expression is written bare."""
        last = self.tokens[-2]
        first, second = self.now, self.next
        opened = first.end == second.start and (first.text, second.text) in (("$", "{"), ("{", "{"))
        doubled = first.text == "{"
        before = self.tokens[-3] if len(self.tokens) > 4 else first
        closed = last.text == "}" and (not doubled or before.text == "}")
        if not opened or not closed:
            return
        self.tokens = [*self.tokens[2 : -3 if doubled else -2], self.tokens[-1]]
        if self.now.kind == "end":
            raise self.fail((0, len(self.text)), "the expression is empty", code="AS316")
        wrapper = "{{ }}" if doubled else "${ }"
        found = problem("AS314", (first.start, second.end), f"an expression is written bare, without `{wrapper}`")
        ending = (before.start if doubled else last.start, last.end, "")
        self.mend(found, f"remove `{wrapper}`", (first.start, second.end, ""), ending)

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.fail((0, len(self.text)), "the expression is nested too deeply", TOO_DEEP, "AS312")
        condition = self.binary(1)
        if self.sees("?"):
            condition = self.choice(condition)
        self.depth -= 1
        return condition

    def choice(self, condition: Node) -> Node:
        question = self.take()
        yes = self.expression()
        if isinstance(yes, Choice):
            found = problem("AS301", (yes.start, yes.end), "a choice within a choice needs brackets")
            self.mend(found, "add `( )`", (yes.start, yes.start, "("), (yes.end, yes.end, ")"))
        if not self.sees(":"):
            way_out = "write `condition ? value : other`"
            raise self.fail((question.start, question.end), "this `?` has no `:`", way_out)
        self.take()
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
        raise self.fail((0, len(self.text)), "the expression is nested too deeply", TOO_DEEP, "AS312")

    def operation(self, left: Node, operator: _Operator) -> Node:
        token = operator.tokens[0]
        self.at += len(operator.tokens)
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
        token, following = self.now, self.next
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
        self.mend(found, f"write `{operator.op}`", (*span, spaced + operator.op))
        self.problems[-1] = self.problems[-1]._replace(fix_class=OPERATORS[first.text][1])

    def not_in(self, found: Binary, words: tuple[Token, ...]) -> Node:
        start, end = words[0].start, words[1].end
        wrong = problem("AS314", (start, end), "`a not in b` is written `!(a in b)` here")
        edits = ((found.start, found.start, "!("), (start, end, "in"), (found.end, found.end, ")"))
        self.mend(wrong, "write `!(a in b)`", *edits)
        found.anchor = start
        return Unary(found.start, "!", 1, found)

    def unary(self) -> Node:
        token = self.now
        if token.kind == "word" and token.text == "not" and self.next.text not in (".", "["):
            return self.python_not()
        if token.kind == "op" and token.text == "+":
            self.take()
            self.slip("AS314", token, "a number has no `+` before it", "", "remove `+`")
            return self.unary()
        if token.kind != "op" or token.text not in ("!", "-"):
            return self.member()
        count = 0
        while self.sees(token.text):
            self.take()
            count += 1
        operand = self.member() if not self.sees("!", "-") else self.mixed()
        return Unary(token.start, token.text, count, operand)

    def mixed(self) -> Node:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.fail((0, len(self.text)), "the expression is nested too deeply", TOO_DEEP, "AS312")
        operand = self.unary()
        self.depth -= 1
        return operand

    def python_not(self) -> Node:
        token = self.take()
        operand = self.binary(3)
        found = problem("AS314", (token.start, token.end), "`not` is written `!` here")
        if isinstance(bare(operand), Binary) and not isinstance(operand, Group):
            self.mend(found, "write `!( )`", (token.start, operand.start, "!("), (operand.end, operand.end, ")"))
        else:
            self.mend(found, "write `!`", (token.start, operand.start, "!"))
        return Unary(token.start, "!", 1, operand)

    def member(self) -> Node:
        node = self.primary()
        for _ in range(MOST_CHAINED):
            if self.sees("."):
                node = self.selection(node)
            elif self.sees("["):
                node = self.index(node)
            elif self.now.kind == "number" and self.now.text.startswith("."):
                node = self.numbered(node)
            elif self.sees("{") and isinstance(node, Name | Select):
                way_out = 'a mapping is written `{"key": value}`'
                raise self.fail((node.start, self.now.end), "a record cannot be made in an expression", way_out)
            else:
                self.fragments.append(node)
                return node
        raise self.fail((node.start, node.end), "the expression is nested too deeply", TOO_DEEP, "AS312")

    def selection(self, target: Node) -> Node:
        dot = self.take()
        optional = self.sees("?")
        if optional:
            self.take()
        token = self.now
        if token.kind == "quoted":
            self.take()
            return Select(target, token.text[1:-1], (dot.start, token.start, token.end), optional=optional)
        if token.kind != "word":
            self.fragments.append(target)
            raise self.fail((dot.start, dot.end), "a name is missing after this `.`")
        if token.text in LITERALS or token.text == "in":
            way_out = "give the field another name"
            raise self.fail((token.start, token.end), f"`{token.text}` cannot follow a dot", way_out)
        self.take()
        if self.sees("("):
            bracket = self.now.start
            args, end = self.arguments()
            name = self.macro(token, args)
            return Call(target, name, args, (token.start, bracket, end))
        return Select(target, token.text, (dot.start, token.start, token.end), optional=optional)

    def macro(self, token: Token, args: list[Node]) -> str:
        """`any(x, …)` of another language brings in a name, so it is read as what it means."""
        here = METHODS.get(token.text, "")
        if here not in MACROS or len(args) != 2 or not isinstance(args[0], Name):
            return token.text
        found = problem("AS304", (token.start, token.end), f"unknown function `{token.text}`", f"write `.{here}(…)`")
        self.mend(found, f"write `{here}`", (token.start, token.end, here))
        return here

    def numbered(self, target: Node) -> Node:
        token = self.take()
        number = token.text[1:]
        if not number.isdigit():
            raise self.unexpected(token)
        self.slip("AS314", token, "an element is taken with `[ ]`", f"[{number}]", f"write `[{number}]`")
        element = Literal(token.start, token.end, "integer", int(number))
        return Index(target, element, token.start, token.end)

    def index(self, target: Node) -> Node:
        bracket = self.take()
        if self.sees("?"):
            self.take()
        if self.sees(":"):
            raise self.slice(bracket)
        inner = self.expression()
        if self.sees(":"):
            raise self.slice(bracket)
        return Index(target, inner, bracket.start, self.close(bracket))

    def slice(self, bracket: Token) -> Stop:
        way_out = "write `text.substring(start, end)` or `list.slice(items, start, end)`"
        return self.fail((bracket.start, self.now.end), "there are no slices", way_out, "AS314")

    def arguments(self) -> tuple[list[Node], int]:
        bracket = self.take()
        args: list[Node] = []
        while not self.sees(")"):
            args.append(self.expression())
            if not self.sees(","):
                break
            comma = self.take()
            if self.sees(")"):
                raise self.fail((comma.start, comma.end), "a value is missing after this `,`")
        return args, self.close(bracket)

    def close(self, bracket: Token) -> int:
        """Take the closing bracket and return where it ends."""
        closer = CLOSERS[bracket.text]
        if self.sees(closer):
            return self.take().end
        token = self.now
        if token.kind == "end":
            raise self.fail((bracket.start, bracket.end), f"this `{bracket.text}` is never closed", f"add `{closer}`")
        if token.text in CLOSERS.values():
            raise self.fail(
                (token.start, token.end), f"`{token.text}` does not close `{bracket.text}`", f"write `{closer}`"
            )
        raise self.unexpected(token)

    def primary(self) -> Node:
        token = self.now
        match token.kind:
            case "text" | "raw":
                return self.string()
            case "integer" | "unsigned" | "number":
                return self.number()
            case "word":
                return self.word()
            case "op":
                return self.bracketed()
        raise self.missing(token)

    def string(self) -> Node:
        token = self.take()
        bad = bad_escape(token) if token.kind == "text" else None
        if bad is None:
            kind = "bytes" if token.text[0] in "bB" or token.text[:2] in ("rb", "Rb", "rB", "RB") else "string"
            return Literal(token.start, token.end, kind, text_of(token))
        escape = self.text[slice(*bad)]
        found = problem("AS301", bad, f"`{escape}` is no escape", OR_RAW)
        edit = (token.start, token.start, "r")
        if token.text[0] in "bB" or "\\" + token.text[0] in token.text:
            raise self.fail(bad, found.message, found.help)
        self.mend(found, "write `r` before the quote", edit)
        return Literal(token.start, token.end, "string", token.text[1:-1])

    def number(self) -> Node:
        token = self.take()
        following = self.now
        if following.kind in ("word", "number") and following.start == token.end:
            raise self.fail((token.start, following.end), f"`{token.text}{following.text}` is neither number nor name")
        if token.kind == "number":
            return Literal(token.start, token.end, "number", float(token.text))
        digits = token.text.rstrip("uU")
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
        return Literal(token.start, token.end, token.kind, value)

    def word(self) -> Node:
        token = self.take()
        if token.text in LITERALS:
            return Literal(token.start, token.end, *LITERALS[token.text])
        if token.text == "in" or (token.text in OPERATORS and self.starts_operand()):
            self.at -= 1
            raise self.missing(token)
        if token.text in RESERVED:
            way_out = PHRASES.get(token.text, "give it another name")
            raise self.fail((token.start, token.end), f"`{token.text}` is a reserved word", way_out)
        if self.now.kind in ("text", "raw") and self.now.start == token.end:
            way_out = "join texts with `+`"
            raise self.fail((token.start, token.end), f"there are no `{token.text}` texts", way_out, "AS314")
        if self.sees("("):
            bracket = self.now.start
            args, end = self.arguments()
            return Call(None, token.text, args, (token.start, bracket, end))
        return Name(token.start, token.end, token.text)

    def starts_operand(self) -> bool:
        return self.now.kind in ("text", "raw", "integer", "unsigned", "number", "word")

    def bracketed(self) -> Node:
        token = self.now
        match token.text:
            case "(":
                return self.group()
            case "[":
                self.take()
                items = self.items("]")
                return Items(token.start, self.close(token), items)
            case "{":
                return self.pairs()
            case ".":
                self.take()
                if self.now.kind != "word":
                    raise self.fail((token.start, token.end), "a name is missing after this `.`")
                return self.word()
            case "$" if self.next.kind == "word":
                self.take()
                self.slip("AS314", token, "a name is written without `$`", "", "remove `$`")
                return self.word()
        raise self.missing(token)

    def group(self) -> Node:
        bracket = self.take()
        if self.sees(")"):
            raise self.fail((bracket.start, self.now.end), "there is nothing in these brackets")
        inner = self.expression()
        if not self.sees(","):
            return Group(bracket.start, self.close(bracket), inner)
        self.take()
        items = [inner, *self.items(")")]
        end = self.close(bracket)
        found = problem("AS314", (bracket.start, end), "a list is written with `[ ]`")
        self.mend(found, "write `[ ]`", (bracket.start, bracket.end, "["), (end - 1, end, "]"))
        return Items(bracket.start, end, items)

    def items(self, closer: str) -> list[Node]:
        items: list[Node] = []
        while not self.sees(closer):
            if self.sees("?"):
                self.take()
            items.append(self.expression())
            if not self.sees(","):
                break
            self.take()
        return items

    def pairs(self) -> Node:
        bracket = self.take()
        pairs: list[tuple[Node, Node]] = []
        while not self.sees("}"):
            if self.sees("?"):
                self.take()
            key = self.expression()
            if not self.sees(":"):
                raise self.fail(
                    (key.start, key.end), "this key has no `: value`", 'a mapping is written `{"key": value}`'
                )
            self.take()
            pairs.append((key, self.expression()))
            if not self.sees(","):
                break
            self.take()
        return Pairs(bracket.start, self.close(bracket), pairs)
