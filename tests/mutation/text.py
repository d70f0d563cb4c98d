"""text: what a hand does to a text: lost quotes, brackets and signs, tabs, indentation, signs that nobody sees."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from agentspec.syntax.tree import Mapping, Node, Scalar, Sequence
from agentspec.text.source import Span
from tests.mutation.defect import Change, Kind, at, edited, put, slip
from tests.mutation.sites import Key, Sites

HEADS = ("agent", "preset", "tool", "toolkit", "mcp", "resource", "skill", "when")  # words that begin a part of the DSL


def _own_line(sites: Sites, key: Key) -> str | None:
    """The indentation of a key that begins its line, in a block of YAML."""
    line = sites.text[sites.text.rfind("\n", 0, key.entry.key.span.start) + 1 : key.entry.key.span.start]
    return line if not line.strip() and not key.holder.flow else None


def _rest_of_line(text: str, start: int) -> str:
    found = re.compile(r"[^\r\n]*").match(text, start)
    return found[0].rstrip() if found else ""


def tab(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key in sites.keys:
        indent = _own_line(sites, key)
        if indent:
            start = key.entry.key.span.start - len(indent)
            yield Change(put(sites.text, (start, start + len(indent)), "\t"), ("AS006",), start, start + 1, mends=False)


def deeper(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A line that begins one column too far to the right, below a line that takes nothing more."""
    for key in sites.keys:
        index = next(i for i, entry in enumerate(key.holder.entries) if entry is key.entry)
        before = key.holder.entries[index - 1].value if index else None
        is_closed = (isinstance(before, Scalar) and before.style in ("double", "single")) or _is_flow(before)
        if _own_line(sites, key) is not None and len(key.path) > 1 and is_closed and before.anchor is None:  # type: ignore[union-attr]
            start = key.entry.key.span.start
            yield Change(put(sites.text, (start, start), " "), ("AS028",), start + 1, start + 1 + len(key.entry.name))


def _is_flow(node: object) -> bool:
    return isinstance(node, Mapping | Sequence) and node.flow


def shallower(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A line that begins one column too far to the left."""
    for key in sites.keys:
        index = next(i for i, entry in enumerate(key.holder.entries) if entry is key.entry)
        indent = _own_line(sites, key)
        if indent and len(indent) > 1 and index and not isinstance(key.path[-2], int):
            start = key.entry.key.span.start - 1
            text = put(sites.text, (start, start + 1), "")
            yield Change(text, ("AS028",), start, start + len(_rest_of_line(text, start)))


def _plain_lines(sites: Sites) -> Iterator[tuple[Key, Span]]:
    """Keys with `: ` and an unquoted value of one line behind them, and that value."""
    for key in sites.keys:
        end, value = key.entry.key.span.end, key.entry.value
        is_plain = isinstance(value, Scalar) and value.style == "plain" and value.anchor is None
        is_line = is_plain and "\n" not in value.span.text and value.span.start == end + 2
        if is_line and sites.text[end : end + 2] == ": " and key.entry.operation == "set":
            yield key, value.span


def no_space(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`key:value`."""
    for _, value in _plain_lines(sites):
        colon = value.start - 2
        yield Change(put(sites.text, (colon + 1, colon + 2), ""), ("AS015",), colon, colon + 1, mends=True)


def no_colon(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`key value` on a line of its own."""
    for key, value in _plain_lines(sites):
        if _own_line(sites, key) is not None:
            beside = [entry for entry in key.holder.entries if entry.merged == key.entry.merged]
            is_alone = len(beside) == 1 and key.holder.entries[0].merged == key.holder.entries[-1].merged
            codes = ("AS201", "AS204", "AS106") if is_alone else ("AS001",)
            if is_alone and (key.holder.anchor is not None or key.entry.merged is not None):
                continue  # a text for a mapping: that is told where the text is used
            text = put(sites.text, (value.start - 2, value.start - 1), "")
            yield Change(text, codes, key.entry.key.span.start, value.end - 1)


def no_closing_quote(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value in sites.values:
        if value.node.style in ("double", "single", "string") and "\n" not in value.node.span.text:
            span = value.node.span
            rest = _rest_of_line(sites.text, span.end)
            text = put(sites.text, (span.end - 1, span.end), "")
            if span.text[0] not in rest and sites.parsed.spelling == "dsl":
                yield Change(text, ("AS053",), span.start, span.end - 1 + len(rest))
            elif span.text[0] not in rest:
                yield Change(text, ("AS012",), span.start, span.start + 1)


def _flow(node: Node) -> Iterator[Mapping | Sequence]:
    match node:
        case Mapping():
            if node.flow and node.anchor is None:
                yield node
            for entry in node.entries:
                if entry.merged is None:
                    yield from _flow(entry.value)
        case Sequence():
            if node.flow and node.anchor is None:
                yield node
            for item in node.items:
                yield from _flow(item)


def _brackets(sites: Sites) -> Iterator[Span]:
    for document in sites.parsed.documents:
        for node in _flow(document.root):
            span = node.span
            if span.text[:1] in "{[" and span.text[-1:] in "]}" and len(span.text) > 2:
                yield span


def no_closing_bracket(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """Told at the opener."""
    for span in _brackets(sites):
        is_last = sites.text[span.end : span.end + 1] in ("\n", "\r", "")
        if sites.parsed.spelling == "yaml" and is_last:
            yield Change(put(sites.text, (span.end - 1, span.end), ""), ("AS012",), span.start, span.start + 1)
        elif sites.parsed.spelling == "dsl" and span.text[0] == "[" and is_last and "\n" not in span.text:
            gap = len(sites.text[: span.end - 1].rstrip(" "))
            yield Change(put(sites.text, (span.end - 1, span.end), ""), ("AS055",), gap, gap, word="]", mends=True)


def no_closing_brace(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A block of the DSL that is not closed: told at its opener."""
    for key in sites.keys:
        value = key.entry.value
        span = value.span
        is_block = isinstance(value, Mapping) and span.text[:1] == "{" and re.search(r"\n *\}$", span.text)
        if is_block:
            yield Change(put(sites.text, (span.end - 1, span.end), ""), ("AS051",), span.start, span.start + 1)


def one_bracket_more(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A closing brace that closes nothing."""
    for key in sites.keys:
        span = key.entry.value.span
        if isinstance(key.entry.value, Sequence) and span.text[-1:] == "]":
            yield Change(put(sites.text, (span.end, span.end), "]"), ("AS052",), span.end, span.end + 1)


def dsl_no_colon(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key in sites.keys:
        end = key.entry.key.span.end
        value = key.entry.value
        is_last = sites.text[value.span.end :][:1] == "\n"
        if sites.text[end : end + 2] == ": " and isinstance(value, Scalar) and is_last and key.path[-1] not in HEADS:
            start = value.span.start - 1
            yield Change(
                put(sites.text, (end, end + 1), ""), ("AS055",), start, start + len(value.span.text), mends=True
            )


def dsl_no_value(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`key:` and then the next key: told at the colon, where the value is missing."""
    for key in sites.keys:
        end = key.entry.key.span.end
        value = key.entry.value
        if sites.text[end : end + 2] == ": " and isinstance(value, Scalar) and sites.text[value.span.end :][:1] == "\n":
            yield Change(put(sites.text, (end + 1, value.span.end), ""), ("AS056",), end + 1, end + 1)


def dsl_no_quotes(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """Text of several words without quotes: told on all of it, with the quotes."""
    for key in sites.keys:
        value = key.entry.value
        is_line = isinstance(value, Scalar) and value.style == "string" and sites.text[value.span.end :][:1] == "\n"
        if (
            is_line
            and re.fullmatch(r'"[A-Za-z]+(?: [a-z]+)+"', value.span.text)
            and sites.text[key.entry.key.span.end] == ":"
        ):
            words = value.span.text[1:-1]
            yield at(sites.text, value.span, words, "AS054", word=words, mends=True)


def misspelt_alias(sites: Sites, chance: random.Random) -> Iterator[Change]:
    anchors = re.findall(r"&(\w+)", sites.text)
    for found in re.finditer(r"(?<![\w'\"*])\*(\w+)", sites.text):
        if found[1] in anchors and len(found[1]) > 3:
            wrong = slip(found[1], 1, chance)
            text = put(sites.text, found.span(1), wrong)
            yield Change(
                text, ("AS007",), found.start(), found.start() + 1 + len(wrong), word=f"*{found[1]}", mends=True
            )


def lost_anchor(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The anchor is gone: told at the alias."""
    for found in re.finditer(r"&(\w+) ?", sites.text):
        uses = [use.span() for use in re.finditer(rf"\*{found[1]}\b", sites.text)]
        if len(uses) == 1:
            text, moved = edited(sites.text, (found.start(), found.end(), ""))
            yield Change(text, ("AS007",), moved(uses[0][0]), moved(uses[0][1]))


def tag(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value in sites.values:
        if (
            value.node.style == "plain"
            and value.node.span.text[:1] != "!"
            and "!" not in sites.text[value.node.span.start - 8 : value.node.span.start]
        ):
            start = value.node.span.start
            yield Change(put(sites.text, (start, start), "!text "), ("AS010",), start, start + 5)


def unseen_sign(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A zero-width space within a key."""
    for key in sites.keys:
        start = key.entry.key.span.start + 2
        yield Change(put(sites.text, (start, start), "\u200b"), ("AS020",), start, start + 1, mends=True)


def control_sign(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value in sites.values:
        if value.node.style in ("double", "string", "single") and len(value.node.span.text) > 3:
            start = value.node.span.start + 2
            yield Change(put(sites.text, (start, start), "\x07"), ("AS003",), start, start + 1)


def turned_text(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value in sites.values:
        if value.node.style in ("double", "string", "literal", "text") and value.path[-1] in (
            "system",
            "description",
            "task",
        ):
            place = re.search(r"[a-z] [a-z]", value.node.span.text)
            if place:
                start = value.node.span.start + place.start() + 1
                yield Change(put(sites.text, (start, start), "\u202e"), ("AS021",), start, start + 1)


def unknown_escape(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value in sites.values:
        if (
            value.node.style in ("double", "string")
            and len(value.node.span.text) > 3
            and "$" not in value.node.span.text
        ):
            start = value.node.span.start + 1
            yield Change(put(sites.text, (start, start), "\\q"), ("AS025",), start, start + 2)


def foreign_comment(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key in sites.keys:
        line = sites.text[sites.text.rfind("\n", 0, key.entry.key.span.start) + 1 : key.entry.key.span.start]
        if not line.strip() and key.path[-1] != "when":
            start = key.entry.key.span.start
            yield Change(put(sites.text, (start, start), f"// why\n{line}"), ("AS059",), start, start + 2)


def unquoted_condition(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """An expression with `? … : …` that lost its quotes in YAML: told at what YAML stumbles over."""
    for value in sites.values:
        text = value.node.span.text
        if value.node.style == "single" and " ? " in text and " : " in text and "''" not in text and "\n" not in text:
            start = value.node.span.start
            colon = start + text.index(" : ")
            yield Change(put(sites.text, value.node.span, text[1:-1]), ("AS013",), colon, colon + 1)


YAML_AND_DSL = (
    Kind("quote that is not closed", "text", no_closing_quote),
    Kind("bracket that is not closed", "text", no_closing_bracket),
    Kind("sign that nobody sees", "text", unseen_sign),
    Kind("control sign", "text", control_sign),
    Kind("text that turns its direction", "text", turned_text),
    Kind("escape that does not exist", "text", unknown_escape),
)
YAML = (
    Kind("tab", "text", tab, "yaml"),
    Kind("line too far to the right", "text", deeper, "yaml"),
    Kind("line too far to the left", "text", shallower, "yaml"),
    Kind("no space behind the colon", "text", no_space, "yaml"),
    Kind("no colon", "text", no_colon, "yaml"),
    Kind("misspelt alias", "text", misspelt_alias, "yaml"),
    Kind("anchor that is lost", "text", lost_anchor, "yaml"),
    Kind("tag", "text", tag, "yaml"),
    Kind("expression without its quotes", "text", unquoted_condition, "yaml"),
)
DSL = (
    Kind("brace that is not closed", "text", no_closing_brace, "dsl"),
    Kind("bracket that closes nothing", "text", one_bracket_more, "dsl"),
    Kind("no colon in the DSL", "text", dsl_no_colon, "dsl"),
    Kind("no value in the DSL", "text", dsl_no_value, "dsl"),
    Kind("text without its quotes", "text", dsl_no_quotes, "dsl"),
    Kind("comment of another language", "text", foreign_comment, "dsl"),
)
TEXT = (*YAML_AND_DSL, *YAML, *DSL)
