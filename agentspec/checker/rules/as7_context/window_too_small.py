"""AS707 window too small for what is fixed."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

CHARACTERS_A_TOKEN = 5  # more than any tokenizer makes of prose, so that nothing is claimed too early


class WindowTooSmall(Rule):
    """The system text, or the room for the answer, is larger than the model's window.

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
        window, output, system = ("model", "context_window"), ("model", "max_output_tokens"), ("context", "system")
        whole, longest, text = subject.number(*window), subject.number(*output), subject.text(*system)
        if whole is None:
            return
        related = (Related(subject.span(*window), "the window stands here"),)
        if longest is not None and longest >= whole:
            yield self.finding(
                subject.span(*output),
                f"answers of {longest:g} tokens leave nothing of a window of {whole:g}",
                path=output,
                help=f"write less than {whole:g}",
                related=related,
            )
        least = len(text or "") // CHARACTERS_A_TOKEN
        if least >= whole:
            yield self.finding(
                subject.key(*system),
                f"the system text alone has at least {least} tokens; the window has {whole:g}",
                path=system,
                help="shorten it, or take a model with a larger window",
                related=related,
            )
