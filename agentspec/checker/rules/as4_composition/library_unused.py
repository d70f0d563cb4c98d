"""AS451 unused library."""

from agentspec.checker.rule import Rule


class LibraryUnused(Rule):
    """A spec uses a library, and extends nothing of it.

    Why: it is locked and verified for nothing, and it reads as if something of it held here.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  execution: {max_nudges: 2}

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

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

    Fix: extend a preset of it, or take it out.
    """

    code = "AS451"
    title = "unused library"
    severity = "warning"
