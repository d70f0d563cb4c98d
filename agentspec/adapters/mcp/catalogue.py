"""catalogue: what a server offers, as a run keeps it: checked, named, and with a hash that tells a change.

Everything in it was written by the server: nothing is fetched for it, and no hint of it lowers an effect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from agentspec.core.offer.server_names import effect_of, is_chosen, offered_name
from agentspec.core.orders import Effect
from agentspec.core.record import Record
from agentspec.core.schema.library import judge_of_schemas
from agentspec.core.schema.words import words_of
from agentspec.core.tools import ToolPlan
from agentspec.text.visible import has_hidden, hidden_in, visible

DESCRIPTION_MAX = 4096  # characters
SCHEMA_MAX = 64 * 1024  # bytes of JSON
NAME_MAX = 512  # characters
TOOLS_MAX = 256  # of one server
# What a change of makes a tool another one. Icons and `_meta` may change as they like.
IDENTITY = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


class Choice(NamedTuple):
    """What a spec says about the tools of one server. `named` are those that it calls by a name of its own."""

    server: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    effects: Mapping[str, Effect] = {}
    timeout: float = 120.0
    named: frozenset[str] = frozenset()
    is_accepted: Callable[[Mapping[str, Any]], bool] | None = None  # where the server is pinned

    def chooses(self, tool: str) -> bool:
        """Whether the model sees the tool under the server's name for it."""
        return is_chosen(tool, self.allow, self.deny)


class McpTool(Record, frozen=True):
    """A tool of a server: `tool` is its name there, `name` the one in the run, `digest` tells a change of it.

    One that is not `is_offered` is there for a tool that the spec defines itself.
    """

    server: str
    tool: str
    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    digest: str
    timeout: float = 120.0
    returns: dict[str, Any] | None = None
    is_offered: bool = True

    def plan(self) -> ToolPlan:
        """The tool as the kernel knows it; a call of it is never repeated without being asked for."""
        return ToolPlan(
            name=self.name,
            description=self.description,
            parameters=self.parameters,
            effect=self.effect,
            kind="mcp",
            timeout=self.timeout,
            server=self.server,
        )


class Catalogue(NamedTuple):
    """The tools of a server, and what has to be said about those that are left out or were changed."""

    tools: tuple[McpTool, ...]
    notes: tuple[str, ...]


def read_catalogue(listed: Sequence[Mapping[str, Any]], choice: Choice, taken: set[str]) -> Catalogue:
    """The catalogue of a server from the tools that it lists. `taken` are names of the run; the new ones join them."""
    tools: list[McpTool] = []
    notes: list[str] = []
    seen: set[str] = set()
    for each in listed:
        name = str(each.get("name", ""))
        if not choice.chooses(name) and name not in choice.named:
            continue
        problem = "it is listed twice" if name in seen else _problem(name, each) or _unaccepted(each, choice)
        seen.add(name)
        if problem is not None:
            notes.append(f"the tool `{_shown(name)}` of the MCP server `{choice.server}` is left out: {problem}")
            continue
        found = _tool(name, each, choice, taken)
        tools.append(found)
        if found.is_offered:
            taken.add(found.name)
    notes += _unmatched(choice, seen)
    return Catalogue(tuple(tools), tuple(notes))


def digest_of(listed: Mapping[str, Any]) -> str:
    """The SHA-256 of all that makes a tool what it is.

    >>> digest_of({"name": "a", "icons": []}) == digest_of({"name": "a"})
    True
    """
    kept = {key: listed[key] for key in IDENTITY if listed.get(key) is not None}
    return hashlib.sha256(msgspec.json.encode(kept, order="deterministic")).hexdigest()


def _tool(name: str, listed: Mapping[str, Any], choice: Choice, taken: set[str]) -> McpTool:
    returns = listed.get("outputSchema")
    return McpTool(
        server=choice.server,
        tool=name,
        name=offered_name(choice.server, name, taken),
        description=_described(str(listed.get("description") or listed.get("title") or "")),
        parameters=_closed(listed.get("inputSchema")),
        effect=effect_of(name, choice.effects, "write"),
        digest=digest_of(listed),
        timeout=choice.timeout,
        returns=dict(returns) if isinstance(returns, Mapping) else None,
        is_offered=choice.chooses(name),
    )


def _closed(schema: Any) -> dict[str, Any]:
    """The schema of the arguments; one without a type is that of an object all the same."""
    found = dict(schema or {})
    found.setdefault("type", "object")
    found.setdefault("properties", {})
    return found


def _problem(name: str, listed: Mapping[str, Any]) -> str | None:
    if not name or len(name) > NAME_MAX:
        return f"a name has from 1 to {NAME_MAX} characters"
    schema = listed.get("inputSchema")
    if schema is not None and not isinstance(schema, Mapping):
        return "its schema is no object"
    if (schema or {}).get("type", "object") != "object":
        return "its arguments are no object"
    try:
        size = len(msgspec.json.encode([schema, listed.get("outputSchema")]))
    except (RecursionError, ValueError, OverflowError):
        return "its schema can't be written down"
    if size > SCHEMA_MAX:
        return f"its schemas have {size} bytes, and {SCHEMA_MAX} are taken"
    broken = next(chain(_unsound(schema or {}), _references(schema or {})), None)
    return f"its schema can't be used: {broken}" if broken else None


def _unaccepted(listed: Mapping[str, Any], choice: Choice) -> str | None:
    if choice.is_accepted is None or choice.is_accepted(listed):
        return None
    return f"it is not what was accepted; `agentspec mcp list SPEC {choice.server}` shows what has changed"


def _unsound(schema: Mapping[str, Any]) -> Iterator[str]:
    """What the metaschema says; a pattern that RE2 can't read is no reason to go without a tool."""
    try:
        for error in judge_of_schemas(schema).iter_errors(schema):
            yield from words_of(error, "keyword")
    except RecursionError:
        yield "it is nested too deeply"


def _references(schema: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with references: they lead out of the schema, to nothing, or only to each other."""
    for target in _targets(schema):
        if not target.startswith("#"):
            yield f"`$ref` leads to `{_shown(target)}`, and nothing is fetched"
        elif target.startswith("#/") or target == "#":
            found, problem = _follow(schema, target)
            if problem:
                yield problem
            elif not isinstance(found, Mapping | bool):
                yield f"`$ref` leads to `{_shown(target)}`, which is no schema"


def _targets(value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            for key, item in value.items():
                if key in ("$ref", "$dynamicRef") and isinstance(item, str):
                    yield item
                elif key not in ("const", "enum", "default", "examples"):
                    yield from _targets(item)
        case list():
            for item in value:
                yield from _targets(item)
        case _:
            pass


def _follow(schema: Mapping[str, Any], target: str) -> tuple[Any, str]:
    """Where a reference leads in the end, through others that stand alone; or what is wrong with it."""
    seen: set[str] = set()
    while target not in seen:
        seen.add(target)
        found: Any = schema
        for step in target[2:].split("/") if len(target) > 1 else ():
            found = _step(found, step.replace("~1", "/").replace("~0", "~"))
        if found is None:
            return None, f"`$ref` leads to `{_shown(target)}`, which is not there"
        following = found.get("$ref") if isinstance(found, Mapping) else None
        if not isinstance(following, str) or not following.startswith("#"):
            return found, ""
        target = following
    return None, f"`$ref` leads from `{_shown(target)}` only back to it"


def _step(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def _described(text: str) -> str:
    """A description without characters that nobody sees, and of a length that leaves room for others."""
    if has_hidden(text):
        hidden = set(hidden_in(text))
        text = "".join(character for character in text if character not in hidden)
    text = visible(text).strip()
    if len(text) <= DESCRIPTION_MAX:
        return text
    return f"{text[:DESCRIPTION_MAX]} [… {len(text) - DESCRIPTION_MAX} characters are left out]"


def _unmatched(choice: Choice, seen: set[str]) -> Iterator[str]:
    for pattern in choice.allow or ():
        if not any(fnmatchcase(tool, pattern) for tool in seen):
            yield f"`capability.mcp.{choice.server}.allow`: the server offers no tool `{pattern}`"


def _shown(name: str) -> str:
    return visible(name[:100] + ("…" if len(name) > 100 else ""))
