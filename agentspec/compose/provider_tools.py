"""provider_tools: the tools that a provider runs itself: whose they are, what they do, and what keeps one from a run.

A provider asks nobody: what approval would ask about or deny is not offered to it at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from agentspec.compose.rights.leave import Called, at_worst
from agentspec.compose.rights.narrow import covers, covers_host
from agentspec.text.hosts import host_of

# By provider, with what each does to the world. Sources: the types of the vendors' own packages, `anthropic` 2.14,
# `openai` 3.57 and `google-genai` 3.6.
RUN: Final[dict[str, dict[str, str]]] = {
    "anthropic": {"web_search": "network", "web_fetch": "network", "code_execution": "process"},
    "openai_responses": {
        "web_search": "network",
        "web_search_preview": "network",
        "file_search": "read",
        "code_interpreter": "process",
        "image_generation": "none",
        "mcp": "network",
    },
    "google": {
        "google_search": "network",
        "google_maps": "network",
        "url_context": "network",
        "file_search": "read",
        "code_execution": "process",
    },
}
EFFECTS: Final = {name: effect for tools in RUN.values() for name, effect in tools.items()}
MOST: Final = "network"  # what a tool may do of which nobody knows anything
DATE: Final = r"_(\d{8}|\d{4}_\d{2}_\d{2})$"
STAND_IN: Final = "script"
_HIDDEN: Final = ("write", "process")  # what `read_only_stance` hides where it does not say
_DOMAINS: Final = ("allowed_domains", "allowedDomains")


class ProviderTool(NamedTuple):
    """One tool as a spec asks for it: `type` is the provider's word, `options` go to it as they are."""

    type: str
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name in rules, ceilings and events: the provider's word without a date.

        >>> ProviderTool("web_search_20250305", {}).name
        'web_search'
        """
        return re.sub(DATE, "", self.type)

    @property
    def effect(self) -> str:
        """What it does to the world at most."""
        return EFFECTS.get(self.name, MOST)

    def is_run_by(self, provider: str) -> bool:
        """Whether this provider runs it; what it does not run is for other routes."""
        return self.name in RUN[provider]

    @property
    def hosts(self) -> list[str]:
        """The hosts that its own options hold it to; `*` where it reaches any, nothing where it reaches none.

        A domain that a provider is held to stands for what is below it as well.
        """
        if self.effect != "network":
            return []
        filters = self.options.get("filters")
        for place in (self.options, filters if isinstance(filters, Mapping) else {}):
            for name in _DOMAINS:
                if isinstance(place.get(name), list) and place[name]:
                    domains = [str(domain).partition("/")[0] for domain in place[name]]
                    return [host for domain in domains for host in (domain, f"*.{domain}")]
        server = host_of(str(self.options.get("server_url") or "")) if self.name == "mcp" else None
        return [server] if server else ["*"]


def provider_tools(listed: Any) -> Iterator[ProviderTool]:
    """The items of `capability.provider_tools`, of a tree or of settings; what is no tool is left out."""
    for item in listed if isinstance(listed, list) else ():
        given = {"type": item} if isinstance(item, str) else item
        if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
            continue
        options = given.get("options")
        asks = {"require_approval": given["require_approval"]} if given.get("require_approval") else {}
        yield ProviderTool(given["type"], {**(options if isinstance(options, Mapping) else {}), **asks})


def obstacle(tool: ProviderTool, providers: Iterable[str]) -> str | None:
    """Why none of those that answer runs the tool, in words; None where one does, or where one is not known.

    >>> obstacle(ProviderTool("web_search", {}), ["ollama", "anthropic"])
    """
    whys = [_lack(tool, provider) for provider in providers]
    return None if None in whys else whys[0]


def _lack(tool: ProviderTool, provider: str) -> str | None:
    if provider in ("", STAND_IN):
        return None
    known = RUN.get(provider)
    if known is None:
        return f"the provider `{provider}` runs no tools itself; {_listed(RUN)} do"
    if tool.name not in known:
        return f"`{provider}` does not run `{tool.type}` itself, but {_listed(known)}"
    if tool.name == "mcp" and tool.options.get("require_approval") != "never":
        return "the provider would ask before each call of an MCP server, and nobody answers it"
    return None


def withheld(tool: ProviderTool, capability: Mapping[str, Any]) -> str | None:
    """Why the tool is not offered, in words: what bounds the run can't be asked while the provider works."""
    ceiling = capability.get("ceiling")
    beyond = _beyond(tool, ceiling) if isinstance(ceiling, Mapping) else None
    if beyond is not None:
        return beyond
    decision = at_worst(Called(tool.name, tool.effect), capability)
    if decision != "allow":
        verb = "ask about" if decision == "ask" else "deny"
        return f"the rules of this spec may {verb} its calls, and the provider asks nobody"
    if tool.effect in ("none", "read"):
        return None
    layers = _items(capability, "middleware") or ()
    if any(layer == "dry_run" or (isinstance(layer, Mapping) and "dry_run" in layer) for layer in layers):
        return "a dry run does nothing, and the provider would"
    stance = capability.get("read_only_stance")
    hidden = (_items(stance, "hide") or _HIDDEN) if isinstance(stance, Mapping) else ()
    return "`read_only_stance` hides what acts, and the provider sees no such moment" if tool.effect in hidden else None


def _beyond(tool: ProviderTool, ceiling: Mapping[str, Any]) -> str | None:
    tools, effects, hosts = (_items(ceiling, key) for key in ("tools", "effects", "hosts"))
    if tools is not None and not any(covers(str(glob), tool.name) for glob in tools):
        return "its name is not among the tools of the ceiling"
    if effects is not None and tool.effect not in effects:
        return f"its effect is `{tool.effect}`, which the ceiling does not allow"
    beyond = [
        host for host in tool.hosts if hosts is not None and not any(covers_host(str(one), host) for one in hosts)
    ]
    return f"it reaches {_listed(beyond)}, which the ceiling does not allow" if beyond else None


def _items(holder: Mapping[str, Any], key: str) -> list[Any] | None:
    """The items of a list; None where none is written, as in a spec that does not check."""
    listed = holder.get(key)
    return listed if isinstance(listed, list) else None


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
