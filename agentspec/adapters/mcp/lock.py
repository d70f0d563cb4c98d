"""lock: what somebody has accepted of each server: how it is started, and what each of its tools is.

A tool that is not as it was accepted is not offered; nothing is ever accepted by a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from agentspec.adapters.mcp.catalogue import IDENTITY, digest_of
from agentspec.errors import NotAllowed, Unavailable
from agentspec.syntax.private import make_private

VERSION = 1
SHOWN = 200  # characters of a value in a comparison


class Change(NamedTuple):
    """How a tool differs from what was accepted: `new`, `gone`, or `changed` in `parts` (before and now, by key)."""

    tool: str
    kind: str
    parts: tuple[tuple[str, str, str], ...] = ()


class Lock:
    """The accepted servers of a project, by name. Raises `Unavailable` where the file can't be read as a lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.servers: dict[str, dict[str, Any]] = {}
        try:
            stored = msgspec.json.decode(path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, msgspec.DecodeError) as error:
            raise Unavailable(f"`{path}` can't be read: {error}; accept the servers again") from None
        if not isinstance(stored, dict) or stored.get("version") != VERSION:
            raise Unavailable(f"`{path}` is no lock of version {VERSION}; accept the servers again")
        self.servers = stored["servers"]

    def require(self, server: str, source: str) -> None:
        """Raise `NotAllowed` where nobody has accepted a server as it is started or reached now."""
        accepted = self.servers.get(server)
        if accepted is None or accepted["source"] != source:
            known = "has another command or address than the one that was accepted"
            reason = "is pinned, and nobody has accepted it yet" if accepted is None else known
            raise NotAllowed(f"the MCP server `{server}` {reason}: look at it with `agentspec mcp list SPEC {server}`, "
                             f"then `agentspec mcp accept SPEC {server}`")  # fmt: skip

    def is_accepted(self, server: str, listed: Mapping[str, Any]) -> bool:
        """Whether a tool is what was accepted."""
        accepted = (self.servers.get(server) or {}).get("tools", {}).get(str(listed.get("name", "")))
        return accepted is not None and digest_of(accepted) == digest_of(listed)

    def changes(self, server: str, listed: Sequence[Mapping[str, Any]]) -> list[Change]:
        """How what a server lists differs from what was accepted of it."""
        accepted: dict[str, Any] = (self.servers.get(server) or {}).get("tools", {})
        now = {str(tool.get("name", "")): tool for tool in reversed(listed)}
        found = [Change(name, "gone") for name in accepted if name not in now]
        for name, tool in sorted(now.items()):
            if name not in accepted:
                found.append(Change(name, "new"))
            elif digest_of(accepted[name]) != digest_of(tool):
                found.append(Change(name, "changed", tuple(_parts(accepted[name], tool))))
        return found

    def accept(self, server: str, source: str, listed: Sequence[Mapping[str, Any]]) -> None:
        """Write down a server and its tools as they are. Raises `Unavailable` where the file can't be written."""
        tools = {str(tool.get("name", "")): {key: tool[key] for key in IDENTITY if key in tool} for tool in listed}
        self.servers[server] = {"source": source, "tools": dict(sorted(tools.items()))}
        encoded = msgspec.json.encode({"version": VERSION, "servers": self.servers}, order="deterministic")
        passing = self.path.with_name(f".{uuid4().hex}")
        try:
            make_private(self.path.parent)
            passing.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")
            passing.replace(self.path)
        except OSError as error:
            passing.unlink(missing_ok=True)
            raise Unavailable(f"`{self.path}` can't be written: {error.strerror}") from None


def source_of(given: Mapping[str, Any]) -> str:
    """A name for how a spec starts or reaches a server: of its words, without what the environment puts in."""
    told = [given.get(key) for key in ("command", "cwd", "url")]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()


def _parts(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key in IDENTITY:
        if before.get(key) != now.get(key):
            yield key, _shown(before.get(key)), _shown(now.get(key))


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
