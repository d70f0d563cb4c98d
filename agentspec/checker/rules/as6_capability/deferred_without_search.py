"""AS643 deferred tool that nothing searches for."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic


class DeferredWithoutSearch(Rule):
    """Tools are deferred, and `tool_search` is off.

    Why: `defer` keeps a tool out of the request until the model has searched for it. Where nothing searches it could
    never be found, so it is shown from the beginning, and the key does nothing.

    Bad:

    ```yaml
    name: helper
    capability:
      tools:
        shout: {description: Says it louder, parameters: {word: string}, expr: 'args.word + "!"'}
        whisper: {description: Says it softly, parameters: {word: string}, defer: true, expr: args.word}
    ```

    Good:

    ```yaml
    name: helper
    capability:
      tool_search: bm25
      tools:
        shout: {description: Says it louder, parameters: {word: string}, expr: 'args.word + "!"'}
        whisper: {description: Says it softly, parameters: {word: string}, defer: true, expr: args.word}
    ```

    Fix: write `tool_search: bm25`, or take `defer` away.
    """

    code = "AS643"
    title = "deferred tool that nothing searches for"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole or searches(subject) or not subject.has_all("capability"):
            return
        parts = parts_of(subject)
        deferred = [path for path in parts if subject.flag(*path, "defer") is True]
        if deferred and len(deferred) < len(parts):  # where all are deferred, that is told
            yield self.finding(
                subject.key(*deferred[0], "defer"),
                "nothing searches for deferred tools here, so this one is shown like any other",
                path=(*deferred[0], "defer"),
                help="write `tool_search: bm25` in `capability`, or take `defer` away",
            )


def parts_of(subject: Subject) -> list[Path]:
    """The paths of everything that can be deferred: tools and toolkits."""
    return [*(tool.path for tool in subject.tools), *(toolkit.path for toolkit in subject.toolkits)]


def searches(subject: Subject) -> bool:
    """Whether the model can search for tools, as far as the spec says it in words that can be read."""
    node = subject.at("capability", "tool_search")
    return node is not None and not (isinstance(node, Scalar) and node.value in ("off", None))
