"""blueprint: all that a run is made of, as plain values. It goes into the journal: a resume needs no other file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import agentspec
from agentspec.api.assembly.assemble import DECLARED
from agentspec.api.assembly.linker import Linker, OwnTool
from agentspec.api.assembly.prompt_files import with_prompts
from agentspec.api.assembly.skill_folders import with_skills
from agentspec.api.options import RunOptions
from agentspec.api.scenarios.scripted import scripted
from agentspec.api.spec import Spec
from agentspec.core.calls.cap import encodable
from agentspec.core.calls.rules import whole_identity
from agentspec.core.formats.sentinel import sentinel_of
from agentspec.core.offer.skills import skills_of
from agentspec.core.plan import Plan
from agentspec.core.policy import name_of_kind
from agentspec.core.schema.file import with_schemas
from agentspec.core.tools import ToolPlan
from agentspec.errors import NotAllowed
from agentspec.policies import discover
from agentspec.runtime.journal import FORMAT
from agentspec.runtime.masking.mask import Mask
from agentspec.spec.judges_at import without_routes
from agentspec.spec.routes import routes_of, settled
from agentspec.spec.settings import Settings

FINAL_ANSWER = {
    "native": "answer in plain text, without calling a tool",
    "json": 'answer with `"action": "answer"` and the answer in `answer`',
    "text": "answer in plain text, without a tag",
}

# The bounds of a run that a ceiling may lower.
BOUNDS = ("wall_clock", "working_time", "tokens", "cost_usd", "tool_calls", "provider_calls", "consecutive_failures")

ACTING = "tool.effect != 'none' && tool.effect != 'read'"

DERIVED = ("folder", "ceiling", "_linker", "_settings")  # fields that no journal keeps

WRITTEN_BY = f"agentspec {agentspec.__version__}"


class Blueprint:
    """The effective values of a spec with its inputs; `${env.NAME}` stays as it was written.

    `policies` are those that decide in the run: a later version, which has more, decides as this one does. `places`
    tell of bounds in which file and line they stand.
    """

    def __init__(  # noqa: PLR0913 - a record, built from a spec or from a journal
        self,
        *,
        name: str,
        spec_hash: str,
        values: dict[str, Any],
        inputs: dict[str, Any],
        project: str,
        policies: list[str] | None = None,
        places: dict[str, dict[str, Any]] | None = None,
        allow_python: bool = False,
        catalogue: list[dict[str, Any]] | None = None,
        tables: dict[str, Any] | None = None,
        agents: dict[str, dict[str, Any]] | None = None,
        linker: Linker | None = None,
        source: str | None = None,
        sets: list[str] | None = None,
    ) -> None:
        self.sets = sets or []  # what of the spec was set when it was loaded
        self.source = source or name  # the file of the spec, below the project, with `#NAME` where it was given
        self.policies = [*map(name_of_kind, discover())] if policies is None else policies
        self.places = places or {}
        self.name = name
        self.spec_hash = spec_hash
        self.values = values
        self.inputs = inputs
        self.project = project
        self.allow_python = allow_python
        self.catalogue = catalogue or []  # the tools of MCP servers, as the run was told of them
        self.tables = tables or {}  # what the tables of its resources look like, by resource
        self.agents = agents or {}  # the blueprints of the agents that it calls, by the tool that does
        self.folder = Path(project)
        self.ceiling: Mapping[str, Any] | None = None  # of now, where that is narrower than the one of its values
        self._linker = linker or Linker()
        self._settings = Settings(values, project)

    def as_json(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in DERIVED}
        return {"format": FORMAT, "written_by": WRITTEN_BY, **kept}

    @property
    def settings(self) -> Settings:
        """Its values, asked by path."""
        if self._settings.values is not self.values:
            self._settings = Settings(self.values, self.project)
        return self._settings

    @property
    def allowed(self) -> Settings:
        """The settings within the ceiling of now, by which its tools act where there is one."""
        capability = {**(self.values.get("capability") or {}), "ceiling": self.ceiling}
        return Settings(self.values | {"capability": capability}, self.project)

    def called(self) -> Iterator[Settings]:
        """The settings of the agents that it calls."""
        return (Settings(kept["values"], self.project) for kept in self.agents.values())

    def plan(self, tools: Iterable[ToolPlan]) -> Plan:
        """The plan of its run, with these tools."""
        return self._linker.plan(self.settings, tools, name=self.name, spec_hash=self.spec_hash, policies=self.policies)

    def mask(self, environment: Mapping[str, str]) -> Mask:
        """What takes the secrets out of all that its run says and keeps."""
        return self._linker.mask(self.settings, environment, self.inputs, [*self.called()])

    def computing(self, name: str, made_of: Any, make: Callable[[], OwnTool]) -> OwnTool:
        """A tool of its own that only computes; its runs share it."""
        return self._linker.computing(name, made_of, make)

    def settle_routes(self, names: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Write down who answers where the spec leaves it open, so that a resume asks the same; a line that says so.

        `names` are the provider and the model of each route, by its number.
        """
        given = self.values.get("model") or {}
        open_to = [name for route, name in zip(routes_of(given), names, strict=True) if not route.model.get("provider")]
        for provider, model in open_to[:1]:
            yield f"`{provider}` answers with `{model}`: the spec names no provider"
        self.values["model"] = settled(given, names)

    @property
    def offers_tools(self) -> bool:
        """Whether a model is offered any tool."""
        capability = self.values.get("capability") or {}
        return any(capability.get(key) for key in ("tools", "toolkits", "resources", "mcp")) or self._has_skill_tool

    @property
    def _has_skill_tool(self) -> bool:
        skills = skills_of(self.settings)
        return skills is not None and bool(skills.by_model)

    def names(self, run: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The names that templates and expressions of a run may use; `run` is what only the run knows."""
        model = routes_of(self.values.get("model"))[0].model
        chosen = model.get("tool_format", "auto")
        chosen = "native" if chosen == "auto" else chosen
        word = sentinel_of(self.settings, has_tools=self.offers_tools) or ""
        known = {
            "spec": self.name,
            "provider": model.get("provider", ""),
            "model": model.get("model", ""),
            "tool_format": chosen,
            "final_answer": FINAL_ANSWER[chosen],
            "done_sentinel": word,
            "done_sentinel_form": f"the word {word} at the end of a reply" if word else "",
            "done_sentinel_rendered": word,
        }
        identity = whole_identity(self.settings.get("capability.identity") or {})
        declared = self.values.get("inputs") or {}
        return {"inputs": self.inputs, "run": known | run, "identity": identity, DECLARED: declared}


def draw(spec: Spec, options: RunOptions) -> Blueprint:
    """The blueprint of a spec that was found to be sound."""
    script = options.script_path
    for path in (spec.project, script):
        _require_text(path)
    values = with_schemas(within_ceiling(dict(spec.effective)), spec.project)
    values = with_prompts(values, spec.project)
    values = with_skills(values, spec.project)
    values = _with_options(values, options)
    if script is not None:
        given = values.get("model") or {}
        is_bounded = Settings(values).get("execution.limits.cost_usd") is not None
        values = without_routes(values)
        values["model"] = scripted(given, str(script.absolute()), needs_prices=is_bounded)
    return Blueprint(
        name=spec.name,
        spec_hash=spec.hash,
        values=values,
        inputs=spec.inputs(),
        project=str(spec.project),
        places=spec.places,
        allow_python=options.allow_python,
        linker=spec.linker,
        source=spec.source,
        sets=list(spec.sets),
    )


def _with_options(values: dict[str, Any], options: RunOptions) -> dict[str, Any]:
    """The values with what the caller says about authority: who the run acts for, and whether it only pretends."""
    capability = dict(values.get("capability") or {})
    if options.identity:
        capability["identity"] = {**(capability.get("identity") or {}), **options.identity}
    if options.dry_run:
        capability["middleware"] = [{"dry_run": {"when": ACTING}}, *(capability.get("middleware") or ())]
    return values | {"capability": capability} if capability else values


def within_ceiling(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the bounds of the run as low as the ceiling has them.

    >>> within_ceiling({"capability": {"ceiling": {"limits": {"tokens": 9}}}})["execution"]["limits"]
    {'tokens': 9}
    """
    most = ((values.get("capability") or {}).get("ceiling") or {}).get("limits") or {}
    bounds = {name: most[name] for name in BOUNDS if most.get(name) is not None}
    if not bounds:
        return values
    execution = dict(values.get("execution") or {})
    limits = dict(execution.get("limits") or {})
    for name, bound in bounds.items():
        own = limits.get(name)
        limits[name] = bound if own is None else min(own, bound)
    return values | {"execution": execution | {"limits": limits}}


def _require_text(path: Path | None) -> None:
    """A journal is UTF-8, and a path that is not could never be found again from it."""
    if path is not None and encodable(str(path)) != str(path):
        raise NotAllowed(f"the path `{encodable(str(path))}` is not UTF-8; rename it")
