"""tools: the tools that a spec defines itself: an expression, a command, a request, a function, an agent.

What a tool may do when it is called is the ceiling's and the sandbox's question, not this file's.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agentspec.spec.base import Items, Maybe, Record, key
from agentspec.spec.kinds import (
    WEB_ADDRESS,
    AgentRef,
    Anything,
    CallText,
    Expression,
    Free,
    Line,
    Mark,
    Name,
    Period,
    Python,
    Yes,
)
from agentspec.spec.rules import Argv
from agentspec.spec.types import Parameters, Type

Effect = Literal["none", "read", "write", "process", "network"]
ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]
HttpText = Annotated[str, Mark("template", place="tools.template.env")]
HttpAddress = Annotated[str, Field(pattern=WEB_ADDRESS), Mark("template", place="tools.template.env", form="address")]
"""Text of a request, with the names of a tool and `${env.NAME}`."""


class Http(Record):
    """A request that a tool makes."""

    not_both = (("body", "json"),)

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = key("The method.", "GET")
    url: HttpAddress = key("The address, with `${args.x}` and `${env.NAME}`.")
    headers: Maybe[dict[str, HttpText]] = key("Headers of the request.", None)
    query: Maybe[dict[str, CallText | int | float | bool]] = key("The query, encoded for the author.", None)
    body: Maybe[CallText] = key("The body as text.", None)
    json_: Maybe[Annotated[Any, Mark("templates", place="tools.template")]] = key(
        "The body as JSON, with `${…}` in each text.", None, alias="json"
    )


class Example(Record):
    """A call and what comes of it; for an `expr` tool the check runs it."""

    args: Free = key("The arguments.", {})
    result: Anything = key("What the call gives.")


class Tool(Record):
    """A tool with exactly one way to be carried out."""

    one_of = ("expr", "run", "http", "python", "agent", "mcp", "external")

    description: Maybe[Line] = key("What it does, for the model.", None)
    parameters: Maybe[Parameters] = key("Its parameters: types by name, or a whole JSON Schema under `schema`.", None)
    returns: Maybe[Type] = key("The type of its result.", None)
    effect: Maybe[Effect] = key("What it does to the world: the author's claim.", None, shown="by the kind of tool")
    kind: Maybe[ToolKind] = key("What sort of work it is, for rules and for people.", None)
    idempotent: bool = key("Whether a repeated call does no further harm.", default=False)
    concurrent: bool = key("Whether it may run beside other changes of a turn.", default=False)
    network: bool = key("Whether its process may use the network.", default=False)
    defer: bool = key("Whether the model finds it by search only.", default=False)
    namespace: Maybe[Name] = key("The group that it is found in.", None)
    timeout: Maybe[Period] = key("How long one call may take.", None, shown="`execution.tool_timeout`")
    examples: Items[Example] = key("Calls with their results.", [])
    expr: Maybe[Annotated[str, Expression("tools.expr")]] = key("An expression over `args`.", None)
    run: Maybe[Argv] = key("A command and its arguments, with `${args.x}` inside single elements.", None)
    http: Maybe[Http] = key("A request.", None)
    python: Maybe[Python] = key("A Python function; needs `--allow-python`.", None)
    agent: Maybe[AgentRef] = key("Another agent, by name or file.", None)
    mcp: Maybe[Annotated[str, Field(pattern=r"^[^/\s]+/[^/\s]+$"), Mark("reference", to="mcp_tool")]] = key(
        "A tool of an MCP server, as `server/tool`.", None
    )
    external: Maybe[Yes] = key("The caller carries it out: the run waits for its result.", None)
