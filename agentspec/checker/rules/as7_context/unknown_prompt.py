"""AS716 prompt that does not exist."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.prompts import prompt_ids
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.suggest import nearest

PROMPTS: Path = ("context", "prompts")


class UnknownPrompt(Rule):
    """`context.prompts` rewords a prompt that does not exist.

    Why: what agentspec itself says to models has ids, and nothing is ever said by another one.

    Bad:

    ```yaml
    name: triage
    context:
      prompts:
        nudge.nativ: Go on with the task.
    ```

    Good:

    ```yaml
    name: triage
    context:
      prompts:
        nudge.native: Go on with the task.
    ```

    Fix: correct the id; `docs/reference/prompts.md` lists them with their texts.
    """

    code = "AS716"
    title = "prompt that does not exist"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for entry in subject.entries(*PROMPTS):
            if entry.name in prompt_ids():
                continue
            span = subject.key(*PROMPTS, entry.name)
            near = _near(entry.name)
            yield self.finding(
                span,
                f"no prompt has the id `{entry.name}`",
                path=(*PROMPTS, entry.name),
                help=f"did you mean `{near}`?" if near else _listed(entry.name),
                fix=Fix(f"rename to `{near}`", (Edit(span, near),)) if near else None,
            )


def _near(name: str) -> str | None:
    """The id that is meant: one that is written nearly so, or ends so."""
    last = name.rpartition(".")[2]
    alike = (each for each in prompt_ids() if each.endswith(f".{last}"))
    return next(iter([*nearest(name, prompt_ids()), *alike]), None)


def _listed(name: str) -> str:
    """The ids that begin with the same word, else the words that ids begin with."""
    first = name.partition(".")[0]
    family = [each for each in prompt_ids() if each.partition(".")[0] == first]
    words = dict.fromkeys(each.partition(".")[0] for each in prompt_ids())
    listed = ", ".join(f"`{each}`" for each in family or words)
    lists = "`docs/reference/prompts.md` lists them with their texts"
    return f"there are {listed}; {lists}" if family else f"ids begin with {listed}; {lists}"
