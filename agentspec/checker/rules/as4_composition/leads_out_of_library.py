"""AS454 path that leads out of a library."""

from agentspec.checker.rule import Rule


class LeadsOutOfLibrary(Rule):
    """A file of a library lies outside of its folder, or is hidden in it.

    Why: only what lies in the folder and is not hidden is locked, and a library must not read what else is on a
    machine. Links count as what they lead to, and no link to a folder is followed.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 extends: ../../house.yaml

    house.yaml   preset: house

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
                                 extends: ../house.yaml

    platform/house.yaml   preset: house

    $ agentspec lib lock
    ```

    Fix: put what the library needs into its folder, under a name that is not hidden.
    """

    code = "AS454"
    title = "path that leads out of a library"
    severity = "error"
