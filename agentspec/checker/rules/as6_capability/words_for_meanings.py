"""AS647 skills compared by words."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic


class WordsForMeanings(Rule):
    """Skills are to be compared by their meanings, and words are compared instead.

    Why: nothing here makes embeddings. The run does as `metadata` says, and its event `skill_matched` tells so.

    Bad:

    ```yaml
    name: clerk
    capability:
      skill_match: embedding
      skills:
        forms: {description: Fills in forms, prompt: Look at every field first.}
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      skill_match: metadata
      skills:
        forms: {description: Fills in forms, prompt: Look at every field first.}
    ```

    Fix: write `metadata`, or choose by conditions (`expression` and `when`).
    """

    code = "AS647"
    title = "skills compared by words"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        paths: tuple[Path, ...] = (("capability", "skill_match"), ("capability", "skill_match", "strategy"))
        for path in paths:
            if subject.text(*path) == "embedding":
                yield self.finding(
                    subject.span(*path),
                    "nothing here compares meanings: words are compared instead",
                    path=path,
                    help="write `metadata`, or `expression` with a `when` in each skill",
                )
