"""AS106 document that is no mapping."""

from agentspec.checker.rule import Rule


class NotADocument(Rule):
    """A file holds a list or a single value where a document is expected.

    Why: a document says what it is by its keys: `name`, `preset`, `library` or `scenario`.

    Bad:

    ```yaml
    - name: triage
    - name: repair
    ```

    Good:

    ```yaml
    name: triage
    ---
    name: repair
    ```

    Fix: write keys at the top. Several agents in one file are separated by lines of `---`, or are heads of one DSL
    file.
    """

    code = "AS106"
    title = "document that is no mapping"
    severity = "error"
