"""AS020 unseen character in a name."""

from agentspec.checker.rule import Rule


class UnseenCharacter(Rule):
    """A name holds a character that nobody sees.

    Why: two names can look the same and differ by a zero-width character, and a reading direction can be turned so that
    people read another name than the program does.

    Bad:

    ```text
    name: de<U+200B>sk
    ```

    Good:

    ```text
    name: desk
    ```

    Fix: remove the character; `--fix` does.
    """

    code = "AS020"
    title = "unseen character in a name"
    severity = "error"
