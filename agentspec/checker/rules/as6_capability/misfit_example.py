"""AS635 example that does not fit the parameters."""

from collections.abc import Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.inputs import accept, declare
from agentspec.syntax.tree import Broken, Entry, Mapping, Path, Scalar, plain
from agentspec.text.diagnostic import Diagnostic


class MisfitExample(Rule):
    """An example of a tool is called with arguments that the tool does not take.

    Why: the model is shown it, and learns a call that is refused.

    Bad:

    ```yaml
    name: clerk
    capability:
      tools:
        convert:
          description: Converts a file
          parameters: {file: string, to: {enum: [pdf, txt]}}
          run: [convert, "${args.file}", "${args.to}"]
          examples:
            - {args: {fiel: a.doc, to: docx}, result: done}
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      tools:
        convert:
          description: Converts a file
          parameters: {file: string, to: {enum: [pdf, txt]}}
          run: [convert, "${args.file}", "${args.to}"]
          examples:
            - {args: {file: a.doc, to: pdf}, result: done}
    ```

    Fix: correct the example, or the parameters.
    """

    code = "AS635"
    title = "example that does not fit the parameters"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("examples"):
            examples = subject.items(*tool.path, "examples")
            if examples and subject.is_sound(*tool.path) and subject.has_all(*tool.path) and not has_schema(tool):
                for path, _ in examples:
                    yield from self._example(subject, tool, (*path, "args"))

    def _example(self, subject: Subject, tool: Tool, path: Path) -> Iterator[Diagnostic]:
        taken = {entry.name: entry for _, entry in tool.parameters}
        given = {entry.name: entry for entry in subject.entries(*path)}
        strange = [entry for name, entry in given.items() if name not in taken]
        for entry in strange:
            yield self._strange(entry, tool, [name for name in taken if name not in given], path)
        for name, entry in given.items():
            problem = problem_of(entry, taken[name]) if name in taken else ""
            if problem:
                yield self.finding(entry.value.span, f"`{name}` does not fit: {problem}", path=(*path, name))
        missing = [name for name, entry in taken.items() if name not in given and is_needed(entry)]
        if missing and not strange:
            message = f"the example leaves out `{missing[0]}`, which `{tool.name}` needs"
            yield self.finding(subject.key(*path), message, path=path, help=f"add `{missing[0]}: …`")

    def _strange(self, entry: Entry, tool: Tool, left: list[str], path: Path) -> Diagnostic:
        meant, help_text = way_out(entry.name, left, "it takes")
        message = f"`{tool.name}` has no parameter `{entry.name}`"
        fix = rename(entry.key.span, entry.name, meant)
        return self.finding(entry.key.span, message, path=(*path, entry.name), help=help_text, fix=fix)


def has_schema(tool: Tool) -> bool:
    """Whether the parameters are one JSON Schema, which may allow more than it names."""
    parameters = tool.body.get("parameters")
    return isinstance(parameters, Mapping) and any("schema" in path[len(tool.path) :] for path, _ in tool.parameters)


def problem_of(entry: Entry, parameter: Entry) -> str:
    """Why a value does not fit its parameter; empty where it does, or cannot be told."""
    if isinstance(entry.value, Broken) or (isinstance(entry.value, Scalar) and "${" in str(entry.value.value)):
        return ""
    return accept(plain(entry.value), declare(parameter.name, parameter.value, parameter.key.span))[1] or ""


def is_needed(parameter: Entry) -> bool:
    """Whether a call without this parameter is refused."""
    form = parameter.value
    if isinstance(form, Mapping):
        optional = form.get("optional")
        is_optional = isinstance(optional, Scalar) and optional.value is True
        return not is_optional and form.get("default") is None
    return isinstance(form, Scalar) and not str(form.value).endswith("?")
