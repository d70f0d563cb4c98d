"""AS408 unknown document in a file."""

from agentspec.checker.rule import Rule


class UnknownDocument(Rule):
    """`FILE#NAME` names something that the file does not hold.

    Why: nothing can be run or extended; the finding lists what the file holds.

    Bad:

    ```sh
    agentspec run team.agent#triag
    ```

    Good:

    ```sh
    agentspec run team.agent#triage
    ```

    Fix: correct the name behind `#`.
    """

    code = "AS408"
    title = "unknown document in a file"
    severity = "error"
