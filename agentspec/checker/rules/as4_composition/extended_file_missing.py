"""AS402 extended file not found."""

from agentspec.checker.rule import Rule


class ExtendedFileMissing(Rule):
    """`extends` names a file that is not there or cannot be opened.

    Why: a path in `extends` begins at the folder of the file that names it, not at the working directory.

    Bad:

    ```yaml
    name: triage
    extends: ./house-rules.yaml
    ```

    Good:

    ```yaml
    preset: house-rules
    execution: {max_nudges: 2}
    ---
    name: triage
    extends: house-rules
    ```

    Fix: correct the path, or put the preset into the same file and name it.
    """

    code = "AS402"
    title = "extended file not found"
    severity = "error"
