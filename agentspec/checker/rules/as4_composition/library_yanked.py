"""AS453 yanked library."""

from agentspec.checker.rule import Rule


class LibraryYanked(Rule):
    """The locked version of a library was taken back by its owners.

    Why: they found something in it that nobody should run. It is not locked either.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            yanked: its ceiling was missing

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
                            version: 1.4.3
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Fix: take another version: `agentspec lib upgrade`.
    """

    code = "AS453"
    title = "yanked library"
    severity = "error"
