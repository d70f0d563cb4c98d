"""AS420 bad path in --set."""

from agentspec.checker.rule import Rule


class BadSetPath(Rule):
    """`--set` needs `PATH=VALUE`, with a path that exists as far as it counts items.

    Why: a path is keys with dots between, items as `[0]`, and quotes around keys that hold dots. A list has the
    items of the composed spec. What is extended is settled before `--set`, so `extends` cannot be set.

    Bad:

    ```sh
    agentspec run triage.yaml --set execution..max_nudges=2
    ```

    Good:

    ```sh
    agentspec run triage.yaml --set execution.max_nudges=2
    ```

    Fix: correct the path; `agentspec show SPEC` prints the keys and items.
    """

    code = "AS420"
    title = "bad path in --set"
    severity = "error"
