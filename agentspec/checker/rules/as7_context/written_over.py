"""AS727 file that must not be written over."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.syntax.written import EVENTS, RECEIPTS, TRANSCRIPT, Kind, why_not
from agentspec.text.diagnostic import Diagnostic


class WrittenOver(Rule):
    """What a run leaves behind is to be written to a file that holds something else.

    Why: events, receipts and transcripts are added to a file or written over it. In a spec, a source file or the store
    of runs they would destroy what stands there, so a run refuses to start.

    Bad:

    ```yaml
    name: desk
    observability:
      events: [{jsonl: agentspec.toml}]
    ```

    Good:

    ```yaml
    name: desk
    observability:
      events: [{jsonl: logs/desk.jsonl}]
    ```

    Fix: name a new file, or one that earlier runs have written.
    """

    code = "AS727"
    title = "file that must not be written over"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, kind in _written(subject) if subject.kind == "agent" else ():
            name = subject.text(*path)
            if name is None or "${" in name:
                continue
            why = why_not(subject.project / (f"{name}/run.jsonl" if kind is TRANSCRIPT else name), kind)
            if why:
                shown = why.replace(f"{subject.project}/", "", 1)
                yield self.finding(subject.span(*path), shown, path=path)


def _written(subject: Subject) -> Iterator[tuple[Path, Kind]]:
    for path, _ in subject.items("observability", "events"):
        yield (*path, "jsonl"), EVENTS
    for path, _ in subject.items("capability", "middleware"):
        yield (*path, "audit_log", "path"), RECEIPTS
    yield ("observability", "transcript_dir"), TRANSCRIPT
