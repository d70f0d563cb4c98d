"""AS419 unknown input is passed on."""

from agentspec.checker.rule import Rule


class UnknownInputPassedOn(Rule):
    """`with` gives a preset the value of an input that this document does not have.

    Why: there is no value to pass on. What the preset does with it is not looked at.

    Bad:

    ```yaml
    preset: house
    inputs: {place: string}
    context: {system: "You work in ${inputs.place}."}
    ---
    name: triage
    inputs: {city: string}
    task: Look at ${inputs.city}.
    extends: [{use: house, with: {place: "${inputs.ctiy}"}}]
    ```

    Good:

    ```yaml
    preset: house
    inputs: {place: string}
    context: {system: "You work in ${inputs.place}."}
    ---
    name: triage
    inputs: {city: string}
    task: Look at ${inputs.city}.
    extends: [{use: house, with: {place: "${inputs.city}"}}]
    ```

    Fix: name an input that is declared, or write the value itself. Inputs of a preset are its own, never inherited.
    """

    code = "AS419"
    title = "unknown input is passed on"
    severity = "error"
