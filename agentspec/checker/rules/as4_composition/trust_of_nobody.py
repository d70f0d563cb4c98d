"""AS461 trust in a library that is not used."""

from agentspec.checker.rule import Rule


class TrustOfNobody(Rule):
    """`trust` names a library that the spec does not use.

    Why: it trusts nobody now, and whoever uses that name later.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  trust: [platfrom]
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

    Fix: correct the name, or take it out.
    """

    code = "AS461"
    title = "trust in a library that is not used"
    severity = "warning"
