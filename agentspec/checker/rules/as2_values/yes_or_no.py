"""AS210 yes or no instead of true or false."""

from agentspec.checker.rule import Rule


class YesOrNo(Rule):
    """A key takes `true` or `false`, and another word for it is written.

    Why: older YAML tools read `yes`, `no`, `on` and `off` as booleans, YAML 1.2 reads them as text; two readers of
    one file must not differ.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_until_done: yes
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_until_done: true
    ```

    Fix: write `true` or `false`.
    """

    code = "AS210"
    title = "yes or no instead of true or false"
    severity = "error"
