"""AS649 provider tool that is never offered."""

from collections.abc import Iterator

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class WithheldProviderTool(Rule):
    """A tool of the provider is kept from every run by what the same spec says about authority.

    Why: the provider runs it while it answers and asks nobody, so what approval would ask about or deny, and what the
    ceiling does not allow, is not offered at all. A ceiling on hosts allows a search only where the options of the tool
    hold it to such hosts.

    Bad:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      provider_tools: [web_search]
      approval:
        rules:
          - {effect: network, decision: ask}
    ```

    Good:

    ```yaml
    name: reader
    model: {provider: anthropic}
    capability:
      toolkits:
        - web.fetch: {hosts: [docs.example.org]}
      approval:
        rules:
          - {effect: network, decision: ask}
    ```

    Fix: take a tool that runs here, which can be asked about, or allow this one without a question.
    """

    code = "AS649"
    title = "provider tool that is never offered"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        for one in at_provider(subject):
            if one.lack is None and one.why is not None:
                yield self.finding(
                    one.span,
                    f"`{one.tool.name}` is never offered: {one.why}",
                    path=one.path,
                    help="take it away, or allow it without a question",
                )
