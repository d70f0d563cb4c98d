"""AS323 list in the order of a mapping."""

from agentspec.checker.rule import Rule


class OrderOfMapping(Rule):
    """A list is made from a mapping, whose order is another at every evaluation.

    Why: prompts, caches and replays differ between runs for no reason that anybody can see.

    Bad:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            labels: object
          returns: string
          expr: 'args.labels.map(name, name).join(", ")'
    ```

    Good:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            labels: object
          returns: string
          expr: 'args.labels.map(name, name).sort().join(", ")'
    ```

    Fix: add `.sort()`.
    """

    code = "AS323"
    title = "list in the order of a mapping"
    severity = "warning"
