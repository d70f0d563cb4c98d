"""run: one run of a spec, from its start or from its journal, to its result."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentspec.adapters.clock import SystemClock
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.stores.artifacts import FolderArtifacts
from agentspec.api.assemble import equip, model_settings, system_prompt
from agentspec.api.options import RunOptions
from agentspec.api.spec import Spec, load
from agentspec.api.workspace import Workspace, workspace
from agentspec.compose.project import state_folder
from agentspec.core.events import AnyEvent, Resumed, RunStarted
from agentspec.core.messages import Message, SystemMessage, UserMessage
from agentspec.core.state import State
from agentspec.core.step import initial
from agentspec.errors import NotAllowed, SpecInvalid
from agentspec.link import link
from agentspec.ports import Journal
from agentspec.runtime.drive import Driver
from agentspec.runtime.journal import FORMAT
from agentspec.runtime.perform import Performer, Ports
from agentspec.runtime.result import Result, Tally
from agentspec.runtime.resume import fold
from agentspec.runtime.stream import Listener, Stream
from agentspec.spec.defaults import default_of
from agentspec.spec.settings import Settings


class Blueprint:
    """All that a run is made of, as plain values: it goes into the journal, so that a resume needs no other file."""

    def __init__(self, *, name: str, spec_hash: str, values: dict[str, Any], inputs: dict[str, Any], project: str) -> None:
        self.name = name
        self.spec_hash = spec_hash
        self.values = values
        self.inputs = inputs
        self.project = project

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **vars(self)}

    @property
    def settings(self) -> Settings:
        return Settings(self.values, default_of)


def blueprint_of(spec: Spec, options: RunOptions) -> Blueprint:
    """Raises `SpecInvalid` where the spec has errors: nothing is started then."""
    spec.require_runnable()
    values = dict(spec.values)
    if options.script is not None:
        values["model"] = {"provider": "script", "options": {"file": str(options.script.absolute())}}
    return Blueprint(
        name=spec.name, spec_hash=spec.hash, values=values, inputs=spec.inputs(), project=str(spec.project)
    )
