"""AS053 string or raw text that is not closed."""

from agentspec.checker.rule import Rule


class UnclosedString(Rule):
    """The closing quotes of a string or of a raw text are missing.

    Why: a string ends with its line, so that one missing quote doesn't swallow the rest of the file; text of
    several lines stands between `\"\"\"` and the same number of quotes.

    Bad:

    ```agent
    agent triage {
      description: "Sorts the inbox
      model { provider: openai }
    }
    ```

    Good:

    ```agent
    agent triage {
      description: "Sorts the inbox"
      model { provider: openai }
    }
    ```

    Fix: add the closing quotes; a quote inside a string is written `\\"`.
    """

    code = "AS053"
    title = "string or raw text that is not closed"
    severity = "error"
