"""AS002 not UTF-8."""

from agentspec.checker.rule import Rule


class NotUtf8(Rule):
    """The file is not encoded in UTF-8.

    Why: another encoding is guesswork, and a wrong guess changes what a prompt says. The finding names the first byte
    that belongs to no character, or the encoding where the file shows it.

    Bad:

    ```text
    name: caf<byte E9>
    ```

    Good:

    ```text
    name: café
    ```

    Fix: save the file as UTF-8. A byte-order mark is fine.
    """

    code = "AS002"
    title = "not UTF-8"
    severity = "error"
