"""AS409 preset that hides a built-in one."""

from agentspec.checker.rule import Rule


class PresetHidesBuiltIn(Rule):
    """A name is extended that is both a preset of this file and a built-in one: the one of the file is meant.

    Why: whoever reads the spec knows the built-in preset by that name, and may look there.

    Bad:

    ```yaml
    preset: audit
    execution: {max_nudges: 3}
    ---
    name: looker
    extends: audit
    ```

    Good:

    ```yaml
    preset: own-audit
    execution: {max_nudges: 3}
    ---
    name: looker
    extends: own-audit
    ```

    Fix: give the preset of the file another name. A file of its own is extended by its path, and hides nothing.
    """

    code = "AS409"
    title = "preset that hides a built-in one"
    severity = "note"
