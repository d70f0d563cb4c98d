"""AS531 share of a child above the whole."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

WHOLE = ("execution", "limits")


class ShareAboveWhole(Rule):
    """A sub-agent may use more of something than the run that calls it.

    Why: the bounds of a run hold for it and all its children together, so the larger one never acts.

    Bad:

    ```yaml
    name: lead
    execution: {limits: {tool_calls: 20}}
    capability:
      subagents:
        reading: {agent: reader, description: Reads, limits: {tool_calls: 50}}
    ---
    name: reader
    task: Read.
    ```

    Good:

    ```yaml
    name: lead
    execution: {limits: {tool_calls: 20}}
    capability:
      subagents:
        reading: {agent: reader, description: Reads, limits: {tool_calls: 10}}
    ---
    name: reader
    task: Read.
    ```

    Fix: give the child less than the whole, or raise the whole.
    """

    code = "AS531"
    title = "share of a child above the whole"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for child in subject.entries("capability", "subagents"):
            limits = ("capability", "subagents", child.name, "limits")
            for entry in subject.entries(*limits):
                path, whole = (*limits, entry.name), (*WHOLE, entry.name)
                own, all_of_it = _amount(subject, *path), _amount(subject, *whole)
                if own is not None and all_of_it is not None and own > all_of_it:
                    yield self.finding(
                        subject.span(*path),
                        f"`{child.name}` may use more than the whole run, whose `{entry.name}` is smaller",
                        path=path,
                        help=f"write less than `{subject.span(*whole).text}`",
                        related=(Related(subject.span(*whole), "the bound of the run"),),
                    )


def _amount(subject: Subject, *path: str) -> float | None:
    number = subject.number(*path)
    return subject.seconds(*path) if number is None else number
