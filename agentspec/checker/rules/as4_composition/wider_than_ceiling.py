"""AS412 wider than the ceiling."""

from agentspec.checker.rule import Rule


class WiderThanCeiling(Rule):
    """A layer asks for more than the `capability.ceiling` of a layer below allows.

    Why: a ceiling binds all that extends it: ceilings are intersected and never replaced, also by `--set`. A tool,
    an effect, a root, a host, a command, a provider, a model or a limit beyond it is refused, with both places.

    Bad:

    ```yaml
    preset: house
    capability:
      ceiling: {limits: {tokens: 100000}}
    ---
    name: triage
    extends: house
    execution:
      limits: {tokens: 500000}
    ```

    Good:

    ```yaml
    preset: house
    capability:
      ceiling: {limits: {tokens: 100000}}
    ---
    name: triage
    extends: house
    execution:
      limits: {tokens: 50000}
    ```

    Fix: ask for less, or ask the owner of the ceiling to widen it.
    """

    code = "AS412"
    title = "wider than the ceiling"
    severity = "error"
