"""AS621 unknown agent."""

from collections.abc import Iterator

from agentspec.checker.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic


class UnknownAgent(Rule):
    """A tool or a sub-agent names an agent that doesn't exist.

    Why: a bare name means an agent of the same file; `FILE#NAME` means one of another file, `alias.NAME` one of a
    library.

    Bad:

    ```agent
    agent lead {
      capability {
        tool ask(task: string) "Asks the expert" { agent: expret }
      }
    }

    agent expert { }
    ```

    Good:

    ```agent
    agent lead {
      capability {
        tool ask(task: string) "Asks the expert" { agent: expert }
      }
    }

    agent expert { }
    ```

    Fix: correct the name.
    """

    code = "AS621"
    title = "unknown agent"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        aliases = {entry.name for entry in subject.entries("use")}
        for path in _places(subject):
            name = subject.text(*path)
            if name is None or "#" in name or "/" in name or name.endswith((".yaml", ".yml", ".json", ".agent")):
                continue
            if name in subject.agents or name.partition(".")[0] in aliases:
                continue
            span = subject.span(*path)
            meant, help_text = way_out(name, list(subject.agents), "agents of this file")
            yield self.finding(
                span, f"unknown agent `{name}`", path=path, help=help_text, fix=rename(span, name, meant)
            )


def _places(subject: Subject) -> Iterator[Path]:
    for tool in subject.tools:
        yield (*tool.path, "agent")
    for entry in subject.entries("capability", "subagents"):
        yield ("capability", "subagents", entry.name, "agent")
