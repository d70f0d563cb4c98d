"""AS621 unknown agent."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file, split_reference
from agentspec.syntax.absent import no_such_file
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_file


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
            if name is None:
                continue
            if looks_like_file(name):
                if path[:2] == ("capability", "tools"):  # sub-agents are read when they are called
                    yield from self._of_file(subject, path, name)
                continue
            if name in subject.agents or name.partition(".")[0] in aliases:
                continue
            span = subject.span(*path)
            meant, help_text = way_out(name, list(subject.agents), "agents of this file")
            yield self.finding(
                span, f"unknown agent `{name}`", path=path, help=help_text, fix=rename(span, name, meant)
            )

    def _of_file(self, subject: Subject, path: Path, name: str) -> Iterator[Diagnostic]:
        """A file is looked for from the folder of the spec; what it holds is its own check's business."""
        file = FilePath(subject.source.name).absolute().parent / split_reference(name)[0]
        if not is_file(file):
            help_text = f"it is looked for from the folder of this file: `{file.parent}`"
            yield self.finding(subject.span(*path), no_such_file(file), path=path, help=help_text)


def _places(subject: Subject) -> Iterator[Path]:
    for tool in subject.tools_with("agent"):
        yield (*tool.path, "agent")
    for entry in subject.entries("capability", "subagents"):
        yield ("capability", "subagents", entry.name, "agent")
