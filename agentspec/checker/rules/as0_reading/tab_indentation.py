"""AS006 tab indentation."""

from agentspec.checker.rule import Rule


class TabIndentation(Rule):
    """A tab stands in front of a line's content.

    Why: YAML is indented with spaces only: how wide a tab is depends on who looks. Inside brackets, texts and behind a
    colon tabs are fine.

    Bad:

    ```text
    name: desk
    execution:
    <TAB>max_iterations: 4
    context:
      system: Be brief.
    ```

    Good:

    ```text
    name: desk
    execution:
      max_iterations: 4
    context:
      system: Be brief.
    ```

    Fix: indent with spaces; `--fix` writes two for each tab.
    """

    code = "AS006"
    title = "tab indentation"
    severity = "error"
