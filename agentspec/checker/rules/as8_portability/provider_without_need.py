"""AS804 provider without what it needs."""

from collections.abc import Iterator

from agentspec.checker.questions.models import ROUTES, RUN, has_default_route, places
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Node, Path, Sequence
from agentspec.text.diagnostic import Diagnostic

COMMAND: Path = ("model", "options", "command")
NAMING = ("model", "ladder")


class ProviderWithoutNeed(Rule):
    """The provider `process` has no command to start, or `ollama` no model.

    Why: the answers of the one come from a program that `model.options.command` names; the other has no model that
    could be meant where none is named. Without it the run could not start.

    Bad:

    ```yaml
    name: helper
    model: {provider: process}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: process
      options: {command: [answer-questions]}
    ```

    Fix: add `options: {command: [PROGRAM, ARGUMENT, …]}`, or `model: NAME`.
    """

    code = "AS804"
    title = "provider without what it needs"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.has_all(*RUN):
            return
        if subject.text(*RUN, "provider") == "process":
            yield from self._command(subject)
        yield from self._models(subject)

    def _command(self, subject: Subject) -> Iterator[Diagnostic]:
        command = subject.at(*COMMAND)
        if command is not None and not _is_argv(command):
            message = "`command` is a list of a program and its arguments"
            yield self.finding(subject.span(*COMMAND), message, path=COMMAND, help="write `[PROGRAM, ARGUMENT]`")
        if command is None:
            path = (*RUN, "provider")
            yield self.finding(
                subject.span(*path),
                "the provider `process` needs a command to start",
                path=path,
                help="add `options: {command: [PROGRAM, ARGUMENT]}` to `model`",
            )

    def _models(self, subject: Subject) -> Iterator[Diagnostic]:
        run = subject.text(*RUN, "provider")
        is_run_named = _is_named(subject, RUN)
        for place in places(subject):
            provider = subject.text(*place, "provider") or (run if place[:2] == ROUTES else None)
            is_asked = place != RUN or not has_default_route(subject)
            is_named = _is_named(subject, place) or (provider == run and is_run_named)
            if not is_asked or provider != "ollama" or is_named or not subject.has_all(*place):
                continue
            path = (*place, "provider")
            message = "the provider `ollama` needs a model"
            yield self.finding(subject.span(*path), message, path=path, help="add `model: NAME`, one of `ollama list`")


def _is_named(subject: Subject, place: Path) -> bool:
    return any(subject.at(*place, key) is not None for key in NAMING)


def _is_argv(node: Node) -> bool:
    words = [text_of(item) for item in node.items] if isinstance(node, Sequence) else []
    return bool(words) and all(words)
