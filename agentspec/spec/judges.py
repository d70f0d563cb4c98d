"""judges: the models that are asked about a run's work, never about the whole transcript.

Without a model of its own a judge uses the run's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agentspec.spec.base import Maybe, Record, key
from agentspec.spec.kinds import (
    Count,
    Duration,
    Expression,
    Free,
    Line,
    Period,
    ProviderRef,
    Python,
    Share,
    Text,
    Whole,
    Yes,
)
from agentspec.spec.prices import Prices

OnError = Literal["veto", "accept", "unverified"]


class Asked(Record):
    """A model that is asked one question with a verdict for an answer."""

    provider: Maybe[ProviderRef] = key("Who is asked.", None, shown="the run's provider")
    model: Maybe[Line] = key("The model that is asked.", None, shown="the run's model")
    rubric: Maybe[Text] = key("What it has to look at, in the author's words.", None)
    system: Maybe[Text] = key("Its system text.", None, shown="built in")
    temperature: Maybe[Annotated[float, Field(ge=0, le=2)]] = key("Sampling temperature, 0 to 2.", None)
    max_output_tokens: Maybe[Count] = key("The longest verdict.", None)
    options: Maybe[Free] = key("Passed through to the provider as they are.", None)
    prices: Maybe[Prices] = key("What its model costs.", None, shown="the catalogue's")


class Judge(Asked):
    """A judge of a proposed completion."""

    operation_timeout: Period = key("How long one question may take.", "60s")
    deadline_reserve: Duration = key("Time that must be left after it; otherwise it is not asked.", "5s")
    max_invocations: Whole = key("How often it is asked in a run; 0 lifts the cap.", 5)
    on_error: OnError = key("What its own failure means.", "veto")
    feedback_fallback: Maybe[Text] = key("Said to the model where a veto has no words.", None)
    escalate: bool = key("Whether a veto may ask for a stronger route (`last_verdict.escalate`).", default=False)


class Cadence(Record):
    """When a turn-end judge is due; all that is given must hold."""

    every: Count = key("Every so many turns.", 1)
    when: Literal["always", "stalled"] | Annotated[str, Expression("turn_end_condition.cadence.when")] = key(
        "Always, when the run has stalled, or when an expression holds.", "always"
    )
    min_iterations_before_first: Whole = key("Turns before the first question.", 0)
    max_invocations: Maybe[Whole] = key("After so many questions it is no longer due.", None)


class TurnEnd(Judge):
    """A judge that is asked at the end of turns, when it is due."""

    max_invocations: Whole = key("How often it is asked in a run; 0 lifts the cap.", 10)
    cadence: Cadence = key("When it is due.", {})


class StepJudge(Asked):
    """A judge of a turn before its tools run."""

    operation_timeout: Period = key("How long one question may take.", "60s")
    on_veto: Literal["replace", "retain"] = key(
        "Whether the vetoed turn leaves the transcript or stays in it.", "replace"
    )
    max_attempts: Count = key("Vetoes in a row after which a turn passes.", 3)
    skip_when_empty: bool = key("Not asked about an empty turn.", default=True)
    skip_when_stalled: bool = key("Not asked when stall detection has spoken already.", default=True)
    skip_when_iterations_remaining: Whole = key("Not asked when no more iterations than this are left.", 1)


class InputGuardrail(Record):
    """Whether the task is looked at before the first model call."""

    some_of = ("when", "judge", "python")

    when: Maybe[Annotated[str, Expression("input_guardrail.when")]] = key("Trips when it holds.", None)
    judge: Maybe[Yes | Asked] = key("A model that is asked whether the task is out of bounds.", None)
    python: Maybe[Python] = key("A function that decides.", None)
    reason: Maybe[Line] = key("Why, for the result.", None)
    label: Maybe[Line] = key("A short name of what tripped.", None)
    confidence_threshold: Share = key("The confidence from which a judge's word trips.", 0)
    on_error: Literal["pass", "trip"] = key("What the guardrail's own failure means.", "pass")
