"""AS305 wrong number of arguments."""

from agentspec.checker.rule import Rule


class ArgumentCount(Rule):
    """A function is called with too few or too many arguments.

    Why: functions have no optional arguments beyond the forms that the finding shows.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: '"read_file".startsWith() || iteration > 3'
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'completion.feedback.startsWith("read") || iteration > 3'
          stop: incomplete
    ```

    Fix: give what the form in the finding asks for.
    """

    code = "AS305"
    title = "wrong number of arguments"
    severity = "error"
