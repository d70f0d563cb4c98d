"""file: JSON Schemas that stand in files of their own, and the values of a spec with them in their places.

It reads the files that a spec names, and nothing else. A journal needs none of them then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentspec.core.schema.validate import problems_of
from agentspec.errors import NotFound, Unavailable
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import plain
from agentspec.syntax.within import within

OUTPUT = "execution.output.schema"


def read_schema(project: Path, shown: str) -> Any:
    """The schema in a file of the project, YAML or JSON. Raises `NotFound`, or `Unavailable` for what is no schema."""
    parsed = read_file(within(project, shown))
    found = next((finding for finding in parsed.diagnostics if finding.severity == "error"), None)
    if found is not None or len(parsed.documents) != 1:
        what = found.message if found is not None else f"it holds {len(parsed.documents)} documents"
        raise Unavailable(f"`{shown}` can't be read: {what}")
    schema = plain(parsed.documents[0].root)
    problems = problems_of(schema)
    if problems:
        raise Unavailable(f"`{shown}` is no JSON Schema: {'; '.join(problems[:3])}")
    return schema


def with_schemas(values: dict[str, Any], project: Path) -> dict[str, Any]:
    """The values with the schemas of the output and of tools in them, where the spec names files.

    Raises `NotFound` and `Unavailable`, with the place.
    """
    execution, capability = values.get("execution") or {}, values.get("capability") or {}
    output = execution.get("output")
    if isinstance(output, Mapping):
        output = _filled(output, _reader(project, OUTPUT))
        values = values | {"execution": {**execution, "output": output}}
    tools = {
        name: _with_types(tool, project, f"capability.tools.{name}")
        for name, tool in (capability.get("tools") or {}).items()
    }
    resources = {
        name: _with_actions(given, project, name) for name, given in (capability.get("resources") or {}).items()
    }
    found = {key: held for key, held in (("tools", tools), ("resources", resources)) if held}
    return values | {"capability": {**capability, **found}} if found else values


def _with_actions(resource: Mapping[str, Any], project: Path, name: str) -> dict[str, Any]:
    place = f"capability.resources.{name}.actions"
    actions = {
        action: _with_types(given, project, f"{place}.{action}")
        for action, given in (resource.get("actions") or {}).items()
    }
    return {**resource, **({"actions": actions} if actions else {})}


def _with_types(tool: Mapping[str, Any], project: Path, place: str) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    parameters = tool.get("parameters")
    if isinstance(parameters, Mapping) and not isinstance(parameters.get("schema"), Mapping):
        types = {
            name: _filled(form, _reader(project, f"{place}.parameters.{name}")) for name, form in parameters.items()
        }
        changed["parameters"] = types
    if "returns" in tool:
        changed["returns"] = _filled(tool["returns"], _reader(project, f"{place}.returns"))
    return {**tool, **changed}


def _filled(form: Any, read: Callable[[str], Any]) -> Any:
    """A type, short or spelled out, with the schemas of the files that it names."""
    if not isinstance(form, Mapping):
        return form
    changed: dict[str, Any] = {}
    if isinstance(form.get("schema"), str):
        changed["schema"] = read(form["schema"])
    if isinstance(form.get("fields"), Mapping):
        changed["fields"] = {name: _filled(inside, read) for name, inside in form["fields"].items()}
    if isinstance(form.get("any_of"), list):
        changed["any_of"] = [_filled(inside, read) for inside in form["any_of"]]
    if "items" in form:
        changed["items"] = _filled(form["items"], read)
    return {**form, **changed}


def _reader(project: Path, place: str) -> Callable[[str], Any]:
    def read(name: str) -> Any:
        try:
            return read_schema(project, name)
        except (NotFound, Unavailable) as problem:
            raise type(problem)(f"`{place}`: {problem}") from None

    return read
