"""AS105 key without the one it needs."""

from agentspec.checker.rule import Rule


class LonelyKey(Rule):
    """A key says something about another key that isn't there.

    Why: it would be ignored: a server that is reached by its address has no process that could see environment
    variables.

    Bad:

    ```yaml
    name: desk
    capability:
      mcp:
        tickets:
          url: https://tickets.example.org/mcp
          env: {TICKETS_TEAM: blue}
    ```

    Good:

    ```yaml
    name: desk
    capability:
      mcp:
        tickets:
          command: [tickets-server]
          env: {TICKETS_TEAM: blue}
    ```

    Fix: add the key that is needed, or take this one out.
    """

    code = "AS105"
    title = "key without the one it needs"
    severity = "error"
