"""AS521 condition that no run reaches."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.questions.conditions import Comparison, comparison, condition_of, conjuncts
from agentspec.checker.questions.loop import BUDGET, first_turns
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

ROUTES: Path = ("model", "routes")
LISTS: tuple[Path, ...] = (
    ("execution", "loop_control"),
    ("execution", "verify_completion"),
    ("execution", "post_turn"),
    ("execution", "terminal"),
    ROUTES,
)
CADENCE: Path = ("execution", "turn_end_condition", "cadence", "when")
THRESHOLD = 3  # results alike after which stall detection acts, where none is written
AFTER_LAST_WORDS = ("post_turn", "terminal")  # asked once more after the extra turn of a wrap-up


class Range(NamedTuple):
    """What a name can come to, both ends included; why it does not fall below or pass that; and the place of it."""

    low: float
    high: float
    below: str
    above: str
    place: Path | None = None
    stuck: float | None = None  # how far it usually comes before the run is stuck


class UnreachableCondition(Rule):
    """A condition asks for a number that the limits of the run keep out of reach.

    Why: turns are counted from 1 up to the maximum of the budget, and no cost, token or millisecond is spent beyond
    its limit. A rule that waits for more never matches.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 12
      loop_control:
        - {when: iteration > 20, stop: weary}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 12
      loop_control:
        - {when: iteration > 8, stop: weary}
    ```

    Fix: change the number, or the limit.
    """

    code = "AS521"
    title = "condition that no run reaches"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        whens = [(*path, "when") for rules in LISTS for path, _ in subject.items(*rules)]
        ranges: dict[str, Range] | None = None
        for path in (*whens, CADENCE):
            node = subject.at(*path)
            text = condition_of(node)
            if text is None or not isinstance(node, Scalar):
                continue
            ranges = _ranges(subject) if ranges is None else ranges
            for part in sorted(conjuncts(text)):
                compared = comparison(part)
                known = ranges.get(compared.name) if compared else None
                if compared and known and (why := _why(compared, _widened(known, path))):
                    yield self._never(subject, node, path, compared, known, why)
                    break  # one part that never holds is enough

    def _never(
        self, subject: Subject, node: Scalar, path: Path, compared: Comparison, known: Range, why: str
    ) -> Diagnostic:
        way_out = "" if known.stuck is None else "raise `execution.stall.stuck_limit`, "
        return self.finding(
            _place(node, compared),
            f"this never holds: {why}",
            path=path,
            help=f"{way_out}change the number, or take the condition away",
            related=(Related(subject.span(*known.place), "the limit stands here"),) if known.place else (),
        )


def _ranges(subject: Subject) -> dict[str, Range]:
    """The names whose values the spec bounds."""
    found = {**_of_the_budget(subject), **_of_stall(subject)}
    for name, limit, factor in SPENT:
        path = ("execution", "limits", limit)
        amount = subject.seconds(*path) if limit == "wall_clock" else subject.number(*path)
        if amount is not None:
            found[name] = Range(0, amount * factor, "it counts from 0", f"`{limit}` ends the run first", path)
    return found


def _of_the_budget(subject: Subject) -> dict[str, Range]:
    most, first = subject.max_iterations, first_turns(subject)
    if most is None or first is None:
        return {}
    written = ((*BUDGET, "max"), ("execution", "max_iterations"))
    place = next((path for path in written if subject.is_authored(*path)), None)
    ends = f"the run ends after {most} turn{'s' if most > 1 else ''}"
    started = f"the budget starts at {first}"
    return {
        "iteration": Range(1, most, "turns count from 1", ends, place),
        "progress.turns_since_progressing": Range(0, most, "it counts from 0", ends, place),
        "budget.max": Range(most, most, f"it is {most}", f"it is {most}", place),
        "budget.current_limit": Range(first, most, started, f"no budget passes {most}", place),
        "budget.remaining": Range(0, most - 1, "it counts down to 0", f"{most - 1} are left after the first", place),
        "budget.extension_count": Range(0, most - first, "it counts from 0", _extensions(most - first), place),
    }


def _of_stall(subject: Subject) -> dict[str, Range]:
    """How often one call can bring the same again. Two more than counted: an edit, and calls of one turn, give room."""
    stall: Path = ("execution", "stall")
    if subject.flag(*stall) is False or subject.items(*stall, "exempt_tools") or not subject.is_sound(*stall):
        return {}
    limit, threshold = subject.number(*stall, "stuck_limit"), subject.number(*stall, "threshold")
    most = (THRESHOLD if threshold is None else threshold) if limit is None else max(1, limit + 1)
    above = f"`stall` acts after {most:g} results alike"
    return {"progress.repeats": Range(0, most + 1, "it counts from 0", above, stuck=most - 1)}


# What is spent, the limit of it, and how many of its units one of the limit's is.
SPENT: tuple[tuple[str, str, int], ...] = (
    ("budget.wall_clock_ms", "wall_clock", 1000),
    ("budget.cost_usd", "cost_usd", 1),
    ("usage.cost_usd", "cost_usd", 1),
    ("usage.input_tokens", "tokens", 1),
    ("usage.output_tokens", "tokens", 1),
)


def _extensions(most: int) -> str:
    if most <= 0:
        return "this budget is never extended"
    return f"there is room for {most} extension{'s' if most > 1 else ''}"


def _widened(known: Range, path: Path) -> Range:
    """The range at a place: a wrap-up may be one turn more, and a route comes too late for a run that is stuck."""
    if path[:2] == ROUTES and known.stuck is not None:
        return known._replace(high=known.stuck)
    return known._replace(high=known.high + 1) if path[1] in AFTER_LAST_WORDS else known


def _why(compared: Comparison, known: Range) -> str | None:
    """Why a comparison holds for no value of a range."""
    number = compared.number
    match compared.operator:
        case ">":
            return known.above if known.high <= number else None
        case ">=":
            return known.above if known.high < number else None
        case "<":
            return known.below if known.low >= number else None
        case "<=":
            return known.below if known.low > number else None
        case "==" if number > known.high:
            return known.above
        case "==" if number < known.low:
            return known.below
        case _:
            return None


def _place(node: Scalar, compared: Comparison) -> Span:
    """The comparison itself within the text of the condition, else the name in it."""
    if not isinstance(node.value, str):
        return node.span
    name = rf"(?<![\w.]){re.escape(compared.name)}(?![\w.])"
    number = r"-?\d+(?:\.\d+)?"
    for found in re.finditer(rf"{name}\s*[<>=!]=?\s*({number})|({number})\s*[<>=!]=?\s*{name}", node.value):
        if float(found[1] or found[2]) == compared.number:
            return span_in(node, found.start(), found.end())
    return node.span
