"""AS646 search that the provider doesn't have."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.offer.native import obstacles
from agentspec.text.diagnostic import Diagnostic

SEARCH = ("capability", "tool_search")


class NativeSearch(Rule):
    """The provider is to search for tools, and can't do it as it is asked to.

    Why: the run would not start. `anthropic` searches by `bm25` and `regex`, `openai_responses` in a way of its own
    (`bm25` or `hybrid`); a budget, a ranking and a function of one's own are for the search of the runtime. With `auto`
    the provider searches where it can, and the runtime elsewhere.

    Bad:

    ```yaml
    name: helper
    model: {provider: google}
    capability:
      tool_search: {strategy: bm25, mode: native}
      toolkits: [files.read, {math: {defer: true}}]
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: google}
    capability:
      tool_search: {strategy: bm25, mode: auto}
      toolkits: [files.read, {math: {defer: true}}]
    ```

    Fix: write `auto`, or leave `mode` out.
    """

    code = "AS646"
    title = "search that the provider doesn't have"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = (*SEARCH, "mode")
        if subject.kind != "agent" or subject.text(*path) != "native" or not subject.is_sound(*SEARCH):
            return
        if not subject.is_sound("model"):
            return
        for why in obstacles(subject.values("model"), subject.values(*SEARCH)):
            yield self.finding(subject.span(*path), why, path=path, help="write `auto`, or leave `mode` out")
