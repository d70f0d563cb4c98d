"""AS214 reference that leads nowhere."""

from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.core.schema.references import dead_end
from agentspec.core.schema.shorthand import lower, lower_parameters
from agentspec.errors import SpecInvalid
from agentspec.syntax.tree import Node, Path, plain, walk
from agentspec.text.diagnostic import Diagnostic

COMPONENTS = ("capability", "components")
OUTPUT = ("execution", "output", "schema")


class DanglingReference(Rule):
    """A `$ref` of a JSON Schema names a place that is not there.

    Why: the tool could not be offered, or every call of it would be refused. Schemas that several tools share stand in
    `capability.components` and are named from there; other documents are never fetched.

    Bad:

    ```yaml
    name: clerk
    capability:
      components:
        Person: {type: object}
      tools:
        greet:
          description: Greets somebody
          parameters: {who: {schema: {$ref: "#/components/Persn"}}}
          expr: "args.who"
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      components:
        Person: {type: object}
      tools:
        greet:
          description: Greets somebody
          parameters: {who: {schema: {$ref: "#/components/Person"}}}
          expr: "args.who"
    ```

    Fix: correct the name, or write the schema that it names.
    """

    code = "AS214"
    title = "reference that leads nowhere"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not any(path and path[-1] == "$ref" for path, _ in subject.nodes):
            return  # to make the schema of every tool is dear
        components = subject.values(*COMPONENTS)
        knows_components = subject.kind == "agent" and subject.is_whole and subject.is_sound(*COMPONENTS)
        for path, node, root in _schemas(subject):
            shared = {} if path == OUTPUT else components
            for at, part in walk(node, path):
                ref = text_of(part) if at[-1] == "$ref" else None
                if ref is None or (ref.startswith("#/components/") and path != OUTPUT and not knows_components):
                    continue
                if (found := dead_end(ref, root, shared)) is not None:
                    why, way_out = found
                    yield self.finding(part.span, f"`{ref}` leads nowhere: {why}", path=at, help=way_out)


def _schemas(subject: Subject) -> Iterator[tuple[Path, Node, Any]]:
    """The places where schemas stand, each with the whole schema that references in it begin at."""
    for tool in subject.tools:
        for key, lowered in (("parameters", lower_parameters), ("returns", lower)):
            node, path = tool.body.get(key), (*tool.path, key)
            if node is not None and subject.is_sound(*path):
                root = _lowered(lowered, plain(node))
                if root is not None:
                    yield path, node, root
    for entry in subject.entries(*COMPONENTS):
        yield (*COMPONENTS, entry.name), entry.value, {}  # it stands in the schemas of tools, not in one of its own
    output = subject.at(*OUTPUT)
    if output is not None and text_of(output) is None:
        yield OUTPUT, output, plain(output)


def _lowered(lowered: Any, written: Any) -> Mapping[str, Any] | None:
    try:
        root: Mapping[str, Any] = lowered(written)
    except SpecInvalid:  # another finding tells of it
        return None
    return root
