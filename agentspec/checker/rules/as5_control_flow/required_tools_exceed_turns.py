"""AS504 more required tools than turns."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class RequiredToolsExceedTurns(Rule):
    """More tools must have succeeded than the run has turns.

    Why: a model asks for its tools one after another as a rule, since it needs the result of one to choose the next.
    A run that ends before all required tools were called ends without an accepted answer.

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
        if most is None or required <= most:
            return
        yield self.finding(
            subject.key(*path),
            f"{required} tools must succeed, but the run ends after {most} turn{'s' if most > 1 else ''}",
            path=path,
            help=f"allow at least {required} turns, or group alternatives in a nested list",
        )
