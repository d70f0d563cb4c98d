"""AS441 unreadable lock."""

from agentspec.checker.rule import Rule


class LockUnreadable(Rule):
    """The `agentspec.lock` of a project cannot be read whole.

    Why: a lock that is torn, changed by hand, left over from a merge or written by a newer agentspec does not say
    for certain what is locked, so nothing of it is believed.

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

    agentspec.lock   <<<<<<< HEAD
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

    Fix: run `agentspec lib lock`, which still knows what either side of a merge had locked; for a newer version,
    upgrade agentspec.
    """

    code = "AS441"
    title = "unreadable lock"
    severity = "error"
