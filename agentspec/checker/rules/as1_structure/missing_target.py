"""AS108 scenario for a spec that is not there."""

from collections.abc import Iterator
from pathlib import Path

from agentspec.checker.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file, split_reference
from agentspec.syntax.absent import no_such_file
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_file


class MissingTarget(Rule):
    """A scenario is for a spec that does not exist.

    Why: there is nothing that it could try.

    Bad:

    ```yaml
    scenario: says hello
    for: greter.yaml
    task: Say hello.
    expect: {status: done}
    ```

    Good:

    ```yaml
    scenario: says hello
    for: greeter
    task: Say hello.
    expect: {status: done}
    ---
    name: greeter
    context: {system: You greet.}
    ```

    Fix: correct the path, which begins at the folder of the scenario, or the name of an agent of the same file.
    """

    code = "AS108"
    title = "scenario for a spec that is not there"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        target = subject.text("for")
        if subject.kind != "scenario" or target is None or "${" in target:
            return
        span = subject.span("for")
        if looks_like_file(target):
            file = Path(subject.source.name).parent / split_reference(target)[0]
            if not is_file(file) and not is_file(Path(subject.source.name).parent / target):
                yield self.finding(span, no_such_file(file), path=("for",))
        elif subject.is_whole and target not in subject.agents:
            meant, help_text = way_out(target, subject.agents, "agents of this file")
            help_text = help_text or "name a file, such as `triage.yaml`, or an agent of this file"
            fix = rename(span, target, meant)
            yield self.finding(
                span, f"there is no agent `{target}` in this file", path=("for",), help=help_text, fix=fix
            )
