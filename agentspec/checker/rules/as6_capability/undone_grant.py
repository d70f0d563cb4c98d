"""AS603 grant that a denial undoes."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.compose.rights.narrow import covers
from agentspec.syntax.tree import Mapping, Node, Path
from agentspec.text.diagnostic import Diagnostic, Related

PLAIN = frozenset(("tool", "decision", "reason"))


class UndoneGrant(Rule):
    """A rule allows calls that another rule refuses, all of them.

    Why: deny beats ask beats allow, wherever the rules stand, so such a grant never acts. One of the two is not what
    was meant.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      permissions:
        allow: [read_file, list_directory]
        deny: ["read_*"]
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      permissions:
        allow: ["read_*", list_directory]
        deny: [read_file_tail]
    ```

    Fix: take the grant away, or deny less.
    """

    code = "AS603"
    title = "grant that a denial undoes"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        permissions, rules = ("capability", "permissions"), ("capability", "approval", "rules")
        denials = [each for each in _named(subject, (*permissions, "deny")) if _is_plain(each[1])]
        yield from self._undone(subject, _named(subject, (*permissions, "allow")), denials, "denied")
        decided = [(path, node, text) for path, node, text in _named(subject, rules) if subject.is_own(node.span)]
        refusals = [each for each in _named(subject, rules) if _is_plain(each[1])]
        # A denial of everything is AS624.
        refusals = [each for each in refusals if each[2] != "*" or subject.text(*each[0], "decision") != "deny"]
        for word, what in (("deny", "denied"), ("ask", "asked about")):
            stricter = [each for each in refusals if subject.text(*each[0], "decision") == word]
            grants = [each for each in decided if subject.text(*each[0], "decision") == "allow"]
            yield from self._undone(subject, grants, stricter, what)

        for server in subject.servers:
            place = ("capability", "mcp", server)
            yield from self._undone(
                subject, _named(subject, (*place, "allow")), _named(subject, (*place, "deny")), "denied"
            )

    def _undone(
        self, subject: Subject, grants: list[tuple[Path, Node, str]], refusals: list[tuple[Path, Node, str]], what: str
    ) -> Iterator[Diagnostic]:
        for path, node, name in grants:
            refusal = next((other for _, other, pattern in refusals if covers(pattern, name)), None)
            if refusal is not None and subject.is_own(node.span):
                yield self.finding(
                    node.span if text_of(node) else subject.span(*path, "tool"),
                    f"`{name}` is allowed here, and every call of it is {what}",
                    path=path,
                    help="take the grant away, or make the other rule narrower",
                    related=(Related(refusal.span, "this rule is stricter, and the stricter one counts"),),
                )


def _named(subject: Subject, path: Path) -> list[tuple[Path, Node, str]]:
    """The rules of a list that name one tool or pattern."""
    found = [(at, node, text_of(node) or subject.text(*at, "tool")) for at, node in subject.items(*path)]
    return [(at, node, name) for at, node, name in found if name]


def _is_plain(node: Node) -> bool:
    return not isinstance(node, Mapping) or set(node.names()) <= PLAIN
