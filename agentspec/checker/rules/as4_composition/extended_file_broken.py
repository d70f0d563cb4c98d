"""AS404 extends something broken."""

from agentspec.checker.rule import Rule


class ExtendedFileBroken(Rule):
    """`extends` names a file that is there but cannot be read.

    Why: a part of the preset is unknown, so what it forbids or limits may be unknown too. What is wrong in it is
    shown by `agentspec check` on that file.

    Bad:

    ```text
    house.yaml    preset: house
                  execution: {max_nudges: [2

    triage.yaml   name: triage
                  extends: ./house.yaml
    ```

    Good:

    ```text
    house.yaml    preset: house
                  execution: {max_nudges: 2}

    triage.yaml   name: triage
                  extends: ./house.yaml
    ```

    Fix: check the extended file by itself and correct it.
    """

    code = "AS404"
    title = "extends something broken"
    severity = "error"
