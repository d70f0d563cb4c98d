"""AS059 sign of another language."""

from agentspec.checker.rule import Rule


class ForeignSign(Rule):
    """A sign means something in another language and nothing here: `//`, `;`, a no-break space.

    Why: such signs come along with text from elsewhere; what can't be seen would otherwise be hard to find.

    Bad:

    ```agent
    agent triage {
      // answers with this model
      model { provider: openai }
    }
    ```

    Good:

    ```agent
    agent triage {
      # answers with this model
      model { provider: openai }
    }
    ```

    Fix: comments begin with `#`, entries end with their line or a comma, blanks are plain; `--fix` mends them.
    """

    code = "AS059"
    title = "sign of another language"
    severity = "error"
