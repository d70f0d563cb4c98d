"""AS811 setting for what the model does not have."""

from collections.abc import Iterator

from agentspec.checker.questions.models import Asked, asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import lacks
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

EFFORTS = ("minimal", "low", "medium", "high", "max")
SAMPLING = ("temperature", "top_p")


class LackingModel(Rule):
    """A setting asks for something that the catalogue says the model does not have.

    Why: reasoning for a model that has none, native calls of tools for one that takes no tools, a temperature for one
    that takes none: the provider refuses the request, or leaves the setting unread.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-4o-mini, reasoning: high}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini, reasoning: high}
    ```

    Fix: take the setting away, or take a model that has it.
    """

    code = "AS811"
    title = "setting for what the model does not have"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for asked in asked_models(subject):
            lacking = () if asked.is_own_server else lacks(asked.provider, asked.model)
            for path, what in _wanted(subject, asked, lacking):
                if subject.is_own(subject.span(*path)):
                    message = f"`{asked.model}` {what}"
                    yield self.finding(subject.span(*path), message, path=path, help="take it away, or another model")


def _wanted(subject: Subject, asked: Asked, lacking: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """The settings that ask for what is lacking, each with what the model does instead."""
    if "reasoning" in lacking:
        for path in ((*asked.place, "reasoning"), (*asked.place, "reasoning", "policy")):
            if subject.text(*path) in EFFORTS:
                yield path, "has no reasoning"
    if "tools" in lacking and subject.text(*asked.place, "tool_format") == "native":
        yield (*asked.place, "tool_format"), "takes no native calls of tools"
    if "sampling" in lacking:
        for name in SAMPLING:
            if subject.number(*asked.place, name) is not None:
                yield (*asked.place, name), f"takes no `{name}`"
