"""AS003 control character."""

from agentspec.checker.rule import Rule


class ControlCharacter(Rule):
    r"""The file holds a control character.

    Why: a NUL means that the file is binary; an escape character steers the terminal of whoever prints the file. No
    spec needs either as a raw byte.

    Bad:

    ```text
    name: desk<NUL>
    ```

    Good:

    ```text
    name: desk
    ```

    Fix: remove the character. In a double-quoted text write it as an escape, like `"\x1b"`.
    """

    code = "AS003"
    title = "control character"
    severity = "error"
