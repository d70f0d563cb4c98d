"""AS110 scenario that cannot be played."""

import posixpath
from collections.abc import Iterator

from agentspec.checker.questions.tried import Tried, agent_at, asks_a_provider, section, sound
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.diagnostic import Diagnostic, Related


class UnplayableScenario(Rule):
    """A scenario lacks what its run needs, or asks for what no run can have.

    Why: `agentspec test` could not even begin. A run needs a task, its own or the spec's; turns of a model under
    `model`, where the spec does not bring a model that needs no network; and files that lie in its workspace. An agent
    that plays the person answers without a network, too.

    Bad:

    ```yaml
    scenario: says hello
    for: greeter
    expect: {status: done}
    ---
    name: greeter
    task: Greet.
    ```

    Good:

    ```yaml
    scenario: says hello
    for: greeter
    model:
      - text: Hello!
    expect: {status: done}
    ---
    name: greeter
    task: Greet.
    ```

    Fix: write what the finding names into the scenario.
    """

    code = "AS110"
    title = "scenario that cannot be played"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "scenario":
            return
        for path in (("files",), ("expect", "files")):
            yield from self._files(subject, path)
        yield from self._person(subject)
        agent = sound(subject)
        if agent is None or not subject.has_all() or not subject.is_whole:
            return
        if not _has_task(subject) and not _has_task(agent):
            message = f"there is no task: neither here nor in `{subject.text('for')}`"
            yield self.finding(subject.key("scenario"), message, help="write what the agent is to do under `task`")
        if subject.at("model") is None and asks_a_provider(section(agent, "model")):
            message = f"there are no turns of a model, and `{subject.text('for')}` asks a provider"
            yield self.finding(subject.key("scenario"), message, help="write the turns under `model`")

    def _files(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        names = [entry.name for entry in subject.entries(*path)]
        folders = {above for name in names for above in _above(name)}
        for name in names:
            if not _is_below(name):
                message = f"`{name}` is no path below the workspace"
                help_text = "begin it at the workspace: `docs/a.md`"
                yield self.finding(subject.key(*path, name), message, path=(*path, name), help=help_text)
            elif posixpath.normpath(name) in folders:
                message = f"`{name}` is a folder to another file, and can't be a file as well"
                yield self.finding(subject.key(*path, name), message, path=(*path, name))

    def _person(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("user", "agent")
        name = subject.text(*path) if isinstance(subject.at("user"), Mapping) else None
        if name is None or not (subject.is_whole or looks_like_file(name)):
            return
        is_here = looks_like_file(name) or name in subject.agents
        tried = agent_at(subject, name) if is_here else None
        message = _unfit(tried, name)
        if message:
            related = (Related(tried.errors[0].span, "here"),) if tried is not None and tried.errors else ()
            yield self.finding(subject.span(*path), message, path=path, related=related)


def _unfit(person: Tried | None, name: str) -> str:
    """Why an agent can't play the person, in words; nothing where it can."""
    if person is None or person.composed.kind != "agent":
        return f"there is no agent `{name}` that could play the person"
    if person.errors:
        return f"the person's agent `{name}` does not check: {person.errors[0].message}"
    if asks_a_provider(section(person.subject, "model")):
        return f"the agent `{name}` that plays the person needs a provider without a network: `script`"
    return ""


def _has_task(subject: Subject) -> bool:
    """Whether a run of it would have something to do; one that can't be read counts."""
    task = subject.at("task")
    if task is not None:
        text = subject.text("task")
        return text is None or bool(text.strip())
    said = (subject.text(*path, "role") for path, _ in subject.items("context", "history"))
    return "user" in said


def _is_below(name: str) -> bool:
    path = posixpath.normpath(name)
    return not path.startswith(("/", "../")) and path not in (".", "..") and "\0" not in name


def _above(name: str) -> Iterator[str]:
    """The folders on the way to a file."""
    path = posixpath.dirname(posixpath.normpath(name))
    while path:
        yield path
        path = posixpath.dirname(path) if path != "/" else ""
