"""AS315 comment within an expression."""

from agentspec.checker.rule import Rule


class CommentInExpression(Rule):
    """A comment of CEL (`//`) stands in an expression.

    Why: comments belong to the document, where `fmt` and `convert` keep them. Where a division was meant, it is
    written `/`.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: "iteration > 3 // three turns"
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: "iteration > 3" # three turns
          stop: incomplete
    ```

    Fix: write the comment with `#` beside the entry.
    """

    code = "AS315"
    title = "comment within an expression"
    severity = "error"
