"""AS215 schema in a file that cannot be read."""

from collections.abc import Iterator

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound, Unavailable
from agentspec.syntax.tree import Scalar
from agentspec.text.diagnostic import Diagnostic


class UnreadableSchema(Rule):
    """A spec takes a JSON Schema from a file, and there is no such file, or it holds none.

    Why: a run could not start. The file is looked for from the folder of the project: that of `agentspec.toml`, else
    that of the spec.

    Bad:

    ```yaml
    name: clerk
    execution:
      output: {schema: schemas/bill.json}
    ```

    Good:

    ```yaml
    name: clerk
    execution:
      output:
        schema: {type: object, properties: {total: {type: number}}}
    ```

    Fix: correct the path, or write the file: one JSON Schema 2020-12, as JSON or YAML.
    """

    code = "AS215"
    title = "schema in a file that cannot be read"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for mark in subject.marks:
            if mark.path[-1:] != ("schema",) or mark.annotation.get("kind") != "path":
                continue
            name = mark.node.value if isinstance(mark.node, Scalar) else None
            if isinstance(name, str) and "${" not in name:
                from agentspec.core.schema.file import read_schema  # noqa: PLC0415 - few specs have one in a file

                try:
                    read_schema(subject.project, name)
                except (NotFound, Unavailable) as problem:
                    span = mark.node.span
                    help_ = looked_for(subject, name, span) if isinstance(problem, NotFound) else None
                    yield self.finding(span, str(problem), path=mark.path, help=help_)
