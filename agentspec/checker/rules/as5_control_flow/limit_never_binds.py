"""AS507 limit that can never bind."""

from collections.abc import Iterator

from agentspec.checker.questions.loop import is_certain
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, dotted
from agentspec.text.diagnostic import Diagnostic, Related

LIMITS: Path = ("execution", "limits")
CEILING: Path = ("capability", "ceiling", "limits")
# What is reached later than the other, where it isn't smaller. Only written values count: defaults contradict nothing.
PAIRS: tuple[tuple[Path, Path], ...] = (
    ((*LIMITS, "working_time"), (*LIMITS, "wall_clock")),
    ((*LIMITS, "consecutive_failures"), (*LIMITS, "tool_calls")),
    (("model", "idle_timeout"), ("model", "timeout")),
)
CALLS: Path = (*LIMITS, "provider_calls")
# What makes calls of models beside the turns of the run, or lets it begin again.
BESIDE: tuple[Path, ...] = (
    ("capability", "subagents"),
    ("context", "scratchpad"),
    *(("lifecycle", name) for name in ("daemon", "workers", "suspend")),
)
JUDGES = (("verify_completion_judge", 1), ("turn_end_condition", 2), ("step_judge", 1))  # and how often in a turn
RETRIES, REPAIRS = 3, 3  # at most, where nothing is written
DIALECT = 8  # calls that a server refuses until its ways are known
TURNS: tuple[Path, ...] = (("execution", "iteration_budget", "max"), ("execution", "max_iterations"))
# What can be reached once a turn at most; written by the author of this very file.
PER_TURN: tuple[Path, ...] = (
    ("execution", "max_nudges"),
    ("execution", "verify_completion_judge", "max_invocations"),
    ("execution", "turn_end_condition", "max_invocations"),
)


class LimitNeverBinds(Rule):
    """A limit can never be reached, because another one is always reached first.

    Why: working time is wall-clock time without the waiting for people, so it never passes `wall_clock`; calls that
    fail in a row are tool calls too; silence within a call is part of the call; a turn takes a call of the model at
    least; and it is at most one text-only turn, and one question to a judge. Nor are there more calls of models than
    all turns and judges make with all their retries. The looser limit of such a pair does nothing.

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
        for loose, tight in PAIRS:
            large, small = _amount(subject, loose), _amount(subject, tight)
            if large is not None and small is not None and large >= small:
                yield self._never(subject, loose, tight)
        yield from self._above_ceiling(subject)
        turns = subject.max_iterations
        if turns is None:
            return
        yield from self._too_few_calls(subject, turns)
        yield from self._too_many_calls(subject, turns)
        for path in PER_TURN:
            asked = subject.number(*path)
            if (
                asked is not None
                and asked >= turns
                and subject.is_authored(*path)
                and subject.is_own(subject.span(*path))
            ):
                yield self._outnumbered(subject, path, turns)

    def _never(self, subject: Subject, loose: Path, tight: Path) -> Diagnostic:
        ended = "the run" if tight[:2] == LIMITS else "the call"
        return self.finding(
            subject.span(*loose),
            f"`{loose[-1]}` can never be reached: `{tight[-1]}` ends {ended} first",
            path=loose,
            help=f"make it smaller than `{tight[-1]}`, or take it away",
            related=(Related(subject.span(*tight), "the tighter limit stands here"),),
        )

    def _above_ceiling(self, subject: Subject) -> Iterator[Diagnostic]:
        """Limits that are looser than those of the spec's own ceiling; a lower layer's are not to be passed at all."""
        told = {one.path for one in subject.errors if one.code == "AS412"}
        for entry in subject.entries(*CEILING):
            loose, tight = (*LIMITS, entry.name), (*CEILING, entry.name)
            large, small = _amount(subject, loose), _amount(subject, tight)
            if large is not None and small is not None and large > small and dotted(loose) not in told:
                yield self.finding(
                    subject.span(*loose),
                    f"`{loose[-1]}` can never be reached: the ceiling ends the run first",
                    path=loose,
                    help="make it no larger than the ceiling, or take it away",
                    related=(Related(subject.span(*tight), "the ceiling stands here"),),
                )

    def _too_few_calls(self, subject: Subject, turns: int) -> Iterator[Diagnostic]:
        """Every turn takes a call of a model at least, unless answers come from a cache."""
        calls = subject.number(*CALLS)
        path = next((path for path in TURNS if subject.is_authored(*path)), None)
        has_cache = subject.at("model", "cache") is not None and subject.text("model", "cache") != "off"
        if calls is None or calls >= turns or path is None or has_cache or not subject.is_own(subject.span(*path)):
            return
        yield self.finding(
            subject.span(*path),
            f"{turns} turns can never be reached: `provider_calls` ends the run first",
            path=path,
            help=f"allow at most {calls:.15g} turns, or more calls",
            related=(Related(subject.span(*CALLS), "the tighter limit stands here"),),
        )

    def _too_many_calls(self, subject: Subject, turns: int) -> Iterator[Diagnostic]:
        """All calls that a run of so many turns can make; what runs beside it or after it makes calls of its own."""
        calls = subject.number(*CALLS)
        if calls is None or not subject.is_authored(*CALLS) or not is_certain(subject, "execution", "model"):
            return
        if any(subject.at(*path) is not None for path in BESIDE) or any(tool.kind == "agent" for tool in subject.tools):
            return
        most = _most_calls(subject, turns)
        if calls <= most:
            return
        yield self.finding(
            subject.span(*CALLS),
            f"`provider_calls` can never be reached: {turns} turns make at most {most} calls, with all retries",
            path=CALLS,
            help="make it smaller, or take it away",
        )

    def _outnumbered(self, subject: Subject, path: Path, turns: int) -> Diagnostic:
        what = path[-1] if len(path) == 2 else f"{path[-2]}.{path[-1]}"
        return self.finding(
            subject.span(*path),
            f"`{what}` can never be reached: the run ends after {turns} turn{'s' if turns > 1 else ''}",
            path=path,
            help="make it smaller than the number of turns, or take it away",
        )


def _most_calls(subject: Subject, turns: int) -> int:
    """The most calls of models that a run can make: every call fails and is tried again, every verdict is repaired."""
    is_retried = subject.flag("model", "retry") is not False
    tries = int(subject.number("model", "retry", "max_attempts") or RETRIES) if is_retried else 1
    whole, question = turns + 1, 2 * tries + 1  # last words are a turn; a verdict is asked for twice, and once in prose
    asked = [often * whole for place, often in JUDGES if subject.at("execution", place) is not None]
    asked.append(int(subject.at("execution", "input_guardrail") is not None))
    repairs = subject.number("execution", "output", "repairs")
    asked.append(REPAIRS if repairs is None else int(repairs))
    routes = 1 + len(subject.items("model", "fallback"))  # each with tries of its own
    mirrored = 1 + (subject.at("model", "shadow") is not None)
    # An empty reply is asked for again, and a summary may be made in every turn.
    return whole * 3 * tries * routes * mirrored + sum(asked) * question * routes + DIALECT


def _amount(subject: Subject, path: Path) -> float | None:
    """A number, or a duration in seconds."""
    number = subject.number(*path)
    return subject.seconds(*path) if number is None else number
