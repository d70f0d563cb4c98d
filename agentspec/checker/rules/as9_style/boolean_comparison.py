"""AS904 comparison with `true` or `false`."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.offsets import span_in
from agentspec.text.diagnostic import Diagnostic, Edit, Fix

COMPARED = r"([A-Za-z_][\w.]*)\s*(==|!=)\s*(true|false)\b"
FIELDS = ("completion", "progress", "turn", "session")  # groups whose compared fields are booleans, never free data


class BooleanComparison(Rule):
    """A condition compares a boolean with `true` or `false`.

    Why: the name alone, or `!` before it, says the same.

    Bad:

    ```yaml
    name: helper
    execution:
      loop_control:
        - {when: completion.vetoed == true, stop: vetoed}
    ```

    Good:

    ```yaml
    name: helper
    execution:
      loop_control:
        - {when: completion.vetoed, stop: vetoed}
    ```

    Fix: leave the comparison out.
    """

    code = "AS904"
    title = "comparison with `true` or `false`"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node, text in subject.expressions:
            if "true" not in text and "false" not in text:
                continue
            for match in re.finditer(COMPARED, text):
                if match[1].partition(".")[0] not in FIELDS:
                    continue
                short = match[1] if (match[2] == "==") == (match[3] == "true") else f"!{match[1]}"
                span = span_in(node, match.start(), match.end())
                is_plain = (
                    node.style in ("plain", "word", "expression") and short.startswith("!") and match.start() == 0
                )
                fix = None if is_plain else Fix(f"write `{short}`", (Edit(span, short),), "equivalent")
                yield self.finding(
                    span, f"`{match[0]}` says the same as `{short}`", path=path, help=f"write `{short}`", fix=fix
                )
