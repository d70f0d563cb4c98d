"""AS423 unknown input."""

from collections.abc import Iterator

from agentspec.checker.questions.given import given_to_agent
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class UnknownInput(Rule):
    """A run is given an input that the spec does not declare.

    Why: the value would go nowhere. Inputs of presets are given in `extends`, not here.

    Bad:

    ```sh
    agentspec run triage.yaml --input brnach=main
    ```

    Good:

    ```sh
    agentspec run triage.yaml --input branch=main
    ```

    Fix: correct the name, or declare it under `inputs`.
    """

    code = "AS423"
    title = "unknown input"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """What a scenario gives its agent; what a command line gives is found where it is read."""
        return given_to_agent(subject, self.code)
