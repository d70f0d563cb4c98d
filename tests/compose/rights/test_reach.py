"""How far what a spec may do reaches by its own settings, and which settings reach further than others."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from agentspec.compose.rights.change import rights_change
from agentspec.compose.rights.rights import Rights, rights_of
from agentspec.spec.describe import all_keys
from agentspec.syntax.tree import Mapping
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source

TABLE = "capability: {resources: {t: {url: 'sqlite:///a.db', table: t, verbs: [get]%s}}}"
ACTION = TABLE % ", actions: {swap: {%s}}"
TOOL = "capability: {tools: {t: {%s}}}"
RUN = TOOL % "run: [x, '${args.a}'], parameters: {a: %s}"
HTTP = TOOL % "http: {%s}"
SERVER = "capability: {mcp: {s: {url: 'https://a.org/'%s}}}"
SEARCH = "model: {provider: anthropic, model: m}\ncapability: {provider_tools: [{type: web_search%s}]}"
MODEL = "model: {provider: openai, model: m%s}"
REDACT = "observability: {redact: {%s}}"

# A setting that reaches less, the same setting that reaches further, and the name that is told.
FURTHER = [
    (TABLE % ", where: row.a == 1", TABLE % "", "resources.t.where"),
    (TABLE % ", columns: {read: [a]}", TABLE % ", columns: {read: [a, b]}", "resources.t.columns.read"),
    (TABLE % ", columns: {read: [a]}", TABLE % "", "resources.t.columns.read"),
    (TABLE % "", TABLE % ", columns: {write: [a]}", "resources.t.columns.write"),
    (TABLE % ", defaults: {a: me}", TABLE % "", "resources.t.defaults"),
    (TABLE % ", audit: log", TABLE % "", "resources.t.audit"),
    (RUN % "{enum: [a]}", RUN % "string", "tools.t.parameters"),
    (RUN % "{enum: [a]}", RUN % "{enum: [a, b]}", "tools.t.parameters"),
    (RUN % "{type: string, pattern: a+}", RUN % "string", "tools.t.parameters"),
    (RUN % "{type: integer, maximum: 5}", RUN % "{type: integer, maximum: 6}", "tools.t.parameters"),
    (RUN % "{type: integer, minimum: 5}", RUN % "integer", "tools.t.parameters"),
    (RUN % "string", RUN % "string, b: string", "tools.t.parameters"),
    (SERVER % ", deny: [drop]", SERVER % "", "mcp.s.deny"),
    (SERVER % ", pin: true", SERVER % "", "mcp.s.pin"),
    (SERVER % "", SERVER % ", headers: {A: b}", "mcp.s.headers"),
    (SERVER % "", SERVER % ", env: {A: b}", "mcp.s.env"),
    ("capability: {toolkits: [web.fetch]}", "capability: {toolkits: [web.fetch: {private: true}]}", "toolkits.web.fetch.private"),
    ("capability: {toolkits: [files.read: {exclude: [a]}]}", "capability: {toolkits: [files.read]}", "toolkits.files.read.exclude"),
    ("capability: {sandbox: {memory: 1GiB}}", "capability: {sandbox: {memory: 2GiB}}", "capability.sandbox.memory"),
    ("capability: {sandbox: {cpu_time: 1m}}", "capability: {sandbox: auto}", "capability.sandbox.cpu_time"),
    ("capability: {sandbox: {processes: 4}}", "capability: {sandbox: {processes: 5}}", "capability.sandbox.processes"),
    (MODEL % "", MODEL % ", headers: {A: b}", "model.headers"),
    (MODEL % "", MODEL % ", options: {store: true}", "model.options"),
    ("observability: {}", "observability: {events: [{jsonl: a.jsonl}]}", "observability.events"),
    ("observability: {}", "observability: {transcript_dir: out}", "observability.transcript_dir"),
    ("observability: {}", "observability: {report: out}", "observability.report"),
    ("observability: {}", "observability: {otel: {content: true}}", "observability.otel.content"),
    (REDACT % "patterns: [a]", "observability: {}", "observability.redact.patterns"),
    (REDACT % "keys: [a, b]", REDACT % "keys: [a]", "observability.redact.keys"),
]  # fmt: skip
# Settings that no order can compare: another one reaches further, whichever came first.
OTHER = [
    (TABLE % "", TABLE.replace("table: t", "table: u") % "", "resources.t.table"),
    (TABLE % "", TABLE.replace("a.db", "b.db") % "", "resources.t.url"),
    (TABLE % ", where: row.a == 1", TABLE % ", where: row.a == 2", "resources.t.where"),
    (ACTION % "sql: [select 1]", ACTION % "sql: [select 2]", "resources.t.actions.swap.sql"),
    (ACTION % "parameters: {a: string}", ACTION % "parameters: {a: integer}", "resources.t.actions.swap.parameters"),
    (HTTP % "url: 'https://a.org/read'", HTTP % "url: 'https://a.org/admin'", "tools.t.http"),
    (HTTP % "url: 'https://a.org/x'", HTTP % "url: 'http://a.org/x'", "tools.t.http"),
    (HTTP % "url: 'https://a.org/x'", HTTP % "url: 'https://a.org:81/x'", "tools.t.http"),
    (HTTP % "url: 'https://a.org/x'", HTTP % "url: 'https://a.org/x', body: '${args.a}'", "tools.t.http"),
    (TOOL % "mcp: s/a", TOOL % "mcp: s/b", "tools.t.mcp"),
    (SERVER % "", SERVER.replace(".org/", ".org/v2") % "", "mcp.s.url"),
    (SERVER.replace("url: 'https://a.org/'", "command: [x], cwd: a") % "", SERVER.replace("url: 'https://a.org/'", "command: [x], cwd: b") % "", "mcp.s.cwd"),
    (SERVER % "", SERVER % ", auth: oauth", "mcp.s.auth"),
    (SEARCH % "", SEARCH % ", options: {max_uses: 9}", "provider_tools.web_search.options"),
    ("capability: {identity: {user: a}}", "capability: {identity: {user: b}}", "capability.identity"),
]  # fmt: skip
SAME = [
    (RUN % "string", RUN % "{type: string, description: 'Which'}"),
    (RUN % "string", RUN % "'string?'"),
    (HTTP % "url: 'https://a.org/x', method: GET", HTTP % "method: GET, url: 'https://a.org/x'"),
    (TOOL % "expr: '1', parameters: {a: string}", TOOL % "expr: '1', parameters: {a: integer}"),
    (MODEL.replace("openai", "script") % "", MODEL.replace("openai", "script") % ", options: {turns: []}"),
    ("capability: {toolkits: [web.fetch: {private: false}]}", "capability: {toolkits: [web.fetch]}"),
]


def rights(text: str) -> Rights:
    root = parse(Source("a.yaml", f"name: a\n{text}\n")).documents[0].root
    assert isinstance(root, Mapping)
    return rights_of(root)


def further(before: str, after: str) -> list[str]:
    return [each.name for each in rights_change(rights(before), rights(after)).more if each.kind == "reach"]


@pytest.mark.parametrize(("less", "more", "name"), FURTHER)
def test_a_setting_that_lets_more_through_reaches_further(less: str, more: str, name: str) -> None:
    assert further(less, more) == [name]
    assert further(more, less) == []
    assert [each.name for each in rights_change(rights(more), rights(less)).less] == [name]


@pytest.mark.parametrize(("one", "other", "name"), OTHER)
def test_a_setting_that_cannot_be_compared_reaches_further(one: str, other: str, name: str) -> None:
    assert further(one, other) == [name]
    assert rights_change(rights(one), rights(other)).is_wider


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_spelling_and_what_only_a_model_reads_reach_no_further(one: str, other: str) -> None:
    assert (further(one, other), further(other, one)) == ([], [])


def test_what_is_new_or_gone_as_a_whole_is_told_by_its_tools_alone() -> None:
    assert (further("task: a", TABLE % ", where: row.a == 1"), further(TABLE % ", where: row.a == 1", "task: a")) == (
        [],
        [],
    )


KNOWN_BY_NAME = (  # what `rights` tells of by kind and name
    *("capability.tools.*.effect", "capability.tools.*.network", "capability.tools.*.run", "capability.tools.*.python"),
    *("capability.tools.*.agent", "capability.toolkits*.root", "capability.toolkits*.repo", "capability.toolkits*.mutations"),
    *("capability.toolkits*.enabled", "capability.toolkits*.disabled", "capability.toolkits*.names", "capability.toolkits*.hosts"),
    *("capability.toolkits*.allow", "capability.toolkits*.allow_else", "capability.toolkits*.shell", "capability.toolkits*.env"),
    *("capability.resources.*.verbs", "capability.mcp.*.command", "capability.mcp.*.allow", "capability.mcp.*.effects"),
    *("capability.subagents.*", "capability.ceiling*", "capability.approval*", "capability.permissions*"),
    *("capability.middleware*", "capability.sandbox.mode", "capability.sandbox.network", "capability.sandbox.writable"),
    *("capability.provider_tools[[]].type", "capability.provider_tools[[]].require_approval"),
)  # fmt: skip
NO_POWER = (  # what the model reads, how it finds tools, how long and how often something is done
    *("*.description*", "*.examples*", "*.defer", "*.namespace", "*.timeout", "*.returns*", "*.idempotent", "*.concurrent"),
    *("capability.tools.*.kind", "capability.tools.*.expr", "capability.tools.*.external", "*.max_*", "*.ask_user.*"),
    *("*.background_after", "*.progress_*", "*.preserve_filtered_output", "capability.resources.*.key", "*.page"),
    *("capability.skills*", "capability.skill_match*", "capability.tool_search*", "capability.narrowing*"),
    *("capability.read_only_stance*", "capability.progress_tool", "capability.components*"),
    *("observability.trace", "observability.decisions", "observability.otel.service"),
)  # fmt: skip
REACHES = (  # what the tables above change
    *("capability.tools.*.parameters*", "capability.tools.*.http*", "capability.tools.*.mcp", "capability.toolkits*.exclude"),
    *("capability.toolkits*.private", "capability.resources.*.url", "capability.resources.*.table", "*.columns.*"),
    *("capability.resources.*.where", "capability.resources.*.defaults", "capability.resources.*.audit", "*.actions.*"),
    *("capability.mcp.*.env", "capability.mcp.*.cwd", "capability.mcp.*.url", "capability.mcp.*.headers", "*.auth*"),
    *("capability.mcp.*.deny", "capability.mcp.*.pin", "*.provider_tools[[]].options", "capability.identity*"),
    *("capability.sandbox.memory", "capability.sandbox.cpu_time", "capability.sandbox.processes"),
    *("observability.events*", "observability.otel.content", "observability.redact.*", "*.transcript_dir", "*.report"),
)  # fmt: skip


def test_no_key_that_may_widen_a_spec_is_forgotten() -> None:
    keys = [key.path for key in all_keys() if key.path.startswith(("capability.", "observability."))]
    told = (*KNOWN_BY_NAME, *NO_POWER, *REACHES)

    forgotten = [key for key in _leaves(keys) if not any(fnmatchcase(key, pattern) for pattern in told)]

    assert forgotten == []


def _leaves(keys: list[str]) -> list[str]:
    return [key for key in keys if not any(other.startswith((f"{key}.", f"{key}[")) for other in keys)]
