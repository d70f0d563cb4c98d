"""read: the typed record of a document whose shape has been checked.

Not for findings: an author's mistakes were told by the structural check. What comes here and doesn't fit is misuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from agentspec.errors import SpecInvalid
from agentspec.spec.agent import Agent, Preset
from agentspec.spec.base import Record
from agentspec.spec.library import Library
from agentspec.spec.scenario import Scenario

R = TypeVar("R", bound=Record)


def read_agent(values: Mapping[str, Any]) -> Agent:
    """The agent that plain values describe: durations are seconds, sizes bytes, lists tuples.

    Give it the plain values of a checked tree. A key that was not written has its default, or `None` where it has
    none; `model_fields_set` tells which were written. Raises `SpecInvalid` where the values don't fit.

    >>> read_agent({"name": "a", "execution": {"tool_timeout": "5s"}}).execution.tool_timeout
    5.0
    """
    return _read(Agent, values)


def read_preset(values: Mapping[str, Any]) -> Preset:
    """The preset that plain values describe."""
    return _read(Preset, values)


def read_library(values: Mapping[str, Any]) -> Library:
    """The library manifest that plain values describe."""
    return _read(Library, values)


def read_scenario(values: Mapping[str, Any]) -> Scenario:
    """The scenario that plain values describe."""
    return _read(Scenario, values)


def _read(record: type[R], values: Mapping[str, Any]) -> R:
    try:
        return record.model_validate(dict(values))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise SpecInvalid(f"`{place}` can't be read: {first['msg']}; check the document first") from problem
