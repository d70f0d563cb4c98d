"""AS448 version that does not fit."""

from agentspec.checker.rule import Rule


class VersionMisfit(Rule):
    """A library, or agentspec itself, is not of a version that is asked for.

    Why: a range is what somebody has tried; outside of it a library may say something else. `^1.4` is from 1.4.0
    up to 2.0.0, `~1.4.2` up to 1.5.0, `1.4` any 1.4.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^2"}}
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

    Fix: ask for a version that there is, or take another version of the library: `agentspec lib upgrade --major` for
    another major.
    """

    code = "AS448"
    title = "version that does not fit"
    severity = "error"
