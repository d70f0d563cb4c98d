"""judges_at: where a spec names a model beside the worker's, by the name of the policy that asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.spec.settings import Settings

JUDGES: dict[str, str] = {
    "verify_completion_judge": "execution.verify_completion_judge",
    "turn_end_condition": "execution.turn_end_condition",
    "step_judge": "execution.step_judge",
    "input_guardrail": "execution.input_guardrail.judge",
    "compaction": "context.compaction.summarizer",
    "scratchpad": "context.scratchpad.reorganizer",
}
ROUTE = ("provider", "model", "temperature", "options")  # what makes a judge's model another than the run's


def has_own_model(settings: Settings, asker: str) -> bool:
    """Whether a spec names a model of its own for whoever asks; else the worker's is asked.

    >>> has_own_model(Settings({"execution": {"step_judge": {"model": "m"}}}), "step_judge")
    True
    """
    own = settings.get(JUDGES[asker]) if asker in JUDGES else None
    return isinstance(own, Mapping) and any(name in own for name in ROUTE)


def without_routes(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with every judge asking the run's model, whatever that is: for a script that answers everybody.

    >>> without_routes({"execution": {"step_judge": {"model": "m", "on_veto": "retain"}}})
    {'execution': {'step_judge': {'on_veto': 'retain'}}}
    """
    found = dict(values)
    for place in JUDGES.values():
        *way, last = place.split(".")
        holder: Any = found
        for step in way:
            inside = holder.get(step)
            if not isinstance(inside, Mapping):
                break
            holder[step] = holder = dict(inside)
        else:
            judge = holder.get(last)
            if isinstance(judge, Mapping):
                holder[last] = {name: value for name, value in judge.items() if name not in ROUTE}
    return found
