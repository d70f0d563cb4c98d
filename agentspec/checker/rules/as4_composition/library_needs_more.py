"""AS458 library that needs more than the ceiling leaves."""

from agentspec.checker.rule import Rule


class LibraryNeedsMore(Rule):
    """A library says that it needs rights which the ceiling of the spec does not leave.

    Why: what it offers would be refused in the run: its tools are there and can never be called.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe
                  capability: {ceiling: {effects: [read]}}

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            requires: {authority: {effects: [read, network]}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Good:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe
                  capability: {ceiling: {effects: [read, network]}}

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            requires: {authority: {effects: [read, network]}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Fix: widen the ceiling, or use a library that needs less.
    """

    code = "AS458"
    title = "library that needs more than the ceiling leaves"
    severity = "warning"
