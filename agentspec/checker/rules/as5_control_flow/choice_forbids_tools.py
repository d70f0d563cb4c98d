"""AS523 tools that the tool choice keeps from being called."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, text_of
from agentspec.syntax.tree import Node, Path, Sequence
from agentspec.text.diagnostic import Diagnostic, Related

CHOICE: Path = ("model", "tool_choice")
REQUIRED: Path = ("execution", "require_successful_tools")
ENDING: Path = ("execution", "stop_after_successful_tools")


class ChoiceForbidsTools(Rule):
    """Tools have to succeed, and `model.tool_choice` lets the model call none of them.

    Why: with `tool_choice: none` the provider is told that no tool may be called, and with one tool by name that no
    other may. What waits for another tool waits in vain.

    Bad:

    ```yaml
    name: audit
    model: {tool_choice: none}
    execution:
      require_successful_tools: [read_file]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    model: {tool_choice: auto}
    execution:
      require_successful_tools: [read_file]
    capability:
      toolkits: [files.read]
    ```

    Fix: write `tool_choice: auto`, or require nothing.
    """

    code = "AS523"
    title = "tools that the tool choice keeps from being called"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        only = subject.text(*CHOICE, "tool")
        if subject.text(*CHOICE) != "none" and only is None:
            return
        required, ending = subject.items(*REQUIRED), subject.items(*ENDING)
        waiting = [(path, node) for path, node in required if not _allows(node, only)]
        if not any(_allows(node, only) for _, node in ending):
            waiting += ending
        for path, node in waiting[:1]:
            yield self.finding(
                node.span,
                f"the model may not call this: `tool_choice` allows {f'only `{only}`' if only else 'no tool'}",
                path=path,
                help="write `tool_choice: auto`, or take this away",
                related=(Related(subject.span(*CHOICE), "the tool choice stands here"),),
            )


def _allows(node: Node, only: str | None) -> bool:
    """Whether a name, or one of a group, is the one tool that may be called."""
    names = [text_of(item) for item in node.items] if isinstance(node, Sequence) else [text_of(node)]
    return only is not None and only in names
