"""AS530 retries that no tool can have."""

from collections.abc import Iterator

from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Scalar
from agentspec.text.diagnostic import Diagnostic

RETRIES = ("execution", "tool_retries")
READING = ("GET", "HEAD")


class NothingToRetry(Rule):
    """`tool_retries` is set, and no tool of the spec is ever tried again.

    Why: only tools that the runtime knows to read, and those that say `idempotent: true`, are repeated. A retry of
    anything else could do its work twice.

    Bad:

    ```yaml
    name: editor
    execution: {tool_retries: 2}
    capability:
      toolkits: [files.edit]
    ```

    Good:

    ```yaml
    name: editor
    execution: {tool_retries: 2}
    capability:
      toolkits: [files.read, files.edit]
    ```

    Fix: say `idempotent: true` at a tool that may run twice, or take the setting away.
    """

    code = "AS530"
    title = "retries that no tool can have"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        retries = subject.number(*RETRIES)
        is_open = subject.servers or subject.entries("capability", "subagents") or not subject.knows_tools
        if not retries or is_open or not subject.offered or not subject.is_own(subject.span(*RETRIES)):
            return
        declared = {tool.name: tool for tool in subject.tools}
        others = [one for one in subject.offered if one.name not in declared]
        if any(one.effect == "read" for one in others) or any(map(_may_be_repeated, subject.tools)):
            return
        yield self.finding(
            subject.span(*RETRIES),
            "no tool of this spec is tried again: none only reads, and none is `idempotent`",
            path=RETRIES,
            help="say `idempotent: true` at a tool that may run twice, or take this away",
        )


def _may_be_repeated(tool: Tool) -> bool:
    idempotent, http = tool.body.get("idempotent"), tool.body.get("http")
    if isinstance(idempotent, Scalar) and idempotent.value is True:
        return True
    if tool.kind == "http" and isinstance(http, Mapping):
        return (text_of(http.get("method")) or "GET").upper() in READING
    return tool.kind in (None, "expr", "mcp", "agent")
