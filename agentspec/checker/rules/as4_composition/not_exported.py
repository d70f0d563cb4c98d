"""AS445 preset that is not exported."""

from agentspec.checker.rule import Rule


class NotExported(Rule):
    """`extends` names a preset that its library does not export.

    Why: a library is private but for its exports: what it keeps to itself may change with every version.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.base

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    platform/presets/base.yaml   preset: base
                                 execution: {max_iterations: 8}

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

    platform/presets/base.yaml   preset: base
                                 execution: {max_iterations: 8}

    $ agentspec lib lock
    ```

    Fix: extend something that is exported, or ask for it to be.
    """

    code = "AS445"
    title = "preset that is not exported"
    severity = "error"
