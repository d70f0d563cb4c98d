"""capability: the section that says what an agent may do.

Tools, toolkits and authority stand in files of their own; here is the rest and the section itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

from agentspec.spec.authority import Approval, Ceiling, Identity, LayerName, Middleware, Permissions
from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.execution import Limits
from agentspec.spec.kinds import (
    Address,
    AgentRef,
    CallText,
    Count,
    Expression,
    Free,
    Glob,
    HeaderName,
    HeaderText,
    Identifier,
    JsonSchema,
    Line,
    Mark,
    PathText,
    Period,
    Python,
    SecretText,
    Size,
    Text,
    ToolGlob,
    ToolName,
    ToolRef,
    Variable,
)
from agentspec.spec.lifecycle import Hook
from agentspec.spec.toolkits import Toolkits
from agentspec.spec.tools import Effect, Tool
from agentspec.spec.types import Parameters, Type

ServerRef = Annotated[str, Mark("reference", to="mcp_server")]


class Columns(Record):
    """Which columns of a table may be read and written."""

    read: Maybe[Some[Line]] = key("Columns that answers show.", None, shown="all")
    write: Maybe[Some[Line]] = key("Columns that may be set.", None, shown="none")


class Action(Record):
    """Several statements as one tool, in one transaction."""

    description: Maybe[Line] = key("What it does, for the model.", None)
    parameters: Maybe[Parameters] = key("Its parameters.", None)
    sql: Some[Line] = key("The statements, with bound `:name` parameters.")


class Resource(Record):
    """A table offered as tools: only the verbs and columns granted, only the rows that are the caller's."""

    url: SecretText = key("The database: `sqlite:///shop.db`, `${env.DATABASE_URL}`.")
    table: Line = key("The table.")
    key_: Maybe[Line] = key("The column that names a row.", None, shown="the primary key", alias="key")
    description: Maybe[Line] = key("What it holds, for the model.", None)
    verbs: Some[Literal["get", "search", "create", "update", "delete"]] = key("The tools that exist.")
    columns: Columns = key("Which columns may be read and written.", {})
    where: Maybe[Annotated[str, Expression("resources.where")]] = key("Rows that the caller may see or change.", None)
    defaults: Maybe[dict[str, CallText | int | float | bool]] = key("Values of columns in new rows.", None)
    page: Count = key("Rows of one answer.", 50)
    audit: Maybe[Line] = key("The table that records each change.", None)
    actions: Maybe[dict[ToolName, Action]] = key("Several statements as one tool.", None)


class McpAuth(Record):
    """How a server is told who asks."""

    token_env: Variable = key("The environment variable that holds the token.")


class McpServer(Record):
    """An MCP server, started as a process or reached over HTTP."""

    one_of = ("command", "url")
    needs = {"env": "command", "cwd": "command", "headers": "url", "auth": "url"}

    command: Maybe[Some[SecretText]] = key("The command that starts it.", None)
    env: Maybe[dict[Variable, SecretText]] = key("Environment variables that it sees.", None)
    cwd: Maybe[PathText] = key("Where it starts.", None, shown="the project folder")
    url: Maybe[Address] = key("Where it answers.", None)
    headers: Maybe[dict[HeaderName, HeaderText]] = key("Headers of each request.", None)
    auth: Maybe[Literal["oauth"] | McpAuth] = key("How it is told who asks.", None)
    allow: Maybe[Some[ToolGlob]] = key("Only these of its tools.", None, shown="all")
    deny: Maybe[Some[ToolGlob]] = key("None of these.", None)
    effects: Maybe[dict[str, Effect]] = key("Effects of its tools, by name or pattern.", None, shown="`write`")
    timeout: Maybe[Period] = key("How long one call may take.", None, shown="`execution.tool_timeout`")
    pin: bool = key("Whether its tools must be what the lock says.", default=False)


class Skill(Record):
    """Instructions that the model gets when they fit the work."""

    one_of = ("prompt", "folder")

    folder: Maybe[PathText] = key("A folder with `SKILL.md`.", None)
    prompt: Maybe[Text] = key("The instructions.", None)
    description: Maybe[Line] = key("What it is for.", None)
    when_to_use: Maybe[Line] = key("When it helps.", None)
    when: Maybe[Annotated[str, Expression("skills.when")]] = key("Use it when this holds.", None)
    paths: Maybe[Some[Glob]] = key("Use it when the work touches these paths.", None)
    allowed_tools: Maybe[Some[ToolGlob]] = key("While it is active, only these tools.", None)
    mcp: Maybe[Some[ServerRef]] = key("MCP servers that it needs.", None)
    disable_model_invocation: bool = key("Whether the model itself can't ask for it.", default=False)
    user_invocable: bool = key("Whether a person can ask for it.", default=True)
    on_activate: Items[Hook] = key("Tool calls when it becomes active.", [])
    on_deactivate: Items[Hook] = key("Tool calls when it ceases.", [])


class SkillMatch(Record):
    """How skills are chosen."""

    strategy: Literal["metadata", "expression", "embedding"] = key("By their descriptions, or by `when`.", "metadata")
    top_n: Count = key("Skills at a time.", 1)
    sticky: bool = key("Whether a skill stays for the run.", default=True)


class Subagent(Record):
    """Another spec as a tool: narrowed authority, a share of the budget, one clean result."""

    agent: AgentRef = key("The agent: `NAME`, `FILE#NAME` or `alias.NAME`.")
    description: Maybe[Line] = key("What it is good for, for the model.", None, shown="the agent's own")
    ceiling: Maybe[Ceiling] = key("A narrower ceiling.", None)
    limits: Maybe[Limits] = key("Its share of the bounds.", None)
    returns: Maybe[Type] = key("The type of its result.", None)
    context: Literal["none", "summary"] = key("What it learns of the conversation.", "none")
    background: bool = key("Whether the call returns at once with a handle.", default=False)
    session: Literal["new", "keep"] = key("Whether a second call goes on with the first.", "new")


class ToolSearch(Record):
    """How the model finds tools that it isn't shown."""

    strategy: Literal["bm25", "regex", "hybrid"] = key("How tools are ranked.", "bm25")
    mode: Literal["auto", "native", "client"] = key("Whether the provider searches or the runtime.", "auto")
    always_loaded: Items[ToolRef] = key("Tools that are always shown.", [])
    budget_tokens: Maybe[Count] = key("Tokens of found tools; the oldest go first.", None)
    name: Maybe[ToolName] = key("The name of the search tool.", None, shown="built in")
    include_stub_listing: bool = key("Whether the names of hidden tools are listed.", default=False)
    rank: Maybe[Annotated[str, Expression("tool_search.rank")]] = key("A number that ranks a tool.", None)
    python: Maybe[Python] = key("A function that searches.", None)


ToolClass = Literal["read_only", "mutating", "approval", "session_control", "progress", "result_polling", "unknown"]


class Narrowing(Record):
    """Which tools leave the view when they are not used."""

    mode: Literal["cache_safe", "safe", "aggressive"] = key("How far it goes.", "cache_safe")
    window_turns: Count = key("Turns without use after which a tool leaves.", 5)
    hard_keep: Items[ToolRef] = key("Tools that stay.", [])
    prune_classes: Items[ToolClass] = key("Classes of tools that may leave.", ["read_only"])
    keep_classes: Items[ToolClass] = key(
        "Classes of tools that stay.",
        ["mutating", "approval", "session_control", "progress", "result_polling", "unknown"],
    )
    unknown_tool_policy: Literal["keep", "prune"] = key("What becomes of a tool of no known class.", "keep")


class ReadOnlyStance(Record):
    """Tools that change things are hidden until something has happened."""

    until: Annotated[str, Expression("loop_control.when")] = key("They are shown when it holds.")
    hide: Some[Effect] = key("Effects that are hidden.", ["write", "process"])


class Sandbox(Record):
    """The wall around processes."""

    mode: Literal["auto", "workspace", "none"] = key("`workspace` must have a wall; `auto` takes the best.", "auto")
    network: bool = key("Whether processes may use the network.", default=False)
    writable: Items[PathText] = key("Folders beside the roots that may be written.", [])
    memory: Maybe[Size] = key("The most memory of a process.", None)
    cpu_time: Maybe[Period] = key("The most processor time of a process.", None)
    processes: Maybe[Count] = key("The most processes at a time.", None)


class ProviderTool(Record):
    """A tool that the provider itself carries out, outside the gates of the runtime."""

    type: Line = key("The provider's word for it.")
    options: Maybe[Free] = key("Passed through to the provider as they are.", None)
    require_approval: Maybe[Literal["always", "never"]] = key("What the provider is told about approval.", None)


class Capability(Record):
    """What it may do."""

    tools: Maybe[dict[ToolName, Tool]] = key("Tools by name.", None)
    toolkits: Toolkits = key("Ready families of tools: a name, or a name with options.", [])
    resources: Maybe[dict[Identifier, Resource]] = key("Tables of a database as tools.", None)
    mcp: Maybe[dict[ToolName, McpServer]] = key("MCP servers by name.", None)
    skills: Maybe[dict[ToolName, PathText | Skill]] = key("Skills by name: a folder, or the skill itself.", None)
    skill_match: Literal["metadata", "expression", "embedding"] | SkillMatch = key("How skills are chosen.", "metadata")
    subagents: Maybe[dict[ToolName, Subagent]] = key("Other specs as tools, by name.", None)
    tool_search: Literal["off", "bm25", "regex", "hybrid"] | ToolSearch = key(
        "How the model finds tools that it isn't shown.", "off"
    )
    narrowing: Literal["off", "cache_safe", "safe", "aggressive"] | Narrowing = key(
        "Drop unused read-only tools from view.", "cache_safe"
    )
    ceiling: Maybe[Ceiling] = key("The limit of authority.", None)
    approval: Approval = key("Which calls run, which are asked about, which are refused.", {})
    permissions: Maybe[Permissions] = key("What this agent may call, beside approval.", None)
    identity: Maybe[Identity] = key("Who the run acts for.", None)
    middleware: Items[LayerName | Middleware] = key("Layers around tool calls, the outermost first.", [])
    sandbox: Literal["auto", "workspace", "none"] | Sandbox = key("The wall around processes.", "auto")
    read_only_stance: Maybe[ReadOnlyStance] = key("Hide tools that change things until they are earned.", None)
    progress_tool: bool = key("Whether the model can report progress.", default=False)
    provider_tools: Items[Line | ProviderTool] = key("Tools that the provider carries out.", [])
    components: Maybe[dict[Identifier, JsonSchema]] = key("JSON Schemas that parameters may refer to.", None)
