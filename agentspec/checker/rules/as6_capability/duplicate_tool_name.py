"""AS604 two tools with one name."""

from collections.abc import Iterator

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.questions.offered import Offered
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

MANY = "mcp"


class DuplicateToolName(Rule):
    """Two tools would have the same name for the model.

    Why: a call names a tool by its name alone, and providers refuse a request with two tools of one name. It happens
    with toolkits that are listed twice, with `names:` that renames onto another tool, and with a tool of your own that
    is called as one of a toolkit.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      tools:
        read_file:
          description: Reads a file in another way
          parameters: {path: string}
          expr: args.path
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      tools:
        describe_path:
          description: Names a file
          parameters: {path: string}
          expr: args.path
    ```

    Fix: rename one of them; a toolkit's tools are renamed by its `names:`.
    """

    code = "AS604"
    title = "two tools with one name"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        first: dict[str, Offered] = {}
        clashes: dict[tuple[Offered, Offered], list[str]] = {}
        for one in (*subject.offered, *_at_provider(subject)):
            before = first.setdefault(one.name, one)
            if before is not one:
                places = (before._replace(name="", effect=None), one._replace(name="", effect=None))
                clashes.setdefault(places, []).append(one.name)
        for (before, one), names in clashes.items():
            listed = ", ".join(f"`{name}`" for name in names[:3]) + (" and more" if len(names) > 3 else "")
            yield self.finding(
                one.span,
                f"the name {listed} is taken already" if len(names) == 1 else f"the names {listed} are taken already",
                path=one.path,
                help="rename one of them; a toolkit's tools are renamed by its `names:`",
                related=(Related(before.span, "the first one stands here"),),
            )


def _at_provider(subject: Subject) -> Iterator[Offered]:
    """What the provider runs stands in the same list; of its MCP servers there may be several."""
    for one in at_provider(subject):
        if one.tool.name != MANY:
            yield Offered(one.tool.name, one.span, one.path, one.tool.effect)
