"""AS459 source of a library that is none."""

from agentspec.checker.rule import Rule


class BadSource(Rule):
    """The source of a library is no path, no repository and no package, or is another one elsewhere.

    Why: it says where the library comes from: `../platform`, `git+https://host/repo.git@v1.4.0` (a tag or a
    commit; without one the version decides; `#FOLDER` for one below), or `installed:NAME`. A branch is neither:
    it moves. Credentials do not belong there.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: "svn://example.org/platform", version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

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

    platform/presets/safe.yaml   preset: safe
                                 execution: {max_nudges: 2}

    $ agentspec lib lock
    ```

    Fix: write one of the three forms; for a branch, the commit that it is at.
    """

    code = "AS459"
    title = "source of a library that is none"
    severity = "error"
