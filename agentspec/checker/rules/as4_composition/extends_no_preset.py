"""AS406 extends something that is no preset."""

from agentspec.checker.rule import Rule


class ExtendsNoPreset(Rule):
    """`extends` names a library, a scenario or a text that is no mapping.

    Why: only agents and presets hold sections that can be merged.

    Bad:

    ```yaml
    library: platform
    version: 1.0.0
    ---
    name: triage
    extends: platform
    ```

    Good:

    ```yaml
    preset: platform
    execution: {max_nudges: 2}
    ---
    name: triage
    extends: platform
    ```

    Fix: extend a preset or an agent; a library is named under `use` and its presets by `alias.preset`.
    """

    code = "AS406"
    title = "extends something that is no preset"
    severity = "error"
