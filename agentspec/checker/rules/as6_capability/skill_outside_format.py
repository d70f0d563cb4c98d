"""AS642 skill file outside of its format."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.unusable_skill import read_skills
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class SkillOutsideFormat(Rule):
    """A `SKILL.md` has what the public format does not allow.

    Why: the skill works here, and other programs that read the same folder refuse it. The format (agentskills.io)
    wants a `name` of at most 64 small letters, digits and hyphens that is the name of the folder, a `description` of at
    most 1024 characters, and beside them only `license`, `compatibility`, `metadata` and `allowed-tools`.

    Bad:

    ```markdown
    ---
    name: Fill_Forms
    version: 2
    ---
    Look at every field first.
    ```

    Good:

    ```markdown
    ---
    name: fill-forms
    description: Fills in forms. Use it when somebody has a form to fill in.
    metadata:
      version: 2
    ---
    Look at every field first.
    ```

    Fix: correct the front matter; what is your own goes below `metadata`.
    """

    code = "AS642"
    title = "skill file outside of its format"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, folder, read in read_skills(subject):
            if read.faults:
                more = f"; and {len(read.faults) - 3} more" if len(read.faults) > 3 else ""
                yield self.finding(
                    subject.span(*path),
                    f"the `SKILL.md` of `{folder}` is not in the format of skills: {'; '.join(read.faults[:3])}{more}",
                    path=path,
                    help="correct its front matter; what is your own goes below `metadata`",
                )
