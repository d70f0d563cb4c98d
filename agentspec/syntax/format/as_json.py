"""as_json: a settled document as JSON, where `{"$unset": true}` and `{"$final": …}` stand for YAML's tags.

JSON has no comments and one document a file; who calls this says what becomes of them.
"""

from __future__ import annotations

import json
from typing import Any

from agentspec.syntax.format.quoting import hidden_escaped
from agentspec.syntax.format.settle import Settled
from agentspec.syntax.tree import Entry, Mapping, Node, Plain, Scalar, Sequence


def json_text(settled: Settled) -> str:
    """The document, indented by two blanks."""
    return hidden_escaped(json.dumps(_value(settled.root), ensure_ascii=False, indent=2), wide=False) + "\n"


def _value(node: Node) -> dict[str, Any] | list[Any] | Plain:
    match node:
        case Mapping():
            return {("+" if each.operation == "append" else "") + each.name: _of(each) for each in node.entries}
        case Sequence():
            return [_value(item) for item in node.items]
        case Scalar():
            return node.value
    return None


def _of(entry: Entry) -> dict[str, Any] | list[Any] | Plain:
    if entry.operation == "unset":
        return {"$unset": True}
    return {"$final": _value(entry.value)} if entry.final else _value(entry.value)
