"""tool_search: a tool that is deferred is shown from the turn after it was found, behind those that were shown before.

Nothing is taken out of a request but by the budget. A tool that is not shown is not run either. Where the provider
itself searches, all tools are in every request, and it is the provider that shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.messages import ProviderCall, Reply
from agentspec.core.offer.native import PLACE, SEARCH, query_of
from agentspec.core.offer.search import loaded, search_of, tokens_of
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Admit, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan, bytes_of_tool
from agentspec.spec.settings import Settings


class Found(Record, frozen=True):
    """The tools that were found and are shown, in the order in which they were; and what the last search came to."""

    shown: tuple[str, ...] = ()
    searches: int = 0
    query: str = ""
    found: tuple[str, ...] = ()


class ToolSearch(Policy[Found], frozen=True):
    """Keeps deferred tools out of the request until a search has brought them."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 10
    claims: ClassVar = (PLACE, "capability.tools.*.defer", "capability.tools.*.namespace")
    hears: ClassVar = (ToolReturned, ModelReplied)
    reviews: ClassVar = (Think, Admit)
    publishes: ClassVar = "hidden_tool_bytes"
    announces: ClassVar = True

    name: str
    strategy: str
    eager: tuple[str, ...]
    sizes: dict[str, int]  # in tokens, of the tools that are hidden at first
    bytes: dict[str, int]
    budget: int | None = None
    is_native: bool = False

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        search = search_of(settings, tools)
        if search is None or not (search.is_native or search.name in tools):  # nothing could ever be found
            return None
        hidden = {tool.name for tool in search.hidden}
        return cls(
            name=search.name,
            strategy=search.strategy,
            eager=tuple(name for name, tool in tools.items() if name not in hidden and not tool.is_late),
            sizes={tool.name: tokens_of(tool) for tool in search.hidden},
            bytes={tool.name: bytes_of_tool(tool) for tool in search.hidden},
            budget=search.budget,
            is_native=search.is_native,
        )

    def start(self) -> Found:
        return Found()

    def observe(self, memory: Found, event: Event | Notice, facts: Facts) -> Found:  # noqa: ARG002 - the shape
        match event:
            case ToolReturned(call=call, result=result) if call.name == self.name and result.ok:
                found = result.data.get("found") if isinstance(result.data, Mapping) else None
                return self._found(memory, found or (), result.arguments)
            case ModelReplied(reply=reply) if self.is_native and (searches := _searches_of(reply)):
                found = dict.fromkeys(name for search in searches for name in search.found)
                return self._found(memory, found, next((each.arguments for each in searches if each.arguments), None))
            case _:
                return memory

    def _found(self, memory: Found, found: Iterable[str], asked: Any) -> Found:
        names = tuple(name for name in found if name in self.sizes)
        return Found(
            shown=loaded(memory.shown, names, self.sizes, self.budget),
            searches=memory.searches + 1,
            query=query_of(asked),
            found=names,
        )

    def review(self, memory: Found, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think():
                tools = (*self.eager, *(self.sizes if self.is_native else memory.shown))
                if proposal.tools is not None:
                    tools = tuple(name for name in tools if name in proposal.tools)
                return Rewrite(replace(proposal, tools=tools))
            case Admit(call=call) if not self.is_native and call.name in self.sizes and call.name not in memory.shown:
                return Refuse(
                    f"unknown tool `{call.name}`: it is not shown yet; find it with `{self.name}`, "
                    "then call it in the turn after",
                    status="unknown_tool",
                    category="not_loaded",
                    retryable=True,
                )
            case _:
                return PASS

    def publish(self, memory: Found) -> int:
        return sum(size for name, size in self.bytes.items() if name not in memory.shown)

    def notes(self, before: Found, after: Found) -> tuple[Note, ...]:
        fields: dict[str, Any] = {
            "query": after.query,
            "strategy": self.strategy,
            "mode": "native" if self.is_native else "client",
            "found": list(after.found),
            "shown": [name for name in after.shown if name not in before.shown],
            "hidden": [name for name in before.shown if name not in after.shown],
            "tokens": sum(self.sizes[name] for name in after.shown),
            "breaks_prefix": not self.is_native and after.shown != before.shown,
        }
        return (Note(event="tool_search", fields=fields),)


def _searches_of(reply: Reply) -> list[ProviderCall]:
    """The searches for tools that the provider has made while it answered."""
    return [call for call in reply.provider_calls if call.name == SEARCH]
