"""AS429 called agent beyond the ceiling."""

from agentspec.checker.rule import Rule


class CalledBeyondCeiling(Rule):
    """An agent is called as a tool, and the ceiling of its caller forbids tools that it has.

    Why: what is called has its own authority within its caller's. The tools beyond that are shown to it, and every
    call of them is denied.

    Bad:

    ```yaml
    name: lead
    capability:
      ceiling: {effects: [none, read]}
      tools:
        help: {description: Asks the helper, parameters: {task: string}, agent: helper}
    ---
    name: helper
    description: Helps
    capability:
      toolkits: [files.read, files.edit]
    ```

    Good:

    ```yaml
    name: lead
    capability:
      ceiling: {effects: [none, read]}
      tools:
        help: {description: Asks the helper, parameters: {task: string}, agent: helper}
    ---
    name: helper
    description: Helps
    capability:
      toolkits: [files.read]
    ```

    Fix: widen the ceiling where you may, or call an agent that needs less.
    """

    code = "AS429"
    title = "called agent beyond the ceiling"
    severity = "warning"
