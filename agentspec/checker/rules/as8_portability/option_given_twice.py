"""AS807 setting that is given twice."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

# What `options` passes through by the provider's name, and the key that means the same.
SAME = {
    "model": "model",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop": "stop",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "tool_choice": "tool_choice",
    "stream": "stream",
    "reasoning_effort": "reasoning",
}


class OptionGivenTwice(Rule):
    """`model.options` sets what a key of `model` sets too.

    Why: only one of the two reaches the provider, and which one is easily misread.

    Bad:

    ```yaml
    name: helper
    model:
      temperature: 0.2
      options: {temperature: 1.0}
    ```

    Good:

    ```yaml
    name: helper
    model:
      temperature: 0.2
    ```

    Fix: keep the key of `model`.
    """

    code = "AS807"
    title = "setting that is given twice"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for entry in subject.entries("model", "options"):
            key = SAME.get(entry.name)
            if key is None or subject.at("model", key) is None:
                continue
            yield self.finding(
                entry.key.span,
                f"`options.{entry.name}` sets what `model.{key}` sets too",
                path=("model", "options", entry.name),
                help=f"keep `model.{key}`",
                related=(Related(subject.key("model", key), "it is set here too"),),
            )
