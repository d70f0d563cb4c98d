"""AS522 loop that no turn can end."""

from collections.abc import Iterator

from agentspec.checker.loop import ends_beside_calls, is_certain
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.diagnostic import Diagnostic

ACTION: Path = ("execution", "turn_policy", "require_action_or_yield")
CHOICE: Path = ("model", "tool_choice")
WAITING = (("lifecycle", "daemon"), ("lifecycle", "suspend"), ("lifecycle", "workers"))


class EndlessLoop(Rule):
    """Every turn has to call a tool, and no call ends the run.

    Why: an answer is a turn without a call. Where every turn has to call something, a run is only done when a tool of
    `stop_after_successful_tools` has succeeded, the sentinel was said, or a rule stops it; otherwise each run works
    until a limit ends it, and none is ever `done`.

    Bad:

    ```yaml
    name: filer
    execution:
      turn_policy: {require_action_or_yield: true}
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: filer
    execution:
      turn_policy: {require_action_or_yield: true}
      stop_after_successful_tools: [read_file]
    capability:
      toolkits: [files.read]
    ```

    Fix: name the tool that finishes the work under `stop_after_successful_tools`, or give a `done_sentinel`.
    """

    code = "AS522"
    title = "loop that no turn can end"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not is_certain(subject, "execution", "model") or ends_beside_calls(subject):
            return
        if any(subject.at(*path) is not None and subject.flag(*path) is not False for path in WAITING):
            return
        for path in (ACTION, CHOICE):
            if _forces(subject, path):
                yield self.finding(
                    subject.span(*path) if path == ACTION else subject.key(*path),
                    "no turn can end this run: each has to call a tool, and no call ends it",
                    path=path,
                    help="name a tool under `stop_after_successful_tools`, or give a `done_sentinel`",
                )
                return


def _forces(subject: Subject, path: Path) -> bool:
    """Whether a key makes every turn call a tool. Only the provider's own calls can be forced by the tool choice."""
    if path == ACTION:
        return subject.flag(*path) is True
    is_forced = subject.text(*path) == "required" or isinstance(subject.at(*path), Mapping)
    return is_forced and subject.text("model", "tool_format") not in ("json", "text")
