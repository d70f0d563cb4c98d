"""wounds: values that are good YAML and not what was written: cut by a comma, by ` #`, by a missing space.

Most are expressions. The finding offers the quotes, and the value is unknown until they stand.
"""

from __future__ import annotations

import re
from itertools import pairwise

from agentspec.syntax.findings import quoted
from agentspec.syntax.tree import Broken, Entry, Node, Scalar
from agentspec.syntax.yaml.quotes import quote_fix
from agentspec.syntax.yaml.reading import Reading
from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Span

OPENERS = frozenset("\"'([{")
DANGLING = ("==", "!=", "<=", ">=", "&&", "||")


def cut_by_comment(reading: Reading, node: Scalar) -> bool:
    """Report a plain text that ` #` cuts: what is left is open, and the comment closes it."""
    text, span = str(node.value), node.span
    rest = reading.source.text[span.end : span.end + 400].split("\n", 1)[0].rstrip("\r")
    comment = rest.lstrip(" \t")
    goes_on = comment[1:].lstrip().startswith(DANGLING)
    if not comment.startswith("#") or not (goes_on or text.endswith(DANGLING) or _closes(text, comment)):
        return False
    at = span.end + len(rest) - len(comment)
    whole = reading.span(span.start, span.end + len(rest.rstrip()))
    message = f"` #` begins a comment and cuts the value after {quoted(text[-20:])}"
    advice = "put the whole value in quotes"
    reading.report("AS014", message, reading.span(at, at + 1), help=advice, fix=quote_fix(whole))
    return True


def cut_by_commas(reading: Reading, entries: dict[str, Entry]) -> None:
    """Report values of a flow mapping that a comma cuts: `{when: min(a, b) > 3}` is `when` and a key `b) > 3`."""
    names = list(entries)
    at = 0
    while at < len(names):
        entry = entries[names[at]]
        count = _pieces(entry, [entries[name] for name in names[at + 1 :]])
        if count:
            last = entries[names[at + count]].key.span
            whole = reading.span(entry.value.span.start, last.end)
            reading.path.append(entry.name)
            message = f"a comma cuts the value {quoted(whole.text)} in pieces"
            reading.report("AS014", message, whole, help="put the whole value in quotes", fix=quote_fix(whole))
            reading.path.pop()
            entry.value = Broken(span=whole)
            reading.has_broken = True
            for name in names[at + 1 : at + 1 + count]:
                del entries[name]
        elif _is_bare(entry) and ":" in entry.name:
            _missing_space(reading, entry.key)
        at += 1 + count


def _pieces(entry: Entry, others: list[Entry]) -> int:
    """How many of the following keys are pieces of an entry's value."""
    value = entry.value
    if not isinstance(value, Scalar) or value.style != "plain" or not isinstance(value.value, str):
        return 0
    text = value.value
    if not _is_open(text):
        return 0
    for count, other in enumerate(others, 1):
        if not _is_bare(other):
            return 0
        text += ", " + other.name
        if not _is_open(text):
            return count
    return 0


def _is_bare(entry: Entry) -> bool:
    """A plain key with neither colon nor value."""
    value, key = entry.value, entry.key
    text = key.span.source.text
    return (
        isinstance(value, Scalar)
        and value.span.start == value.span.end
        and key.style == "plain"
        and not text.startswith(":", key.span.end)
    )


def _is_open(text: str) -> bool:
    """Whether a quote or a bracket of an expression is not closed; the apostrophe of `don't` is no quote."""
    if OPENERS.isdisjoint(text):
        return False
    quote = ""
    level = 0
    for before, character in pairwise(" " + text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not before.isalnum():
            quote = character
        else:
            level += (character in "([{") - (character in ")]}")
    return bool(quote) or level > 0


def _closes(text: str, comment: str) -> bool:
    return _is_open(text) and not _is_open(text + " " + comment)


def tight_colon(reading: Reading, node: Node) -> bool:
    """Report a plain text `name:value` that stands where a mapping is due: alone on its line below a key."""
    if not isinstance(node, Scalar) or node.style != "plain" or not isinstance(node.value, str):
        return False
    if re.match(r"[A-Za-z_][\w-]*:[^\s/:]", node.value) is None:
        return False
    _missing_space(reading, node)
    return True


def _missing_space(reading: Reading, node: Scalar) -> None:
    at = node.span.start + node.span.text.index(":")
    place: Span = reading.span(at, at + 1)
    fix = Fix("add a space", (Edit(reading.span(at + 1, at + 1), " "),), "local")
    reading.report("AS015", "a space is missing after `:`", place, help="add a space", fix=fix)
