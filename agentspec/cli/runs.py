"""runs: the command `agentspec runs`: list, show, export and delete the runs of a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.kept import existing_store, story
from agentspec.api.workspace import workspace
from agentspec.cli.terminal.say import print_json
from agentspec.cli.terminal.told import told
from agentspec.cli.usage import Usage
from agentspec.runtime.ends import STATUSES
from agentspec.runtime.journal import decode
from agentspec.syntax.written import EXPORT, require_free
from agentspec.text.suggest import nearest
from agentspec.text.visible import visible

T = TypeVar("T")
FILTERS = (
    ("session", None, "Only runs of this session."),
    ("user", None, "Only runs of this user."),
    ("tenant", None, "Only runs of this tenant."),
    ("status", "WORD", "Only runs that ended so, or are `running` or `crashed`."),
    ("since", "DATE", "Only runs that started on this day or later, `2026-01-31`."),
)


def _choose(context: click.Context, _: click.Parameter, folder: str | None) -> None:
    if folder is not None:
        context.obj = folder


def store_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--store`, which may stand behind `runs` and behind its words."""
    help_ = "The folder that keeps the runs, instead of the project's `.agentspec`."
    return click.option("--store", metavar="FOLDER", expose_value=False, callback=_choose, help=help_)(command)


def form_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--format`, and `--json` for short, as the other commands have it."""
    as_json = click.option("--json", "as_json", is_flag=True, help="The same as `--format json`.")
    form = click.option(
        "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
    )
    return form(as_json(command))


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which runs are listed."""
    for name, metavar, help_ in reversed(FILTERS):
        command = click.option(f"--{name}", metavar=metavar, help=help_)(command)
    return command


@click.group("runs", invoke_without_command=True)
@filter_options
@store_option
@form_options
@click.pass_context
def command(context: click.Context, /, form: str, *, as_json: bool, **filters: str | None) -> None:
    """List, show, export and delete runs; without a word: list.

    \b
    examples:
      agentspec runs
      agentspec runs --status crashed
      agentspec runs show 20260131-101500-1f0c9a2b
    """
    if context.invoked_subcommand is None:
        context.invoke(list_runs, form=form, as_json=as_json, **filters)
        return
    given = next((name for name, value in filters.items() if value is not None), None)
    if given is not None:
        word = context.invoked_subcommand
        raise click.UsageError(
            f"`--{given}` stands behind `list`: `agentspec runs list --{given} …`, not before `{word}`"
        )


@command.command("list")
@filter_options
@form_options
@store_option
@click.pass_obj
def list_runs(store: str | None, /, form: str, *, as_json: bool, **filters: str | None) -> None:
    """The runs, newest first."""
    wanted: dict[str, Any] = dict(filters)
    wanted["session_id"] = wanted.pop("session", None)
    wanted["since"] = _moment(wanted.get("since"))
    found = _with_store(store, lambda kept: _listed(kept, wanted))
    if as_json or form == "json":
        print_json(found)
        return
    for line in found:
        print(visible(_head(line, 20)))


@command.command("show")
@click.argument("run")
@form_options
@store_option
@click.pass_obj
def show(store: str | None, run: str, form: str, *, as_json: bool) -> None:
    """What a run did, turn by turn."""
    if as_json or form == "json":
        line, trace = _with_store(store, lambda kept: story(kept, run))
        print_json({**line, "trace": trace})
        return
    line, records = _with_store(store, lambda kept: (kept.find_run(run), kept.read_run(run)))
    began = f"{datetime.fromtimestamp(line['started_at'], UTC):%Y-%m-%d %H:%M:%S} UTC"
    for text in (_head(line), f"started: {began}", *told(map(decode, records))):
        print(visible(text))


@command.command("export")
@click.argument("run")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead of standard output.")
@click.option("--format", "form", type=click.Choice(["json"]), default="json", hidden=True)
@store_option
@click.pass_obj
def export(store: str | None, run: str, output: str | None, form: str) -> None:  # noqa: ARG001 - one form so far
    """The journal of a run as JSON lines, each with a checksum."""
    if output is not None:
        require_free(Path(output), EXPORT)
    lines = _with_store(store, lambda kept: list(kept.export_run(run)))
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        click.echo(text, nl=False)
    else:
        Path(output).write_text(text, encoding="utf-8")


@command.command("delete")
@click.argument("run")
@store_option
@click.pass_obj
def delete(store: str | None, run: str) -> None:
    """Forget a run, and the artifacts that only it names."""
    _with_store(store, lambda kept: kept.delete_run(run))


def _with_store(store: str | None, use: Callable[[SqliteStore], T]) -> T:
    async def go() -> T:
        async with workspace() as shared:
            return use(existing_store(store, Path.cwd(), shared))

    return asyncio.run(go())


def _moment(day: str | None) -> float | None:
    if day is None:
        return None
    try:
        found = datetime.fromisoformat(day)
    except ValueError:
        raise click.UsageError(f"`--since {day}` is no date: write it like `2026-01-31`") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _listed(kept: SqliteStore, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of the runs that are wanted. A spec may end runs with words of its own, so the store's count too."""
    status = wanted.get("status")
    if status is not None and status not in STATUSES:
        known = dict.fromkeys([*STATUSES, *(line["status"] for line in kept.list_runs())])
        if status not in known:
            near = nearest(status, known)
            listed = ", ".join(f"`{word}`" for word in known)
            raise Usage(
                f"`--status`: there is no status `{status}`",
                (f"did you mean `{near[0]}`? " if near else "") + f"known are {listed}",
            )
    return kept.list_runs(**wanted)


def _head(line: dict[str, Any], width: int = 0) -> str:
    ended = f"({line['stop_reason']})" if line.get("stop_reason") else ""
    return f"{line['run_id']}  {line['status']:{width}}  {line['spec']}  {ended}".rstrip()
