"""AS616 approval with nobody to ask."""

from collections.abc import Iterator

from agentspec.checker.questions.offered import Toolkit
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Node, Path
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
        layers = [path for path, node in subject.items("capability", "middleware") if _is_consent(subject, path, node)]
        permissions = ("capability", "permissions")
        escalation = (*permissions, "on_escalation")
        asked = [path for path in ((*approval, "default"), *rules, escalation) if subject.text(*path) == "ask"]
        if subject.at(*permissions) is not None and subject.at(*escalation) is None:
            asked.append(permissions)
        asked += [toolkit.path for toolkit in subject.toolkits if _asks_always(subject, toolkit)]
        for path in (*asked, *layers):
            yield self.finding(
                subject.span(*path),
                "a daemon has nobody to ask: such a call suspends it",
                path=path,
                help=_help(path),
                related=(Related(subject.key(*daemon), "the daemon stands here"),),
            )


def _is_consent(subject: Subject, path: Path, node: Node) -> bool:
    return text_of(node) == "consent" or subject.at(*path, "consent") is not None


def _asks_always(subject: Subject, toolkit: Toolkit) -> bool:
    """Whether each call of a toolkit is a question, or what its list does not name is."""
    if toolkit.name == "web.fetch":
        return subject.at(*toolkit.path, "hosts") is None
    if toolkit.name != "command":
        return False
    return subject.at(*toolkit.path, "allow") is None or subject.text(*toolkit.path, "allow_else") == "ask"


def _help(path: Path) -> str:
    if path[1] == "permissions":
        return "write `on_escalation: deny`"
    if path[1] == "toolkits":
        return "say with `allow` or `hosts` what may be done without a question"
    return "decide by rule: `allow` or `deny`"
