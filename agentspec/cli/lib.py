"""lib: the command `agentspec lib`: what is done with the libraries that the specs of a project use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from agentspec.api.libraries.add import add_library
from agentspec.api.libraries.lock import LockReport, list_libraries, lock_libraries, verify_libraries
from agentspec.api.libraries.upgrade import upgrade_libraries
from agentspec.checker.formats.json import as_value
from agentspec.checker.report import file_name
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK
from agentspec.cli.runs import form_options
from agentspec.cli.terminal.say import print_json
from agentspec.cli.upgrades import change_value, due_lines, finding_lines, from_here, upgrade_lines, upgrade_values
from agentspec.text.visible import one_line


@click.group("lib")
def command() -> None:
    """Add, lock, verify, list and upgrade the libraries that the specs of a project use.

    Only `add`, `lock` and `upgrade` fetch anything; a check and a run read what is locked.

    \b
    examples:
      agentspec lib add triage.yaml ../platform
      agentspec lib lock
      agentspec lib verify
      agentspec lib upgrade --dry-run
    """


def _folder(function: Any) -> Any:
    return click.argument("folder", required=False, default=".", type=click.Path(exists=True, path_type=Path))(function)


@command.command("add")
@click.argument("spec")
@click.argument("source")
@click.option("--as", "alias", metavar="NAME", help="Its name in the spec; by default its own.")
@click.option("--version", metavar="RANGE", help="The versions that will do; by default what goes with the newest.")
@form_options
def add(spec: str, source: str, alias: str | None, version: str | None, form: str, *, as_json: bool) -> int:
    """Write the library of SOURCE into the `use` of SPEC, fetch and lock it.

    SOURCE is a folder, `git+https://host/repo.git@TAG`, or `installed:NAME`. Exit code 1: it could not be locked, and
    SPEC is what it was.
    """
    added = add_library(spec, source, alias, version)
    is_json = as_json or form == "json"
    if is_json:
        about = {"name": added.alias, "source": added.source, "version": added.version}
        print_json({"added": about, **_as_values(added.lock)})
    elif not added.lock.has_errors:
        print(one_line(f'{spec}: use: {{{added.alias}: {{source: "{added.source}", version: "{added.version}"}}}}'))
    for line in () if is_json else _told(added.lock):
        print(line)
    return EXIT_FINDINGS if added.lock.has_errors else EXIT_OK


@command.command("lock")
@_folder
@click.option(
    "--frozen", "is_frozen", is_flag=True, help="Only fetch what the lock names; exit 1 where it would change."
)
@click.option(
    "--accept-changed",
    is_flag=True,
    help="Also lock what means something else under the same version, and follow tags that were moved.",
)
@form_options
def lock(folder: Path, form: str, *, is_frozen: bool, accept_changed: bool, as_json: bool) -> int:
    """Choose the versions of the libraries that the specs of the project of FOLDER use, fetch and lock them.

    Exit code 1: something stands against it, and the lock is what it was.
    """
    report = lock_libraries(folder, accept_changed=accept_changed, is_frozen=is_frozen)
    if as_json or form == "json":
        print_json(_as_values(report))
    else:
        for line in _told(report):
            print(line)
    return EXIT_FINDINGS if report.has_errors else EXIT_OK


@command.command("verify")
@_folder
@form_options
def verify(folder: Path, form: str, *, as_json: bool) -> int:
    """Tell whether what specs use is locked, and each library there, whole, and what was locked; else exit code 1."""
    found = verify_libraries(folder)
    if as_json or form == "json":
        print_json([as_value(from_here(one)) for one in found])
    else:
        for line in finding_lines(found):
            print(line)
        if not found:
            print("every locked library is what was locked")
    return EXIT_FINDINGS if found else EXIT_OK


@command.command("list")
@_folder
@form_options
def list_all(folder: Path, form: str, *, as_json: bool) -> None:
    """The locked libraries of the project of FOLDER: versions, sources and exports."""
    found = list_libraries(folder)
    if as_json or form == "json":
        print_json(found)
        return
    for each in found:
        for line in _listed(each):
            print(one_line(line))
    if not found:
        print("no library is locked here")


@command.command("upgrade")
@click.argument("names", metavar="[LIBRARY...]", nargs=-1)
@click.option("--folder", default=".", type=click.Path(exists=True, path_type=Path), help="A folder of the project.")
@click.option("--accept-wider", is_flag=True, help="Take also what lets a spec do more than it could.")
@click.option("--major", "across_majors", is_flag=True, help="Take the newest version even of another major.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only tell what would change.")
@form_options
def upgrade(names: tuple[str, ...], folder: Path, form: str, *, as_json: bool, **options: bool) -> int:
    """Take the newest versions of all libraries of a project, or of those named as in `use`.

    Tells what changes in the effective specs that use them, and in what they may do. Exit code 1: a spec would no
    longer check, or may do more and `--accept-wider` is not given; nothing is written then.
    """
    report = upgrade_libraries(folder, names, **options)
    if as_json or form == "json":
        print_json(upgrade_values(report))
    else:
        for line in upgrade_lines(report, is_accepted=options["accept_wider"]):
            print(line)
    is_refused = report.is_broken or (report.is_wider and not options["accept_wider"])
    return EXIT_FINDINGS if is_refused else EXIT_OK


def _as_values(report: LockReport) -> dict[str, Any]:
    return {
        "lock": file_name(str(report.path)),
        "changed": report.is_changed and not report.has_errors,
        "libraries": [
            {"name": one.name, "version": one.version, "source": one.source, "commit": one.commit or None}
            for one in report.libraries
        ],
        "changes": [change_value(each) for each in report.changes],
        "diagnostics": [as_value(from_here(one)) for one in report.findings],
    }


def _told(report: LockReport) -> Iterator[str]:
    yield from finding_lines(report.findings)
    name = file_name(str(report.path))
    if report.has_errors:
        yield f"{name}: not written"
        return
    for one in report.libraries:
        yield one_line(f"{one.name} {one.version}  {one.source}{f' ({one.commit[:12]})' if one.commit else ''}")
    for each in report.changes:
        yield from map(one_line, due_lines(each))
    if not report.libraries:
        yield "no spec here uses a library"
    else:
        yield f"{name}: {'written' if report.is_changed else 'nothing changes'}"


def _listed(each: dict[str, Any]) -> Iterator[str]:
    commit = f" ({each['commit'][:12]})" if each["commit"] else ""
    state = "" if each["is_there"] else "  not there: `agentspec lib lock` fetches it"
    yield f"{each['name']} {each['version']}  {each['source']}{commit}{state}"
    for word in ("deprecated", "yanked"):
        if each.get(word):
            yield f"  {word}: {each[word]}"
    for kind, names in each["exports"].items():
        yield f"  {kind}: {', '.join(names)}"
    for name, wanted in each["requires"].items():
        yield f"  needs {name} {wanted}"
