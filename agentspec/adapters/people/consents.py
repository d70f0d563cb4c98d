"""consents: what the person of a scenario says where calls are to be approved: ordered rules by the tool's name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agentspec.adapters.people.replies import Replies, Rule

HARMLESS = "deny"  # nothing is done by it
INTERRUPT = "interrupt"


class Consents:
    """The rules of one run. Rules of the same pattern answer in turn, and the last of them from then on.

    Where `only` names tools, a yes is one for these alone: a script that somebody else has written approves nothing
    that is really done.

    >>> consents = Consents([Rule("write_*", "allow"), Rule("write_*", "deny")], only=["write_file"])
    >>> [consents.to(tool) for tool in ("write_file", "write_file", "read_file")]
    ['allow', 'deny', None]
    >>> Consents([Rule("*", "allow")], only=[]).to("write_file")
    """

    def __init__(self, rules: Iterable[Rule] = (), only: Collection[str] | None = None) -> None:
        self._rules = Replies(rules)
        self._only = only

    def to(self, tool: str) -> str | None:
        """What is said to a call of a tool; None where nobody answers."""
        decision = self._rules.to(tool)
        if decision == "ask" or (decision not in (HARMLESS, INTERRUPT) and not self._covers(tool)):
            return None
        return decision

    def _covers(self, tool: str) -> bool:
        return self._only is None or tool in self._only


def consents_of(approve: object, only: Collection[str] | None = None) -> Consents:
    """The rules that stand under `approve` of a scenario: a word for all of them, or a list."""
    given = [{"decision": approve}] if isinstance(approve, str) else approve or ()
    assert isinstance(given, list | tuple)
    return Consents([Rule(str(one.get("tool", "*")), str(one.get("decision"))) for one in given], only)
