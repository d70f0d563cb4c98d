"""AS513 no nudges in a text format."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class NoNudgesInTextFormat(Rule):
    """A loop whose model calls tools in text has no nudges at all.

    Why: in the formats `text` and `json` a turn of plain prose is common, and with `max_nudges: 0` the first one ends
    the run as stuck, before the required tools can have been called.

    Bad:

    ```yaml
    name: triage
    model: {tool_format: text}
    execution: {loop_until_done: true, max_nudges: 0}
    ```

    Good:

    ```yaml
    name: triage
    model: {tool_format: text}
    execution: {loop_until_done: true, max_nudges: 3}
    ```

    Fix: allow a few nudges, or use the native tool format.
    """

    code = "AS513"
    title = "no nudges in a text format"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        nudges, tool_format = ("execution", "max_nudges"), ("model", "tool_format")
        if subject.number(*nudges) != 0 or subject.text(*tool_format) not in ("text", "json"):
            return
        if subject.flag("execution", "loop_until_done") is not True:
            return
        yield self.finding(
            subject.span(*nudges),
            f"with `max_nudges: 0` the first turn of prose ends a run in the `{subject.text(*tool_format)}` format",
            path=nudges,
            help="allow a few nudges",
            related=(Related(subject.span(*tool_format), "the format stands here"),),
        )
