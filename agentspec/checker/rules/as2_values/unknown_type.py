"""AS212 unknown type."""

from agentspec.checker.rule import Rule


class UnknownType(Rule):
    """The type of an input, a parameter or a result is not one of the language.

    Why: types become JSON Schema for the model and types for expressions; an unknown one becomes neither.

    Bad:

    ```yaml
    name: triage
    inputs:
      branch: {type: strng, default: main}
    context:
      system: You look at ${inputs.branch}.
    ```

    Good:

    ```yaml
    name: triage
    inputs:
      branch: {type: string, default: main}
    context:
      system: You look at ${inputs.branch}.
    ```

    Fix: write `string`, `integer`, `number`, `boolean`, `object` or `any`, with `[]` for a list or `?` where it may
    be left out; or spell the type out with `enum`, `items`, `fields`, `any_of` or `schema`.
    """

    code = "AS212"
    title = "unknown type"
    severity = "error"
