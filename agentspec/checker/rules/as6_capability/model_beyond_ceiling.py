"""AS636 model beyond the ceiling."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.rights.narrow import WITHIN
from agentspec.syntax.tree import Path, Sequence, plain
from agentspec.text.diagnostic import Diagnostic, Related

CEILING: Path = ("capability", "ceiling")
KEYS = ("providers", "models")
OFFLINE = "script"  # stands for no model


class ModelBeyondCeiling(Rule):
    """The model that answers, or its provider, is not among those of the spec's own ceiling.

    Why: a run does not start with a model that its ceiling leaves out.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4}
    capability:
      ceiling: {providers: [anthropic]}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: anthropic, model: claude-sonnet-5}
    capability:
      ceiling: {providers: [anthropic]}
    ```

    Fix: take a model within the ceiling, or widen the ceiling where you may.
    """

    code = "AS636"
    title = "model beyond the ceiling"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or subject.at(*CEILING) is None or not subject.is_sound("model"):
            return
        told = {one.span for one in subject.errors if one.code == "AS412"}  # a lower layer's ceiling
        for ask in subject.asks if any(subject.at(*CEILING, key) is not None for key in KEYS) else ():
            listed = subject.at(*CEILING, ask.key)
            if ask.path[0] != "model" or not isinstance(listed, Sequence) or ask.span in told:
                continue
            if plain(ask.node) != OFFLINE and not any(WITHIN[ask.key](ask.node, outer) for outer in listed.items):
                yield self.finding(
                    ask.span,
                    f"`{plain(ask.node)}` is not within `capability.ceiling.{ask.key}`",
                    path=ask.path,
                    help="take a model within the ceiling, or widen the ceiling",
                    related=(Related(subject.key(*CEILING, ask.key), "the ceiling stands here"),),
                )
