"""AS027 unknown kind of file."""

from agentspec.checker.rule import Rule


class UnknownKindOfFile(Rule):
    """The name of the file does not say how it is written.

    Why: the spelling is chosen by the name, never guessed from the content: `*.agent` is the DSL, `*.yaml`, `*.yml` and
    `*.json` are YAML. Of a text of the DSL in a file of YAML nothing else is told.

    Bad:

    ```text
    desk.txt
    ```

    Good:

    ```text
    desk.agent
    ```

    Fix: rename the file.
    """

    code = "AS027"
    title = "unknown kind of file"
    severity = "error"
