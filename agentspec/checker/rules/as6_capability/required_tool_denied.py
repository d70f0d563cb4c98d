"""AS625 required tool that is always denied."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.diagnostic import Diagnostic, Related

ONLY = {"tool", "decision", "reason"}


class RequiredToolDenied(Rule):
    """A tool must have succeeded, and an approval rule denies each call of it.

    Why: the run can never be done.

    Bad:

    ```yaml
    name: editor
    execution:
      require_successful_tools: [write_file]
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {tool: "write_*", decision: deny}
    ```

    Good:

    ```yaml
    name: editor
    execution:
      require_successful_tools: [write_file]
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {tool: delete_path, decision: deny}
    ```

    Fix: require another tool, or deny less.
    """

    code = "AS625"
    title = "required tool that is always denied"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        denials = list(_denials(subject))
        for path, node, name in subject.references("tool"):
            if path[:2] != ("execution", "require_successful_tools") or len(path) != 3:
                continue
            for rule, pattern in denials:
                if fnmatchcase(name, pattern):
                    yield self.finding(
                        node.span,
                        f"`{name}` must succeed, but every call of it is denied",
                        path=path,
                        help="require another tool, or deny less",
                        related=(Related(subject.span(*rule, "tool"), "it is denied here"),),
                    )


def _denials(subject: Subject) -> Iterator[tuple[Path, str]]:
    for path, node in subject.items("capability", "approval", "rules"):
        pattern = subject.text(*path, "tool")
        is_plain = isinstance(node, Mapping) and set(node.names()) <= ONLY
        if is_plain and pattern is not None and subject.text(*path, "decision") == "deny":
            yield path, pattern
