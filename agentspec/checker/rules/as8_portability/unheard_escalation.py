"""AS817 escalation that nobody hears."""

import re
from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

ASKS: tuple[Path, ...] = (
    ("execution", "verify_completion_judge", "escalate"),
    ("execution", "turn_end_condition", "escalate"),
)
HEARS = r"(?<![\w.])last_verdict(?!\w)"


class UnheardEscalation(Rule):
    """A judge may ask for a stronger model and no route listens, or a route listens and no judge may ask.

    Why: `escalate: true` has a judge say whether a stronger model is needed, and `last_verdict.escalate` is how a route
    hears of it. One without the other changes nothing.

    Bad:

    ```yaml
    name: helper
    execution:
      loop_until_done: true
      verify_completion_judge: {escalate: true}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: openai
      routes:
        - {model: gpt-5.4, when: last_verdict.escalate}
        - {model: gpt-5.4-mini}
    execution:
      loop_until_done: true
      verify_completion_judge: {escalate: true}
    ```

    Fix: add the route, or the judge's `escalate: true`; or take the half that stands alone away.
    """

    code = "AS817"
    title = "escalation that nobody hears"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        routes = [path for path, _ in subject.items("model", "routes")]
        whens = [((*path, "when"), condition_of(subject.at(*path, "when")) or "") for path in routes]
        hears = [path for path, text in whens if re.search(HEARS, text)]
        asks = [path for path in ASKS if subject.flag(*path)]
        has_function = any(subject.at(*path, "python") is not None for path in routes)
        for path in asks if not hears and not has_function else ():
            message = "no route listens to what this judge asks for"
            help_text = "add a route with `when: last_verdict.escalate`"
            yield self.finding(subject.span(*path), message, path=path, help=help_text)
        for path in hears if not asks else ():
            message = "no judge says whether a stronger model is needed, so `last_verdict.escalate` is always false"
            help_text = "write `escalate: true` in `verify_completion_judge` or `turn_end_condition`"
            yield self.finding(subject.span(*path), message, path=path, help=help_text)
