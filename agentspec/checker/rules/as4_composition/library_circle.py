"""AS450 libraries in a circle."""

from agentspec.checker.rule import Rule


class LibraryCircle(Rule):
    """Libraries need each other in a circle.

    Why: none of them could be released before the other, and none of their versions could be chosen alone.

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
                        requires: {libraries: {platform: "^1"}}

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

    $ agentspec lib lock
    ```

    Fix: move what both need into a library of its own.
    """

    code = "AS450"
    title = "libraries in a circle"
    severity = "error"
