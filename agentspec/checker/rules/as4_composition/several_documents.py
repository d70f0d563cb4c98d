"""AS407 several documents, none named."""

from agentspec.checker.rule import Rule


class SeveralDocuments(Rule):
    """A file holds several agents or presets, and nothing says which one is meant.

    Why: picking the first one would make the order of a file matter.

    Bad:

    ```sh
    agentspec run team.agent
    ```

    Good:

    ```sh
    agentspec run team.agent#triage
    ```

    Fix: write the name behind the file, as `team.agent#triage`; the finding lists the names.
    """

    code = "AS407"
    title = "several documents, none named"
    severity = "error"
