"""ceiling: refuse every call beyond the limit of authority, whoever asks for it and whatever else allows it.

What cannot be known of a call counts as beyond: a program that nobody can name is within no list of commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from agentspec.core.calls.cap import READ_OUTPUT
from agentspec.core.calls.denials import denied, names
from agentspec.core.calls.matching import is_host, is_named, prefix_of, runs_only
from agentspec.core.calls.rules import paths_in
from agentspec.core.calls.touched import Touched, hosts_of, is_in, place, shown
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Admit, Proposal
from agentspec.core.rulings import PASS, Refuse, Ruling
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.spec.settings import Settings

GATE = "ceiling"


class Ceiling(Policy[None], frozen=True):
    """The lists of `capability.ceiling`; None where one says nothing. Roots are places, not as they are written."""

    stage: ClassVar = Stage.AUTHORITY
    number: ClassVar = 10
    claims: ClassVar = tuple(
        f"capability.ceiling.{name}"
        for name in ("tools", "effects", "roots", "hosts", "commands", "providers", "models", "limits")
    )
    reviews: ClassVar = (Admit,)

    plans: Mapping[str, ToolPlan]
    project: str
    tools: tuple[str, ...] | None = None
    effects: tuple[str, ...] | None = None
    roots: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    commands: tuple[tuple[str, ...], ...] | None = None

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        given: Mapping[str, Any] | None = settings.get("capability.ceiling")
        if not given or not tools:
            return None
        lists = {name: tuple(given[name]) for name in ("tools", "effects", "hosts") if given.get(name) is not None}
        roots, commands = given.get("roots"), given.get("commands")
        return cls(
            plans=tools,
            project=settings.project,
            roots=None if roots is None else tuple(place(root, settings.project) for root in roots),
            commands=None if commands is None else tuple(map(prefix_of, commands)),
            **lists,
        )

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Admit) or proposal.arguments is None:
            return PASS
        return self.refusal(self.plans[proposal.call.name], proposal.arguments) or PASS

    def refusal(self, plan: ToolPlan, arguments: Mapping[str, Any], known: str = "") -> Refuse | None:
        """How a call that is beyond the ceiling is refused; `known` says of which time it is, where that matters."""
        beyond = next(self._beyond(plan, touched_by(plan, arguments)), None)
        return None if beyond is None else denied(f"{GATE} {known}".strip(), *beyond)

    def _beyond(self, plan: ToolPlan, touched: Touched) -> Iterator[tuple[str, str]]:
        """Why the call is beyond the ceiling, and what is within it."""
        is_own = plan.name == READ_OUTPUT  # of a call that was within it
        if self.tools is not None and not is_own and not is_named(plan.name, self.tools):
            yield f"`{plan.name}` is not among its tools", f"Allowed tools: {names(self.tools)}."
        if self.effects is not None and plan.effect not in (*self.effects, "terminal"):
            yield f"the effect of `{plan.name}` is `{plan.effect}`", f"Allowed effects: {names(self.effects)}."
        yield from self._of_roots(plan, touched)
        yield from self._of_commands(plan, touched)
        yield from self._of_hosts(plan, touched)

    def _of_roots(self, plan: ToolPlan, touched: Touched) -> Iterator[tuple[str, str]]:
        if self.roots is None:
            return
        allowed = f"Allowed folders: {names(shown(root, self.project) for root in self.roots)}."
        paths = paths_in(touched)
        for path in paths:
            if not any(is_in(place(path, self.project), root) for root in self.roots):
                yield f"`{path}` is not within its folders", allowed
        if plan.touches is None and not paths and plan.effect == "write":
            yield f"nobody can tell which files `{plan.name}` would change", allowed

    def _of_commands(self, plan: ToolPlan, touched: Touched) -> Iterator[tuple[str, str]]:
        is_unknown = plan.touches is None and plan.effect == "process"
        if self.commands is None or not (touched.command or is_unknown):
            return
        allowed = f"Allowed commands: {names(' '.join(prefix) for prefix in self.commands)}."
        if not touched.command:
            yield f"nobody can tell which program `{plan.name}` would run", allowed
        elif not runs_only(touched.command, self.commands):
            yield f"`{' '.join(touched.command)[:200]}` is none of its commands", allowed

    def _of_hosts(self, plan: ToolPlan, touched: Touched) -> Iterator[tuple[str, str]]:
        if self.hosts is None:
            return
        allowed = f"Allowed hosts: {names(self.hosts)}."
        hosts = hosts_of(touched)
        for host in hosts:
            if not is_host(host, self.hosts):
                yield f"the host `{host}` is not among its hosts", allowed
        if plan.touches is None and not hosts and plan.effect == "network":
            yield f"nobody can tell which host `{plan.name}` would reach", allowed
