"""AS013 value that needs quotes."""

from agentspec.checker.rule import Rule


class ValueNeedsQuotes(Rule):
    """A value holds signs that mean something else to YAML.

    Why: a second `: `, a quote that ends too early, or a first sign such as `*`, `&`, `!`, `@`, `%`, `>` or a backtick
    breaks the value in pieces. Expressions are full of them.

    Bad:

    ```yaml
    name: desk
    capability:
      tools:
        double:
          description: Twice as much, but never less than one
          parameters: {n: number}
          returns: number
          expr: args.n > 1.0 ? args.n * 2.0 : 1.0
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    capability:
      tools:
        double:
          description: Twice as much, but never less than one
          parameters: {n: number}
          returns: number
          expr: 'args.n > 1.0 ? args.n * 2.0 : 1.0'
    context:
      system: Be brief.
    ```

    Fix: put the whole value in quotes; inside single quotes a `'` is written twice.
    """

    code = "AS013"
    title = "value that needs quotes"
    severity = "error"
