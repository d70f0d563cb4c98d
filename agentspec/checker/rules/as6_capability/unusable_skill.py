"""AS641 skill that cannot be used."""

from collections.abc import Iterator

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.compose.skill_file import ReadSkill, read_skill
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.diagnostic import Diagnostic


class UnusableSkill(Rule):
    """The folder of a skill holds no `SKILL.md` that can be read.

    Why: the run would not start. A skill is a folder with a file `SKILL.md`: front matter with `name` and
    `description` between two lines of `---`, then the instructions. Folders count from the project folder.

    Bad:

    ```yaml
    name: clerk
    capability:
      skills:
        forms: no_such_folder_anywhere
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      skills:
        forms:
          description: Fills in forms
          prompt: Look at every field before you fill in the first one.
    ```

    Fix: correct the path, or write the file; a short skill can stand in the spec itself, as `prompt`.
    """

    code = "AS641"
    title = "skill that cannot be used"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, folder, read in read_skills(subject):
            if read.problem:
                yield self.finding(
                    subject.span(*path),
                    f"`{folder}` is no skill: {read.problem}",
                    path=path,
                    help=looked_for(subject, folder, subject.span(*path)),
                )


def read_skills(subject: Subject) -> Iterator[tuple[Path, str, ReadSkill]]:
    """The skills of an agent that stand in folders: the path of the key, the folder, what it holds."""
    if subject.kind != "agent":
        return
    for entry in subject.entries("capability", "skills"):
        path: Path = ("capability", "skills", entry.name)
        if isinstance(entry.value, Mapping):
            path = (*path, "folder")
        folder = text_of(subject.at(*path))
        if folder is not None and "${" not in folder:
            yield path, folder, read_skill(subject.project / folder)
