"""AS513 no nudges in a text format."""

from collections.abc import Iterator

from agentspec.checker.loop import sentinel
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related


class NoNudgesInTextFormat(Rule):
    """A loop whose model calls tools in text, or ends it with a word, has no nudges at all.

    Why: in the formats `text` and `json` a turn of plain prose is common, and with `max_nudges: 0` the first one ends
    the run as stuck, before the required tools can have been called. So does the first turn that forgets the word of
    `done_sentinel`.

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
        nudges = ("execution", "max_nudges")
        if subject.number(*nudges) != 0 or subject.flag("execution", "loop_until_done") is not True:
            return
        cause = _cause(subject)
        if cause is not None:
            path, what, why = cause
            yield self.finding(
                subject.span(*nudges),
                f"with `max_nudges: 0` the first turn of prose {what}",
                path=nudges,
                help="allow a few nudges",
                related=(Related(subject.span(*path), why),),
            )


def _cause(subject: Subject) -> tuple[Path, str, str] | None:
    """What makes a turn of prose a slip: where it stands, what it says of such a turn, and what stands there."""
    tool_format, word = subject.text("model", "tool_format"), sentinel(subject)
    if tool_format in ("text", "json"):
        return ("model", "tool_format"), f"ends a run in the `{tool_format}` format", "the format stands here"
    if word is not None and subject.is_authored("execution", "max_nudges"):
        return (
            ("execution", "done_sentinel"),
            f"without `{word}` ends the run",
            "the word that ends the loop stands here",
        )
    return None
