"""AS052 bracket that closes nothing."""

from agentspec.checker.rule import Rule


class StrayBracket(Rule):
    """A `}`, `]` or `)` has no partner.

    Why: with one bracket too many, the blocks behind it end earlier than they look.

    Bad:

    ```agent
    agent triage {
      model {
        provider: openai
      }
      }
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

    Fix: remove it, or open what it was meant to close.
    """

    code = "AS052"
    title = "bracket that closes nothing"
    severity = "error"
