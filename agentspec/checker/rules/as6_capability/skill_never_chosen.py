"""AS645 skill that is never chosen."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class SkillNeverChosen(Rule):
    """Neither the model nor a person may ask for a skill, and no condition chooses it.

    Why: its instructions would never be read.

    Bad:

    ```yaml
    name: clerk
    capability:
      skills:
        forms:
          description: Fills in forms
          prompt: Look at every field first.
          disable_model_invocation: true
          user_invocable: false
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      skills:
        forms:
          description: Fills in forms
          prompt: Look at every field first.
          disable_model_invocation: true
    ```

    Fix: let one of the two ask for it, or write `when`.
    """

    code = "AS645"
    title = "skill that is never chosen"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for entry in subject.entries("capability", "skills"):
            path = ("capability", "skills", entry.name)
            hidden = subject.flag(*path, "disable_model_invocation") is True
            if hidden and subject.flag(*path, "user_invocable") is False and subject.at(*path, "when") is None:
                yield self.finding(
                    entry.key.span,
                    f"nobody may ask for the skill `{entry.name}`, and no `when` chooses it",
                    path=path,
                    help="let the model or a person ask for it, or write `when`",
                )
