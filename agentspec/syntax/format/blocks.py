"""blocks: entries, values, lists and rules as the DSL writes them, wherever braces hold plain data."""

from __future__ import annotations

from agentspec.syntax.format import words
from agentspec.syntax.format.layout import STEP, WIDTH, after, commented, is_flat, is_small
from agentspec.syntax.format.remarks import is_bare, is_noted
from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence


def entry_lines(entry: Entry, indent: int, *, has_colon: bool = False) -> list[str]:
    """An entry with its comments. With `has_colon` its braces stand behind a `:`, so that they hold plain data."""
    head = " " * indent + ("final " if entry.final else "") + words.key(entry.name)
    if entry.operation == "unset":
        return commented([f"{' ' * indent}unset {words.key(entry.name)}"], entry, indent)
    if words.is_expression(entry):
        assert isinstance(entry.value, Scalar)
        return commented([f"{head} = {entry.value.value}"], entry, indent, inline_at=-1)
    sign = " +=" if entry.operation == "append" else ":"
    is_block = isinstance(entry.value, Mapping) or is_rules(entry.value)
    if is_block and not has_colon and entry.operation == "set":
        sign = ""
    lines = value_lines(f"{head}{sign}", entry.value, indent, takes_rules=True)
    return commented(lines, entry, indent, inline_at=-1 if _is_text(entry.value, lines) else 0)


def block_lines(head: str, inner: list[str], indent: int) -> list[str]:
    """Lines between braces."""
    return [f"{head} {{", *inner, f"{' ' * indent}}}"]


def entries_lines(mapping: Mapping, indent: int) -> list[str]:
    """All entries of a mapping, and what is said behind the last."""
    lines = [line for entry in mapping.entries for line in entry_lines(entry, indent)]
    return [*lines, *after(mapping, indent)]


def value_lines(head: str, node: Node, indent: int, *, takes_rules: bool = False) -> list[str]:
    """A value behind its head, on the same line if it can be."""
    short = flat(node)
    if (short is not None and len(head) + 1 + len(short) <= WIDTH) or _is_plain(node):
        return [f"{head} {short}"]
    match node:
        case Mapping():
            return block_lines(head, entries_lines(node, indent + STEP), indent)
        case Sequence() if takes_rules and is_rules(node):
            return block_lines(head, _rules(node, indent + STEP), indent)
        case Sequence():
            return [f"{head} [", *_items(node, indent + STEP), f"{' ' * indent}]"]
        case Scalar(value=str(text)) if (block := words.text_block(text, indent + STEP)) is not None:
            return [f"{head} {block[0]}", *block[1:]]
        case Scalar():
            return [f"{head} {words.scalar(node.value)}"]
    return [f"{head} {node.span.text}"]


def flat(node: Node, *, is_item: bool = False) -> str | None:
    """A value on one line; None for one that needs several."""
    match node:
        case Scalar(value=str(text)) if "\n" in text and words.text_block(text, 0) is not None:
            return None
        case Scalar():
            return words.scalar(node.value)
        case _ if not is_small(node):
            return None
        case Sequence(items=[Mapping(entries=[_, *_]) as only]) if not is_noted(node) and not is_rules(node):
            inner = flat(only, is_item=True)
            return f"[{inner}]" if inner is not None else None
        case Sequence() if is_flat(node) and not is_rules(node):
            return "[" + ", ".join(_short(item) for item in node.items) + "]"
        case Mapping() if _is_flat_mapping(node, is_item=is_item):
            return "{ " + "  ".join(map(_short_entry, node.entries)) + " }" if node.entries else "{ }"
    return None


def is_rules(node: Node) -> bool:
    """Whether a list can be written as a block of `when … => …`."""
    return isinstance(node, Sequence) and bool(node.items) and all(map(_is_rule, node.items))


def _is_plain(node: Node) -> bool:
    return isinstance(node, Mapping | Sequence) and flat(node) in ("{ }", "[]")


def _is_text(node: Node, lines: list[str]) -> bool:
    """Whether a value is raw text, whose first line takes no comment."""
    return isinstance(node, Scalar) and len(lines) > 1


# One line.


def _is_flat_mapping(node: Mapping, *, is_item: bool = False) -> bool:
    if any(map(words.is_expression, node.entries)):
        return False
    match node.entries:
        case [Entry(value=Mapping(entries=[_, *_]) as inner) as only] if is_bare(only):
            return _is_flat_mapping(inner, is_item=is_item) and not is_noted(node)
    inside = [entry.value for entry in node.entries if isinstance(entry.value, Mapping)]
    return is_flat(node, is_item=is_item) and all(map(_is_flat_mapping, inside))


def _short(node: Node) -> str:
    found = flat(node, is_item=True)
    assert found is not None
    return found


def _short_entry(entry: Entry) -> str:
    name = words.key(entry.name)
    if entry.operation == "unset":
        return f"unset {name}"
    sign = " +=" if entry.operation == "append" else "" if isinstance(entry.value, Mapping) else ":"
    return f"{'final ' if entry.final else ''}{name}{sign} {_short(entry.value)}"


# Lists.


def _items(sequence: Sequence, indent: int) -> list[str]:
    lines: list[str] = []
    for item in sequence.items:
        written = _item(item, indent)
        written[-1] += ","
        lines += commented(written, item, indent, inline_at=-1 if _is_text(item, written) else 0)
    return [*lines, *after(sequence, indent)]


def _item(item: Node, indent: int) -> list[str]:
    blanks = " " * indent
    short = flat(item, is_item=True)
    if short is not None and len(blanks) + len(short) < WIDTH:
        return [blanks + short]
    match item:
        case Mapping(entries=[Entry(value=Sequence() as value) as only]) if is_bare(only) and not after(item, 0):
            lines = value_lines(f"{blanks}{{ {words.key(only.name)}:", value, indent)
            return [*lines[:-1], f"{lines[-1]} }}"]
    lines = value_lines("", item, indent)
    return [blanks + lines[0].removeprefix(" "), *lines[1:]]


# Rules.


def _is_rule(node: Node) -> bool:
    if not isinstance(node, Mapping) or not node.entries:
        return False
    first = node.entries[0]
    condition = first.value
    if first.name != "when" or not is_bare(first) or not isinstance(condition, Scalar):
        return False
    return isinstance(condition.value, str) and words.ends_before_an_arrow(condition.value)


def _rules(sequence: Sequence, indent: int) -> list[str]:
    lines: list[str] = []
    for rule in sequence.items:
        assert isinstance(rule, Mapping)
        lines += commented(_rule(rule, indent), rule, indent)
    return [*lines, *after(sequence, indent)]


def _rule(rule: Mapping, indent: int) -> list[str]:
    condition, *said = rule.entries
    assert isinstance(condition.value, Scalar)
    head = f"{' ' * indent}when {condition.value.value} =>"
    if not after(rule, 0) and _is_verb(said):
        return _verb(head, said, indent)
    rest = Mapping(entries=said, span=rule.span, comments=rule.comments)
    short = flat(Mapping(entries=said, span=rule.span)) if not after(rule, 0) else None
    if short is not None and len(head) + 1 + len(short) <= WIDTH:
        return [f"{head} {short}"]
    return block_lines(head, entries_lines(rest, indent + STEP), indent)


def _is_verb(said: list[Entry]) -> bool:
    """Whether what a rule says stands on its line: a verb, its value and a reason."""
    match said:
        case [verb]:
            pass
        case [verb, Entry(key=Scalar(value="reason"), value=Scalar(value=str())) as reason] if is_bare(reason):
            pass
        case _:
            return False
    is_operand = isinstance(verb.value, Scalar) or (isinstance(verb.value, Sequence) and flat(verb.value) is not None)
    return is_bare(verb) and words.is_word(verb.name) and is_operand


def _verb(head: str, said: list[Entry], indent: int) -> list[str]:
    verb, *reason = said
    value = verb.value
    is_silent = isinstance(value, Scalar) and value.value is True and not reason
    lines = [f"{head} {verb.name}"] if is_silent else value_lines(f"{head} {verb.name}", value, indent)
    for entry in reason:
        assert isinstance(entry.value, Scalar)
        last = lines.pop()
        lines += string_lines(last, str(entry.value.value), indent)
    return lines


def string_lines(head: str, text: str, indent: int) -> list[str]:
    """A text that is always quoted behind its head, line by line where it has several."""
    block = words.text_block(text, indent + STEP)
    return [f"{head} {block[0]}", *block[1:]] if block is not None else [f"{head} {words.string(text)}"]
