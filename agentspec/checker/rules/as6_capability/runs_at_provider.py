"""AS648 tool that runs at the provider."""

from collections.abc import Iterator

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class RunsAtProvider(Rule):
    """A tool that the provider runs itself is under no approval, and behind no wall of this machine.

    Why: the provider runs it while it answers, and asks nobody: the run hears of each call when it is over. The
    ceiling, approval and permissions decide before the run whether the tool is offered at all. Nothing is wrong with
    that; it should be known.

    Bad:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      provider_tools: [web_search]
    ```

    Good:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      toolkits:
        - web.fetch: {hosts: [docs.example.org]}
    ```

    Fix: leave it, or take a tool that runs here instead.
    """

    code = "AS648"
    title = "tool that runs at the provider"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for one in at_provider(subject):
            if one.is_offered:
                yield self.finding(
                    one.span,
                    f"`{one.tool.name}` runs at the provider, not under approval",
                    path=one.path,
                    help="its calls are told as `provider_tool_call` when they are over",
                )
