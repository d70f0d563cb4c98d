"""AS507 limit that can never bind."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class LimitNeverBinds(Rule):
    """A limit can never be reached, because another one is always reached first.

    Why: working time is wall-clock time without the waiting for people, so it never passes `wall_clock`; and calls
    that fail in a row are tool calls too. The looser limit of such a pair does nothing.

    Bad:

    ```yaml
    name: triage
    execution:
      limits: {wall_clock: 5m, working_time: 10m}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      limits: {wall_clock: 30m, working_time: 10m}
    ```

    Fix: tighten the limit, or take it away.
    """

    code = "AS507"
    title = "limit that can never bind"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limits = ("execution", "limits")
        pairs = (
            (
                "working_time",
                "wall_clock",
                subject.seconds(*limits, "working_time"),
                subject.seconds(*limits, "wall_clock"),
            ),
            (
                "consecutive_failures",
                "tool_calls",
                subject.number(*limits, "consecutive_failures"),
                subject.number(*limits, "tool_calls"),
            ),
        )
        for loose, tight, large, small in pairs:
            if large is None or small is None or large < small:
                continue
            yield self.finding(
                subject.span(*limits, loose),
                f"`{loose}` can never be reached: `{tight}` ends the run first",
                path=(*limits, loose),
                help=f"make it smaller than `{tight}`, or take it away",
                related=(Related(subject.span(*limits, tight), "the tighter limit stands here"),),
            )
