"""AS630 example with an argument that its tool does not take."""

from collections.abc import Iterator

from agentspec.checker.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class MisfitExample(Rule):
    """An example of a tool names a parameter that the tool doesn't have.

    Why: the model is shown the example and calls the tool so; each such call is refused.

    Bad:

    ```yaml
    name: builder
    capability:
      tools:
        build:
          description: Builds one target
          parameters: {target: string}
          run: [make, "${args.target}"]
          examples:
            - {args: {traget: docs}, result: done}
    ```

    Good:

    ```yaml
    name: builder
    capability:
      tools:
        build:
          description: Builds one target
          parameters: {target: string}
          run: [make, "${args.target}"]
          examples:
            - {args: {target: docs}, result: done}
    ```

    Fix: correct the name.
    """

    code = "AS630"
    title = "example with an argument that its tool does not take"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools:
            names = [entry.name for _, entry in tool.parameters]
            if tool.kind == "expr" or not names or not subject.is_sound(*tool.path):
                continue
            for path, _ in subject.items(*tool.path, "examples"):
                for entry in subject.entries(*path, "args"):
                    if entry.name not in names:
                        meant, words = way_out(entry.name, names, f"`{tool.name}` takes")
                        yield self.finding(
                            entry.key.span,
                            f"`{tool.name}` has no parameter `{entry.name}`",
                            path=(*path, "args", entry.name),
                            help=words,
                            fix=rename(entry.key.span, entry.name, meant),
                        )
