"""AS618 tool that is enabled and disabled."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, texts_of
from agentspec.text.diagnostic import Diagnostic, Related


class EnabledAndDisabled(Rule):
    """A toolkit names one tool under both `enabled` and `disabled`.

    Why: it can't be both; `disabled` wins, which one of the two lists does not show.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {enabled: [read_file, list_directory], disabled: [list_directory]}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {enabled: [read_file]}
    ```

    Fix: take the name out of one list; with `enabled` there is no need for `disabled`.
    """

    code = "AS618"
    title = "tool that is enabled and disabled"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for toolkit in subject.toolkits:
            disabled = {str(one.value): one for one in texts_of(subject.at(*toolkit.path, "disabled"))}
            for one in texts_of(subject.at(*toolkit.path, "enabled")):
                other = disabled.get(str(one.value))
                if other is not None:
                    yield self.finding(
                        one.span,
                        f"`{one.value}` is enabled and disabled",
                        path=(*toolkit.path, "enabled"),
                        help="take it out of one of the lists",
                        related=(Related(other.span, "it is disabled here"),),
                    )
