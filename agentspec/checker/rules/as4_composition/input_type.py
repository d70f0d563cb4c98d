"""AS424 input of the wrong type."""

from collections.abc import Iterator

from agentspec.checker.questions.given import given_to_agent
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class InputType(Rule):
    """A run is given an input of another type than the spec declares.

    Why: prompts and expressions rely on the type. A text for a string input is taken as it is written, also where
    it looks like a number.

    Bad:

    ```sh
    agentspec run triage.yaml --input retries=often
    ```

    Good:

    ```sh
    agentspec run triage.yaml --input retries=3
    ```

    Fix: give a value of the declared type.
    """

    code = "AS424"
    title = "input of the wrong type"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """What a scenario gives its agent; what a command line gives is found where it is read."""
        return given_to_agent(subject, self.code)
