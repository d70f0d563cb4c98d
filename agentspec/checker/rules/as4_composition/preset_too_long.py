"""AS418 preset that its inputs make too long."""

from agentspec.checker.rule import Rule


class PresetTooLong(Rule):
    """The values of a preset's inputs make it longer by more than a million characters.

    Why: an input can be used many times, and passed on many times over; without a bound a short file could fill
    the memory. What stands there stays as it is written.

    Bad:

    ```yaml
    preset: h
    inputs: {n: string}
    context: {system: "${inputs.n}"}
    ---
    preset: g
    inputs: {n: string}
    extends: [{use: h, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    preset: f
    inputs: {n: string}
    extends: [{use: g, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    preset: e
    inputs: {n: string}
    extends: [{use: f, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    preset: d
    inputs: {n: string}
    extends: [{use: e, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    preset: c
    inputs: {n: string}
    extends: [{use: d, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    preset: b
    inputs: {n: string}
    extends: [{use: c, with: {n: "${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}${inputs.n}"}}]
    ---
    name: a
    extends: [{use: b, with: {n: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}]
    ```

    Good:

    ```yaml
    preset: two
    inputs: {n: string}
    context: {system: "${inputs.n} ${inputs.n}"}
    ---
    name: one
    extends: [{use: two, with: {n: "again, and"}}]
    ```

    Fix: give a shorter value, or use it less often; a long text that several specs share belongs into a file.
    """

    code = "AS418"
    title = "preset that its inputs make too long"
    severity = "error"
