"""AS311 invalid regular expression."""

from agentspec.checker.rule import Rule


class InvalidPattern(Rule):
    r"""A pattern is no regular expression that RE2 reads.

    Why: patterns run in linear time, so look-ahead, look-behind and back-references do not exist.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'completion.feedback.matches("(tests")'
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'completion.feedback.matches("(tests)")'
          stop: incomplete
    ```

    Fix: correct the pattern; a literal bracket is written `\\(`, or `\(` in a raw text `r"…"`.
    """

    code = "AS311"
    title = "invalid regular expression"
    severity = "error"
