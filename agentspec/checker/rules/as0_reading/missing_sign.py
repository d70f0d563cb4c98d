"""AS055 missing sign."""

from agentspec.checker.rule import Rule


class MissingSign(Rule):
    """A `:`, a `,`, a `=>` or a bracket is missing, and with it the text makes sense.

    Why: the rest of the file is read as if it stood there, and what was meant is for the author to say.

    Bad:

    ```agent
    agent triage {
      model {
        provider openai
      }
    }
    ```

    Good:

    ```agent
    agent triage {
      model {
        provider: openai
      }
    }
    ```

    Fix: write the sign where the finding points; `--fix` does, where there is one place for it.
    """

    code = "AS055"
    title = "missing sign"
    severity = "error"
