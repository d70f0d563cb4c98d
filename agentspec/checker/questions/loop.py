"""loop: what the loop of a spec comes to, as the rules on control flow ask it. Reads the values that are in force.

Claims only what holds for certain; None is for what cannot be told.
"""

from __future__ import annotations

from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Node, Path

BUDGET: Path = ("execution", "iteration_budget")
RULES: Path = ("execution", "loop_control")
EXTENSIONS = ("extend", "extend_to", "python")  # a function may extend, too
USUAL_SENTINEL = "##DONE##"


def first_turns(subject: Subject) -> int | None:
    """The turns that a run has before anything extends its budget."""
    most = subject.max_iterations
    if most is None or not subject.is_adaptive:
        return most
    initial = subject.number(*BUDGET, "initial")
    return min(max(1, most // 4) if initial is None else int(initial), most)


def extending_rules(subject: Subject) -> list[tuple[Path, Node]]:
    """The rules of `loop_control` that may extend the budget."""
    return [
        (path, rule)
        for path, rule in subject.items(*RULES)
        if isinstance(rule, Mapping) and any(rule.get(verb) is not None for verb in EXTENSIONS)
    ]


def sentinel(subject: Subject) -> str | None:
    """The word that ends the loop, as far as the spec names one or its format certainly has the usual one."""
    if subject.flag("execution", "turn_policy", "allow_done_sentinel") is False:
        return None
    given = subject.at("execution", "done_sentinel")
    if given is not None:
        return subject.text("execution", "done_sentinel")
    is_text = subject.text("model", "tool_format") == "text"
    return USUAL_SENTINEL if is_text and subject.flag("execution", "loop_until_done") else None


def ends_beside_calls(subject: Subject) -> bool:
    """Whether a turn that calls a tool may be the last one, other than by a limit."""
    if sentinel(subject) is not None or subject.items("execution", "stop_after_successful_tools"):
        return True
    rules = [*subject.items("execution", "post_turn"), *subject.items(*RULES)]
    return any(subject.at(*path, verb) is not None for path, _ in rules for verb in ("stop", "python"))


def is_certain(subject: Subject, *sections: str) -> bool:
    """Whether what an agent does not say in these sections is certainly not said."""
    return subject.kind == "agent" and subject.is_whole and subject.has_all() and all(map(subject.has_all, sections))
