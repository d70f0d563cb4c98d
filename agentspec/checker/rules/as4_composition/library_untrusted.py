"""AS455 library that does more than hold data."""

from agentspec.checker.rule import Rule


class LibraryUntrusted(Rule):
    """A library starts programs, runs Python, reads the environment, reaches outside, or chooses the model's server.

    Why: a library holds data and expressions. One that does more acts with the rights of whoever runs the spec,
    and a new version of it could do anything: so the spec has to say that it trusts it. Every path that leads out of
    the project counts: a root, a script, weights, a schema, the file of a database or of events.

    Bad:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 capability:
                                   tools:
                                     lint: {description: Lints, run: [ruff, check], effect: process}

    $ agentspec lib lock
    ```

    Good:

    ```text
    triage.yaml   name: triage
                  use: {platform: {source: ./platform, version: "^1.4"}}
                  trust: [platform]
                  extends: platform.safe

    platform/library.yaml   library: platform
                            version: 1.4.2
                            exports: {presets: [safe]}

    platform/presets/safe.yaml   preset: safe
                                 capability:
                                   tools:
                                     lint: {description: Lints, run: [ruff, check], effect: process}

    $ agentspec lib lock
    ```

    Fix: look at what it does, then name it under `trust:` of the spec; or take a library that does less.
    """

    code = "AS455"
    title = "library that does more than hold data"
    severity = "error"
