"""preset: the command `agentspec preset`: the presets that there are, what one says, and what another would change."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from agentspec.api.presets import diff_presets, list_presets, show_preset
from agentspec.cli.authority import changed_lines
from agentspec.cli.runs import form_options
from agentspec.cli.show import value_lines
from agentspec.cli.terminal.say import print_json
from agentspec.compose.project import project_folder
from agentspec.text.visible import one_line

WIDEST = 24  # of the column of names; a longer path moves only its own line
AB_HELP = "A and B are built-in presets, exports of locked libraries, or files: `./house.yaml`, `FILE#NAME`."
NAME_HELP = (
    "NAME is a built-in preset, `LIBRARY.NAME` (by its own name, or as `use` calls it), a preset of the project, or a "
    "file: `./house.yaml`, `FILE#NAME`."
)


@click.group("preset", invoke_without_command=True)
@form_options
@click.pass_context
def command(context: click.Context, form: str, *, as_json: bool) -> None:
    """List, show and compare presets; without a word: list.

    \b
    examples:
      agentspec preset list
      agentspec preset show repair
      agentspec preset diff ./house.yaml ./house-2.yaml
    """
    if context.invoked_subcommand is None:
        context.invoke(list_all, folder=None, form=form, as_json=as_json)


@command.command("list")
@click.argument("folder", required=False)
@form_options
def list_all(folder: str | None, form: str, *, as_json: bool) -> None:
    """The built-in presets, those of locked libraries, and those in the files of FOLDER, by default the project."""
    found = list_presets(Path(folder) if folder else _project())
    if as_json or form == "json":
        print_json(found)
        return
    width = min(WIDEST, max(len(each["written"]) for each in found))
    for each in found:
        print(one_line(f"{each['written']:{width}}  {each['description'] or ''}".rstrip()))


@command.command(
    "show", help=f"What a preset says, with what it extends, and where each value comes from.\n\n{NAME_HELP}"
)
@click.argument("name")
@form_options
def show(name: str, form: str, *, as_json: bool) -> None:
    """Print one preset."""
    found = show_preset(name, _project())
    if as_json or form == "json":
        print_json(found)
        return
    for line in _shown(found):
        print(one_line(line))


@command.command(
    "diff", help=f"What B says otherwise than A, and what that changes in the specs that extend A.\n\n{AB_HELP}"
)
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.argument("paths", metavar="[SPEC...]", nargs=-1, type=click.Path())
@form_options
def diff(before: str, after: str, paths: tuple[str, ...], form: str, *, as_json: bool) -> None:
    """Print what would change."""
    found = diff_presets(before, after, _project(), list(map(Path, paths)))
    if as_json or form == "json":
        print_json(found)
        return
    for line in _told(found):
        print(one_line(line))


def _project() -> Path:
    """The project folder, as it is reached from the working directory."""
    return Path(os.path.relpath(project_folder(Path.cwd())))


def _shown(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['written']}: {found['description'] or 'a preset'}"
    if found["extends"]:
        yield f"extends: {', '.join(found['extends'])}"
    for name, each in found["inputs"].items():
        default = "required" if each["required"] else f"default {_json(each['default'])}"
        yield f"input {name}: {each['type']}, {default}"
    yield from value_lines(found["spec"], found["origins"])


def _told(found: dict[str, Any]) -> Iterator[str]:
    a, b = found["a"]["written"], found["b"]["written"]
    yield f"{a} → {b}" if found["changes"] else f"{a} and {b} say the same"
    yield from change_lines(found)
    if not found["specs"]:
        yield f"no spec here extends {a}"
    for spec in found["specs"]:
        yield f"{spec['spec']}:" if spec["changes"] or spec["problems"] else f"{spec['spec']}: nothing changes"
        yield from change_lines(spec)
        yield from (f"  error: {problem}" for problem in spec["problems"])


def change_lines(found: dict[str, Any]) -> Iterator[str]:
    """A line for each value that is another, and for each right."""
    for each in found["changes"]:
        yield from _changed(each["path"], each["a"], each["b"])
    yield from (f"  {line}" for line in changed_lines(found["authority"]))


def _changed(path: str, a: Any, b: Any) -> Iterator[str]:
    """One line; of texts of several lines those that are gone and those that are new."""
    before, after = (each.splitlines() if isinstance(each, str) else [] for each in (a, b))
    if not before or not after or len(before) == len(after) == 1:
        yield f"  {path}: {_value(a)} → {_value(b)}"
        return
    yield f"  {path}:"
    compared = list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]
    yield from (f"    {line[0]} {line[1:]}" for line in compared if not line.startswith("@@"))


def _value(value: Any) -> str:
    return "not set" if value is None else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
