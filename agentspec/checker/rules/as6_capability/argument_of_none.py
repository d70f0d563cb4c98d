"""AS656 argument that no such tool has."""

from collections.abc import Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.questions.offered import Offered
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.rights.narrow import covers
from agentspec.compose.tool_parameters import parameters_of
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

LISTS: tuple[Path, ...] = (("capability", "permissions", "allow"), ("capability", "permissions", "deny"))


class ArgumentOfNone(Rule):
    """A permission asks for an argument that none of its tools takes.

    Why: no call has that argument, so the rule matches none: a denial refuses nothing, and a grant grants nothing.

    Bad:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      permissions:
        deny:
          - {tool: delete_path, args: {pth: "src*"}}
    ```

    Good:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      permissions:
        deny:
          - {tool: delete_path, args: {path: "src*"}}
    ```

    Fix: correct the name of the argument.
    """

    code = "AS656"
    title = "argument that no such tool has"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for rules in LISTS:
            for path, _ in subject.items(*rules):
                entries = subject.entries(*path, "args")
                taken = _taken(subject, subject.text(*path, "tool") or "") if entries else None
                for entry in entries:
                    if taken is not None and entry.name not in taken and subject.is_own(entry.key.span):
                        meant, help_text = way_out(entry.name, taken, "its arguments are")
                        message = f"`{subject.text(*path, 'tool')}` takes no argument `{entry.name}`"
                        fix = rename(entry.key.span, entry.name, meant)
                        at = (*path, "args", entry.name)
                        yield self.finding(entry.key.span, message, path=at, help=help_text, fix=fix)


def _taken(subject: Subject, pattern: str) -> set[str] | None:
    """The arguments of all tools that a pattern means; None where that is not known for certain."""
    if not subject.knows_tools or subject.open_servers:
        return None
    named = [_parameters(subject, one) for one in subject.offered if covers(pattern, one.name)]
    known = [names for names in named if names is not None]
    return {name for names in known for name in names} if known and len(known) == len(named) else None


def _parameters(subject: Subject, one: Offered) -> tuple[str, ...] | None:
    own = next((tool for tool in subject.tools if tool.path == one.path), None)
    if own is not None:
        is_sound = subject.is_sound(*own.path) and own.kind != "agent"
        return tuple(entry.name for _, entry in own.parameters) if is_sound else None
    renamed = {
        subject.text(*one.path, "names", entry.name): entry.name for entry in subject.entries(*one.path, "names")
    }
    return parameters_of(renamed.get(one.name, one.name))
