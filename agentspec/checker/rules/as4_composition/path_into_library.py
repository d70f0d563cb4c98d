"""AS462 path into a library."""

from agentspec.checker.rule import Rule


class PathIntoLibrary(Rule):
    """`extends` names a file that lies in the folder of a library, from outside of it.

    Why: a path knows no exports, no version and no lock, and the ceiling of the library would not bind what extends
    it. The copies in `.agentspec/libraries` are folders of libraries, too.

    Bad:

    ```text
    triage.yaml   name: triage
                  extends: ./platform/presets/safe.yaml

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}
                            ceiling: {limits: {tokens: 1000}}

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
                            ceiling: {limits: {tokens: 1000}}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Fix: name the library under `use`, and extend what it exports.
    """

    code = "AS462"
    title = "path into a library"
    severity = "error"
