"""spelled: keys and values as they are written in either spelling. `$0` is where the cursor goes then."""

from __future__ import annotations

import json
import re

from agentspec.lsp.completion.cursor import Cursor
from agentspec.spec.describe import find
from agentspec.spec.schema import Form, form
from agentspec.syntax.format.scalars import string
from agentspec.syntax.tree import Mapping, Path
from agentspec.syntax.tree import find as node_at

# The DSL's heads for what is a mapping or a list by name (`grammar/agentspec.lark`): each names one of them.
HEADS: dict[Path, str] = {
    ("capability", "tools"): "tool",
    ("capability", "toolkits"): "toolkit",
    ("capability", "mcp"): "mcp",
    ("capability", "resources"): "resource",
    ("capability", "skills"): "skill",
}
STEP = "  "
CONSTANTS = ("true", "false", "null")
BARE = re.compile(r"-?\d\w*|[A-Za-z_]\w*(?:[.-]\w+)*")  # what the DSL reads without quotes
PLAIN = re.compile(r"[\w./^-][\w./#^-]*")  # what YAML does; numbers and quantities among it are meant as such


def key_text(cursor: Cursor, path: Path, kind: str) -> tuple[str, str]:
    """How the last key of a path is called, and begun where the cursor is."""
    name = str(path[-1])
    if cursor.rest.lstrip().startswith((":", "{", "=")) or cursor.scalar.span.text[:1] in ("'", '"'):
        return name, name
    node = find(path, kind)[0]
    at = form(node) if node is not None else form({})
    if cursor.part.sheet.parsed.spelling == "yaml":
        return name, _in_yaml(cursor, name, path, at)
    return (HEADS[path], f"{HEADS[path]} ") if path in HEADS else (name, _in_dsl(cursor, name, at))


def value_text(cursor: Cursor, name: str) -> str:
    """A name or word as a value where the cursor is, quoted where it has to be and is not."""
    if cursor.scalar.span.text[:1] in ("'", '"') or name in CONSTANTS:
        return name
    if cursor.part.sheet.path.endswith(".json"):
        return json.dumps(name, ensure_ascii=False)
    if cursor.part.sheet.parsed.spelling == "yaml":
        return name if PLAIN.fullmatch(name) else string(name, in_flow=True)
    return name if BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _in_yaml(cursor: Cursor, name: str, path: Path, at: Form) -> str:
    above = node_at(cursor.part.composed.document.root, path[:-1])
    is_flow = isinstance(above, Mapping) and above.flow
    if cursor.part.sheet.path.endswith(".json"):
        return f'"{name}": '
    if is_flow or _is_line(at):
        return f"{name}: "
    indent = " " * (len(cursor.before) + len(STEP))
    return f"{name}:\n{indent}{'- ' if at.mapping is None else ''}"


def _in_dsl(cursor: Cursor, name: str, at: Form) -> str:
    words = cursor.before.split()
    if words[-1:] in (["=>"], ["unset"]):  # a verb of a rule, which its operand follows; a key that is taken away
        return f"{name} " if words[-1] == "=>" else name
    indent = cursor.before[: len(cursor.before) - len(cursor.before.lstrip())]
    if has_rules(at):
        return f"{name} {{\n{indent}{STEP}when $0\n{indent}}}"
    if _is_line(at):
        return f"{name}: "
    return f"{name}: [$0]" if at.mapping is None else f"{name} {{\n{indent}{STEP}$0\n{indent}}}"


def has_rules(at: Form) -> bool:
    """Whether a place takes a list of rules, whose items begin with `when`."""
    item = at.sequence.get("items") if at.sequence is not None else None
    rule = form(item).mapping if item is not None else None
    return rule is not None and "when" in rule.get("properties", {})


def _is_line(at: Form) -> bool:
    """Whether a value may stand on the line of its key."""
    return bool(at.texts) or any(one is not None for one in (at.number, at.boolean, at.free))
