"""spelled: keys and values as they are written in either spelling. `$0` is where the cursor goes then."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from agentspec.lsp.cursor import Cursor
from agentspec.spec.describe import find
from agentspec.spec.schema import ANYTHING, Form, form
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


class KeyText(NamedTuple):
    """How a key is called and begun; some may be begun again where they are written already."""

    label: str
    text: str
    is_repeatable: bool = False


def key_text(cursor: Cursor, path: Path) -> KeyText:
    """How the last key of a path is begun where the cursor is."""
    name = str(path[-1])
    if cursor.rest.lstrip().startswith((":", "{", "=")) or cursor.scalar.span.text[:1] in ("'", '"'):
        return KeyText(name, name)
    node = find(path, cursor.part.composed.kind)[0]
    at = form(node if node is not None else ANYTHING)
    if cursor.part.sheet.parsed.spelling == "dsl":
        if path in HEADS:
            return KeyText(HEADS[path], f"{HEADS[path]} ", is_repeatable=True)
        return KeyText(name, _in_dsl(cursor, name, at))
    return KeyText(name, _in_yaml(cursor, name, path, at))


def value_text(cursor: Cursor, name: str) -> str:
    """A name or word as a value where the cursor is, quoted where it has to be and is not."""
    if cursor.scalar.span.text[:1] in ("'", '"') or name in CONSTANTS:
        return name
    is_dsl, is_json = cursor.part.sheet.parsed.spelling == "dsl", cursor.part.sheet.path.endswith(".json")
    return json.dumps(name, ensure_ascii=False) if is_json or (is_dsl and not BARE.fullmatch(name)) else name


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
