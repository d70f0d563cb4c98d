"""AS710 prompt that names a tool which is not there."""

import re
from collections.abc import Iterator

from agentspec.checker.questions.file_texts import FILE, SYSTEM
from agentspec.checker.questions.meant import way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.toolkits import GIT_MUTATIONS, TOOLKITS
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic

QUOTED = r"`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\([^`]*\))?`"
BUILT_IN = {name: toolkit for toolkit, tools in TOOLKITS.items() for name in tools} | dict.fromkeys(
    GIT_MUTATIONS, "git"
)


class PromptNamesMissingTool(Rule):
    """The system text tells the model to use a built-in tool that the spec doesn't offer.

    Why: the model will call it, and each call is refused as unknown.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {disabled: [search_files]}
    context:
      system: Look for the word with `search_files` first.
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
    context:
      system: Look for the word with `search_files` first.
    ```

    Fix: add the toolkit, or name a tool that is there.
    """

    code = "AS710"
    title = "prompt that names a tool which is not there"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not subject.knows_tools:
            return
        inline = [(path, node) for path, node, _ in subject.texts if path == SYSTEM]
        in_files = [(path, node) for path, node, _ in subject.file_texts if path == (*SYSTEM, FILE)]
        for path, node in (*inline, *in_files):
            yield from self._named(subject, path, node)

    def _named(self, subject: Subject, path: Path, node: Scalar) -> Iterator[Diagnostic]:
        for match in re.finditer(QUOTED, str(node.value)):
            name = match[1]
            if name in BUILT_IN and not subject.is_known_tool(name):
                _, help_text = way_out("", subject.tool_names, "it has")
                yield self.finding(
                    span_in(node, match.start(1), match.end(1)),
                    f"the text names the tool `{name}`, which this spec does not offer",
                    path=path,
                    help=f"add the toolkit `{BUILT_IN[name]}`" + (f"; {help_text}" if help_text else ""),
                )
