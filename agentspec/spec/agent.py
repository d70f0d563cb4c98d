"""agent: the documents that hold sections: an agent, and a preset, which is a part of one.

A preset has no required key; what is missing comes from the spec that extends it.
"""

from __future__ import annotations

from agentspec.spec.base import Maybe, Record, Some, key
from agentspec.spec.execution import Execution
from agentspec.spec.kinds import Free, Line, Name, Text, Version
from agentspec.spec.model import Model


class Sections(Record):
    """The six sections and what stands beside them."""

    model: Maybe[Model] = key("Who answers.", None)
    execution: Maybe[Execution] = key("How it works, how long, and when it is done.", None)
    capability: Maybe[Free] = key("What it may do.", None)
    lifecycle: Maybe[Free] = key("How it starts, waits and continues.", None)
    context: Maybe[Free] = key("What the model sees.", None)
    observability: Maybe[Free] = key("What it leaves behind.", None)


class Agent(Sections):
    """One runnable spec."""

    name: Name = key("The name of the agent.")
    description: Maybe[Line] = key("What it is for, in a line.", None)
    version: Maybe[Version] = key("The version of this spec.", None)
    extends: Maybe[Line | Some[Line]] = key("What it builds on, lowest first.", None)
    task: Maybe[Text] = key("The task of a run that is given none.", None)
