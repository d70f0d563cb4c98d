"""library: the manifest of a versioned folder of presets, tools and skills.

It only says what the folder offers and needs; locking and loading stand elsewhere.
"""

from __future__ import annotations

from typing import Annotated

from agentspec.spec.authority import Ceiling
from agentspec.spec.base import Maybe, Record, Some, key
from agentspec.spec.kinds import Count, Line, Mark, Name, Version, VersionRange
from agentspec.spec.prices import Prices

Exported = Annotated[Name, Mark("name")]


class Need(Record):
    """Another library, and where it comes from if no spec says so."""

    source: Line = key("A path, a git URL at a tag or commit, or an installed distribution.")
    version: Maybe[VersionRange] = key("The versions that will do.", None)


class Requires(Record):
    """What a library needs."""

    agentspec: Maybe[VersionRange] = key("Versions of the language.", None)
    libraries: Maybe[dict[Name, VersionRange | Need]] = key("Other libraries, by name.", None)
    authority: Maybe[Ceiling] = key("What whoever uses it must grant.", None)


class Exports(Record):
    """What a library offers; the rest is its own."""

    presets: Maybe[Some[Exported]] = key("Presets.", None)
    tools: Maybe[Some[Exported]] = key("Tools.", None)
    skills: Maybe[Some[Exported]] = key("Skills.", None)
    scenarios: Maybe[Some[Exported]] = key("Scenarios.", None)
    prompts: Maybe[Some[Exported]] = key("Prompts.", None)


class KnownModel(Record):
    """What is known of a model, for specs that do not say it themselves."""

    context_window: Maybe[Count] = key("How many tokens fit.", None)
    prices: Maybe[Prices] = key("What it costs.", None)


class Library(Record):
    """A library's manifest."""

    library: Name = key("The name of the library.")
    version: Version = key("Its version, as `1.2.0`.")
    description: Maybe[Line] = key("What it is for, in a line.", None)
    requires: Maybe[Requires] = key("What it needs.", None)
    exports: Maybe[Exports] = key("What it offers.", None)
    ceiling: Maybe[Ceiling] = key("The limit of authority of all that it offers.", None)
    models: Maybe[dict[Line, dict[Line, KnownModel]]] = key(
        "What is known of models, by provider and id, before what the catalogue knows.", None
    )
    deprecated: Maybe[Line] = key("Why it should no longer be used, and what instead.", None)
    yanked: Maybe[Line] = key("Why this version must not be used.", None)
