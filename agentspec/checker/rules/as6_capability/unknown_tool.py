"""AS601 unknown tool."""

from collections.abc import Iterator

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.questions.tried import called_by_script, named_in_scenario, sound, tools_of_called
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, is_pattern
from agentspec.compose.toolkits import GIT_MUTATIONS
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic


class UnknownTool(Rule):
    """A list names a tool that this spec doesn't have.

    Why: a required tool that doesn't exist can never succeed, and a rule about it never acts. The names are those that
    the model sees: of `tools`, `toolkits`, resources (`get_orders`), sub-agents and MCP servers (`server__tool`).

    Bad:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_fil]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_file]
    capability:
      toolkits: [files.read]
    ```

    Fix: correct the name, or add the tool to `capability`.
    """

    code = "AS601"
    title = "unknown tool"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        yield from self._of_scenario(subject)
        if not subject.knows_tools:
            return
        yield from self._changing(subject)
        for path, node, name in subject.tool_references():
            if is_pattern(name) or subject.is_known_tool(name) or _is_of_provider(subject, path, name):
                continue
            meant, help_text = way_out(name, subject.tool_names, "this spec has")
            server = name.partition("__")[0] if "__" in name else None
            if meant is None and server is not None and subject.servers:
                _, help_text = way_out(server, subject.servers, "MCP servers of this spec")
            yield self.finding(
                node.span,
                f"unknown tool `{name}`",
                path=path,
                help=help_text or "this spec has no tools: add it to `capability`",
                fix=rename(node.span, name, meant),
            )

    def _of_scenario(self, subject: Subject) -> Iterator[Diagnostic]:
        """Tools that a scenario speaks of, and that neither its agent has nor its script calls."""
        agent = sound(subject)
        if agent is None or not agent.knows_tools:
            return
        known = {*agent.tool_names, *tools_of_called(agent)}
        called = called_by_script(subject)
        for path, name in named_in_scenario(subject):
            spoken = called if path[0] == "expect" else ()
            if name in known or name in spoken or is_pattern(name) or agent.is_known_tool(name):
                continue
            meant, help_text = way_out(name, known, f"`{subject.text('for')}` has")
            span = subject.span(*path)
            fix = rename(span, name, meant)
            yield self.finding(span, f"unknown tool `{name}`", path=path, help=help_text, fix=fix)

    def _changing(self, subject: Subject) -> Iterator[Diagnostic]:
        """Tools of `git` that are wanted, and there only where it may change something."""
        for toolkit in subject.toolkits:
            path = (*toolkit.path, "enabled")
            if toolkit.name != "git" or subject.flag(*toolkit.path, "mutations") is True:
                continue
            for where, node in subject.items(*path):
                name = subject.text(*where)
                if name in GIT_MUTATIONS:
                    message = f"`{name}` is there only with `mutations: true`"
                    yield self.finding(node.span, message, path=where, help="add it to the options of `git`")


def _is_of_provider(subject: Subject, path: Path, name: str) -> bool:
    """Rules may name what the provider runs; what is to be called, or to have succeeded, is a call of the run's own."""
    return path[0] == "capability" and any(one.tool.name == name for one in at_provider(subject))
