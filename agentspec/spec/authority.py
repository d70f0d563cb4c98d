"""authority: ceiling, approval, permissions and middleware: what stands between a model and the world.

Only the form of the rules; who decides a call, and when, stands with the policies.
"""

from __future__ import annotations

from typing import Annotated, Literal

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.execution import Limits
from agentspec.spec.kinds import (
    CallText,
    Count,
    Expression,
    Glob,
    Host,
    Line,
    Mark,
    PathText,
    Period,
    ProviderRef,
    Python,
    Regex,
    Text,
    ToolGlob,
    Whole,
)
from agentspec.spec.toolkits import ArgvPrefix
from agentspec.spec.tools import Effect, ToolKind

Decision = Literal["allow", "ask", "deny"]
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Ceiling(Record):
    """The limit of authority: whoever extends or is called by its holder can only narrow it."""

    tools: Maybe[Items[ToolGlob]] = key("Tools that may be used; an empty list is none.", None)
    effects: Maybe[Items[Effect]] = key("Effects that tools may have.", None)
    roots: Maybe[Items[PathText]] = key("Folders that may be touched.", None)
    hosts: Maybe[Items[Host]] = key("Hosts that may be reached.", None)
    commands: Maybe[Items[ArgvPrefix]] = key("Commands that may run, by their first elements.", None)
    providers: Maybe[Items[ProviderRef]] = key("Providers that may be asked.", None)
    models: Maybe[Items[Glob]] = key("Models that may be asked.", None)
    limits: Maybe[Limits] = key("The most that a run may use.", None)


class ApprovalRule(Record):
    """A rule for tool calls; all that it names must match."""

    some_of = (
        *("when", "tool", "kind", "effect", "paths", "command", "hosts", "mcp", "methods", "agent", "calls_over"),
        "python",
    )

    when: Maybe[Annotated[str, Expression("approval.when")]] = key("An expression that must hold.", None)
    tool: Maybe[ToolGlob | Some[ToolGlob]] = key("The tool, or a pattern.", None)
    kind: Maybe[ToolKind | Some[ToolKind]] = key("The kind of tool.", None)
    effect: Maybe[Effect | Some[Effect]] = key("The tool's effect.", None)
    paths: Maybe[Some[Glob]] = key("Patterns of paths that the call touches.", None)
    command: Maybe[ArgvPrefix] = key("The first elements of the command.", None)
    hosts: Maybe[Some[Host]] = key("Hosts that the call reaches.", None)
    methods: Maybe[Some[Method]] = key("HTTP methods.", None)
    mcp: Maybe[Annotated[str, Mark("reference", to="mcp_server", glob=True)]] = key("The MCP server.", None)
    agent: Maybe[Annotated[str, Mark("reference", to="agent", glob=True)]] = key("The agent that makes the call.", None)
    calls_over: Maybe[Whole] = key("Match from the call after this many of the same tool.", None)
    python: Maybe[Python] = key("A function that decides whether the rule matches.", None)
    decision: Decision = key("What becomes of the call; deny beats ask beats allow.")
    reason: Maybe[Line] = key("Why, for the model and the record.", None)


class Approval(Record):
    """Which tool calls run, which are asked about, which are refused."""

    default: Decision = key("What becomes of a call that no rule names.", "allow")
    rules: Items[ApprovalRule] = key("Rules; the strictest that matches decides.", [])
    secrets: Items[Glob] = key("More files that are treated as secret; the built-in ones always are.", [])
    external_roots: Items[PathText] = key("Folders outside the workspace that may be touched.", [])
    expires: Maybe[Period] = key("How long a question waits for a person; then it is a no.", None, shown="for ever")


class PermissionRule(Record):
    """Calls of a tool, narrowed by arguments, paths or a condition."""

    tool: ToolGlob = key("The tool, or a pattern.")
    args: Maybe[dict[str, Glob]] = key("Patterns that arguments must match.", None)
    paths: Maybe[Some[Glob]] = key("Patterns of paths that the call touches.", None)
    when: Maybe[Annotated[str, Expression("permissions.when")]] = key("An expression that must hold.", None)


class Permissions(Record):
    """What this agent may call, beside approval."""

    some_of = ("allow", "deny")

    allow: Maybe[Some[ToolGlob | PermissionRule]] = key("Calls that are allowed; with it, no others.", None)
    deny: Maybe[Some[ToolGlob | PermissionRule]] = key("Calls that are refused.", None)
    on_escalation: Literal["ask", "deny"] = key("Whether a person may grant what is refused.", "ask")


class Identity(Record):
    """Who the run acts for."""

    user: Maybe[Line] = key("The person.", None, shown="`--identity`")
    roles: Maybe[Items[Line]] = key("Their roles.", None, shown="`--identity`")
    tenant: Maybe[Line] = key("Their organisation.", None, shown="`--identity`")


class Layer(Record):
    """What every layer of middleware takes."""

    not_both = (("only", "except"),)

    when: Maybe[Annotated[str, Expression("middleware.when")]] = key("The layer acts when it holds.", None)
    only: Maybe[Some[ToolGlob]] = key("Only for these tools.", None)
    except_: Maybe[Some[ToolGlob]] = key("Not for these tools.", None, alias="except")


class Consent(Layer):
    """A person agrees to each call."""

    prompt: Maybe[Text] = key("What the person is asked.", None, shown="built in")
    auto: Items[ToolKind] = key("Kinds of tools that need no consent.", ["read", "search", "fetch", "think"])


class AuditLog(Layer):
    """Each call leaves a receipt in a file of its own."""

    path: Maybe[PathText] = key("The file, one JSON line a call.", None, shown="the journal alone")
    redact: Items[Line] = key("Argument names that are left out.", [])


class DryRun(Layer):
    """Calls are answered without being carried out."""

    message: Maybe[CallText] = key("The answer.", None, shown="built in")


class Idempotency(Layer):
    """A repeated call gets the answer of the first."""

    key_: Maybe[CallText] = key("What makes two calls the same.", None, shown="name and arguments", alias="key")
    ttl: Period = key("How long an answer is kept.", "10m")
    entries: Count = key("How many answers are kept.", 256)


class CallLimit(Layer):
    """At most so many calls."""

    max_calls: Whole = key("Calls in a run; 0 refuses all.")
    per: Maybe[Period] = key("Count anew in each such time.", None)


class ResultCache(Layer):
    """Answers of tools that only read are kept."""

    ttl: Period = key("How long an answer is kept.", "10m")
    entries: Count = key("How many answers are kept.", 256)


class RedactLayer(Layer):
    """Texts are blanked in arguments and results."""

    some_of = ("patterns", "keys")

    patterns: Maybe[Some[Regex]] = key("Texts that are blanked.", None)
    keys: Maybe[Some[Line]] = key("Names whose values are blanked.", None)


class Telemetry(Layer):
    """Each call is a span of its own."""


class Handoff(Layer):
    """A result that hands work over (a key `handoff`) is kept as an artifact."""

    strict: bool = key("Refuse a hand-over that cannot be read.", default=False)


class Middleware(Record):
    """One layer around tool calls, with its options."""

    one_of = (
        *("consent", "audit_log", "dry_run", "idempotency", "rate_limit", "cache", "redact"),
        *("telemetry", "handoff"),
    )

    consent: Maybe[Consent] = key("A person agrees to each call.", None)
    audit_log: Maybe[AuditLog] = key("Each call leaves a receipt.", None)
    dry_run: Maybe[DryRun] = key("Calls are answered without being carried out.", None)
    idempotency: Maybe[Idempotency] = key("A repeated call gets the answer of the first.", None)
    rate_limit: Maybe[CallLimit] = key("At most so many calls.", None)
    cache: Maybe[ResultCache] = key("Answers of tools that only read are kept.", None)
    redact: Maybe[RedactLayer] = key("Texts are blanked in arguments and results.", None)
    telemetry: Maybe[Telemetry] = key("Each call is a span of its own.", None)
    handoff: Maybe[Handoff] = key("A result that hands work over becomes an artifact.", None)


LayerName = Literal[
    "consent", "audit_log", "dry_run", "idempotency", "rate_limit", "cache", "redact", "telemetry", "handoff"
]
