"""AS523 tools that the tool choice keeps from being called."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

CHOICE: Path = ("model", "tool_choice")
REQUIRED: Path = ("execution", "require_successful_tools")
ENDING: Path = ("execution", "stop_after_successful_tools")


class ChoiceForbidsTools(Rule):
    """Tools are offered or have to succeed, and `model.tool_choice` lets the model call none of them.

    Why: with `tool_choice: none` no tool may be called, in no turn. What waits for one waits in vain.

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
        if subject.text(*CHOICE) != "none":
            return
        waiting = [*subject.items(*REQUIRED), *subject.items(*ENDING)][:1]
        if not waiting and subject.offered and subject.is_own(subject.span(*CHOICE)):
            message = "the model may call no tool, and tools are offered"
            yield self.finding(subject.span(*CHOICE), message, path=CHOICE, help="write `auto`, or offer no tools")
        for path, node in waiting:
            yield self.finding(
                node.span,
                "the model may not call this: `tool_choice` allows no tool",
                path=path,
                help="write `tool_choice: auto`, or take this away",
                related=(Related(subject.span(*CHOICE), "the tool choice stands here"),),
            )
