"""AS440 library that is not locked."""

from agentspec.checker.rule import Rule


class LibraryUnlocked(Rule):
    """A library is used, and `agentspec.lock` does not say which version of it.

    Why: without a lock the same spec could mean something else tomorrow, or on another machine. A check and a run
    read only what is locked, and fetch nothing.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}
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

    Fix: run `agentspec lib lock`, and keep `agentspec.lock` in the repository.
    """

    code = "AS440"
    title = "library that is not locked"
    severity = "error"
