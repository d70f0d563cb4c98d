"""catalogue: the tools that the built toolkits offer, as a model is told of them. Nothing is opened or run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import KITS, make_kit
from agentspec.ports import ToolSchema


class BuiltTool(NamedTuple):
    """A tool of a toolkit, with the schema that a model sees."""

    toolkit: str
    schema: ToolSchema
    effect: str


class Parameter(NamedTuple):
    """A parameter of a tool in words."""

    name: str
    takes: str
    is_required: bool
    description: str


def built_tools() -> Iterator[BuiltTool]:
    """Every tool that exists today.

    >>> next(built_tools()).schema.name
    'read_file'
    """
    for family in KITS:
        for plan, _ in make_kit(family, {}, Setting(Path())).values():
            yield BuiltTool(family, ToolSchema(plan.name, plan.description, plan.parameters), plan.effect)


def parameters(schema: ToolSchema) -> Iterator[Parameter]:
    """The parameters of a tool, read from its JSON Schema."""
    required = schema.parameters.get("required", ())
    for name, form in schema.parameters.get("properties", {}).items():
        yield Parameter(name, _takes(form), name in required, form.get("description", ""))


def _takes(form: dict[str, Any]) -> str:
    kind = form.get("type", "any")
    kinds = [one for one in (kind if isinstance(kind, list) else [kind]) if one != "null"]
    least = form.get("minimum")
    return " or ".join(kinds) + (f" from {least}" if least is not None else "")
