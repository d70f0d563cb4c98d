"""AS447 export that is not there."""

from agentspec.checker.rule import Rule


class ExportMissing(Rule):
    """A library exports something that it does not have.

    Why: whoever relies on the export gets nothing. A preset NAME is looked for in the file of the manifest, in
    `presets/NAME.yaml` and in `tools/NAME.yaml` (or `.agent`, `.yml`, `.json`), under `preset: NAME`.

    Bad:

    ```text
    library.yaml   library: platform
                   version: 1.4.2
                   exports: {presets: [safe]}
    ```

    Good:

    ```text
    library.yaml   library: platform
                   version: 1.4.2
                   exports: {presets: [safe]}

    presets/safe.yaml   preset: safe
                        execution: {max_nudges: 2}
    ```

    Fix: write the preset, or take the name out of the exports.
    """

    code = "AS447"
    title = "export that is not there"
    severity = "error"
