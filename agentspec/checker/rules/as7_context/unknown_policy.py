"""AS717 policy of compaction that does not exist."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.prompts import named_policies
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.suggest import nearest

POLICY: Path = ("context", "compaction", "policy")


class UnknownPolicy(Rule):
    """`context.compaction.policy` names a policy that does not exist.

    Why: a policy of that name says what a summary has to keep, and nobody knows what it would say.

    Bad:

    ```yaml
    name: mender
    context:
      compaction: {strategy: hybrid, policy: bug_fix_resumtion}
    ```

    Good:

    ```yaml
    name: mender
    context:
      compaction: {strategy: hybrid, policy: bug_fix_resumption}
    ```

    Fix: correct the name, or spell the policy out (`policy: {instructions: …}`).
    """

    code = "AS717"
    title = "policy of compaction that does not exist"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        name = subject.text(*POLICY)
        if name is None or name in named_policies():
            return
        span = subject.span(*POLICY)
        near = next(iter(nearest(name, named_policies())), None)
        known = ", ".join(f"`{each}`" for each in named_policies())
        yield self.finding(
            span,
            f"no policy of compaction has the name `{name}`",
            path=POLICY,
            help=f"did you mean `{near}`?" if near else f"there are {known}",
            fix=Fix(f"change to `{near}`", (Edit(span, near),)) if near else None,
        )
