"""AS051 block that is not closed."""

from agentspec.checker.rule import Rule


class UnclosedBlock(Rule):
    """A `{`, `[` or `(` has no partner.

    Why: everything behind it would belong to the block. Where the indent tells which block was left open, the
    finding stands there, and the rest of the file is read as it is indented.

    Bad:

    ```agent
    agent triage {
      model {
        provider: openai

      execution {
        max_iterations: 3
      }
    }
    ```

    Good:

    ```agent
    agent triage {
      model {
        provider: openai
      }

      execution {
        max_iterations: 3
      }
    }
    ```

    Fix: close the block that the finding points at.
    """

    code = "AS051"
    title = "block that is not closed"
    severity = "error"
