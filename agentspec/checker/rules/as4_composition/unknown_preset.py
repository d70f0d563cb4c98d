"""AS401 unknown preset."""

from agentspec.checker.rule import Rule


class UnknownPreset(Rule):
    """`extends` names a preset that does not exist.

    Why: what the preset would bring (limits, rules, tools) is missing, so the run would not be the one that is
    meant. A bare word is looked for among the documents of the same file, then among the built-in presets; a file
    is written with its ending, as `./house.yaml`.

    Bad:

    ```yaml
    name: release-audit
    extends: auidt
    ```

    Good:

    ```yaml
    name: release-audit
    extends: audit
    ```

    Fix: write the name of a preset, or the path of a file.
    """

    code = "AS401"
    title = "unknown preset"
    severity = "error"
