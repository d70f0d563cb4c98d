"""AS444 another meaning under the same version."""

from agentspec.checker.rule import Rule


class LibraryMeansOtherwise(Rule):
    """An export of a library means something else than was locked, under the same version.

    Why: a version is a promise: whoever locked 1.4.2 may rely on what it says. Comments, the order of keys and
    other spellings of the same change no meaning. A pre-release (`1.5.0-beta`) may change while it is worked on.

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

    $ agentspec lib lock

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 3}
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

    platform/library.yaml   library: platform
                            version: 1.5.0
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 3}

    $ agentspec lib lock
    ```

    Fix: give the library a new version, then `agentspec lib lock`. What was fetched from a repository `lib lock`
    fetches anew; what its publisher changed under the same version is taken with `--accept-changed`.
    """

    code = "AS444"
    title = "another meaning under the same version"
    severity = "error"
