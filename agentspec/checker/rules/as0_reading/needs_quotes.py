"""AS054 text that needs quotes."""

from agentspec.checker.rule import Rule


class NeedsQuotes(Rule):
    """A path, a pattern, an address, a date or several words stand without quotes.

    Why: only words (letters, digits, `_`, with single `.` or `-` inside), numbers and quantities stand bare;
    anything else begins something different in one spelling or the other.

    Bad:

    ```agent
    agent triage {
      description: Sorts the inbox
    }
    ```

    Good:

    ```agent
    agent triage {
      description: "Sorts the inbox"
    }
    ```

    Fix: put it in double quotes; `--fix` does.
    """

    code = "AS054"
    title = "text that needs quotes"
    severity = "error"
