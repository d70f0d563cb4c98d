"""AS463 organisation that no library is of."""

from agentspec.checker.rule import Rule


class OrganisationOfNobody(Rule):
    """`[libraries] organisation` has a source that no locked library comes from.

    Why: what is misspelt there protects nothing, and nobody would notice. A path may be spelt in any way, and a
    repository needs neither tag nor folder.

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

    agentspec.toml   [libraries]
                     organisation = ["./platfrom"]

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

    agentspec.toml   [libraries]
                     organisation = ["./platform"]

    $ agentspec lib lock
    ```

    Fix: write the source as `use` has it, or take it out.
    """

    code = "AS463"
    title = "organisation that no library is of"
    severity = "warning"
