"""AS653 variable that changes what code runs."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.commands.code_variables import changes_code
from agentspec.text.diagnostic import Diagnostic


class CodeVariable(Rule):
    """A server is given a variable that makes loaders or interpreters run other code: `LD_PRELOAD`, `PYTHONPATH`.

    Why: such a variable is given to no program, so that a run would refuse to start.

    Bad:

    ```yaml
    name: clerk
    capability:
      mcp:
        books: {command: [books-server], env: {LD_PRELOAD: ./books.so}}
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      mcp:
        books: {command: [books-server], env: {BOOKS_HOME: ./books}}
    ```

    Fix: take it out, and start the program by a path or with arguments of its own.
    """

    code = "AS653"
    title = "variable that changes what code runs"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for server in subject.servers:
            path = ("capability", "mcp", server, "env")
            for entry in subject.entries(*path):
                if changes_code(entry.name):
                    message = f"`{entry.name}` would change what code programs run, and is given to none"
                    yield self.finding(entry.key.span, message, path=(*path, entry.name))
