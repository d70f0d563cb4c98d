"""at_provider: the tools that a spec has its provider run, as rules see them. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.subject import Subject
from agentspec.compose.provider_tools import ProviderTool, obstacle, provider_tools, withheld
from agentspec.spec.routes import providers_of
from agentspec.syntax.tree import Path, find, plain
from agentspec.text.source import Span

PLACE = ("capability", "provider_tools")


class AtProvider(NamedTuple):
    """One item of the list. In words: `lack` is why the provider can't run it, `why` what of the spec withholds it."""

    tool: ProviderTool
    path: Path
    span: Span
    lack: str | None
    why: str | None

    @property
    def is_offered(self) -> bool:
        """Whether a run would offer it to the provider."""
        return self.lack is None and self.why is None


def at_provider(subject: Subject) -> Iterator[AtProvider]:
    """The tools that the provider would run, in the order of the list; none where something is wrong with it."""
    items = subject.items(*PLACE)
    if not items or not subject.is_sound(*PLACE):
        return
    capability = subject.values("capability")
    providers = providers_of(subject.values("model")) if subject.is_sound("model") else [""]
    for path, item in items:
        for tool in provider_tools([plain(item)]):
            lack = obstacle(tool, providers)
            yield AtProvider(tool, path, (find(item, ("type",)) or item).span, lack, withheld(tool, capability))
