"""AS616 approval with nobody to ask."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class NobodyToAsk(Rule):
    """A daemon asks for approval.

    Why: a daemon runs where nobody watches; a call that has to be asked for suspends it until somebody resumes it.

    Bad:

    ```yaml
    name: watcher
    capability:
      toolkits: [files.edit]
      approval: {default: ask}
    lifecycle:
      daemon: {wake_interval: 5m}
    ```

    Good:

    ```yaml
    name: watcher
    capability:
      toolkits: [files.edit]
      approval:
        default: allow
        rules: [{tool: delete_path, decision: deny}]
    lifecycle:
      daemon: {wake_interval: 5m}
    ```

    Fix: allow or deny by rule what a daemon may do.
    """

    code = "AS616"
    title = "approval with nobody to ask"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        daemon, approval = ("lifecycle", "daemon"), ("capability", "approval")
        if subject.at(*daemon) is None or subject.flag(*daemon) is False:
            return
        rules = [(*path, "decision") for path, _ in subject.items(*approval, "rules")]
        for path in ((*approval, "default"), *rules):
            if subject.text(*path) == "ask":
                yield self.finding(
                    subject.span(*path),
                    "a daemon has nobody to ask: such a call suspends it",
                    path=path,
                    help="decide by rule: `allow` or `deny`",
                    related=(Related(subject.key(*daemon), "the daemon stands here"),),
                )
