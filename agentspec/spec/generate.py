"""generate: writes schema.json from the models: `python -m agentspec.spec.generate`.

Nothing imports this at run time; a test holds the file to what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core.core_schema import DictSchema

from agentspec.spec.agent import Agent, Preset
from agentspec.spec.base import Record
from agentspec.spec.library import Library
from agentspec.spec.scenario import Scenario

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TARGET: Final = Path(__file__).with_name("schema.json")
KINDS: Final[dict[str, type[Record]]] = {
    "library": Library,
    "scenario": Scenario,
    "preset": Preset,
    "agent": Agent,
}


class Generator(GenerateJsonSchema):
    """Pydantic's generator, with the names of a mapping under `propertyNames` where their annotation survives."""

    def dict_schema(self, schema: DictSchema) -> JsonSchemaValue:
        """A mapping by name."""
        form: JsonSchemaValue = {"type": "object"}
        names = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {}
        if names not in ({}, {"type": "string"}):
            form["propertyNames"] = names
        form["additionalProperties"] = (
            self.generate_inner(schema["values_schema"]) if "values_schema" in schema else True
        )
        return form


def schema() -> dict[str, Any]:
    """The whole schema: a definition for each record, and at the top the choice by the kind of document."""
    _, generated = models_json_schema([(model, "validation") for model in KINDS.values()], schema_generator=Generator)
    definitions = {name: tidy(form) for name, form in sorted(generated["$defs"].items())}
    for model in KINDS.values():
        definitions[model.__name__]["properties"] = _needed_first(definitions[model.__name__])
    return {
        "$schema": DIALECT,
        "title": "agentspec",
        "description": "A spec, preset, library or scenario of agentspec.",
        **_by_kind(list(KINDS)),
        "$defs": definitions,
    }


def _needed_first(document: dict[str, Any]) -> dict[str, Any]:
    """The keys of a document with those that it can't be without in front: inheritance puts them last."""
    properties: dict[str, Any] = document["properties"]
    return {name: properties[name] for name in document.get("required", ())} | properties


def _by_kind(kinds: list[str]) -> dict[str, Any]:
    """The choice of a document's definition by its first key; what has none of the keys is an agent."""
    kind, *others = kinds
    target = {"$ref": f"#/$defs/{KINDS[kind].__name__}"}
    if not others:
        return target
    return {"if": {"required": [kind]}, "then": target, "else": _by_kind(others)}


def tidy(node: Any) -> Any:
    """The node without what pydantic adds for itself: generated titles, nulls of unset keys, single-branch unions."""
    if isinstance(node, list):
        return [tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    form = {name: value for name, value in node.items() if not _is_noise(name, value)}
    form = {
        name: {word: tidy(part) for word, part in value.items()} if name in {"properties", "$defs"} else tidy(value)
        for name, value in form.items()
        if name != "x-agentspec"
    } | ({"x-agentspec": form["x-agentspec"]} if "x-agentspec" in form else {})
    return _flat_union(form)


def _is_noise(name: str, value: Any) -> bool:
    return (name == "title" and isinstance(value, str)) or (name == "default" and value is None)


def _flat_union(form: dict[str, Any]) -> dict[str, Any]:
    """One `anyOf` of all branches, without null; where a single branch is left, that branch itself."""
    if "anyOf" not in form or "properties" in form:
        return form
    branches: list[dict[str, Any]] = []
    for branch in form.pop("anyOf"):
        nested = branch.get("anyOf") if set(branch) == {"anyOf"} else None
        branches += nested or ([] if branch == {"type": "null"} else [branch])
    return {**branches[0], **form} if len(branches) == 1 else {**form, "anyOf": branches}


def text() -> str:
    """The text of schema.json."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
