"""begin: a run out of its blueprint, in a journal that nothing is written to yet. Nothing is asked or called."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from agentspec.adapters.mcp.servers import Servers
from agentspec.adapters.models.tokenizer import counted
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.guards import require_allowed
from agentspec.api.assembly.journaled import masked
from agentspec.api.assembly.models import Models
from agentspec.api.assembly.run_names import names_of, new_run_id
from agentspec.api.assembly.servers import catalogue_as_json, connect
from agentspec.api.assembly.session import used_before
from agentspec.api.assembly.tables import has_tables, read_tables
from agentspec.api.options import RunOptions
from agentspec.api.running import ALONE, Part, Running
from agentspec.core.calls.cap import encodable
from agentspec.core.events import RunStarted
from agentspec.core.messages import Message


async def begin(
    blueprint: Blueprint,
    session: str | None,
    task: Callable[[Names], str],
    opening: Callable[[Names], tuple[Message, ...]],
    options: RunOptions,
    models: Models,
    store: SqliteStore,
    part: Part = ALONE,
) -> Running:
    run_id = part.run_id or new_run_id()
    session_id = encodable(session or run_id)
    now = time.time()
    names: Names = names_of(blueprint, run_id, session_id, "", now)
    names = {**names, "run": {**names["run"], "task": task(names)}}
    project = blueprint.folder
    if blueprint.settings.get("capability.mcp"):  # a server is a program: nothing is started that may not run
        require_allowed(blueprint)
    if has_tables(blueprint.settings):
        blueprint.tables = await asyncio.to_thread(read_tables, blueprint.settings, project, names)
    servers, tools = await connect(blueprint.settings, project, names, store.artifacts.put, options.notice, part.lender)
    blueprint.catalogue = catalogue_as_json(tools)
    try:
        return _begin(blueprint, names, opening(names), options, models, store, servers, part)
    except BaseException:
        if servers is not None:
            await servers.close()
        raise


def _begin(
    blueprint: Blueprint,
    names: Names,
    opening: tuple[Message, ...],
    options: RunOptions,
    models: Models,
    store: SqliteStore,
    servers: Servers | None,
    part: Part,
) -> Running:
    """The run, with a journal that nothing is written to yet."""
    run_id, session_id = names["run"]["id"], names["run"]["session_id"]
    now = names["run"]["started_at"].timestamp()
    is_shared = blueprint.settings.text("execution.limits.scope") == "session"
    before = used_before(store, session_id) if is_shared else None
    about = {"spec": blueprint.name, "session_id": session_id, "started_at": now}
    journal = store.create_run(run_id, about | ({"parent": part.parent} if part.parent else {}))
    try:
        running = Running(blueprint, names, options, journal, models, store, servers, part)
        model = blueprint.settings.get("model") or {}
        started = RunStarted(
            at=now,
            run_id=run_id,
            session_id=session_id,
            opening=running.mask.opening(opening),
            spec_name=blueprint.name,
            spec_hash=blueprint.spec_hash,
            plan=masked(blueprint, running.mask),
            before=before,
            counted=counted(str(model.get("provider")), str(model.get("model")), opening),
        )
        running.first = [started]
        return running
    except BaseException:
        journal.close()
        store.delete_run(run_id)
        raise
