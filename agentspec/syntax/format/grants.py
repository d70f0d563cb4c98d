"""grants: what an agent or preset takes and may use, in the DSL's typed sugar: `inputs`, `tool`, `toolkit`, `mcp`.

What the sugar cannot say, or has no place to say it beside (a comment), is written out as plain data.
"""

from __future__ import annotations

from agentspec.syntax.format import words
from agentspec.syntax.format.blocks import block_lines, entry_lines, flat, string_lines, value_lines
from agentspec.syntax.format.layout import STEP, WIDTH, after, commented
from agentspec.syntax.format.remarks import is_bare, is_noted
from agentspec.syntax.format.types import declared_text, type_text
from agentspec.syntax.tree import Comments, Entry, Mapping, Node, Scalar, Sequence

GROUPS = {"tools": "tool", "mcp": "mcp", "resources": "resource", "skills": "skill"}


# Inputs.


def inputs_lines(entry: Entry, indent: int) -> list[str]:
    """`inputs { NAME: TYPE = VALUE }`, on one line if it can be."""
    value = entry.value
    if entry.operation != "set" or entry.final or not isinstance(value, Mapping):
        return entry_lines(entry, indent, has_colon=entry.operation == "set" and not entry.final)
    units = [_input(each, indent + STEP) for each in value.entries]
    if not all(units):
        return entry_lines(entry, indent, has_colon=True)
    head = " " * indent + "inputs"
    short = "  ".join(unit[0].strip() for unit in units)
    is_short = not is_noted(value) and all(len(unit) == 1 for unit in units)
    if is_short and len(head) + len(short) + len(" {  }") <= WIDTH:
        return commented([f"{head} {{ {short} }}" if short else f"{head} {{ }}"], entry, indent)
    lines = [line for unit in units for line in unit]
    return commented(block_lines(head, [*lines, *after(value, indent + STEP)], indent), entry, indent)


def _input(entry: Entry, indent: int) -> list[str]:
    """One input; nothing for what only plain data can say."""
    if entry.operation != "set" or entry.final:
        return []
    text = declared_text(entry.value, takes_doc=False)
    if text is not None:
        return commented([f"{' ' * indent}{words.key(entry.name)}: {text}"], entry, indent)
    return entry_lines(entry, indent) if isinstance(entry.value, Mapping) else []


# Capability.


def capability_lines(entry: Entry, indent: int) -> list[str]:
    """`capability { … }` with a head for each tool, toolkit, server, resource and skill."""
    value = entry.value
    if entry.operation != "set" or entry.final or not isinstance(value, Mapping):
        return entry_lines(entry, indent, has_colon=entry.operation == "set" and not entry.final)
    groups = [_group(each, indent + STEP) for each in value.entries]
    if not any(groups):
        return entry_lines(entry, indent)
    written = zip(groups, value.entries, strict=True)
    inner = [line for group, each in written for line in group or entry_lines(each, indent + STEP)]
    lines = block_lines(" " * indent + "capability", [*inner, *after(value, indent + STEP)], indent)
    return commented(lines, entry, indent)


def _group(entry: Entry, indent: int) -> list[str]:
    """The heads of a group, what is said of all of them set apart above; nothing where it has to be written out."""
    comments = entry.comments or Comments()
    if entry.operation != "set" or entry.final or comments.inline or after(entry.value, 0):
        return []
    match entry.name, entry.value:
        case "toolkits", Sequence(items=[_, *_] as items) if all(map(_is_toolkit, items)):
            lines = [line for item in items for line in _toolkit(item, indent)]
        case (("tools" | "mcp" | "resources" | "skills"), Mapping(entries=[_, *_] as entries)) if all(
            map(_is_named, entries)
        ):
            lines = [line for each in entries for line in _named(GROUPS[entry.name], each, indent)]
        case _:
            return []
    above = [*(f"{' ' * indent}{line}" for line in comments.before), ""] if comments.before else []
    return [*([""] if comments.blank else []), *above, *lines]


def _is_named(entry: Entry) -> bool:
    return entry.operation == "set" and not entry.final and isinstance(entry.value, Mapping)


def _is_toolkit(item: Node) -> bool:
    match item:
        case Scalar(value=str()):
            return True
        case Mapping(entries=[Entry(value=Mapping()) as only]):
            return is_bare(only)
    return False


def _toolkit(item: Node, indent: int) -> list[str]:
    head = " " * indent + "toolkit"
    match item:
        case Mapping(entries=[only]):
            lines = value_lines(f"{head} {words.key(only.name)}", only.value, indent)
        case Scalar():
            lines = [f"{head} {words.key(str(item.value))}"]
    return commented(lines, item, indent)


def _named(word: str, entry: Entry, indent: int) -> list[str]:
    assert isinstance(entry.value, Mapping)
    head = f"{' ' * indent}{word} {words.key(entry.name)}"
    lines = _tool(head, entry.value, indent) if word == "tool" else value_lines(head, entry.value, indent)
    is_open = "\n" in lines[0]  # an expression of several lines, which would take the comment in
    return commented(lines, entry, indent, inline_at=-1 if is_open else 0)


# Tools.


def _tool(head: str, tool: Mapping, indent: int) -> list[str]:
    """`tool NAME(PARAMS) -> TYPE "doc"` and what follows."""
    rest = {entry.name: entry for entry in tool.entries}
    lines = _signature(head, rest, indent)
    doc = _doc(rest, indent + STEP)
    expression = _expression(rest) if not after(tool, 0) else None
    if expression is not None:
        return _with_expression(lines, doc, expression, indent)
    return _with_block(lines, doc, Mapping(entries=[*rest.values()], span=tool.span, comments=tool.comments), indent)


def _with_expression(lines: list[str], doc: list[str], expression: str, indent: int) -> list[str]:
    *above, last = lines
    if not doc and len(last) + len(expression) + len(" = ") <= WIDTH:
        return [*above, f"{last} = {expression}"]
    return [*lines, *doc, f"{' ' * (indent + STEP)}= {expression}"]


def _with_block(lines: list[str], doc: list[str], block: Mapping, indent: int) -> list[str]:
    short = flat(block) if not after(block, 0) else None
    if doc and short is not None and len(short) + indent + STEP <= WIDTH:
        return [*lines, *doc, f"{' ' * (indent + STEP)}{short}"]
    *above, last = lines
    if len(doc) == 1 and len(last) + len(doc[0].strip()) + len("  {") <= WIDTH:
        return [*above, *value_lines(f"{last} {doc[0].strip()}", block, indent)]
    *above, last = [*lines, *doc]
    return [*above, *value_lines(last, block, indent)]


def _signature(head: str, rest: dict[str, Entry], indent: int) -> list[str]:
    """The lines up to the type of the result; what they say is taken out of `rest`."""
    parameters = rest.get("parameters")
    units = _parameters(parameters, indent + STEP) if parameters is not None else []
    if units:
        del rest["parameters"]
    returns = rest.get("returns")
    result = type_text(returns.value) if returns is not None and is_bare(returns) else None
    if result is not None:
        del rest["returns"]
    end = f") -> {result}" if result is not None else ")"
    short = f"{head}({', '.join(line.strip(' ,') for line in units)}{end}"
    is_noted_here = parameters is not None and is_noted(parameters.value)
    if not units or (len(short) <= WIDTH and not is_noted_here):
        return [short]
    assert parameters is not None
    return [f"{head}(", *units, *after(parameters.value, indent + STEP), f"{' ' * indent}{end}"]


def _parameters(entry: Entry, indent: int) -> list[str]:
    """The parameters, each on a line with its comma; nothing where only plain data can say them."""
    if not is_bare(entry) or not isinstance(entry.value, Mapping):
        return []
    lines: list[str] = []
    for each in entry.value.entries:
        text = declared_text(each.value, takes_doc=True)
        if text is None or each.operation != "set" or each.final:
            return []
        lines += commented([f"{' ' * indent}{words.key(each.name)}: {text},"], each, indent)
    return lines


def _doc(rest: dict[str, Entry], indent: int) -> list[str]:
    """The description between the head of a tool and what it does."""
    match rest.get("description"):
        case Entry(value=Scalar(value=str(text))) as doc if is_bare(doc):
            del rest["description"]
            head = " " * (indent - 1)  # a blank follows
            return string_lines(head, text, indent - STEP)
    return []


def _expression(rest: dict[str, Entry]) -> str | None:
    """The expression of a tool that has nothing else."""
    match [*rest.values()]:
        case [Entry(key=Scalar(value="expr"), value=Scalar(value=str(text))) as only] if is_bare(only):
            return text if words.ends_with_its_line(text) else None
    return None
