"""AS708 history that no provider takes."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related


class HistoryPairing(Rule):
    """A seeded history has a tool call without its result, a result without its call, or one id twice.

    Why: providers refuse a conversation in which a call and its result are not paired by one id.

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

    Fix: give each call exactly one result, with the call's id.
    """

    code = "AS708"
    title = "history that no provider takes"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        asked: dict[str, Path] = {}
        answered: dict[str, Path] = {}
        for message, _ in subject.items("context", "history"):
            for call, _ in subject.items(*message, "tool_calls"):
                yield from self._once(subject, (*call, "id"), asked, "call")
            result = (*message, "call_id")
            name = subject.text(*result)
            if name is None:
                continue
            if name not in asked:
                yield self.finding(subject.span(*result), f"no call before this has the id `{name}`", path=result)
            yield from self._once(subject, result, answered, "result")
        for name, path in asked.items():
            if name not in answered:
                yield self.finding(
                    subject.span(*path),
                    f"the call `{name}` has no result",
                    path=path,
                    help=f"add `{{role: tool_result, call_id: {name}, content: …}}` after it",
                )

    def _once(self, subject: Subject, path: Path, seen: dict[str, Path], what: str) -> Iterator[Diagnostic]:
        name = subject.text(*path)
        if name is None:
            return
        first = seen.setdefault(name, path)
        if first != path:
            yield self.finding(
                subject.span(*path),
                f"a second {what} has the id `{name}`",
                path=path,
                help="every call has an id of its own, and one result",
                related=(Related(subject.span(*first), "the first one"),),
            )
