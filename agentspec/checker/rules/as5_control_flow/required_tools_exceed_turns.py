"""AS504 more required tools than turns."""

from collections.abc import Iterator

from agentspec.checker.questions.loop import ends_beside_calls, is_certain
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class RequiredToolsExceedTurns(Rule):
    """More tools must have succeeded than the run has turns.

    Why: a model asks for its tools one after another as a rule, since it needs the result of one to choose the next.
    A run that ends before all required tools were called ends without an accepted answer. So does a run of one turn
    that has to call a tool: its answer would come in the next one.

    Bad:

    ```yaml
    name: audit
    execution:
      max_iterations: 2
      require_successful_tools: [read_file, search_files, list_directory]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    execution:
      max_iterations: 8
      require_successful_tools: [read_file, [search_files, list_directory]]
    capability:
      toolkits: [files.read]
    ```

    Fix: raise the iteration limit, or require less; a nested list asks for any one of its tools.
    """

    code = "AS504"
    title = "more required tools than turns"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("execution", "require_successful_tools")
        required, most = len(subject.items(*path)), subject.max_iterations
        if most is None or required == 0:
            return
        if most == 1 and is_certain(subject, "execution") and not ends_beside_calls(subject):
            yield self.finding(
                subject.key(*path),
                "tools must succeed, and the answer takes another turn, but the run ends after 1 turn",
                path=path,
                help=f"allow at least {required + 1} turns, or end the run with `stop_after_successful_tools`",
            )
            return
        if required <= most:
            return
        yield self.finding(
            subject.key(*path),
            f"{required} tools must succeed, but the run ends after {most} turn{'s' if most > 1 else ''}",
            path=path,
            help=f"allow at least {required} turns, or group alternatives in a nested list",
        )
