"""pieces: values that YAML cuts in pieces, so that they need quotes or a comma; most are expressions."""

from __future__ import annotations

import re

from agentspec.syntax.findings import quoted
from agentspec.syntax.yaml.quotes import quote_fix
from agentspec.syntax.yaml.stretch import Cause, Stretch
from agentspec.syntax.yaml.tokens import Token
from agentspec.text.diagnostic import Edit, Fix

ENDS_VALUE = frozenset(("plain", "double", "single", "close"))
BEGINS_VALUE = frozenset(("plain", "double", "single", "open", "block"))
RESERVED = frozenset("@`%,|>")
OPERATOR = r"\s*(?:[=!<>]=|&&|\|\||[-+*/%?<>(\[.]|in\b)"
ALIAS_OR_ANCHOR = r"\*[0-9A-Za-z_-]+|&[0-9A-Za-z_-]+(?:\s.*)?"
ADVICE = "put the whole value in quotes"


def look_at_pieces(stretch: Stretch) -> Cause | None:
    """The first value that falls into pieces."""
    colons: dict[int, int] = {}  # by level of brackets: the `:` of the entry that is being read
    for index, token in enumerate(stretch.tokens):
        starts_line = not token.level and stretch.starts_line(index)
        if token.kind == "dash" and not starts_line and 0 in colons:
            return _needs_quotes(stretch, index, "a list item cannot begin behind a key")
        if starts_line or token.kind in ("comma", "open", "dash"):
            colons.pop(token.level, None)
        cause = _template(stretch, index) or _empty_item(stretch, index) or _start(stretch, index)
        cause = cause or _second_colon(stretch, index, colons) or _two_values(stretch, index)
        if cause is not None:
            return cause
        if token.kind == "colon":
            colons[token.level] = index
    return None


def _template(stretch: Stretch, index: int) -> Cause | None:
    """`[cat, ${args.path}]`: in brackets the `{` of a slot opens a mapping."""
    token = stretch.tokens[index]
    before = stretch.tokens[index - 1] if index else None
    is_slot = before is not None and stretch.text.startswith("${", before.end - 1) and before.end == token.start
    if token.kind != "open" or before is None or before.kind != "plain" or not is_slot or not before.level:
        return None
    start, end = _value_start(stretch, index - 1), _value_end(stretch, index - 1)
    place = stretch.span(before.end - 1, token.end)
    message = "`${` opens a mapping inside of brackets; the value needs quotes"
    return Cause("AS013", message, place, ADVICE, _template_fix(stretch, start, end))


def _template_fix(stretch: Stretch, start: int, end: int) -> Fix | None:
    """Double quotes around a value with slots, in the place of `{…}` around it; None where its end is not certain."""
    text = stretch.text[start:end]
    is_key = stretch.text[end - 1] != "}" and ": " in text.rpartition("}")[2]
    if is_key or text.count("{") != text.count("}"):
        return None
    is_wrapped = stretch.text[start - 1] == "{" and stretch.text.startswith("}", end)  # `{${args.path}}`
    value = stretch.span(start - is_wrapped, end + is_wrapped)
    fix = quote_fix(value, text)
    if fix is None or set(text) & set('"\\'):
        return fix
    return Fix(fix.title, (Edit(value, f'"{text}"'),), "local")


def _empty_item(stretch: Stretch, index: int) -> Cause | None:
    """`[a,, b]`: a comma behind nothing."""
    token = stretch.tokens[index]
    if token.kind != "comma" or not index or stretch.tokens[index - 1].kind not in ("comma", "open"):
        return None
    place = stretch.span(token.start, token.end)
    return Cause(
        "AS001", "nothing stands in front of this comma", place, "remove it", Fix("remove it", (Edit(place, ""),))
    )


def _start(stretch: Stretch, index: int) -> Cause | None:
    """A value that begins with a sign that means something else to YAML."""
    token = stretch.tokens[index]
    sign = stretch.sign(token)
    if token.kind != "plain" or (index and stretch.tokens[index - 1].kind in ENDS_VALUE):
        return None
    before = stretch.tokens[index - 1] if index else None
    if before is not None and before.kind == "mark" and sign in "&|*" and stretch.sign(before) == "!":
        return _needs_quotes(stretch, index - 1, "`!` begins a tag")
    if sign in RESERVED:
        shown = f"`{sign}`" if sign != "`" else "a backtick"
        return _needs_quotes(stretch, index, f"a text cannot begin with {shown}")
    if sign in "*&" and re.fullmatch(ALIAS_OR_ANCHOR, stretch.text_of(token)) is None:
        meaning = "an alias" if sign == "*" else "an anchor"
        return _needs_quotes(stretch, index, f"`{sign}` begins {meaning}")
    if sign == "!" and re.fullmatch(r"!(?:<[^\s>]*>|!?[\w./:-]*)(?:\s[^&|].*)?", stretch.text_of(token)) is None:
        return _needs_quotes(stretch, index, "`!` begins a tag")
    return None


def _second_colon(stretch: Stretch, index: int, colons: dict[int, int]) -> Cause | None:
    token = stretch.tokens[index]
    if token.kind != "colon" or token.level not in colons:
        return None
    if token.level and stretch.starts_line(index - 1):
        return _missing_comma(stretch, stretch.tokens[index - 2], stretch.tokens[index - 1])
    place = stretch.span(token.start, token.end)
    start = stretch.tokens[colons[token.level] + 1].start
    value = stretch.span(start, _value_end(stretch, index))
    if token.level and "?" not in value.text:
        advice = "a comma is missing before the key, or the value needs quotes"
        return Cause("AS013", "a second `:` in one entry", place, advice)
    return Cause("AS013", "a second `:` in one entry; the value needs quotes", place, ADVICE, quote_fix(value))


def _two_values(stretch: Stretch, index: int) -> Cause | None:
    """Two values side by side: pieces of an expression, or items without a comma."""
    token = stretch.tokens[index]
    before = stretch.tokens[index - 1] if index else None
    if before is None or before.kind not in ENDS_VALUE or token.kind not in BEGINS_VALUE:
        return None
    if before.kind == token.kind == "plain":
        return None
    is_one_line = stretch.is_one_line(before.end, token.start)
    if not token.level and not is_one_line:
        return None
    rest = stretch.text[before.end : token.end]
    if token.level - (token.kind == "open") > 0 and not (is_one_line and re.match(OPERATOR, rest)):
        return _missing_comma(stretch, before, token)
    return _inner_quote(stretch, index, before, rest) or _needs_quotes(
        stretch, index, "the value goes on after its end"
    )


def _missing_comma(stretch: Stretch, before: Token, token: Token) -> Cause:
    place = stretch.span(token.start, token.end)
    comma = Fix("add a comma", (Edit(stretch.span(before.end, before.end), ","),), "local")
    return Cause("AS001", f"a comma is missing before {quoted(place.text)}", place, "add a comma", comma)


def _inner_quote(stretch: Stretch, index: int, before: Token, rest: str) -> Cause | None:
    """`'it's'` and `"say "hi""`: a quote of the same kind inside a quoted text."""
    sign = stretch.sign(before)
    value = stretch.span(before.start, _value_end(stretch, index))
    text = value.text
    if before.kind not in ("single", "double") or len(text) < 3 or text[-1] != sign or re.match(OPERATOR, rest):
        return None
    inside = text[1:-1]
    if sign == "'":
        advice = "inside single quotes a `'` is written twice"
        fix = Fix("write it twice", (Edit(value, "'" + inside.replace("''", "'").replace("'", "''") + "'"),), "local")
    else:
        advice = 'inside double quotes a `"` is written `\\"`'
        escaped = re.sub(r'(?<!\\)"', '\\\\"', inside)
        fix = Fix("escape it", (Edit(value, f'"{escaped}"'),), "local")
    place = stretch.span(before.end - 1, before.end)
    return Cause("AS013", "this quote ends the text too early", place, advice, fix)


def _needs_quotes(stretch: Stretch, index: int, why: str) -> Cause:
    token = stretch.tokens[index]
    value = stretch.span(_value_start(stretch, index), _value_end(stretch, index))
    width = 1 if token.kind in ("plain", "block", "dash", "mark") else token.end - token.start
    place = stretch.span(token.start, token.start + width)
    return Cause("AS013", f"{why}; the value needs quotes", place, ADVICE, quote_fix(value))


def _level(token: Token) -> int:
    """The brackets around a value that begins or ends with this token."""
    return token.level - (token.kind == "open")


def _value_start(stretch: Stretch, index: int) -> int:
    """Where the value begins that a token is part of."""
    level = _level(stretch.tokens[index])
    at = index
    while at > 0:
        before = stretch.tokens[at - 1]
        is_outside = _level(before) < level or (before.kind == "open" and _level(before) == level - 1)
        is_edge = before.kind in ("comma", "colon", "dash") and before.level == level
        if is_outside or is_edge or (not level and stretch.starts_line(at)):
            break
        at -= 1
    return stretch.tokens[at].start


def _value_end(stretch: Stretch, index: int) -> int:
    """Where that value ends: at the line's end, or in front of the comma or bracket that ends a piece of flow."""
    level = _level(stretch.tokens[index])
    if not level:
        return stretch.line_end(stretch.tokens[index].start)
    end = stretch.tokens[index].end
    for token in stretch.tokens[index + 1 :]:
        if token.level < level or (token.kind == "comma" and token.level == level):
            break
        end = token.end
    return end
