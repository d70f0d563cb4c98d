"""AS509 timeout longer than the whole run."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related


class TimeoutAboveWallClock(Rule):
    """A timeout is longer than the run may last.

    Why: `limits.wall_clock` ends the run first, so the timeout never acts, and one hanging call uses up everything.

    Bad:

    ```yaml
    name: triage
    execution:
      tool_timeout: 10m
      limits: {wall_clock: 5m}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      tool_timeout: 30s
      limits: {wall_clock: 5m}
    ```

    Fix: shorten the timeout, or give the run more time.
    """

    code = "AS509"
    title = "timeout longer than the whole run"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limit = ("execution", "limits", "wall_clock")
        whole = subject.seconds(*limit)
        if whole is None:
            return
        for path in _timeouts(subject):
            seconds = subject.seconds(*path)
            if seconds is None or seconds <= whole:
                continue
            yield self.finding(
                subject.span(*path),
                f"`{path[-1]}` is longer than the run may last (`wall_clock: {subject.text(*limit)}`)",
                path=path,
                help="shorten it, or raise `execution.limits.wall_clock`",
                related=(Related(subject.span(*limit), "the limit of the run stands here"),),
            )


def _timeouts(subject: Subject) -> Iterator[Path]:
    yield ("model", "timeout")
    yield ("execution", "tool_timeout")
    yield ("execution", "step_judge", "operation_timeout")
    for path, _ in subject.items("execution", "verify_completion"):
        yield (*path, "timeout")
    for tool in subject.tools_with("timeout"):
        yield (*tool.path, "timeout")
    for server in subject.servers:
        yield ("capability", "mcp", server, "timeout")
