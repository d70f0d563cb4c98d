"""AS729 result that is larger than the window."""

from collections.abc import Iterator

from agentspec.checker.questions.fixed import window_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.rights.narrow import amount
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

BYTES = 4  # of a token, about
LARGEST: Path = ("execution", "tool_result_max")


class ResultAboveWindow(Rule):
    """One result of a tool may be larger than the whole window of the model.

    Why: the model is asked with it at once, and the provider refuses the request as too long.

    Bad:

    ```yaml
    name: reader
    model: {context_window: 8192}
    execution: {tool_result_max: 1MB}
    ```

    Good:

    ```yaml
    name: reader
    model: {context_window: 8192}
    execution: {tool_result_max: auto}
    ```

    Fix: write `auto`, which is about a quarter of the window, or a smaller size.
    """

    code = "AS729"
    title = "result that is larger than the window"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        size = amount(subject.at(*LARGEST)) if subject.is_sound(*LARGEST) else None
        window = window_of(subject) if size is not None else None
        if size is None or window is None or size <= window.tokens * BYTES:
            return
        yield self.finding(
            subject.span(*LARGEST),
            f"such a result has about {size / BYTES:.0f} tokens, and the window {window.tokens:.0f}",
            path=LARGEST,
            help="write `auto`, or a smaller size",
            related=(Related(window.span, window.says),),
        )
