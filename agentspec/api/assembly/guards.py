"""guards: refuse to run where a spec limits what is not enforced yet, or wants Python that nobody has allowed.

To take such a key and act as if it were not there would be worse than not to start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from agentspec.adapters.tools.sandbox.enclose import NoWall, choose
from agentspec.adapters.tools.sandbox.ladder import Ladder, find_ladder
from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.equip import require_worlds
from agentspec.api.assembly.walls import mode_of
from agentspec.compose.project import SETTINGS_FILE, is_trusted, read_settings
from agentspec.compose.project import Settings as ProjectSettings
from agentspec.compose.provider_tools import obstacle, provider_tools
from agentspec.core.calls.denials import names
from agentspec.core.calls.layers import layers_of
from agentspec.core.calls.matching import is_named
from agentspec.core.offer.native import PLACE, obstacles, search_asked
from agentspec.errors import NotAllowed, SpecInvalid
from agentspec.spec.functions import functions_of
from agentspec.spec.routes import models_of, providers_of
from agentspec.spec.settings import Settings
from agentspec.syntax.written import EVENTS, RECEIPTS, why_not


def require_allowed(blueprint: Blueprint) -> None:
    """Raise where the run could not keep to its spec, or nobody has allowed what it needs."""
    settings, project = blueprint.settings, blueprint.folder
    require_worlds(settings, project)
    require_sandbox(settings)
    require_sinks(settings, project)
    require_python(settings, project, is_allowed=blueprint.allow_python)


def require_model(settings: Settings) -> None:
    """Raise `NotAllowed` where a model that answers is beyond the ceiling; a script stands for no model."""
    ceiling = settings.get("capability.ceiling") or {}
    for asked in models_of(settings.get("model")):
        provider, model = str(asked.get("provider") or ""), str(asked.get("model") or "")
        for key, name in (("providers", provider), ("models", model)):
            allowed = ceiling.get(key)
            if allowed is not None and name and provider != "script" and not is_named(name, allowed):
                beyond = f"`{name}` is beyond `capability.ceiling.{key}` ({names(allowed)})"
                raise NotAllowed(f"{beyond}: nothing was started")


def require_search(settings: Settings) -> None:
    """Raise `NotAllowed` where the provider is to search for tools, and can't do it as it is asked to."""
    asked = search_asked(settings)
    if asked is not None and asked.get("mode") == "native":
        for why in obstacles(settings.get("model"), asked):
            raise NotAllowed(f"`{PLACE}.mode` is `native`, but {why}; nothing was started")


def require_provider_tools(settings: Settings) -> None:
    """Raise `NotAllowed` where the provider is to run tools that it does not have."""
    for index, tool in enumerate(provider_tools(settings.get("capability.provider_tools"))):
        why = obstacle(tool, providers_of(settings.get("model")))
        if why is not None:
            raise NotAllowed(f"`capability.provider_tools[{index}]`: {why}; nothing was started")


def require_sandbox(settings: Settings, ladder: Callable[[], Ladder] = find_ladder) -> None:
    """Raise `NotAllowed` where programs must have a sandbox and this machine has none that holds."""
    if mode_of(settings) != "workspace" or not _starts_programs(settings):
        return
    try:
        choose(Wall((), mode="workspace"), ladder())
    except NoWall as problem:
        raise NotAllowed(f"{problem}; nothing was started") from None


def _starts_programs(settings: Settings) -> bool:
    tools = (settings.get("capability.tools") or {}).values()
    kits = settings.get("capability.toolkits") or ()
    rules = settings.get("execution.verify_completion") or ()
    return (
        any("run" in tool for tool in tools)
        or any(kit == "command" or "command" in kit for kit in kits)
        or any("command" in rule for rule in rules)
    )


def require_sinks(settings: Settings, project: Path) -> None:
    """Raise `NotAllowed` where what a run leaves behind would go over a file of another kind."""
    sinks = [
        (each["jsonl"], EVENTS) for each in settings.get("observability.events") or () if isinstance(each, Mapping)
    ]
    layers = layers_of(settings, "audit_log")
    sinks += [(layer.says["path"], RECEIPTS) for layer in layers if layer.says.get("path")]
    for name, kind in sinks:
        why = why_not(project / name, kind)
        if why:
            raise NotAllowed(f"{why}; nothing was started")


def require_python(settings: Settings, project: Path, *, is_allowed: bool) -> None:
    """Raise `NotAllowed` where a rule is a Python function that neither the caller nor the project lets run.

    Raises `SpecInvalid` where the settings of the project, which would say so, have errors.
    """
    functions = [] if is_allowed else list(functions_of(settings.values))
    asked = read_settings(project) if functions else ProjectSettings()
    if asked.findings:
        raise SpecInvalid(f"`{SETTINGS_FILE}` does not check", asked.findings)
    for path, function in functions:
        if not is_trusted(function, asked.trust):
            package = function.partition(":")[0].partition(".")[0]
            raise NotAllowed(
                f"`{path}` is Python (`{function}`), which nobody has allowed: start the run with `--allow-python` "
                f"(`allow_python=True`), or trust the package in `{SETTINGS_FILE}`: "
                f'`[python]`, `trust = ["{package}"]`; nothing was started'
            )
