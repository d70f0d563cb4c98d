"""AS522 loop that no turn can end."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, is_constant
from agentspec.checker.questions.loop import ends_beside_calls, is_certain
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

ACTION: Path = ("execution", "turn_policy", "require_action_or_yield")
WAITING = (("lifecycle", "daemon"), ("lifecycle", "suspend"), ("lifecycle", "workers"))


class EndlessLoop(Rule):
    """Every turn has to call a tool and no call ends the run, or a rule turns every answer down.

    Why: an answer is a turn without a call. Where every turn has to call something, a run is only done when a tool of
    `stop_after_successful_tools` has succeeded, the sentinel was said, or a rule stops it; otherwise each run works
    until a limit ends it, and none is ever `done`. A rule of `verify_completion` without `when` that vetoes does the
    same to a run that answers.

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
        if not is_certain(subject, "execution", "model"):
            return
        if any(subject.at(*path) is not None and subject.flag(*path) is not False for path in WAITING):
            return
        if not _rules_end(subject) and (path := _veto_of_all(subject)):
            yield self.finding(
                subject.span(*path, "veto"),
                "no turn can end this run: this rule turns every answer down",
                path=(*path, "veto"),
                help="give it a `when`, or put a rule with `accept` before it",
            )
        if ends_beside_calls(subject):
            return
        if subject.flag(*ACTION) is True:
            yield self.finding(
                subject.span(*ACTION),
                "no turn can end this run: each has to call a tool, and no call ends it",
                path=ACTION,
                help="name a tool under `stop_after_successful_tools`, or give a `done_sentinel`",
            )


def _rules_end(subject: Subject) -> bool:
    """Whether a rule may end the run without asking the gates of completion."""
    rules = [*subject.items("execution", "post_turn"), *subject.items("execution", "loop_control")]
    return any(subject.at(*path, verb) is not None for path, _ in rules for verb in ("stop", "python"))


def _veto_of_all(subject: Subject) -> Path | None:
    """The rule of `verify_completion` that vetoes whatever reaches it, where none before it may accept."""
    for path, _ in subject.items("execution", "verify_completion"):
        if subject.at(*path, "accept") is not None or subject.at(*path, "python") is not None:
            return None
        node = subject.at(*path, "when")
        is_always = node is None or is_constant(condition_of(node) or "") is True
        if is_always and subject.at(*path, "veto") is not None:
            return path
    return None
