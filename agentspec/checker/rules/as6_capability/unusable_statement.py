"""AS655 statement that an action cannot carry out."""

from collections.abc import Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.calls.statements import IDENTITY, bound_names, foreign_word
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Mapping, Node, Path, Scalar
from agentspec.text.diagnostic import Diagnostic


class UnusableStatement(Rule):
    """A statement of an action binds a name that is no parameter, or would break out of its transaction.

    Why: all statements of an action are one transaction, with the parameters of the action bound by their names, and
    `:identity_user` and `:identity_tenant`. A run does not begin with any other.

    Bad:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [get]
          actions:
            cancel:
              description: Cancels an order
              parameters: {order: string}
              sql: ["update orders set state = 'cancelled' where id = :id"]
    ```

    Good:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [get]
          actions:
            cancel:
              description: Cancels an order
              parameters: {order: string}
              sql: ["update orders set state = 'cancelled' where id = :order"]
    ```

    Fix: bind a parameter that is there; leave `BEGIN`, `COMMIT` and the like out, and settings of the database.
    """

    code = "AS655"
    title = "statement that an action cannot carry out"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for table in subject.entries("capability", "resources"):
            actions: Path = ("capability", "resources", table.name, "actions")
            for action in subject.entries(*actions):
                path = (*actions, action.name)
                if subject.is_sound(*path) and subject.has_all(*path):
                    yield from self._action(subject, path)

    def _action(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        names = _parameters(subject.at(*path, "parameters"))
        for name in sorted(set(names) & set(IDENTITY)):
            message = f"`{name}` is who the run acts for"
            yield self.finding(names[name].span, message, path=(*path, "parameters", name), help="take another name")
        for place, node in subject.items(*path, "sql"):
            if isinstance(node, Scalar) and isinstance(node.value, str):
                yield from self._statement(node, node.value, place, [*names, *IDENTITY])

    def _statement(self, node: Scalar, text: str, path: Path, known: list[str]) -> Iterator[Diagnostic]:
        foreign = foreign_word(text)
        if foreign is not None:
            message = f"`{foreign}` can't be part of one transaction"
            yield self.finding(node.span, message, path=path, help="leave it out")
        for name, start, end in bound_names(text):
            if name not in known:
                meant, help_text = way_out(name, known, "known are")
                span = span_in(node, start, end)
                message = f"there is no parameter `{name}`"
                yield self.finding(span, message, path=path, help=help_text, fix=rename(span, name, meant))


def _parameters(node: Node | None) -> dict[str, Scalar]:
    """The names of parameters, short or as the properties of a whole JSON Schema, with their keys."""
    schema = node.get("schema") if isinstance(node, Mapping) and len(node.entries) == 1 else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else node
    return {entry.name: entry.key for entry in properties.entries} if isinstance(properties, Mapping) else {}
