"""remarks: comments and blank lines of a tree that is about to be written, put where both spellings have a place."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.syntax.tree import Comments, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import BLANK_LINE, Span


def comments_of(keeper: Entry | Node) -> Comments:
    """The comments of a settled entry or node, to be changed."""
    if keeper.comments is None:
        keeper.comments = Comments()
    return keeper.comments


def is_noted(node: Node) -> bool:
    """Whether anything inside a node has comments or a blank line above it."""
    match node:
        case Mapping():
            return says(node.comments) or any(says(each.comments) or is_noted(each.value) for each in node.entries)
        case Sequence():
            return says(node.comments) or any(says(each.comments) or is_noted(each) for each in node.items)
    return False


def is_bare(entry: Entry) -> bool:
    """Whether an entry is a plain `key: value` without a comment."""
    return entry.operation == "set" and not entry.final and not says(entry.comments)


def says(comments: Comments | None) -> bool:
    """Whether there is any comment, or a blank line to be written."""
    return comments is not None and bool(comments.before or comments.inline or comments.after or comments.blank)


def take(comments: Comments, before: Iterable[str], inline: str | None) -> None:
    """Add what another keeper had; of two comments beside one line the second goes above."""
    comments.before = [*before]
    if inline is not None and comments.inline is not None:
        comments.before.append(inline)
    elif inline is not None:
        comments.inline = inline


def copied(comments: Comments | None) -> Comments | None:
    """The comments again, to be changed apart from the given ones."""
    if comments is None:
        return None
    return Comments(before=[*comments.before], inline=comments.inline, after=[*comments.after])


def gaps(spans: list[Span]) -> list[bool]:
    """For each of the neighbours whether a blank line stands above it."""
    found = [False] * len(spans)
    for index in range(1, len(spans)):
        last, here = spans[index - 1], spans[index]
        end = last.start + len(last.text.rstrip())  # blank lines below a text of YAML can be counted to it
        if end < here.start:
            found[index] = BLANK_LINE.search(here.source.text, end, here.start) is not None
    return found


def lines_above(span: Span) -> int:
    """How many lines of comments stand right above a place."""
    text = span.source.text
    lines = text[: text.rfind("\n", 0, span.start) + 1].splitlines()
    count = 0
    while count < len(lines) and lines[-1 - count].lstrip().startswith("#"):
        count += 1
    return count


def set_apart(entries: list[Entry], head: tuple[str, ...]) -> int:
    """Set the long entries of a document apart by blank lines, but for its head and the next one; the head's length."""
    lead = next((index for index, entry in enumerate(entries) if entry.name not in head), len(entries))
    was_long = False
    for index, entry in enumerate(entries):
        is_long = _is_long(entry.value)
        said = entry.comments
        if index <= lead and said is not None:
            said.blank = False
        elif index > lead and (is_long or was_long or (said is not None and said.before)):
            comments_of(entry).blank = True
        was_long = is_long
    return lead


def set_groups_apart(entries: list[Entry]) -> None:
    """A blank line above each key of a capability that has comments: in the DSL, where heads stand in the place of such
    a key, blank lines say that they are of all that follow."""
    for entry in entries[1:]:
        if entry.comments is not None and entry.comments.before:
            entry.comments.blank = True


def _is_long(node: Node) -> bool:
    """Whether a value takes several lines in some spelling."""
    match node:
        case Mapping():
            return bool(node.entries)
        case Sequence():
            return is_noted(node) or any(isinstance(item, Mapping) or _is_long(item) for item in node.items)
        case Scalar(value=str(text)):
            return "\n" in text
    return False


def is_empty(node: Node) -> bool:
    """Whether a node is a mapping or list of nothing."""
    match node:
        case Mapping():
            return not node.entries
        case Sequence():
            return not node.items
    return False


def settle_item(item: Node) -> None:
    """What is said on the first line of an item that is a mapping or a list goes above it, in either spelling."""
    if not isinstance(item, Mapping | Sequence):
        return
    first = _first_of(item)
    inner = first.comments if first is not None else None
    if item.comments is None and inner is None:
        return
    own = comments_of(item)
    said = [own.inline] if own.inline is not None else []
    own.inline = None
    if inner is not None:
        said += [*inner.before, *([inner.inline] if inner.inline is not None else [])]
        inner.before, inner.inline = [], None
    if is_empty(item):
        said += own.after
        own.after = []
    own.before += said


def settle_toolkit(item: Node) -> None:
    """What is said behind the options of a toolkit goes behind the last of them: a head has no other place."""
    match item:
        case Mapping(entries=[Entry(value=Mapping() as options)], comments=Comments(after=[_, *_]) as own):
            if options.entries:
                comments_of(options).after += own.after
            else:
                own.before += own.after
            own.after = []


def _first_of(item: Mapping | Sequence) -> Entry | Node | None:
    if isinstance(item, Mapping):
        return item.entries[0] if item.entries else None
    return item.items[0] if item.items else None
