"""AS425 missing input."""

from collections.abc import Iterator

from agentspec.checker.questions.given import given_to_agent
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class MissingInput(Rule):
    """A run starts without a value for an input that has no default.

    Why: prompts that name it would have no text. `check` and `show` do not need it.

    Bad:

    ```sh
    agentspec run triage.yaml
    ```

    Good:

    ```sh
    agentspec run triage.yaml --input branch=main
    ```

    Fix: give it with `--input NAME=VALUE`, declare a default, or make it optional (`string?`).
    """

    code = "AS425"
    title = "missing input"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """What a scenario gives its agent; what a command line gives is found where it is read."""
        return given_to_agent(subject, self.code)
