"""AS644 tool with the name of one of the runtime."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.deferred_without_search import searches
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

SEARCH = "search_tools"
SKILL = "activate_skill"


class TakenRuntimeName(Rule):
    """A tool has the name of one that the runtime offers in this spec.

    Why: the model calls tools by their names, and only one of the two could answer.

    Bad:

    ```yaml
    name: helper
    capability:
      tool_search: bm25
      tools:
        search_tools: {description: Searches for tools, expr: '"none"'}
        whisper: {description: Says it softly, parameters: {word: string}, defer: true, expr: args.word}
    ```

    Good:

    ```yaml
    name: helper
    capability:
      tool_search: {strategy: bm25, name: find_tools}
      tools:
        search_tools: {description: Searches for tools, expr: '"none"'}
        whisper: {description: Says it softly, parameters: {word: string}, defer: true, expr: args.word}
    ```

    Fix: rename the tool, or the search by its `name`.
    """

    code = "AS644"
    title = "tool with the name of one of the runtime"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        taken: dict[str, str] = {}
        if searches(subject):
            taken[subject.text("capability", "tool_search", "name") or SEARCH] = "with which the model searches"
        if subject.entries("capability", "skills"):
            taken[SKILL] = "that takes up skills"
        for one in subject.offered:
            if one.name in taken:
                yield self.finding(
                    one.span,
                    f"`{one.name}` is the name of the tool {taken[one.name]}",
                    path=one.path,
                    help="rename it; the search is named by `tool_search.name`",
                )
