"""agent: the documents that hold sections: an agent, and a preset, which is a part of one.

A preset has no required key; what is missing comes from the spec that extends it.
"""

from __future__ import annotations

from typing import Annotated

from agentspec.spec.base import Maybe, Record, Some, key
from agentspec.spec.capability import Capability
from agentspec.spec.context import Context
from agentspec.spec.execution import Execution
from agentspec.spec.kinds import Free, Identifier, Line, Mark, Name, Text, Version, VersionRange
from agentspec.spec.lifecycle import Lifecycle
from agentspec.spec.model import Model
from agentspec.spec.observability import Observability
from agentspec.spec.types import Type

PresetRef = Annotated[Line, Mark("reference", to="preset")]


class Extension(Record):
    """A preset with values for its inputs."""

    use: PresetRef = key("A built-in preset, `alias.preset` of a library, or a file.")
    with_: Maybe[Free] = key("Values for its inputs.", None, alias="with")


class Use(Record):
    """A library that the spec uses."""

    source: Line = key("A path, a git URL at a tag or commit, or an installed distribution.")
    version: Maybe[VersionRange] = key("The versions that will do.", None)


class Sections(Record):
    """The six sections and what stands beside them."""

    description: Maybe[Line] = key("What it is for, in a line.", None)
    version: Maybe[Version] = key("The version of this document.", None)
    extends: Maybe[PresetRef | Some[PresetRef | Extension]] = key("What it builds on, the lowest first.", None)
    inputs: Maybe[dict[Identifier, Type]] = key("Values from outside, by name: their types and defaults.", None)
    use: Maybe[dict[Identifier, Use]] = key("Libraries, by the name that they have here.", None)
    task: Maybe[Text] = key("The task of a run that is given none.", None)
    model: Model = key("Who answers.", {})
    execution: Execution = key("How it works, how long, and when it is done.", {})
    capability: Capability = key("What it may do.", {})
    lifecycle: Lifecycle = key("How it starts, waits, continues.", {})
    context: Context = key("What the model sees.", {})
    observability: Observability = key("What it leaves behind.", {})


class Agent(Sections):
    """One runnable spec."""

    name: Name = key("The name of the agent.")
    trust: Maybe[Some[Line]] = key("Libraries that may do more than hold data.", None)


class Preset(Sections):
    """A part of a spec that others extend."""

    preset: Name = key("The name of the preset.")
