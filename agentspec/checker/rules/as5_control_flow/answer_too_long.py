"""AS526 answer that is longer than a turn may be."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import number_of, text_of, texts_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Node, Path
from agentspec.text.diagnostic import Diagnostic, Related

LONGEST: Path = ("execution", "turn_policy", "max_prose_chars")
SCHEMA: Path = ("execution", "output", "schema")
DEEPEST = 16


class AnswerTooLong(Rule):
    """Every answer that fits the schema of `output` has more characters than `max_prose_chars` allows.

    Why: a turn without a call that is too long is turned down, and the answer is such a turn. No answer would be
    taken, however good.

    Bad:

    ```yaml
    name: reporter
    execution:
      turn_policy: {max_prose_chars: 100}
      output:
        schema: {type: object, properties: {report: {type: string, minLength: 500}}, required: [report]}
    ```

    Good:

    ```yaml
    name: reporter
    execution:
      turn_policy: {max_prose_chars: 4000}
      output:
        schema: {type: object, properties: {report: {type: string, minLength: 500}}, required: [report]}
    ```

    Fix: allow more characters, or ask for less.
    """

    code = "AS526"
    title = "answer that is longer than a turn may be"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        most = subject.number(*LONGEST)
        if most is None or not subject.is_sound(*SCHEMA):
            return
        least = _least(subject.at(*SCHEMA), 0)
        if least > most:
            yield self.finding(
                subject.span(*LONGEST),
                f"no answer fits: the schema of `output` asks for at least {least} characters",
                path=LONGEST,
                help=f"allow at least {least}, or ask for less",
                related=(Related(subject.key(*SCHEMA), "the schema stands here"),),
            )


def _least(schema: Node | None, depth: int) -> int:
    """The characters of the shortest JSON text that a schema lets pass, as far as plain types tell."""
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return 1
    match text_of(schema.get("type")):
        case "string" if schema.get("enum") is None:
            return 2 + int(number_of(schema.get("minLength")) or 0)
        case "array":
            count = int(number_of(schema.get("minItems")) or 0)
            return 2 + count * (_least(schema.get("items"), depth + 1) + 1) - (count > 0)
        case "object":
            return _least_object(schema, depth)
        case _:
            return 1


def _least_object(schema: Mapping, depth: int) -> int:
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else None
    names = {str(name.value) for name in texts_of(schema.get("required"))}
    parts = [len(name) + 3 + _least(known.get(name) if known else None, depth + 1) for name in names]
    return 2 + sum(parts) + max(0, len(parts) - 1)
