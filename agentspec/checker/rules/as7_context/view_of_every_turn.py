"""AS719 view that changes with every turn."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

LISTS = (("context", "filter"), ("context", "projection"))
AGE = "message.age"


class ViewOfEveryTurn(Rule):
    """A rule leaves messages out, or shows something else, by their age.

    Why: in every turn another message becomes old enough, so that each request begins otherwise than the one before.
    A provider's prompt cache then has nothing of what comes after that message, and all of it is paid in full again.

    Bad:

    ```yaml
    name: reader
    context:
      filter:
        - {when: message.age > 20, drop: true}
    ```

    Good:

    ```yaml
    name: reader
    context:
      filter:
        - {when: message.role == "tool" && message.tokens > 2000, replace: Too long to be shown.}
      compaction: {strategy: truncate, keep_last: 20}
    ```

    Fix: decide by what a message is, or let `context.compaction` leave out what is old: it does so seldom, and much at
    a time.
    """

    code = "AS719"
    title = "view that changes with every turn"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for rule, _ in (each for place in LISTS for each in subject.items(*place)):
            path = (*rule, "when")
            acts = any(subject.at(*rule, verb) is not None for verb in ("drop", "replace"))
            if acts and AGE in (subject.text(*path) or "") and subject.is_own(subject.span(*path)):
                yield self.finding(
                    subject.span(*path),
                    "what a message's age decides changes the beginning of every request",
                    path=path,
                    help="decide by role, tool or size, or let `context.compaction` leave out what is old",
                )
