"""blueprint: all that a run is made of, as plain values. It goes into the journal: a resume needs no other file."""

from __future__ import annotations

from typing import Any

import agentspec
from agentspec.api.options import RunOptions
from agentspec.api.spec import Spec
from agentspec.runtime.journal import FORMAT
from agentspec.spec.settings import Settings


class Blueprint:
    """The effective values of a spec with its inputs; `${env.NAME}` stays as it was written."""

    def __init__(
        self, *, name: str, spec_hash: str, values: dict[str, Any], inputs: dict[str, Any], project: str
    ) -> None:
        self.name = name
        self.spec_hash = spec_hash
        self.values = values
        self.inputs = inputs
        self.project = project

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "written_by": f"agentspec {agentspec.__version__}", **vars(self)}

    @property
    def settings(self) -> Settings:
        return Settings(self.values)

    def names(self, run: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The names that templates and expressions of a run may use; `run` is what only the run knows."""
        model = self.values.get("model") or {}
        known = {
            "spec": self.name,
            "provider": model.get("provider", ""),
            "model": model.get("model", ""),
            "tool_format": "native",
            "final_answer": "answer in plain text, without calling a tool",
            "done_sentinel": "",
            "done_sentinel_form": "",
            "done_sentinel_rendered": "",
        }
        return {"inputs": self.inputs, "run": known | run}


def blueprint_of(spec: Spec, options: RunOptions) -> Blueprint:
    """The blueprint of a spec. Raises `SpecInvalid`, with the findings, where it has errors."""
    spec.require_runnable()
    values = dict(spec.effective)
    if options.script is not None:
        values["model"] = {"provider": "script", "options": {"file": str(options.script.absolute())}}
    return Blueprint(
        name=spec.name, spec_hash=spec.hash, values=values, inputs=spec.inputs(), project=str(spec.project)
    )


def blueprint_from(stored: dict[str, Any]) -> Blueprint:
    """The blueprint that a journal begins with; its format has been looked at before."""
    return Blueprint(**{name: stored[name] for name in ("name", "spec_hash", "values", "inputs", "project")})
