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
            last = entry.name.rpartition(".")[2]
            alike = [each for each in prompt_ids() if each.endswith(f".{last}")]
            near = next(iter([*nearest(entry.name, prompt_ids()), *alike]), None)
            yield self.finding(
                span,
                f"no prompt has the id `{entry.name}`",
                path=(*PROMPTS, entry.name),
                help=f"did you mean `{near}`?" if near else "`docs/reference/prompts.md` lists the ids",
                fix=Fix(f"rename to `{near}`", (Edit(span, near),)) if near else None,
            )
