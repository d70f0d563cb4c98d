"""AS623 name that stands twice in a list."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Node, Path, Scalar, Sequence, plain
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

# Lists whose order says nothing, by the keys that they stand under.
SETS = frozenset(
    (
        *("events", "instructions_files", "working_files", "watch_paths", "require_artifacts", "paths", "exclude"),
        *("enum", "stop", "read", "write", "roles", "keys", "patterns", "secrets", "external_roots", "middleware"),
        *("allow", "deny", "roots", "hosts", "commands", "providers", "models", "effects", "enabled", "disabled"),
    )
)
FREE = frozenset(("options", "next_options", "arguments", "args", "default", "examples", "json", "const"))


class RepeatedName(Rule):
    """A list that is a set (tools, fallbacks, files, words, patterns) has one of them twice.

    Why: such a list is a set, so the second name adds nothing; mostly another one was meant.

    Bad:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_file, read_file]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_file, search_files]
    capability:
      toolkits: [files.read]
    ```

    Fix: take one away, or correct it.
    """

    code = "AS623"
    title = "name that stands twice in a list"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        seen: dict[tuple[Path, str], Span] = {}
        named = [(path, node, name) for to in ("tool", "route") for path, node, name in subject.references(to)]
        for path, node, name in (*named, *_in_sets(subject, {path for path, _, _ in named})):
            if not path or not isinstance(path[-1], int):
                continue
            first = seen.setdefault((path[:-1], name), node.span)
            if first != node.span:
                yield self.finding(
                    node.span,
                    f"`{name}` stands twice in this list",
                    path=path,
                    help="take one away, or correct it",
                    related=(Related(first, "the first one"),),
                )


def _in_sets(subject: Subject, named: set[Path]) -> Iterator[tuple[Path, Node, str]]:
    """The items of other lists that are sets, each with its value as a text."""
    for path, node in subject.nodes:
        if not isinstance(node, Sequence) or path[-1] not in SETS or not FREE.isdisjoint(map(str, path)):
            continue
        for index, item in enumerate(node.items) if not str(path[0]).startswith("x-") else ():
            if (*path, index) not in named and _is_word(item):
                value = plain(item)
                yield (*path, index), item, " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_word(node: Node) -> bool:
    """Whether an item is one value, or a command."""
    if isinstance(node, Sequence):
        return bool(node.items) and all(map(_is_word, node.items))
    return isinstance(node, Scalar) and node.value is not None
