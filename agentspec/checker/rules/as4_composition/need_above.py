"""AS456 library that needs a more trusted one."""

from agentspec.checker.rule import Rule


class NeedAbove(Rule):
    """A library of somebody else needs a library of the organisation.

    Why: trust goes down, never up: root spec, workspace, the organisation's libraries, other libraries, what is
    built in. What a stranger wrote must not choose among the organisation's own presets. Which sources are the
    organisation's `[libraries] organisation` in `agentspec.toml` says.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            requires: {libraries: {base: {source: ../base, version: "^1"}}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    base/library.yaml   library: base
                        version: 1.0.0

    agentspec.toml   [libraries]
                     organisation = ["base"]

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
                            requires: {libraries: {base: {source: ../base, version: "^1"}}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    base/library.yaml   library: base
                        version: 1.0.0

    agentspec.toml   [libraries]
                     organisation = ["base", "platform"]

    $ agentspec lib lock
    ```

    Fix: name the library under `trust:` of the spec, or its source under `organisation`, if it belongs there.
    """

    code = "AS456"
    title = "library that needs a more trusted one"
    severity = "error"
