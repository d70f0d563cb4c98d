"""AS726 file written outside the project."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound
from agentspec.syntax.within import within
from agentspec.text.diagnostic import Diagnostic


class WrittenOutside(Rule):
    """`observability` wants events or a transcript in a file that lies outside the project.

    Why: a run writes nothing outside its project but what a tool with that authority does, so that it would refuse to
    start.

    Bad:

    ```yaml
    name: desk
    observability:
      events: [{jsonl: /var/log/desk.jsonl}]
    ```

    Good:

    ```yaml
    name: desk
    observability:
      events: [{jsonl: logs/desk.jsonl}]
    ```

    Fix: name a file of the project, or pass `--events FILE` to the run.
    """

    code = "AS726"
    title = "file written outside the project"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        sinks = [(*path, "jsonl") for path, _ in subject.items("observability", "events")]
        for path in (*sinks, ("observability", "transcript_dir")):
            name = subject.text(*path)
            try:
                if name is not None and "${" not in name:
                    within(subject.project, name)
            except NotFound as problem:
                yield self.finding(subject.span(*path), str(problem), path=path)
