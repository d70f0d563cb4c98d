"""AS517 wrap-up that needs more than half of the pot."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


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

    Fix: reserve less, or raise `limits.tokens`.
    """

    code = "AS517"
    title = "wrap-up that needs more than half of the pot"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        reserve, limit = ("execution", "wrap_up", "reserve_tokens"), ("execution", "limits", "tokens")
        kept, whole = subject.number(*reserve), subject.number(*limit)
        if kept is None or whole is None or kept <= whole / 2:
            return
        yield self.finding(
            subject.span(*reserve),
            f"a reserve of {kept:g} is more than half of the {whole:g} tokens, so there is no wrap-up",
            path=reserve,
            help=f"reserve at most {int(whole // 2)}",
            related=(Related(subject.span(*limit), "the limit stands here"),),
        )
