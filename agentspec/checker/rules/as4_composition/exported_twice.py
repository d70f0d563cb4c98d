"""AS446 exported twice."""

from agentspec.checker.rule import Rule


class ExportedTwice(Rule):
    """A library exports one name twice, or has two presets of that name.

    Why: nobody could tell which of them `platform.safe` means; a preset and a tool share their names, since both
    are extended.

    Bad:

    ```text
    library.yaml   library: platform
                   version: 1.4.2
                   exports: {presets: [safe, safe]}

    presets/safe.yaml   preset: safe
                        execution: {max_nudges: 2}
    ```

    Good:

    ```text
    library.yaml   library: platform
                   version: 1.4.2
                   exports: {presets: [safe]}

    presets/safe.yaml   preset: safe
                        execution: {max_nudges: 2}
    ```

    Fix: take one of them out, or give it another name.
    """

    code = "AS446"
    title = "exported twice"
    severity = "error"
