"""AS217 bounds that no value meets."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import number_of, text_of
from agentspec.checker.subject import Subject
from agentspec.spec.structure.findings import reword
from agentspec.syntax.tree import Mapping, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.suggest import nearest

AREAS: tuple[Path, ...] = (
    ("inputs",),
    ("execution", "output"),
    ("capability", "components"),
    ("capability", "tools"),
    ("capability", "resources"),
    ("capability", "subagents"),
)
VALUES = frozenset(("examples", "example", "args", "default", "const", "enum", "http"))  # below them stand no types
# The lower bound, the upper one, and whether a value may be as large as both.
PAIRS: tuple[tuple[str, str, bool], ...] = (
    ("minimum", "maximum", True),
    ("minimum", "exclusiveMaximum", False),
    ("exclusiveMinimum", "maximum", False),
    ("exclusiveMinimum", "exclusiveMaximum", False),
    ("minLength", "maxLength", True),
    ("minItems", "maxItems", True),
    ("minProperties", "maxProperties", True),
)
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
DECIDING = frozenset(("required", "enum", *(upper for _, upper, _ in PAIRS)))
OPEN = ("patternProperties", "allOf", "anyOf", "oneOf", "$ref")


class ImpossibleBounds(Rule):
    """The bounds of a type exclude each other, or it requires what it does not have.

    Why: no value fits. Every call of the tool is refused, no answer is ever valid, and no input can be given.

    Bad:

    ```yaml
    name: clerk
    execution:
      output:
        schema:
          type: object
          properties: {total: {type: number, minimum: 100, maximum: 10}}
          required: [total]
    ```

    Good:

    ```yaml
    name: clerk
    execution:
      output:
        schema:
          type: object
          properties: {total: {type: number, minimum: 10, maximum: 100}}
          required: [total]
    ```

    Fix: turn the bounds round; require only properties that the schema has; list values of the type.
    """

    code = "AS217"
    title = "bounds that no value meets"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node in subject.nodes:
            if isinstance(node, Mapping) and not DECIDING.isdisjoint(node.names()) and _is_type(path):
                yield from self._bounds(node, path)
                yield from self._required(node, path)
                yield from self._words(node, path)

    def _bounds(self, node: Mapping, path: Path) -> Iterator[Diagnostic]:
        for lower, upper, may_meet in PAIRS:
            low, high = node.get(lower), node.get(upper)
            least, most = number_of(low), number_of(high)
            if low is None or high is None or least is None or most is None:
                continue
            if least > most or (least == most and not may_meet):
                yield self.finding(
                    high.span,
                    f"no value is within `{lower}: {least:.15g}` and `{upper}: {most:.15g}`",
                    path=(*path, upper),
                    help="turn them round" if least > most else "leave some room between them",
                    related=(Related(low.span, f"`{lower}` stands here"),),
                )
                return

    def _required(self, node: Mapping, path: Path) -> Iterator[Diagnostic]:
        required, properties = node.get("required"), node.get("properties")
        if not isinstance(required, Sequence) or not isinstance(properties, Mapping):
            return
        names = list(properties.names())
        is_closed = _is_false(node) and all(node.get(key) is None for key in OPEN)
        left = [name for name in names if name not in [text_of(item) for item in required.items]]
        for index, item in enumerate(required.items):
            name = text_of(item)
            near = next(iter(nearest(name, left)), None) if name else None
            if name is None or not isinstance(item, Scalar) or name in names or not (is_closed or near):
                continue
            message = f"`{name}` is required, and there is no such property"
            help_text = f"did you mean `{near}`?" if near else "add it to `properties`, or require it no longer"
            fix = reword(item, near, f"write `{near}`") if near else None
            yield self.finding(item.span, message, path=(*path, "required", index), help=help_text, fix=fix)

    def _words(self, node: Mapping, path: Path) -> Iterator[Diagnostic]:
        kind, listed = (text_of(node.get("type")) or "").rstrip("?"), node.get("enum")
        for index, item in enumerate(listed.items) if isinstance(listed, Sequence) and kind in KINDS else ():
            if isinstance(item, Scalar) and item.value is not None and not _fits(item.value, kind):
                message = f"this is no {kind}, so it is never allowed"
                yield self.finding(item.span, message, path=(*path, "enum", index), help="write a value of the type")


def _is_type(path: Path) -> bool:
    """Whether a mapping at a path may be a type or a schema."""
    is_within = any(path[: len(area)] == area for area in AREAS)
    return is_within and VALUES.isdisjoint(str(step) for step in path)


def _is_false(node: Mapping) -> bool:
    more = node.get("additionalProperties")
    return isinstance(more, Scalar) and more.value is False


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind]) or (kind == "integer" and isinstance(value, float) and value.is_integer())
