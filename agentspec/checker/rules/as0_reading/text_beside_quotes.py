"""AS058 raw text on the line of its opening quotes."""

from agentspec.checker.rule import Rule


class TextBesideQuotes(Rule):
    """A raw text begins on the line of its opening `\"\"\"`.

    Why: raw text begins on the next line, so that its lines can lose the indent that they have in common; a text
    of one line is a string.

    Bad:

    ```agent
    agent triage {
      context {
        system: \"\"\"You sort the inbox.\"\"\"
      }
    }
    ```

    Good:

    ```agent
    agent triage {
      context {
        system: "You sort the inbox."
      }
    }
    ```

    Fix: begin the text on the next line, or write a string.
    """

    code = "AS058"
    title = "raw text on the line of its opening quotes"
    severity = "error"
