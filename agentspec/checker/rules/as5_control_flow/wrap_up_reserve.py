"""AS517 wrap-up that needs more than half of the pot."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import known_prices
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

RESERVE: Path = ("execution", "wrap_up", "reserve_tokens")
LIMITS: Path = ("execution", "limits")
MILLION = 1e6
USUAL = 1024  # tokens, or the longest answer where that is shorter


class WrapUpReserve(Rule):
    """The reserve for the last answer is more than half of the tokens, calls or dollars that the run has.

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

    Fix: reserve less, raise the limit, or write `wrap_up: false`. Where nothing is written, 1024 tokens are
    kept, or the longest answer where that is shorter; and of `limits.provider_calls` one call.
    """

    code = "AS517"
    title = "wrap-up that needs more than half of the pot"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        tokens = _kept(subject)
        if tokens is None:
            return
        is_given = subject.number(*RESERVE) is not None
        for limit, kept, unit in _pots(subject, tokens):
            whole = subject.number(*LIMITS, limit)
            if whole is None or kept <= whole / 2:
                continue
            path = RESERVE if is_given and limit == "tokens" else (*LIMITS, limit)
            yield self.finding(
                subject.span(*path),
                f"{'a' if is_given else 'the usual'} reserve of {kept:.15g} is more than half of the {whole:.15g} "
                f"{unit}, so there is no wrap-up",
                path=path,
                help=f"reserve at most {int(whole // 2)}"
                if path == RESERVE
                else "raise the limit, or write `wrap_up: false`",
                related=(Related(subject.span(*LIMITS, limit), "the limit stands here"),) if path == RESERVE else (),
            )


def _pots(subject: Subject, tokens: float) -> Iterator[tuple[str, float, str]]:
    """Each limit that last words draw on, what is kept of it at least, and in which unit."""
    yield "tokens", tokens, "tokens"
    if subject.number(*LIMITS, "provider_calls") == 1:
        yield "provider_calls", 1, "provider call"
    price = _price(subject) if subject.number(*LIMITS, "cost_usd") is not None else None
    if price is not None:
        yield "cost_usd", tokens * price / MILLION, "dollars"


def _price(subject: Subject) -> float | None:
    """What a million tokens of an answer cost: as written, or as the catalogue has it for the model's own server."""
    if subject.at("model", "prices") is not None:
        return subject.number("model", "prices", "output")
    if subject.at("model", "base_url") is not None or subject.at("model", "routes") is not None:
        return None
    known = known_prices(subject.text("model", "provider") or "", subject.text("model", "model") or "") or {}
    return known.get("output")


def _kept(subject: Subject) -> float | None:
    """The tokens that are kept for the last answer; None where there is none, or where it cannot be told."""
    if subject.flag("execution", "wrap_up") is False or not subject.is_sound("execution", "wrap_up"):
        return None
    given, longest = subject.number(*RESERVE), subject.number("model", "max_output_tokens")
    return min(USUAL, USUAL if longest is None else longest) if given is None else given
