"""AS810 schema that the provider refuses."""

from collections.abc import Iterator
from re import fullmatch
from typing import Any

from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic

LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "$defs", "definitions", "patternProperties")
ONE = ("items", "additionalProperties", "not", "contains")
Dialect = dict[str, Any]


class RefusedSchema(Rule):
    """The parameters of a tool are a JSON Schema that its provider refuses, with every request that offers the tool.

    Why: what is valid JSON Schema is not what every provider takes. OpenAI and Anthropic take no `oneOf`, `anyOf` or
    `allOf` at the top, OpenAI and Google no list without `items`, Google no `enum` of anything but texts, Anthropic no
    property names with other signs than letters, digits, `_`, `.` and `-`. The parameters of a tool that is called in
    `text` or `json` never reach the provider as a schema, and another server (`base_url`) has its own ways.

    Bad:

    ```yaml
    name: mover
    model: {provider: openai, model: gpt-5.4-mini}
    capability:
      tools:
        move:
          description: Move by a distance or to a place
          parameters:
            schema:
              type: object
              properties: {by: {type: number}, to: {type: string}}
              anyOf: [{required: [by]}, {required: [to]}]
          run: [mover, "--by=${args.by}", "--to=${args.to}"]
    ```

    Good:

    ```yaml
    name: mover
    model: {provider: openai, model: gpt-5.4-mini}
    capability:
      tools:
        move:
          description: Move by a distance or to a place; give one of them
          parameters: {by: number?, to: string?}
          expr: 'has(args.by) ? "by a distance" : has(args.to) ? "to a place" : "nowhere"'
    ```

    Fix: write the schema without what is refused; what it said can stand in the description, or be checked by the tool.
    """

    code = "AS810"
    title = "schema that the provider refuses"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        provider = subject.text("model", "provider")
        is_told = subject.text("model", "tool_format") in ("text", "json")
        if provider is None or is_told or subject.at("model", "base_url") is not None or not subject.tools:
            return
        ways = dict(dialect(provider))
        for tool in subject.tools if ways else ():
            for schema, path in _schemas(tool):
                if schema is _whole(tool):
                    yield from self._top(schema, path, provider, ways)
                yield from self._inside(schema, path, provider, ways)

    def _top(self, schema: Mapping, path: Path, provider: str, ways: Dialect) -> Iterator[Diagnostic]:
        for entry in schema.entries:
            if entry.name in ways.get("top", ()):
                message = f"`{provider}` takes no `{entry.name}` at the top of the parameters of a tool"
                yield self._refused(
                    entry, (*path, entry.name), message, "say it in the description, or in `properties`"
                )

    def _inside(self, schema: Node, path: Path, provider: str, ways: Dialect) -> Iterator[Diagnostic]:
        if not isinstance(schema, Mapping):
            return
        is_list = text_of(schema.get("type")) == "array"
        if ways.get("items") and is_list and not _has_any(schema, "items", "prefixItems", "$ref"):
            entry = schema.entry("type")
            assert entry is not None
            message = f"`{provider}` takes no list that does not say what it holds"
            yield self._refused(entry, (*path, "type"), message, "add `items`, such as `items: {type: string}`")
        yield from self._names(schema, path, provider, ways)
        if ways.get("enum") and (entry := schema.entry("enum")) is not None and not _are_texts(entry.value):
            message = f"`{provider}` takes an `enum` of texts only"
            yield self._refused(entry, (*path, "enum"), message, "write its values as texts")
        for inner, below in _below(schema, path):
            yield from self._inside(inner, below, provider, ways)

    def _names(self, schema: Mapping, path: Path, provider: str, ways: Dialect) -> Iterator[Diagnostic]:
        names = schema.get("properties")
        for entry in names.entries if isinstance(names, Mapping) and "names" in ways else ():
            if not fullmatch(ways["names"], entry.name):
                message = f"`{provider}` takes no property by the name `{entry.name}`"
                way_out = "names have up to 64 letters, digits, `_`, `.` and `-`"
                yield self._refused(entry, (*path, "properties", entry.name), message, way_out)

    def _refused(self, entry: Entry, path: Path, message: str, way_out: str) -> Diagnostic:
        return self.finding(entry.key.span, message, path=path, help=way_out)


def _whole(tool: Tool) -> Mapping | None:
    """The schema of all parameters together, where there is one."""
    parameters = tool.body.get("parameters")
    if not isinstance(parameters, Mapping) or len(parameters.entries) != 1:
        return None
    schema = parameters.get("schema")
    is_full = isinstance(schema, Mapping) and (schema.get("properties") or text_of(schema.get("type")) == "object")
    return schema if is_full and isinstance(schema, Mapping) else None


def _schemas(tool: Tool) -> Iterator[tuple[Mapping, Path]]:
    """The JSON Schemas among the parameters of a tool: of all of them together, or of each that has one."""
    path = (*tool.path, "parameters")
    whole = _whole(tool)
    if whole is not None:
        yield whole, (*path, "schema")
        return
    for below, entry in tool.parameters:
        schema = entry.value.get("schema") if isinstance(entry.value, Mapping) else None
        if isinstance(schema, Mapping):
            yield schema, (*below, "schema")


def _below(schema: Mapping, path: Path) -> Iterator[tuple[Node, Path]]:
    for entry in schema.entries:
        below = (*path, entry.name)
        if entry.name in ONE:
            yield entry.value, below
        elif entry.name in LISTS and isinstance(entry.value, Sequence):
            yield from ((item, (*below, index)) for index, item in enumerate(entry.value.items))
        elif entry.name in NAMED and isinstance(entry.value, Mapping):
            yield from ((inner.value, (*below, inner.name)) for inner in entry.value.entries)


def _has_any(schema: Mapping, *names: str) -> bool:
    return any(schema.get(name) is not None for name in names)


def _are_texts(value: Node) -> bool:
    items = value.items if isinstance(value, Sequence) else []
    return all(not isinstance(item, Scalar) or isinstance(item.value, str) for item in items)
