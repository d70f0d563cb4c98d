"""AS207 malformed value."""

from agentspec.checker.rule import Rule


class MalformedValue(Rule):
    """A text is not of the form that its key needs.

    Why: versions, hosts, functions and patterns are read by programs; what they can't read would fail later and
    elsewhere.

    Bad:

    ```yaml
    name: triage
    version: v1
    ```

    Good:

    ```yaml
    name: triage
    version: 1.0.0
    ```

    Fix: write it in the form that the finding shows.
    """

    code = "AS207"
    title = "malformed value"
    severity = "error"
