"""AS457 library without a version."""

from agentspec.checker.rule import Rule


class LibraryUnpinned(Rule):
    """A library is used in whatever version there is.

    Why: the next lock takes the newest version, whatever it says: a range says what was tried.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform}}
                  extends: platform.safe

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

    Fix: write a range beside the source: `version: "^1.4"`; a tag of a repository does as well.
    """

    code = "AS457"
    title = "library without a version"
    severity = "warning"
