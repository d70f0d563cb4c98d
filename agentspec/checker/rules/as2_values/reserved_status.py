"""AS211 status of the runtime."""

from agentspec.checker.rule import Rule


class ReservedStatus(Rule):
    """A rule ends a run with a status that only the runtime may give.

    Why: `done`, `error` and their like say what has been verified or what has happened; a rule that uses them would
    claim something false.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3
          stop: done
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3
          stop: incomplete
    ```

    Fix: use a word of your own, in small letters.
    """

    code = "AS211"
    title = "status of the runtime"
    severity = "error"
