"""AS460 library with the name of a built-in preset."""

from agentspec.checker.rule import Rule


class LibraryHidesBuiltIn(Rule):
    """A library has the name of a built-in preset here.

    Why: `extends: audit` means the built-in preset, `extends: audit.safe` the library: whoever reads it has to
    know that.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {audit: {source: ./platform, version: "^1.4"}}
                  extends: audit.safe

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

    Fix: use the library under another name.
    """

    code = "AS460"
    title = "library with the name of a built-in preset"
    severity = "note"
