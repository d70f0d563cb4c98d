"""reader: the words of an expression one after another, and what is said where the wrong one stands."""

from __future__ import annotations

from agentspec.expressions.foreign import OPERATORS, PHRASES
from agentspec.expressions.problem import Edit, Problem, problem, with_fix
from agentspec.expressions.tokens import Token, tokens

PRECEDENCE = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}
PRECEDENCE |= dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3)
TOO_DEEP = "at most 32 levels of brackets and operators; shorten it, or use a list with `in`, `exists` or `join`"
CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Stop(Exception):
    """The rest cannot be read; its problem is recorded."""


class Reader:
    """Walks over the words; a mistake that leaves no doubt is mended on the way."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.edits: list[Edit] = []
        self.at = 0
        self.tokens: list[Token] = []
        for token in tokens(text):
            if token.kind == "comment":
                self.slip("AS315", token, "a comment cannot stand in an expression", "", "remove the comment")
            else:
                self.tokens.append(token)

    def fail(self, span: tuple[int, int], message: str, way_out: str | None = None, code: str = "AS301") -> Stop:
        """Record why reading ends here; the caller raises what this returns."""
        self.problems.append(problem(code, span, message, way_out))
        return Stop()

    def slip(self, code: str, token: Token, message: str, new: str, title: str) -> None:
        """A mistake that leaves no doubt about what was meant: record it and read on."""
        edit = (token.start, token.end, new)
        self.mend(problem(code, (token.start, token.end), message), title, edit)

    def mend(self, found: Problem, title: str, *edits: Edit) -> None:
        self.problems.append(with_fix(found, title, *edits))
        self.edits += edits

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    @property
    def next(self) -> Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.now
        self.at += token.kind != "end"
        return token

    def sees(self, *texts: str) -> bool:
        return self.now.kind in ("op", "word") and self.now.text in texts

    def missing(self, token: Token) -> Stop:
        """`token` stands where a value is due."""
        span = (token.start, token.end)
        before = self.tokens[self.at - 1] if self.at else None
        match token.kind:
            case "open":
                quote = token.text.lstrip("bBrR")[0]
                return self.fail((token.start, token.start + 1), "this text is not closed", f"add `{quote}`")
            case "quoted":
                return self.fail(span, "a text is quoted with `\"` or `'`", None, "AS314")
            case "other" if token.text in "“”„‘’«»":
                return self.fail(span, f"`{token.text}` does not quote a text", "use `\"` or `'`", "AS314")
            case "op" if token.text in ("#", "@", "\\", "$", ";"):
                return self.fail(span, f"`{token.text}` cannot stand in an expression", PHRASES.get(token.text))
            case "other":
                return self.fail(span, f"`{token.text}` cannot stand in an expression")
            case "end" if before is not None:
                return self.fail((before.start, before.end), f"a value is missing after `{before.text}`")
        if token.text in CLOSERS.values():
            return self.stray(token, before)
        if token.text in PRECEDENCE or token.text in OPERATORS:
            return self.fail(span, f"a value is missing before `{token.text}`")
        return self.fail(span, f"a value is due here, not `{token.text}`", PHRASES.get(token.text))

    def stray(self, token: Token, before: Token | None) -> Stop:
        if before is None:
            return self.fail((token.start, token.end), f"nothing opens this `{token.text}`", f"remove `{token.text}`")
        return self.fail((before.start, before.end), f"a value is missing after `{before.text}`")

    def unexpected(self, token: Token) -> Stop:
        """`token` stands where an operator or the end is due."""
        span = (token.start, token.end)
        if token.kind == "open":
            return self.missing(token)
        if token.text in CLOSERS.values():
            return self.fail(span, f"nothing opens this `{token.text}`", f"remove `{token.text}`")
        if token.text in PHRASES:
            return self.fail(span, f"`{token.text}` cannot stand here", PHRASES[token.text], "AS314")
        if token.text == ",":
            return self.fail(span, "one expression is expected", "a list is written `[a, b]`")
        if token.text == ":":
            return self.fail(span, "this `:` has no `?` before it", "write `condition ? value : other`")
        if token.kind in ("other", "quoted") or token.text in ("$", "#", "@", "\\"):
            return self.missing(token)
        return self.fail(span, f"an operator is missing before `{token.text}`")
