"""contract: the form that a final answer owes (`execution.output`), as a model is told of it, or held to it.

Pure; whether an answer fits is decided elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

PLACE = "execution.output"


def schema_of(settings: Settings) -> Mapping[str, Any] | None:
    """The JSON Schema of the answer; an empty one where any JSON will do, None where any text will.

    >>> schema_of(Settings({"execution": {"output": "json"}}))
    {}
    """
    output: Any = settings.get(PLACE)
    if output is None or output == "text":
        return None
    schema = output.get("schema") if isinstance(output, Mapping) else None
    return schema if isinstance(schema, Mapping) else {}


def form_of(settings: Settings, sentinel: str | None = None) -> str:
    """What a model is told of the form of its answer; nothing where that may be any text.

    >>> form_of(Settings({"execution": {"output": "json"}}), "FIN").partition(". ")[2]
    'The word `FIN` may follow it.'
    """
    schema = schema_of(settings)
    if schema is None:
        return ""
    words = wording(settings, "answer.form")
    words = words if sentinel is None else f"{words} The word `{sentinel}` may follow it."
    return f"{words} It has to fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}" if schema else words


def held_schema(settings: Settings, *, has_tools: bool, sentinel: str | None) -> dict[str, Any] | None:
    """The schema that every answer of a run can be held to by its provider, or None where there is none.

    Only an object can be held to one, and only where each reply is an answer: a turn that may call a tool, or has to
    say a word that ends the run, says other things as well.
    """
    schema = schema_of(settings)
    if has_tools or sentinel is not None or settings.text("model.tool_format") in ("json", "text"):
        return None
    return dict(schema) if schema and schema.get("type") == "object" else None
