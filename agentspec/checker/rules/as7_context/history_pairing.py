"""AS708 history that no provider takes."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic, Related

SAYS = ("tool_calls", "images")  # what a turn may have instead of words
# The roles that each of these fields belongs to.
WHOSE = {"tool_calls": ("assistant",), "call_id": ("tool_result",), "images": ("user", "tool_result")}


class Pairing:
    """The calls of a history so far, each with its place: those that have their result, those whose result may come
    now, and those whose result should have come before.
    """

    def __init__(self) -> None:
        self.asked: dict[str, Path] = {}
        self.answered: dict[str, Path] = {}
        self.unanswered: dict[str, Path] = {}
        self.late: dict[str, Path] = {}

    def close(self) -> None:
        """Something else is said: results may not come any more."""
        self.late |= self.unanswered
        self.unanswered.clear()


class HistoryPairing(Rule):
    """A seeded history has a tool call without its result, a result without its call, one id twice, or an empty turn.

    Why: providers refuse a conversation in which a call is not followed at once by its one result, and a turn in which
    nothing is said.

    Bad:

    ```yaml
    name: helper
    context:
      history:
        - {role: user, content: What time is it?}
        - {role: assistant, content: "", tool_calls: [{id: a1, name: clock, arguments: {}}]}
        - {role: assistant, content: It is noon.}
    ```

    Good:

    ```yaml
    name: helper
    context:
      history:
        - {role: user, content: What time is it?}
        - {role: assistant, content: "", tool_calls: [{id: a1, name: clock, arguments: {}}]}
        - {role: tool_result, call_id: a1, content: "12:00"}
        - {role: assistant, content: It is noon.}
    ```

    Fix: give each call exactly one result, with the call's id, straight after the turn that makes the call.
    """

    code = "AS708"
    title = "history that no provider takes"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        pairing = Pairing()
        history = ("history",) if subject.kind == "scenario" else ("context", "history")
        for turn, _ in subject.items(*history):
            yield from self._shape(subject, turn)
            if subject.text(*turn, "role") == "tool_result":
                yield from self._answer(subject, (*turn, "call_id"), pairing)
                continue
            pairing.close()
            for call, _ in subject.items(*turn, "tool_calls"):
                yield from self._call(subject, (*call, "id"), pairing)
        pairing.close()
        for name, path in pairing.late.items():
            help_text = f"add `{{role: tool_result, call_id: {name}, content: …}}` after it"
            yield self.finding(subject.span(*path), f"the call `{name}` has no result", path=path, help=help_text)

    def _shape(self, subject: Subject, turn: Path) -> Iterator[Diagnostic]:
        """A turn says something, and only what its role can say."""
        role, content = subject.text(*turn, "role"), subject.at(*turn, "content")
        is_silent = content is None or (isinstance(content, Scalar) and not str(content.value or "").strip())
        for field, whose in WHOSE.items():
            if subject.at(*turn, field) is not None and role not in (*whose, None):
                has = " and ".join(f"`{each}`" for each in whose) + (" has" if len(whose) == 1 else " have")
                yield self.finding(subject.key(*turn, field), f"only {has} `{field}`", path=(*turn, field))
        if role == "tool_result":
            if subject.at(*turn, "call_id") is None:
                words = "a result without the `call_id` of its call"
                yield self.finding(subject.span(*turn), words, path=turn, help="add the id of the call that it answers")
        elif (
            role is not None and is_silent and not any(subject.items(*turn, each) for each in ("tool_calls", "images"))
        ):
            yield self.finding(subject.span(*turn), "nothing is said in this turn", path=turn, help="add `content`")

    def _call(self, subject: Subject, path: Path, pairing: Pairing) -> Iterator[Diagnostic]:
        name = subject.text(*path)
        if name is None:
            return
        if name in pairing.asked:
            yield self._twice(subject, path, pairing.asked[name], "call")
            return
        pairing.asked[name] = pairing.unanswered[name] = path

    def _answer(self, subject: Subject, path: Path, pairing: Pairing) -> Iterator[Diagnostic]:
        name = subject.text(*path)
        if name is None:
            return
        if name in pairing.answered:
            yield self._twice(subject, path, pairing.answered[name], "result")
            return
        is_in_place = pairing.unanswered.pop(name, None) is not None
        is_late = pairing.late.pop(name, None) is not None
        if is_in_place or is_late:
            pairing.answered[name] = path
        if is_late:
            words = f"the result of `{name}` does not follow the turn that calls it"
            related = (Related(subject.span(*pairing.asked[name]), "the call"),)
            yield self.finding(subject.span(*path), words, path=path, related=related, help="move it up")
        elif not is_in_place:
            yield self.finding(subject.span(*path), f"no call before this has the id `{name}`", path=path)

    def _twice(self, subject: Subject, path: Path, first: Path, what: str) -> Diagnostic:
        return self.finding(
            subject.span(*path),
            f"a second {what} has the id `{subject.text(*path)}`",
            path=path,
            help="every call has an id of its own, and one result",
            related=(Related(subject.span(*first), "the first one"),),
        )
