"""AS606 effect that is provably false."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.compose.toolkits import READING
from agentspec.text.diagnostic import Diagnostic


class FalseEffect(Rule):
    """A tool claims a weaker effect than what it plainly does.

    Why: phases, ceilings and approval trust the claim. An `http` tool always reaches out, so it is never `none`, and
    a method other than GET and HEAD changes something, so it is never `read`.

    Bad:

    ```yaml
    name: tickets
    capability:
      tools:
        close_ticket:
          description: Closes a ticket
          parameters: {id: string}
          effect: read
          http: {method: POST, url: "https://tickets.example.org/close", json: {id: "${args.id}"}}
    ```

    Good:

    ```yaml
    name: tickets
    capability:
      tools:
        close_ticket:
          description: Closes a ticket
          parameters: {id: string}
          effect: network
          http: {method: POST, url: "https://tickets.example.org/close", json: {id: "${args.id}"}}
    ```

    Fix: claim the true effect, or leave `effect` out.
    """

    code = "AS606"
    title = "effect that is provably false"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("effect"):
            effect = tool.body.get("effect")
            claim = text_of(effect)
            if tool.kind != "http" or effect is None or claim not in ("none", "read"):
                continue
            method = (subject.text(*tool.path, "http", "method") or "GET").upper()
            if claim == "read" and method in READING:
                continue
            what = "reaches a server" if claim == "none" else f"sends a {method}"
            yield self.finding(
                effect.span,
                f"tool `{tool.name}` claims the effect `{claim}`, but it {what}",
                path=(*tool.path, "effect"),
                help="write `read` for GET and HEAD, `network` for all else, or leave `effect` out",
            )
