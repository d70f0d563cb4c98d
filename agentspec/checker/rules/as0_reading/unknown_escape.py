"""AS025 unknown or unmeant escape."""

from agentspec.checker.rule import Rule


class UnknownEscape(Rule):
    r"""A backslash in double quotes begins an escape that does not exist, or that a path did not mean.

    Why: `"C:\Users"` cannot be read, and `"C:\temp"` holds a tab. Patterns suffer alike: `"\d+"`.

    Bad:

    ```yaml
    name: desk
    capability:
      toolkits: [files.read]
    context:
      system: "Look for \d+ in C:\Users."
    ```

    Good:

    ```yaml
    name: desk
    capability:
      toolkits: [files.read]
    context:
      system: 'Look for \d+ in C:\Users.'
    ```

    Fix: use single quotes, where a backslash is a backslash, or `/` in a path.
    """

    code = "AS025"
    title = "unknown or unmeant escape"
    severity = "error"
