"""AS707 window too small for what is fixed."""

from collections.abc import Iterator

from agentspec.checker.questions.fixed import fixed_part, window_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.windows import HARD, bound
from agentspec.text.diagnostic import Diagnostic, Related


class WindowTooSmall(Rule):
    """The system text and the tools, or the room for the answer, are larger than the model's window.

    Why: no request could ever be made.

    Bad:

    ```yaml
    name: writer
    model: {context_window: 4096, max_output_tokens: 8000}
    ```

    Good:

    ```yaml
    name: writer
    model: {context_window: 32768, max_output_tokens: 8000}
    ```

    Fix: shorten the text or the answer, or take a model with a larger window.
    """

    code = "AS707"
    title = "window too small for what is fixed"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        window = window_of(subject)
        if window is None:
            return
        longest, output = subject.number("model", "max_output_tokens"), ("model", "max_output_tokens")
        related = (Related(window.span, window.says),)
        if longest is not None and longest >= window.tokens:
            yield self.finding(
                subject.span(*output),
                f"answers of {longest:.15g} tokens leave nothing of a window of {window.tokens:.15g}",
                path=output,
                help=f"write less than {window.tokens:.15g}",
                related=related,
            )
        fixed = fixed_part(subject)
        fits = bound(HARD, window.tokens, longest) or 0
        if fixed is not None and fixed.tokens >= fits and not (longest is not None and longest >= window.tokens):
            yield self.finding(
                subject.key(*fixed.path),
                f"{fixed.what} alone {fixed.verb} at least {fixed.tokens} tokens; a request may have {fits} of the "
                f"window of {window.tokens:.15g}",
                path=fixed.path,
                help="shorten it, or take a model with a larger window",
                related=related,
            )
