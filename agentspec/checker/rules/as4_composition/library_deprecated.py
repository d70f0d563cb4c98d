"""AS452 deprecated library."""

from agentspec.checker.rule import Rule


class LibraryDeprecated(Rule):
    """A library says that it should no longer be used.

    Why: its owners will not mend it; the manifest says what to use instead.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            deprecated: use the library `guard`

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Good:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Fix: use what the manifest names.
    """

    code = "AS452"
    title = "deprecated library"
    severity = "warning"
