"""AS517 wrap-up that needs more than half of the pot."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

RESERVE: Path = ("execution", "wrap_up", "reserve_tokens")
USUAL = 1024  # tokens, or the longest answer where that is shorter


class WrapUpReserve(Rule):
    """The reserve for the last answer is more than half of the tokens that the run has.

    Why: such a reserve would leave too little for the work, so there is no wrap-up at all, and a run that reaches its
    limit ends without an answer.

    Bad:

    ```yaml
    name: triage
    execution:
      limits: {tokens: 4000}
      wrap_up: {reserve_tokens: 3000}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      limits: {tokens: 40000}
      wrap_up: {reserve_tokens: 3000}
    ```

    Fix: reserve less, raise `limits.tokens`, or write `wrap_up: false`. Where nothing is written, 1024 tokens are
    kept, or the longest answer where that is shorter.
    """

    code = "AS517"
    title = "wrap-up that needs more than half of the pot"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limit = ("execution", "limits", "tokens")
        whole, kept = subject.number(*limit), _kept(subject)
        if kept is None or whole is None or kept <= whole / 2:
            return
        is_given = subject.number(*RESERVE) is not None
        path = RESERVE if is_given else limit
        yield self.finding(
            subject.span(*path),
            f"{'a' if is_given else 'the usual'} reserve of {kept:g} is more than half of the {whole:g} tokens, "
            "so there is no wrap-up",
            path=path,
            help=f"reserve at most {int(whole // 2)}" if is_given else "raise the limit, or write `wrap_up: false`",
            related=(Related(subject.span(*limit), "the limit stands here"),) if is_given else (),
        )


def _kept(subject: Subject) -> float | None:
    """The tokens that are kept for the last answer; None where there is none, or where it cannot be told."""
    if subject.flag("execution", "wrap_up") is False or not subject.is_sound("execution", "wrap_up"):
        return None
    given, longest = subject.number(*RESERVE), subject.number("model", "max_output_tokens")
    return min(USUAL, USUAL if longest is None else longest) if given is None else given
