"""AS107 malformed name."""

from agentspec.checker.rule import Rule


class MalformedName(Rule):
    """A name has characters that names can't have where it stands.

    Why: names go to places with rules of their own: expressions read `args.NAME`, and models accept tool names of
    64 letters, digits, `_` and `-` only.

    Bad:

    ```yaml
    name: sums
    capability:
      tools:
        "add two":
          description: Adds two numbers
          parameters: {a: number, b: number}
          returns: number
          expr: args.a + args.b
    ```

    Good:

    ```yaml
    name: sums
    capability:
      tools:
        add_two:
          description: Adds two numbers
          parameters: {a: number, b: number}
          returns: number
          expr: args.a + args.b
    ```

    Fix: write the name as the finding says.
    """

    code = "AS107"
    title = "malformed name"
    severity = "error"
