"""exposure: what a spec lets a run read, see and send, and which ways out nobody stands before.

Of a tool that its author wrote down with a fixed address nobody is surprised; what counts is where the model, or
whoever wrote what it reads, has the choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from agentspec.checker.questions.at_provider import AtProvider, at_provider
from agentspec.checker.questions.offered import Tool, Toolkit
from agentspec.checker.scalars import text_of, texts_of
from agentspec.checker.subject import Subject
from agentspec.compose.toolkits import kind_effect
from agentspec.core.commands.escapes import program_name
from agentspec.syntax.tree import Mapping, Path, Scalar, walk
from agentspec.text.secrets import CREDENTIAL_HEADERS
from agentspec.text.source import Span

READS_FILES = ("files.read", "files.edit", "git", "git.compact", "command")
# Programs that reach a host of their caller's choice.
NETWORK_PROGRAMS = frozenset(
    ("curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "git", "http")
)
CREDENTIAL_SLOT = r"\$\{\s*env\.\w*(?i:key|token|secret|passw|credential|access|auth)"
UNCONDITIONAL = frozenset(("tool", "kind", "effect", "mcp", "decision", "reason"))
CONSENT_FREE = ("read", "search", "fetch", "think")


class Source(NamedTuple):
    """Something that a run reads: `owner` is the tool or the server whose own it is, empty for what any tool sees."""

    owner: str
    span: Span


class WayOut(NamedTuple):
    """A tool with which something leaves: `name` and `server` as rules see them, `what` in words for people."""

    owner: str
    name: str
    effect: str
    work: str
    server: str
    span: Span
    path: Path
    what: str


def private_sources(subject: Subject) -> Iterator[Source]:
    """Where a run reads what is not everybody's: files, tables, and whatever is reached with credentials."""
    for toolkit in subject.toolkits:
        if toolkit.name in READS_FILES:
            yield Source("", toolkit.span)
    for entry in subject.entries("capability", "resources"):
        yield Source("", entry.key.span)
    for tool in subject.tools_with("http"):
        if tool.kind == "http" and _has_credentials(tool.body.get("http")):
            yield Source(tool.name, tool.key)
    for server in subject.servers:
        if _has_account(subject, server):
            yield Source(server, subject.key("capability", "mcp", server))


def untrusted_sources(subject: Subject) -> Iterator[Source]:
    """Where a run sees what anybody may have written: any page, any address, any server's tools."""
    for toolkit in subject.toolkits:
        if (span := open_hosts(toolkit) or _networked(subject, toolkit)) is not None:
            yield Source(toolkit.name, span)
    for tool in subject.tools:
        if tool.kind == "expr":  # it reaches nobody
            continue
        if (span := open_address(tool) or _reaching(subject, tool)) is not None:
            yield Source(tool.name, span)
    for server in _servers_outside(subject):
        yield Source(server, subject.key("capability", "mcp", server))
    for one in _reaching_any_host(subject):
        yield Source(one.tool.name, one.span)


def _reaching_any_host(subject: Subject) -> Iterator[AtProvider]:
    """What the provider itself reaches any host with."""
    return (one for one in at_provider(subject) if one.is_offered and "*" in one.tool.hosts)


def open_ways(subject: Subject) -> Iterator[WayOut]:
    """The ways out that no rule stands before."""
    return (way for way in _ways(subject) if not _is_gated(subject, way))


def open_hosts(toolkit: Toolkit) -> Span | None:
    """Where a toolkit may fetch from any host."""
    if toolkit.name != "web.fetch" or toolkit.options is None:
        return None
    hosts = texts_of(toolkit.options.get("hosts"))
    return next((scalar.span for scalar in hosts if scalar.value == "*"), None)


def open_address(tool: Tool) -> Span | None:
    """Where a tool's arguments choose the host that it calls."""
    request = tool.body.get("http")
    url = request.get("url") if isinstance(request, Mapping) else None
    text = text_of(url) or ""
    before_path = text.partition("://")[2].partition("/")[0] if "://" in text else text.partition("/")[0]
    return url.span if url is not None and "${args." in before_path else None


def _ways(subject: Subject) -> Iterator[WayOut]:
    for toolkit in subject.toolkits:
        if (span := open_hosts(toolkit)) is not None:
            names = toolkit.options.get("names") if toolkit.options is not None else None
            name = (text_of(names.get("fetch")) if isinstance(names, Mapping) else None) or "fetch"
            path = (*toolkit.path, "hosts")
            yield WayOut(toolkit.name, name, "network", "fetch", "", span, path, "fetch from any host")
        if (span := _networked(subject, toolkit)) is not None:
            path, what = (*toolkit.path, "allow"), "run programs that reach any host"
            yield WayOut(toolkit.name, "run_command", "process", "execute", "", span, path, what)
    for tool in subject.tools:
        yield from _of_tool(subject, tool)
    for server in _servers_outside(subject):
        yield from _of_server(subject, server)
    for one in _reaching_any_host(subject):
        name, what = one.tool.name, f"send with the provider's `{one.tool.name}`"
        yield WayOut(name, name, "network", "fetch", "", one.span, one.path, what)


def _of_tool(subject: Subject, tool: Tool) -> Iterator[WayOut]:
    effect = text_of(tool.body.get("effect")) or kind_effect(tool.body)
    work = text_of(tool.body.get("kind")) or ("fetch" if effect == "network" else "other")
    if (span := open_address(tool)) is not None:
        path, what = (*tool.path, "http", "url"), f"call any host with `{tool.name}`"
        yield WayOut(tool.name, tool.name, effect or "network", work, "", span, path, what)
    elif (span := _reaching(subject, tool)) is not None:
        path, what = (*tool.path, "run"), f"run a program that reaches any host with `{tool.name}`"
        yield WayOut(tool.name, tool.name, effect or "process", "execute", "", span, path, what)
    elif effect == "network":
        yield WayOut(tool.name, tool.name, effect, work, "", tool.key, tool.path, f"send with `{tool.name}`")


def _servers_outside(subject: Subject) -> list[str]:
    """The servers that speak for a service: reached by an address, or given an account. Others are programs here."""
    return [
        server
        for server in subject.servers
        if subject.at("capability", "mcp", server, "url") is not None or _has_account(subject, server)
    ]


def _has_account(subject: Subject, server: str) -> bool:
    path = ("capability", "mcp", server)
    return subject.at(*path, "auth") is not None or _has_credentials(subject.at(*path))


def _of_server(subject: Subject, server: str) -> Iterator[WayOut]:
    """A server's tools send wherever it likes, but for those that are said to read."""
    path = ("capability", "mcp", server)
    effects = subject.entries(*path, "effects")
    if subject.is_sound(*path) and any(
        entry.name == "*" and text_of(entry.value) in ("none", "read") for entry in effects
    ):
        return
    what = f"send with the tools of the MCP server `{server}`"
    yield WayOut(server, f"{server}__*", "write", "edit", server, subject.key(*path), path, what)


def _networked(subject: Subject, toolkit: Toolkit) -> Span | None:
    """Where commands may use the network, and one of them reaches any host."""
    if toolkit.name != "command" or not _has_open_network(subject):
        return None
    for _, node in subject.items(*toolkit.path, "allow"):
        first = text_of(node) or next((str(word.value) for word in texts_of(node)), "")
        if program_name(first) in NETWORK_PROGRAMS:
            return node.span
    return None


def _has_open_network(subject: Subject) -> bool:
    """Whether nothing keeps programs from the network."""
    box = ("capability", "sandbox")
    return subject.flag(*box, "network") is True or "none" in (subject.text(*box), subject.text(*box, "mode"))


def _reaching(subject: Subject, tool: Tool) -> Span | None:
    """Where arguments of a tool go to a program that reaches the host of its caller's choice."""
    argv = texts_of(tool.body.get("run"))
    granted, effect = tool.body.get("network"), text_of(tool.body.get("effect"))
    is_granted = isinstance(granted, Scalar) and granted.value is True
    if not argv or not (is_granted or effect == "network" or _has_open_network(subject)):
        return None
    if program_name(str(argv[0].value)) not in NETWORK_PROGRAMS:
        return None
    return next((word.span for word in argv[1:] if "${args." in str(word.value)), None)


def _has_credentials(node: object) -> bool:
    """Whether a variable stands in it that is named like a secret, or any in a header that carries one."""
    texts = ((path, text_of(part) or "") for path, part in walk(node)) if isinstance(node, Mapping) else ()
    return any(
        re.search(CREDENTIAL_SLOT, text) or ("${env." in text and str(path[-1]).lower() in CREDENTIAL_HEADERS)
        for path, text in texts
    )


def _is_gated(subject: Subject, way: WayOut) -> bool:
    return (
        _is_asked(subject, way)
        or _is_beyond_ceiling(subject, way)
        or _is_not_permitted(subject, way)
        or _needs_consent(subject, way)
    )


def _is_asked(subject: Subject, way: WayOut) -> bool:
    """Whether approval asks about it, or denies it. A rule with a condition of its author's is taken at its word."""
    approval = ("capability", "approval")
    is_default = subject.text(*approval, "default") in ("ask", "deny")
    is_allowed = False
    for path, node in subject.items(*approval, "rules"):
        if isinstance(node, Mapping) and _names(subject, path, way):
            if subject.text(*path, "decision") != "allow":
                return True
            is_allowed = is_allowed or set(node.names()) <= UNCONDITIONAL
    return is_default and not is_allowed


def _names(subject: Subject, rule: Path, way: WayOut) -> bool:
    """Whether a rule is about a way out, as far as it names tools."""
    facts = {"tool": way.name, "kind": way.work, "effect": way.effect, "mcp": way.server}
    for key, fact in facts.items():
        given = subject.words(*rule, key)
        if given and not any(fnmatchcase(fact, pattern) for pattern in given):
            return False
    return True


def _is_beyond_ceiling(subject: Subject, way: WayOut) -> bool:
    ceiling = ("capability", "ceiling")
    for key, fact in (("effects", way.effect), ("tools", way.name)):
        if subject.at(*ceiling, key) is not None and not any(
            fnmatchcase(fact, pattern) for pattern in subject.words(*ceiling, key)
        ):
            return True
    return subject.at(*ceiling, "hosts") is not None and "*" not in subject.words(*ceiling, "hosts")


def _is_not_permitted(subject: Subject, way: WayOut) -> bool:
    permissions = ("capability", "permissions")
    deny, allow = (_globs(subject, (*permissions, key)) for key in ("deny", "allow"))
    if any(fnmatchcase(way.name, glob) for glob in deny):
        return True
    return subject.at(*permissions, "allow") is not None and not any(fnmatchcase(way.name, glob) for glob in allow)


def _globs(subject: Subject, path: Path) -> list[str]:
    rules = [subject.text(*at, "tool") for at, _ in subject.items(*path)]
    return [*subject.words(*path), *filter(None, rules)]


def _needs_consent(subject: Subject, way: WayOut) -> bool:
    for path, node in subject.items("capability", "middleware"):
        if text_of(node) == "consent" or subject.at(*path, "consent") is not None:
            auto = subject.words(*path, "consent", "auto") or CONSENT_FREE
            if way.work not in auto:
                return True
    return False
