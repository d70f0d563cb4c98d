"""AS060 text outside of a document."""

from agentspec.checker.rule import Rule


class OutsideText(Rule):
    """Something stands at the top of the file that is no `agent`, `preset`, `library` or `scenario`.

    Why: all that a file says belongs to one of its documents. A file that begins with a key is mostly YAML under
    the wrong name.

    Bad:

    ```agent
    agent triage {
      model { provider: openai }
    }

    execution {
      max_iterations: 3
    }
    ```

    Good:

    ```agent
    agent triage {
      model { provider: openai }

      execution {
        max_iterations: 3
      }
    }
    ```

    Fix: move it into the braces of its document, or name a YAML file `*.yaml`.
    """

    code = "AS060"
    title = "text outside of a document"
    severity = "error"
