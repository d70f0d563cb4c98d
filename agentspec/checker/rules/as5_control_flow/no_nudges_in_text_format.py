"""AS513 no nudges in a text format."""

from collections.abc import Iterator

from agentspec.checker.questions.loop import sentinel
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

WORD: Path = ("execution", "done_sentinel")
FORMAT: Path = ("model", "tool_format")


class NoNudgesInTextFormat(Rule):
    """A loop whose model calls tools in text, or ends it with a word, has no nudges at all.

    Why: in the `text` format a turn of plain prose is common, and a loop that ends with a word (`##DONE##` there, where
    `done_sentinel` says nothing else) takes no other turn for an answer. With `max_nudges: 0` the first turn of prose
    ends the run as stuck, before the required tools can have been called.

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

    Fix: allow a few nudges, use the native tool format, or write `done_sentinel: false`.
    """

    code = "AS513"
    title = "no nudges in a text format"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        nudges, word = ("execution", "max_nudges"), sentinel(subject)
        if subject.number(*nudges) != 0 or subject.flag("execution", "loop_until_done") is not True or word is None:
            return
        is_text = subject.text("model", "tool_format") == "text"
        if not is_text and not subject.is_authored(*nudges):
            return
        given = subject.at("execution", "done_sentinel") is not None
        other, why = (WORD, "the word stands here") if given else (FORMAT, "the format stands here")
        yield self.finding(
            subject.span(*nudges),
            f"with `max_nudges: 0` the first turn of prose without `{word}` ends the run",
            path=nudges,
            help="allow a few nudges",
            related=(Related(subject.span(*other), why),),
        )
