"""AS057 head out of its place."""

from agentspec.checker.rule import Rule


class MisplacedHead(Rule):
    """A `tool`, a `when` or a whole `agent` stands where none can stand.

    Why: heads with a name are sugar with one home each: `tool`, `toolkit`, `mcp`, `resource` and `skill` directly
    in `capability`, documents at the top of the file, rules in a block of their own. Elsewhere braces hold plain
    data.

    Bad:

    ```agent
    agent triage {
      tool double(n: number) -> number = args.n * 2.0
    }
    ```

    Good:

    ```agent
    agent triage {
      capability {
        tool double(n: number) -> number
          "Twice a number"
          = args.n * 2.0
      }
    }
    ```

    Fix: move it to its home.
    """

    code = "AS057"
    title = "head out of its place"
    severity = "error"
