"""AS317 slot in an expression."""

from agentspec.checker.rule import Rule


class SlotInExpression(Rule):
    """A text in an expression holds a slot of a template.

    Why: slots are filled in where texts are written, not in expressions: the text is compared as it stands, with its
    `${…}`. A rule that was to deny a call denies none.

    Bad:

    ```yaml
    name: deployer
    model: {provider: openai}
    inputs: {env: {type: string, default: prod}}
    capability:
      tools:
        deploy:
          description: Deploys
          effect: process
          parameters: {env: string}
          run: [deploy, "${args.env}"]
      approval:
        rules:
          - {tool: deploy, when: 'args.env == "${inputs.env}"', decision: deny}
    ```

    Good:

    ```yaml
    name: deployer
    model: {provider: openai}
    inputs: {env: {type: string, default: prod}}
    capability:
      tools:
        deploy:
          description: Deploys
          effect: process
          parameters: {env: string}
          run: [deploy, "${args.env}"]
      permissions:
        deny: [{tool: deploy, args: {env: "${inputs.env}"}}]
    ```

    Fix: where the place knows the name, write it itself (`args.env`, `identity.user`). An input is known in no
    expression: write its value, let a preset with inputs bring the rule (`with: {env: prod}`), or use the keys of a
    rule of `permissions`, which are filled in. A preset may name its own inputs in its expressions.
    """

    code = "AS317"
    title = "slot in an expression"
    severity = "error"
