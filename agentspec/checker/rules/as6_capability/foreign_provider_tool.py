"""AS652 tool that the provider does not run."""

from collections.abc import Iterator

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.provider_tools import EFFECTS
from agentspec.text.diagnostic import Diagnostic


class ForeignProviderTool(Rule):
    """The provider that answers has no such tool, or would wait for somebody to run it.

    Why: the run would not start. Of the tools that vendors list, only some run at the provider; `bash`, `computer` or
    `local_shell` are calls that somebody else has to carry out, and toolkits do that here, under approval.

    Bad:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      provider_tools: [bash]
    ```

    Good:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      toolkits: [command]
    ```

    Fix: take a tool that the provider runs, or a toolkit.
    """

    code = "AS652"
    title = "tool that the provider does not run"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for one in at_provider(subject):
            if one.lack is not None:
                meant, help_text = way_out(one.tool.type, EFFECTS, "providers run")
                yield self.finding(
                    one.span,
                    one.lack,
                    path=one.path,
                    help=help_text if meant else "take a tool that it runs, or a toolkit",
                    fix=rename(one.span, one.tool.type, meant),
                )
