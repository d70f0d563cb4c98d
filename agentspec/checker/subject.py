"""subject: one composed document as the rules see it. Reads the tree and resolves names; decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from agentspec.checker.questions.offered import Offered, Tool, Toolkit, all_offered, chosen_toolkits, declared_tools
from agentspec.checker.reading import Reading
from agentspec.checker.tool_names import RUNTIME_TOOLS
from agentspec.compose.accepted import accepted_tools
from agentspec.compose.rights.asks import Ask, asks
from agentspec.compose.toolkits import TOOLKITS
from agentspec.spec.defaults import ADAPTIVE_ITERATIONS, DEFAULT_ITERATIONS
from agentspec.syntax.tree import Path, Scalar, holder

INHERITABLE = (
    ("capability", "approval"),
    ("capability", "permissions"),
    ("capability", "middleware"),
    ("capability", "narrowing"),
)
NAMELESS = ("AS107", "AS201", "AS206", "AS208")  # errors after which a name is none, or a list of names is not there


class Subject(Reading):
    """A document with its loop and its tools: what a spec says, and what follows from it."""

    # --- the loop ---------------------------------------------------------------------------------------------------

    @cached_property
    def max_iterations(self) -> int | None:
        """The most turns that a run can have; None where the spec's own value is unusable.

        What the budget says wins; `max_iterations` counts where there is no budget, or a fixed one without `max`.
        """
        budget, single = ("execution", "iteration_budget"), ("execution", "max_iterations")
        if not self.has_all("execution") or not self.has_all(*budget) or not self.is_sound(*budget):
            return None
        path = (*budget, "max") if self.is_adaptive or self.at(*budget, "max") is not None else single
        if self.at(*path) is None:
            return ADAPTIVE_ITERATIONS if self.is_adaptive else DEFAULT_ITERATIONS
        number = self.number(*path)
        return None if number is None else int(number)

    @property
    def is_adaptive(self) -> bool:
        """Whether the iteration budget can be extended."""
        budget = ("execution", "iteration_budget")
        return "adaptive" in (self.text(*budget), self.text(*budget, "mode"))

    # --- tools --------------------------------------------------------------------------------------------------------

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools that the spec declares itself."""
        return declared_tools(self)

    @cached_property
    def _tools_by_key(self) -> dict[str, list[Tool]]:
        found: dict[str, list[Tool]] = {}
        for tool in self.tools:
            for entry in tool.body.entries:
                found.setdefault(entry.name, []).append(tool)
        return found

    def tools_with(self, key: str) -> list[Tool]:
        """The tools that the spec declares with such a key: most rules are about few of them."""
        return self._tools_by_key.get(key, [])

    @cached_property
    def toolkits(self) -> list[Toolkit]:
        """The toolkits in the order of the list; `NAME` and `NAME: {options}` alike."""
        return chosen_toolkits(self)

    @cached_property
    def offered(self) -> list[Offered]:
        """Every name that the model can call, as far as the spec alone can tell."""
        return all_offered(self, self.tools, self.toolkits, self.accepted)

    @cached_property
    def tool_names(self) -> set[str]:
        """The names of `offered`."""
        return {one.name for one in self.offered}

    @cached_property
    def asks(self) -> list[Ask]:
        """What the spec asks for, in the terms of a ceiling."""
        return list(asks(self.root))

    @cached_property
    def servers(self) -> list[str]:
        """The MCP servers of the spec."""
        return [entry.name for entry in self.entries("capability", "mcp")]

    @cached_property
    def accepted(self) -> dict[str, tuple[str, ...]]:
        """The tools of those servers that are pinned and were accepted, in the servers' own names."""
        pinned = [name for name in self.servers if self.flag("capability", "mcp", name, "pin") is True]
        known = accepted_tools(self.project) if pinned else {}
        return {name: known[name] for name in pinned if name in known}

    @property
    def open_servers(self) -> list[str]:
        """The servers whose tools are known only when they are asked."""
        return [name for name in self.servers if name not in self.accepted]

    @cached_property
    def knows_tools(self) -> bool:
        """Whether a name that is not offered is certainly unknown.

        Not in a preset or library, whose users bring their own tools; not where a part is missing or a toolkit is
        not known.
        """
        if self.kind != "agent" or not self.is_whole or not self.has_all("capability") or self._has_odd_tools:
            return False
        if any(one.name not in TOOLKITS for one in self.toolkits):
            return False
        capability = self.at("capability")
        if capability is None:
            return self.has_all()
        return not self._has_broken(("capability",))

    @cached_property
    def _has_odd_tools(self) -> bool:
        """Whether something is wrong with what brings tools, or the document may be no agent at all."""
        brings = ("capability.tools", "capability.toolkits", "capability.subagents", "capability.mcp")
        names = {error.path for error in self.errors if error.code in NAMELESS}
        return (
            self.at("name") is None
            or any(path == "capability" or path in brings or holder(path) in brings for path in names)
            or self._has_error_below("capability.toolkits")
            or self._has_error_below("capability.resources")
        )

    def tool_references(self) -> Iterator[tuple[Path, Scalar, str]]:
        """The places that name a tool of this very spec.

        Not a ceiling, which bounds what others may add; not a server's list of its own tools; not a rule that a
        preset makes about tools which this spec need not have.
        """
        for path, node, name in self.references("tool"):
            is_inherited_rule = path[:2] in INHERITABLE and not self.is_own(node.span)
            if path[:2] not in (("capability", "ceiling"), ("capability", "mcp")) and not is_inherited_rule:
                yield path, node, name

    def is_known_tool(self, name: str) -> bool:
        """Whether something by this name can be called, tools of configured MCP servers included."""
        return (
            name in self.tool_names
            or name in RUNTIME_TOOLS
            or name == self.text("capability", "tool_search", "name")
            or any(name.startswith(f"{server}__") for server in self.open_servers)
        )


def is_pattern(name: str) -> bool:
    """Whether a tool name is a glob rather than a name."""
    return any(character in name for character in "*?[")
