"""AS213 JSON Schema that is none."""

from collections.abc import Iterator
from typing import Final

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.structure import words
from agentspec.spec.structure.findings import reword
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest

TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
# What the keywords of JSON Schema 2020-12 hold; others are annotations, and free.
SCHEMAS: Final = frozenset(
    ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else", "unevaluatedItems",
     "unevaluatedProperties", "contentSchema")
)  # fmt: skip
LISTS: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
MAPPINGS: Final = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
COUNTS: Final = frozenset(
    ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains")
)
NUMBERS: Final = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
TEXTS: Final = frozenset(("pattern", "format", "title", "description", "$ref", "$id", "$schema", "$anchor", "$comment"))
FLAGS: Final = frozenset(("uniqueItems", "deprecated", "readOnly", "writeOnly"))


class InvalidSchema(Rule):
    """A JSON Schema in a spec says something that JSON Schema does not know.

    Why: such a schema would refuse every answer, or let every one through.

    Bad:

    ```yaml
    name: clerk
    execution:
      output:
        schema: {type: object, properties: {total: {type: numbr}}}
    ```

    Good:

    ```yaml
    name: clerk
    execution:
      output:
        schema: {type: object, properties: {total: {type: number}}}
    ```

    Fix: write it as JSON Schema 2020-12 has it.
    """

    code = "AS213"
    title = "JSON Schema that is none"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for mark in subject.marks:
            if mark.annotation.get("kind") == "json_schema" and isinstance(mark.node, Mapping):
                yield from self._schema(mark.node, mark.path)
        for tool in subject.tools:
            path = (*tool.path, "parameters")
            parameters = tool.body.get("parameters")
            whole = parameters.get("schema") if isinstance(parameters, Mapping) else None
            if isinstance(whole, Mapping) and isinstance(parameters, Mapping) and len(parameters.entries) == 1:
                yield from self._schema(whole, (*path, "schema"))

    def _schema(self, node: Node, path: Path) -> Iterator[Diagnostic]:
        match node:
            case Broken() | Scalar(value=bool()):
                return
            case Mapping():
                for entry in node.entries:
                    if entry.operation != "unset" and not isinstance(entry.value, Broken):
                        yield from self._keyword(entry, (*path, entry.name))
            case _:
                yield self._wrong(node, "a schema", path)

    def _keyword(self, entry: Entry, path: Path) -> Iterator[Diagnostic]:
        name, value = entry.name, entry.value
        if name == "type":
            yield from self._type(value, path)
        elif name in SCHEMAS:
            yield from self._schema(value, path)
        elif name in LISTS:
            yield from self._all(value, path)
        elif name in MAPPINGS:
            yield from self._named(value, path)
        elif (expected := _expected(name, value)) is not None:
            yield self._wrong(value, expected, path)

    def _type(self, value: Node, path: Path) -> Iterator[Diagnostic]:
        given = value.items if isinstance(value, Sequence) else [value]
        for one in given:
            if not isinstance(one, Scalar) or not isinstance(one.value, str):
                yield self._wrong(one, f"one of {words.quoted(TYPES)}", path)
            elif one.value not in TYPES:
                near = nearest(one.value, TYPES)
                fix = reword(one, near[0], f"write `{near[0]}`") if near and one.style not in BLOCKS else None
                way_out = f"did you mean `{near[0]}`?" if near else f"types are {words.quoted(TYPES, 'and')}"
                message = f"JSON Schema has no type `{words.clipped(one.value)}`"
                yield self.finding(one.span, message, path=path, help=way_out, fix=fix)

    def _all(self, value: Node, path: Path) -> Iterator[Diagnostic]:
        if not isinstance(value, Sequence) or not value.items:
            yield self._wrong(value, "a list of schemas", path)
            return
        for index, item in enumerate(value.items):
            yield from self._schema(item, (*path, index))

    def _named(self, value: Node, path: Path) -> Iterator[Diagnostic]:
        if not isinstance(value, Mapping):
            yield self._wrong(value, "a mapping of names to schemas", path)
            return
        for entry in value.entries:
            yield from self._schema(entry.value, (*path, entry.name))

    def _wrong(self, node: Node, expected: str, path: Path) -> Diagnostic:
        return self.finding(node.span, f"JSON Schema wants {expected} here, found {words.found(node)}", path=path)


BLOCKS: Final = frozenset(("literal", "folded", "text"))


def _expected(name: str, value: Node) -> str | None:
    """What a keyword should hold, where it holds something else."""
    plain = value.value if isinstance(value, Scalar) else None
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
    is_count = isinstance(plain, int) and not isinstance(plain, bool) and plain >= 0
    if name in COUNTS:
        return None if is_count else "a whole number from 0"
    if name in NUMBERS:
        return None if is_number else "a number"
    if name in TEXTS:
        return None if isinstance(plain, str) else "a text"
    if name in FLAGS:
        return None if isinstance(plain, bool) else "`true` or `false`"
    if name == "enum":
        return None if isinstance(value, Sequence) else "a list of values"
    if name == "required":
        return None if _is_names(value) else "a list of names"
    return None


def _is_names(value: Node) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(item, Broken) or (isinstance(item, Scalar) and isinstance(item.value, str)) for item in value.items
    )
