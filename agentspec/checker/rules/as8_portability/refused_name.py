"""AS821 name of a tool that the provider refuses."""

from collections.abc import Iterator
from re import fullmatch

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect
from agentspec.text.diagnostic import Diagnostic


class RefusedName(Rule):
    """The name of a tool is one that its provider refuses, with every request that offers the tool.

    Why: what is a name for one provider is none for another: Gemini's begin with a letter or `_`. Tools that are called
    in `text` or `json` are not declared to the provider, and another server (`base_url`) has its own ways.

    Bad:

    ```yaml
    name: helper
    model: {provider: google, model: gemini-3.5-flash}
    capability:
      tools:
        2nd_opinion: {description: Another view, expr: '"no"'}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: google, model: gemini-3.5-flash}
    capability:
      tools:
        second_opinion: {description: Another view, expr: '"no"'}
    ```

    Fix: give the tool a name that begins with a letter.
    """

    code = "AS821"
    title = "name of a tool that the provider refuses"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        provider = subject.text("model", "provider")
        is_told = subject.text("model", "tool_format") in ("text", "json")
        if provider is None or is_told or subject.at("model", "base_url") is not None or not subject.tools:
            return
        pattern = dialect(provider).get("tool_names")
        for tool in subject.tools if pattern is not None else ():
            if not fullmatch(str(pattern), tool.name):
                message = f"`{provider}` takes no tool by the name `{tool.name}`"
                yield self.finding(tool.key, message, path=tool.path, help="a name begins with a letter or `_`")
