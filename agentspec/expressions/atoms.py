"""atoms: the smallest parts of an expression: texts, numbers, names, calls, and what stands in brackets."""

from __future__ import annotations

from collections.abc import Callable

from agentspec.expressions.foreign import OPERATORS, PHRASES
from agentspec.expressions.nodes import Call, Group, Items, Literal, Name, Node, Pairs
from agentspec.expressions.problem import problem
from agentspec.expressions.reader import CLOSERS, Reader
from agentspec.expressions.tokens import Token, bad_escape, text_of

OR_RAW = "write `\\\\` for a backslash, or `r` before the quote"
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


class Atoms:
    """Reads the atoms of an expression; what stands within brackets is read by `expression`."""

    def __init__(self, reader: Reader, expression: Callable[[], Node]) -> None:
        self.reader = reader
        self.expression = expression

    def primary(self) -> Node:
        token = self.reader.now
        match token.kind:
            case "text" | "raw":
                return self.string()
            case "integer" | "unsigned" | "number":
                return self.number()
            case "word":
                return self.word()
            case "op":
                return self.bracketed()
        raise self.reader.missing(token)

    def string(self) -> Node:
        token = self.reader.take()
        bad = bad_escape(token) if token.kind == "text" else None
        if bad is None:
            kind = "bytes" if token.text[0] in "bB" or token.text[:2] in ("rb", "Rb", "rB", "RB") else "string"
            return Literal(token.start, token.end, kind, text_of(token))
        escape = self.reader.text[slice(*bad)]
        found = problem("AS301", bad, f"`{escape}` is no escape", OR_RAW)
        edit = (token.start, token.start, "r")
        if token.text[0] in "bB" or "\\" + token.text[0] in token.text:
            raise self.reader.fail(bad, found.message, found.help)
        self.reader.mend(found, "write `r` before the quote", edit)
        return Literal(token.start, token.end, "string", token.text[1:-1])

    def number(self) -> Node:
        token = self.reader.take()
        following = self.reader.now
        if following.kind in ("word", "number") and following.start == token.end:
            raise self.reader.fail(
                (token.start, following.end), f"`{token.text}{following.text}` is neither number nor name"
            )
        if token.kind == "number":
            return Literal(token.start, token.end, "number", float(token.text))
        digits = token.text.rstrip("uU")
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
        return Literal(token.start, token.end, token.kind, value)

    def word(self) -> Node:
        token = self.reader.take()
        if token.text in LITERALS:
            return Literal(token.start, token.end, *LITERALS[token.text])
        if token.text == "in" or (token.text in OPERATORS and self.starts_operand()):
            self.reader.at -= 1
            raise self.reader.missing(token)
        if token.text in RESERVED:
            way_out = PHRASES.get(token.text, "give it another name")
            raise self.reader.fail((token.start, token.end), f"`{token.text}` is a reserved word", way_out)
        if self.reader.now.kind in ("text", "raw") and self.reader.now.start == token.end:
            way_out = "join texts with `+`"
            raise self.reader.fail((token.start, token.end), f"there are no `{token.text}` texts", way_out, "AS314")
        if self.reader.sees("("):
            bracket = self.reader.now.start
            args, end = self.arguments()
            return Call(None, token.text, args, (token.start, bracket, end))
        return Name(token.start, token.end, token.text)

    def starts_operand(self) -> bool:
        return self.reader.now.kind in ("text", "raw", "integer", "unsigned", "number", "word")

    def bracketed(self) -> Node:
        token = self.reader.now
        match token.text:
            case "(":
                return self.group()
            case "[":
                self.reader.take()
                items = self.items("]")
                return Items(token.start, self.close(token), items)
            case "{":
                return self.pairs()
            case ".":
                self.reader.take()
                if self.reader.now.kind != "word":
                    raise self.reader.fail((token.start, token.end), "a name is missing after this `.`")
                return self.word()
            case "$" if self.reader.next.kind == "word":
                self.reader.take()
                self.reader.slip("AS314", token, "a name is written without `$`", "", "remove `$`")
                return self.word()
        raise self.reader.missing(token)

    def group(self) -> Node:
        bracket = self.reader.take()
        if self.reader.sees(")"):
            raise self.reader.fail((bracket.start, self.reader.now.end), "there is nothing in these brackets")
        inner = self.expression()
        if not self.reader.sees(","):
            return Group(bracket.start, self.close(bracket), inner)
        self.reader.take()
        items = [inner, *self.items(")")]
        end = self.close(bracket)
        found = problem("AS314", (bracket.start, end), "a list is written with `[ ]`")
        self.reader.mend(found, "write `[ ]`", (bracket.start, bracket.end, "["), (end - 1, end, "]"))
        return Items(bracket.start, end, items)

    def items(self, closer: str) -> list[Node]:
        items: list[Node] = []
        while not self.reader.sees(closer):
            if self.reader.sees("?"):
                self.reader.take()
            items.append(self.expression())
            if not self.reader.sees(","):
                break
            self.reader.take()
        return items

    def pairs(self) -> Node:
        bracket = self.reader.take()
        pairs: list[tuple[Node, Node]] = []
        while not self.reader.sees("}"):
            if self.reader.sees("?"):
                self.reader.take()
            key = self.expression()
            if not self.reader.sees(":"):
                raise self.reader.fail(
                    (key.start, key.end), "this key has no `: value`", 'a mapping is written `{"key": value}`'
                )
            self.reader.take()
            pairs.append((key, self.expression()))
            if not self.reader.sees(","):
                break
            self.reader.take()
        return Pairs(bracket.start, self.close(bracket), pairs)

    def arguments(self) -> tuple[list[Node], int]:
        bracket = self.reader.take()
        args: list[Node] = []
        while not self.reader.sees(")"):
            args.append(self.expression())
            if not self.reader.sees(","):
                break
            comma = self.reader.take()
            if self.reader.sees(")"):
                raise self.reader.fail((comma.start, comma.end), "a value is missing after this `,`")
        return args, self.close(bracket)

    def close(self, bracket: Token) -> int:
        """Take the closing bracket and return where it ends."""
        closer = CLOSERS[bracket.text]
        if self.reader.sees(closer):
            return self.reader.take().end
        token = self.reader.now
        if token.kind == "end":
            raise self.reader.fail(
                (bracket.start, bracket.end), f"this `{bracket.text}` is never closed", f"add `{closer}`"
            )
        if token.text in CLOSERS.values():
            raise self.reader.fail(
                (token.start, token.end), f"`{token.text}` does not close `{bracket.text}`", f"write `{closer}`"
            )
        raise self.reader.unexpected(token)
