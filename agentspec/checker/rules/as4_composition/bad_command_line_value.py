"""AS421 bad value on the command line."""

from agentspec.checker.rule import Rule


class BadCommandLineValue(Rule):
    """The value of `--set` or `--input` cannot be read.

    Why: a value that begins with a bracket or a quote is YAML in flow style and must be whole. Any other text is a
    number, a boolean, null, or a string as it stands.

    Bad:

    ```sh
    agentspec run triage.yaml --set 'model.stop=[END'
    ```

    Good:

    ```sh
    agentspec run triage.yaml --set 'model.stop=[END]'
    ```

    Fix: close the bracket or quote, or put the whole text into quotes.
    """

    code = "AS421"
    title = "bad value on the command line"
    severity = "error"
