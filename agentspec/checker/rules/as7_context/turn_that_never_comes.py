"""AS720 turn that never comes."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

NOTES: Path = ("context", "scratchpad", "reorganize_every")


class TurnThatNeverComes(Rule):
    """A reminder, or the reorganisation of the scratchpad, is due in a turn that no run has.

    Why: it is never said, or never done. A reminder with `every: 20` is due in turn 20 first; notes are put in order
    before the turn that follows `reorganize_every` others.

    Bad:

    ```yaml
    name: reader
    execution: {max_iterations: 10}
    context:
      reminders:
        - {text: Name the file that each fact comes from., every: 20}
    ```

    Good:

    ```yaml
    name: reader
    execution: {max_iterations: 10}
    context:
      reminders:
        - {text: Name the file that each fact comes from., every: 4}
    ```

    Fix: let it come sooner, or allow more turns.
    """

    code = "AS720"
    title = "turn that never comes"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        most = subject.max_iterations
        if most is None:
            return
        reminders = [((*path, "every"), 0) for path, _ in subject.items("context", "reminders")]
        for path, before in (*reminders, (NOTES, 1)):
            every = subject.number(*path)
            if every is not None and every + before > most and subject.is_own(subject.span(*path)):
                yield self.finding(
                    subject.span(*path),
                    f"`{path[-1]}: {every:.15g}` comes to turn {every + before:.15g}; a run has at most {most:.15g}",
                    path=path,
                    help=f"write at most {most - before:.15g}" if most > before else "allow more turns",
                )
