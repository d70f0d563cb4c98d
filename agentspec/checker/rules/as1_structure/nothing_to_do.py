"""AS104 one of several keys missing."""

from agentspec.checker.rule import Rule


class NothingToDo(Rule):
    """A mapping needs one of several keys and has none of them.

    Why: a tool without a way to be carried out, or a rule without anything to do, can only be a slip.

    Bad:

    ```yaml
    name: sums
    capability:
      tools:
        add:
          description: Adds two numbers
          parameters: {a: number, b: number}
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

    Fix: add one of the keys that the finding lists.
    """

    code = "AS104"
    title = "one of several keys missing"
    severity = "error"
