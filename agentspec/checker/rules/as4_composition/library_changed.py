"""AS443 library changed since it was locked."""

from agentspec.checker.rule import Rule


class LibraryChanged(Rule):
    """The files of a library are not those that were locked.

    Why: what is checked and run would not be what somebody looked at and locked. Every file of the library
    counts, also a new one; what its exports mean is still the same here, else it is AS444.

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

    $ agentspec lib lock

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2} # more
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
                                 execution: {max_nudges: 2} # more

    $ agentspec lib lock
    ```

    Fix: look at the change, then `agentspec lib lock`; or put back what was locked. What was fetched from a repository
    `lib lock` fetches anew.
    """

    code = "AS443"
    title = "library changed since it was locked"
    severity = "error"
