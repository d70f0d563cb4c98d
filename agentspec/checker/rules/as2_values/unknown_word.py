"""AS204 unknown word."""

from collections.abc import Iterable, Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.questions.tried import sound
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.spec.event_kinds import EVENT_KINDS, LIVE_KINDS, RESULT_STATUSES
from agentspec.spec.statuses import RUN_STATUSES, STOP_REASONS
from agentspec.syntax.tree import Node, Path
from agentspec.text.diagnostic import Diagnostic


class UnknownWord(Rule):
    """A key takes one of a few words, and this is none of them.

    Why: an unknown word would leave the key without a meaning.

    Bad:

    ```yaml
    name: triage
    execution:
      profile: verifyer
    ```

    Good:

    ```yaml
    name: triage
    execution:
      profile: verifier
    ```

    Fix: use the word that is offered, or one that the finding lists. Words of other systems are known and lead to
    the one here.
    """

    code = "AS204"
    title = "unknown word"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """The words of a scenario that its run could never say."""
        agent = sound(subject)
        if agent is None:
            return
        if not _decides_in_python(agent):
            ends = (
                ("status", {*RUN_STATUSES, *_own_statuses(agent)}, "no run ends with the status"),
                ("stop_reason", {*STOP_REASONS, *_own_reasons(agent)}, "no run ends for the reason"),
            )
            for key, known, words in ends:
                for path, node in _one_or_several(subject, ("expect", key)):
                    yield from self._unknown(node, path, known, words)
        for path, _ in subject.items("expect", "events"):
            kinds = {**EVENT_KINDS, **LIVE_KINDS}
            yield from self._unknown(subject.at(*path, "kind"), (*path, "kind"), kinds, "there is no event")
            if subject.text(*path, "kind") == "tool_result":
                status = (*path, "status")
                yield from self._unknown(subject.at(*status), status, RESULT_STATUSES, "no call ends with the status")

    def _unknown(self, node: Node | None, path: Path, known: Iterable[str], words: str) -> Iterator[Diagnostic]:
        word = text_of(node)
        if node is None or word is None or word in known:
            return
        meant, help_text = way_out(word, known, "there are")
        fix = rename(node.span, word, meant)
        yield self.finding(node.span, f"{words} `{word}`", path=path, help=help_text, fix=fix)


def _one_or_several(subject: Subject, path: Path) -> list[tuple[Path, Node]]:
    node = subject.at(*path)
    return subject.items(*path) or ([] if node is None else [(path, node)])


def _own_statuses(agent: Subject) -> list[str]:
    """The words with which rules of the agent end a run."""
    marked = (text_of(mark.node) for mark in agent.marks if mark.annotation.get("kind") == "status")
    return [word for word in marked if word is not None]


def _own_reasons(agent: Subject) -> list[str]:
    return [text for path, _, text in agent.texts if path[-1:] == ("reason",)]


def _decides_in_python(agent: Subject) -> bool:
    """Whether a function may end a run in words that nobody has written down."""
    return any(path[:1] == ("execution",) and path[-1:] == ("python",) for path, _, _ in agent.texts)
