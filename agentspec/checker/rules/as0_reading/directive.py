"""AS026 YAML directive."""

from agentspec.checker.rule import Rule


class Directive(Rule):
    """The file begins with a `%` directive.

    Why: every file is read by the core schema of YAML 1.2, whatever it says of itself, and a directive that asks for
    something else would be ignored. `%YAML 1.2` says what holds anyway and is accepted.

    Bad:

    ```yaml
    %YAML 1.1
    ---
    name: desk
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    context:
      system: Be brief.
    ```

    Fix: remove the line.
    """

    code = "AS026"
    title = "YAML directive"
    severity = "error"
