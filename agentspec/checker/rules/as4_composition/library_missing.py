"""AS442 library not found."""

from agentspec.checker.rule import Rule


class LibraryMissing(Rule):
    """A library is not where its source says, or is none.

    Why: what it would bring (limits, rules, tools) is missing. A library is a folder with a manifest,
    `library.yaml`; one from git has to be fetched once, and one of a package has to be installed.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platfrom, version: "^1.4"}}
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

    Fix: correct the source, run `agentspec lib lock` to fetch what is locked, or install the package.
    """

    code = "AS442"
    title = "library not found"
    severity = "error"
