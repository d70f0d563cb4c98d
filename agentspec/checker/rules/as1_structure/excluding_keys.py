"""AS103 keys that exclude each other."""

from agentspec.checker.rule import Rule


class ExcludingKeys(Rule):
    """Two keys stand side by side of which only one can count.

    Why: a tool is carried out in one way and a rule does one thing; with two, one of them would be ignored.

    Bad:

    ```yaml
    name: sums
    capability:
      tools:
        add:
          description: Adds two numbers
          parameters: {a: number, b: number}
          returns: number
          expr: args.a + args.b
          run: [bc]
    ```

    Good:

    ```yaml
    name: sums
    capability:
      tools:
        add:
          description: Adds two numbers
          parameters: {a: number, b: number}
          returns: number
          expr: args.a + args.b
    ```

    Fix: keep one of the two. Where one comes from a preset, remove it with `key: !unset`.
    """

    code = "AS103"
    title = "keys that exclude each other"
    severity = "error"
