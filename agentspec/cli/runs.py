"""runs: the command `agentspec runs`: list, show, export and delete the runs of a store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.kept import existing_store, story
from agentspec.api.workspace import workspace
from agentspec.text.visible import visible

T = TypeVar("T")


def _choose(context: click.Context, _: click.Parameter, folder: str | None) -> None:
    if folder is not None:
        context.obj = folder


def store_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--store`, which may stand behind `runs` and behind its words."""
    help_ = "The folder that keeps the runs, instead of the project's `.agentspec`."
    return click.option("--store", metavar="FOLDER", expose_value=False, callback=_choose, help=help_)(command)


@click.group("runs", invoke_without_command=True)
@store_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.pass_context
def command(context: click.Context, form: str) -> None:
    """List, show, export and delete runs; without a word: list.

    \b
    examples:
      agentspec runs
      agentspec runs list --status crashed
      agentspec runs show 20260131-101500-1f0c9a2b
    """
    if context.invoked_subcommand is None:
        context.invoke(list_runs, form=form)


@command.command("list")
@click.option("--session", help="Only runs of this session.")
@click.option("--user", help="Only runs of this user.")
@click.option("--tenant", help="Only runs of this tenant.")
@click.option("--status", help="Only runs that ended so, or are `running` or `crashed`.")
@click.option("--since", metavar="DATE", help="Only runs that started on this day or later, `2026-01-31`.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@store_option
@click.pass_obj
def list_runs(store: str | None, /, form: str, **filters: str | None) -> None:
    """The runs, newest first."""
    wanted: dict[str, Any] = dict(filters)
    wanted["session_id"] = wanted.pop("session", None)
    wanted["since"] = _moment(wanted.get("since"))
    found = _with_store(store, lambda kept: kept.list_runs(**wanted))
    if form == "json":
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for line in found:
        print(visible(f"{line['run_id']}  {line['status']:20}  {line['spec']}  {_ended(line)}"))


@command.command("show")
@click.argument("run")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@store_option
@click.pass_obj
def show(store: str | None, run: str, form: str) -> None:
    """What a run did, turn by turn."""
    line, trace = _with_store(store, lambda kept: story(kept, run))
    if form == "json":
        print(json.dumps({**line, "trace": trace}, ensure_ascii=False, indent=2))
        return
    print(visible(f"{line['run_id']}  {line['status']}  {line['spec']}  {_ended(line)}"))
    for step in trace:
        print(visible("  " + "  ".join(f"{name}={_short(value)}" for name, value in step.items())))


@command.command("export")
@click.argument("run")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead of standard output.")
@click.option("--format", "form", type=click.Choice(["json"]), default="json", hidden=True)
@store_option
@click.pass_obj
def export(store: str | None, run: str, output: str | None, form: str) -> None:  # noqa: ARG001 - one form so far
    """The journal of a run as JSON lines, each with a checksum."""
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


def _ended(line: dict[str, Any]) -> str:
    return f"({line['stop_reason']})" if line.get("stop_reason") else ""


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n")
    return text if len(text) <= 160 else f"{text[:160]}…"
