"""kept: the runs that a store keeps: find them, tell what they did, derive them again. Nothing here acts."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.blueprint import WRITTEN_BY
from agentspec.api.assembly.equip import equip
from agentspec.api.assembly.journaled import blueprint_from, lost_part
from agentspec.api.assembly.run_names import names_from
from agentspec.api.running import known_of
from agentspec.api.workspace import Workspace, workspace
from agentspec.compose.project import project_folder, state_folder
from agentspec.core.events import RunStarted
from agentspec.errors import JournalError, NotAllowed, NotFound, ReplayDiverged
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import decode, require_format
from agentspec.runtime.resume import compare, decisions
from agentspec.runtime.tally import Tally
from agentspec.text.paths import is_file

DATABASE = "runs.db"
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")  # RFC 3986, 3.1


def existing_store(store: str | os.PathLike[str] | None, project: Path, shared: Workspace) -> SqliteStore:
    """The store of a project that has one. Raises `NotFound`, saying where it looked."""
    path = home_of(store, project_folder(project)) / DATABASE
    if not is_file(path):
        way_out = "name the folder that keeps them with `--store`, or its project's with `project=` in Python"
        raise NotFound(f"no runs are kept in `{path.parent}`; {way_out}")
    return shared.store(path)


def home_of(store: str | os.PathLike[str] | None, project: Path) -> Path:
    """The folder that keeps the runs. Raises `NotAllowed` for an address: only folders keep runs today."""
    if store is None:
        return state_folder(project)
    if SCHEME.match(os.fspath(store)):
        raise NotAllowed(f"`{store}` is no folder, and runs are kept in folders only; name one, such as `--store runs`")
    return Path(store).absolute()


def first_record(records: list[JournalRecord], run_id: str) -> RunStarted:
    if not records:
        raise JournalError(f"the run `{run_id}` died before its first record: nothing of it was done, start it again")
    require_format(records[0])
    started = decode(records[0])
    if not isinstance(started, RunStarted):
        raise JournalError(f"the journal of `{run_id}` does not begin with the start of a run")
    return started


def story(store: SqliteStore, run_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The line of a run in its store, and what it did turn by turn. Reads only; works while the run goes on."""
    tally = Tally()
    for record in store.read_run(run_id):
        tally.take(decode(record))
    return store.find_run(run_id), tally.trace or []


class Replay(NamedTuple):
    """A journal that leads to the decisions which it holds.

    `steps` is how many were compared. Where this very version wrote the journal (`same_version`) the words were
    compared as well; of another version's, calls, numbers and ends.

    >>> Replay(steps=2, same_version=True, written_by="agentspec 1.0").steps
    2
    """

    steps: int
    same_version: bool
    written_by: str  # the program that wrote the journal, with its version


async def replay(
    run_id: str, *, project: str | os.PathLike[str] = ".", store: str | os.PathLike[str] | None = None
) -> Replay:
    """Fold a run's journal again and compare every decision with the one that it holds.

    `project` is the folder of its project, or one in it; `store` the folder that keeps it, where that is elsewhere.
    Needs no network and runs no tool. Raises `ReplayDiverged` with both sides at the first difference, `NotFound`
    where there is no such run, `JournalError` where its journal can't be trusted.

    >>> import asyncio
    >>> from agentspec import replay, run_sync
    >>> ended = run_sync("examples/two-agents/team.agent#greeter")
    >>> asyncio.run(replay(ended.run_id, project="examples/two-agents")).steps
    2
    """
    async with workspace() as shared:
        records = existing_store(store, Path(project), shared).read_run(run_id)
        started = first_record(records, run_id)
        blueprint = blueprint_from(started.plan)
        settings = blueprint.settings
        equipment = equip(settings, Path(blueprint.project), names_from(blueprint, started), known_of(blueprint))
        plan = blueprint.plan(equipment.plans)
        written_by = str(started.plan.get("written_by"))
        is_same = written_by == WRITTEN_BY
        try:
            steps = compare(plan, records) if is_same else compare(plan, records, decisions)
        except ReplayDiverged as diverged:
            lost = lost_part(blueprint)
            why = f"; `{lost}` is blanked in the journal, and would have decided with what it held" if lost else ""
            raise ReplayDiverged(f"{diverged}{why}") from None
        return Replay(steps, is_same, written_by)
