"""AS633 folder or program of the project that is not there."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.root_outside_project import roots
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_folder, is_program, is_there

SERVERS: Path = ("capability", "mcp")
WAY_OUT = "it counts from the project folder `{}`"


class MissingPlace(Rule):
    """A toolkit works in a folder that is not there, or a server or a model is started from a place that is none.

    Why: the run would not start. Folders and programs that are written as paths count from the project folder; the
    programs of this machine (a name without `/`) are looked for by the run alone.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: no_such_folder_anywhere}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: .}
    ```

    Fix: correct the path, or make the folder; a program needs the right to be started (`chmod +x`); the `repo` of
    `git` is the top folder of a repository.
    """

    code = "AS633"
    title = "folder or program of the project that is not there"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for path, problem in (*_of_toolkits(subject), *_of_servers(subject), *_of_the_model(subject)):
            yield self.finding(subject.span(*path), problem, path=path, help=WAY_OUT.format(subject.project))


def _of_toolkits(subject: Subject) -> Iterator[tuple[Path, str]]:
    for toolkit, key, text in roots(subject):
        path, folder = (*toolkit.path, key), subject.project / text
        problem = no_folder(subject.project, text)
        if problem is not None:
            yield path, problem
        elif key == "repo" and not is_there(folder / ".git"):
            yield path, f"`{text}` is no git repository"


def _of_servers(subject: Subject) -> Iterator[tuple[Path, str]]:
    for server in subject.servers:
        place = (*SERVERS, server)
        folder = subject.text(*place, "cwd") or "."
        problem = None if "${" in folder else no_folder(subject.project, folder)
        if problem is not None:
            yield (*place, "cwd"), problem
        elif "${" not in folder:
            yield from no_program(subject, (*place, "command", 0), subject.project / folder)


def _of_the_model(subject: Subject) -> Iterator[tuple[Path, str]]:
    if subject.text("model", "provider") == "process":
        yield from no_program(subject, ("model", "options", "command", 0), subject.project)


def no_folder(project: FilePath, text: str) -> str | None:
    """What is wrong with a path that should be a folder; None where it is one."""
    if is_folder(project / text):
        return None
    where = "" if text.startswith("/") else " in the project"
    return f"`{text}` is no folder" if is_there(project / text) else f"there is no folder `{text}`{where}"


def no_program(subject: Subject, path: Path, folder: FilePath) -> Iterator[tuple[Path, str]]:
    """What is wrong with a program that is written as a path below `folder`."""
    name = subject.text(*path)
    if name is None or "/" not in name or name.startswith("/") or name[1:2] == ":" or "${" in name:
        return
    if is_program(folder / name):
        return
    yield path, f"`{name}` can't be started" if is_there(folder / name) else f"there is no program `{name}`"
