"""AS050 text that does not fit."""

from agentspec.checker.rule import Rule


class UnfittingText(Rule):
    """A word or a sign stands where the grammar has no place for it.

    Why: what the parser cannot place, it cannot give a meaning; the entry around it is taken for unknown, and the
    rest of the file is read as if it were whole.

    Bad:

    ```agent
    agent triage {
      execution {
        loop_control {
          when completion.vetoed -> stop incomplete
        }
      }
    }
    ```

    Good:

    ```agent
    agent triage {
      execution {
        loop_control {
          when completion.vetoed => stop incomplete
        }
      }
    }
    ```

    Fix: the message says what could stand there; write one of these, or put what is meant as text in quotes.
    """

    code = "AS050"
    title = "text that does not fit"
    severity = "error"
