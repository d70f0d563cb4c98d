"""AS014 value cut in two."""

from agentspec.checker.rule import Rule


class ValueCutInTwo(Rule):
    """A comma or ` #` cuts a value that was meant as one.

    Why: between braces a comma begins the next key, and ` #` begins a comment. YAML reads the pieces without complaint:
    `{when: min(a, b) > 3}` has the keys `when` and `b) > 3`.

    Bad:

    ```yaml
    name: desk
    execution:
      loop_control:
        - {when: math.least(iteration, 3) > 2, stop: incomplete}
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      loop_control:
        - {when: 'math.least(iteration, 3) > 2', stop: incomplete}
    context:
      system: Be brief.
    ```

    Fix: put the whole value in quotes.
    """

    code = "AS014"
    title = "value cut in two"
    severity = "error"
