"""AS449 two majors of a library."""

from agentspec.checker.rule import Rule


class TwoMajors(Rule):
    """A spec gets a library in two major versions.

    Why: presets of two majors were never tried together: what one of them relies on the other may have dropped.

    Bad:

    ```text
    triage.yaml   name: triage
                  use:
                    platform: {source: ./platform, version: "^1.4"}
                    base: {source: ./base-2, version: "^2"}
                  extends: [platform.safe, base.low]

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            requires: {libraries: {base: {source: ../base-1, version: "^1"}}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    base-1/library.yaml   library: base
                          version: 1.0.0

    base-2/library.yaml   library: base
                          version: 2.0.0
                          exports: {presets: [low]}

    base-2/presets/low.yaml   preset: low
                              execution: {tool_retries: 2}

    $ agentspec lib lock
    ```

    Good:

    ```text
    triage.yaml   name: triage
                  use:
                    platform: {source: ./platform, version: "^1.4"}
                    base: {source: ./base-2, version: "^2"}
                  extends: [platform.safe, base.low]

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    base-2/library.yaml   library: base
                          version: 2.0.0
                          exports: {presets: [low]}

    base-2/presets/low.yaml   preset: low
                              execution: {tool_retries: 2}

    $ agentspec lib lock
    ```

    Fix: use a version of the other library that needs the same major.
    """

    code = "AS449"
    title = "two majors of a library"
    severity = "warning"
