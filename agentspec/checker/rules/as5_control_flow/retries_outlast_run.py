"""AS516 retries that outlast the run."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

# What is tried again, how often at most in all, and how long one attempt may take; `extra` is the first attempt.
TRIES: tuple[tuple[Path, Path, int], ...] = (
    (("model", "retry", "max_attempts"), ("model", "timeout"), 0),
    (("execution", "tool_retries"), ("execution", "tool_timeout"), 1),
)

RETRY: Path = ("model", "retry")
LONGEST = 30.0  # seconds, the default of `max`
MANY = 64  # attempts, from where on doubling says nothing


class RetriesOutlastRun(Rule):
    """All attempts at one call together, or the waits between them, may take longer than the run.

    Why: the last attempts can never be made, so the retry policy promises more than the run can keep.

    Bad:

    ```yaml
    name: triage
    model:
      timeout: 2m
      retry: {max_attempts: 5}
    execution:
      limits: {wall_clock: 3m}
    ```

    Good:

    ```yaml
    name: triage
    model:
      timeout: 30s
      retry: {max_attempts: 3}
    execution:
      limits: {wall_clock: 3m}
    ```

    Fix: shorten the timeout, make fewer attempts, or give the run more time.
    """

    code = "AS516"
    title = "retries that outlast the run"
    severity = "warning"

    def _waits(self, subject: Subject, whole: float, limit: Path) -> Iterator[Diagnostic]:
        """Waits that are longer than the run even where each call fails at once."""
        tries, first = subject.number(*RETRY, "max_attempts"), subject.seconds(*RETRY, "base")
        longest = subject.seconds(*RETRY, "max") or LONGEST
        if tries is None or first is None or tries > MANY:
            return
        share = 1.0 if subject.flag(*RETRY, "jitter") is False else 0.5  # what spreading leaves of a wait at least
        waits = share * sum(min(first * 2**count, longest) for count in range(int(tries) - 1))
        if waits > whole:
            path = (*RETRY, "max_attempts")
            yield self.finding(
                subject.span(*path),
                f"the waits between {tries:g} attempts come to {waits:g}s at least, and the run has {whole:g}s",
                path=path,
                help="make fewer attempts, shorten `base`, or raise `execution.limits.wall_clock`",
                related=(Related(subject.span(*limit), "the run may take this long"),),
            )

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limit = ("execution", "limits", "wall_clock")
        whole = subject.seconds(*limit)
        if whole is not None:
            yield from self._waits(subject, whole, limit)
        for attempts, timeout, extra in TRIES:
            tries, seconds = subject.number(*attempts), subject.seconds(*timeout)
            if whole is None or tries is None or seconds is None or seconds > whole:
                continue
            if (tries + extra) * seconds > whole:
                yield self.finding(
                    subject.span(*attempts),
                    f"{tries + extra:g} attempts of {seconds:g}s each may take longer than the run ({whole:g}s)",
                    path=attempts,
                    help=f"make fewer attempts, shorten `{timeout[-1]}`, or raise `execution.limits.wall_clock`",
                    related=(
                        Related(subject.span(*timeout), "one attempt may take this long"),
                        Related(subject.span(*limit), "the run may take this long"),
                    ),
                )
