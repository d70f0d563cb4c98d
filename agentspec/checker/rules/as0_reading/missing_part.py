"""AS056 missing part."""

from agentspec.checker.rule import Rule


class MissingPart(Rule):
    """A value, a name, a type or an expression is missing.

    Why: a key without a value means nothing; `null` and `{ }` are written out, and a key that is not wanted is
    left out.

    Bad:

    ```agent
    agent triage {
      model {
        provider:
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

    Fix: write what is missing, or take the key away.
    """

    code = "AS056"
    title = "missing part"
    severity = "error"
