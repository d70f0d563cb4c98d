"""assemble: from a spec's settings to the model that it asks for, and the texts that it is told. Calls nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.registry import choose_provider
from agentspec.compose.provider_tools import ProviderTool
from agentspec.errors import ExpressionError, NotFound, Unavailable
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import Scope, make_scope
from agentspec.expressions.template import parse_template
from agentspec.ports import ModelSettings
from agentspec.spec.catalogue import is_known, lacks, longest_answer, rung
from agentspec.spec.settings import Settings
from agentspec.syntax.read import read_text
from agentspec.syntax.within import within

SAMPLING = ("temperature", "top_p", "seed", "stop")


Names: TypeAlias = Mapping[str, Mapping[str, Any]]
DECLARED = "inputs as they are declared"  # beside the names: what kinds of numbers the inputs are


def model_settings(settings: Settings, names: Names) -> ModelSettings:
    """What the spec says about the model that answers; `${env.NAME}` is put in here and kept nowhere else."""

    def connection(text: str | None, key: str) -> str | None:
        return None if text is None else connection_text(text, key, names)

    given: Mapping[str, Any] = settings.get("model") or {}
    provider, model = given.get("provider", ""), given.get("model", "")
    if given.get("ladder"):
        provider, model = identify(given, os.environ)
        given = {**given, "provider": provider, "model": model}
    sampling = {name: given[name] for name in SAMPLING if given.get(name) is not None}
    stream = {True: True, False: False}.get(given.get("stream", "auto"))
    return ModelSettings(
        provider=provider,
        model=model,
        base_url=connection(given.get("base_url"), "model.base_url"),
        api_key_env=given.get("api_key_env"),
        headers={
            name: connection(text, f"model.headers.{name}") or "" for name, text in (given.get("headers") or {}).items()
        },
        options=dict(given.get("options") or {}),
        sampling=sampling | _max_output(given),
        reasoning=given.get("reasoning"),
        is_known_to_think=_is_known_to_think(given),
        longest_answer=_known_answer(provider, model),
        timeout=settings.seconds("model.timeout") or 120.0,
        idle_timeout=settings.seconds("model.idle_timeout") or 60.0,
        stream=stream,
        cache_ttl=cache_ttl(given.get("prompt_cache", "auto")),
        context_window=settings.whole("model.context_window"),
    )


def cache_ttl(written: Any) -> str | None:
    """How long a provider is to keep what it was sent (`model.prompt_cache`); None for not at all.

    >>> cache_ttl("auto"), cache_ttl({"ttl": "1h"}), cache_ttl("off")
    ('5m', '1h', None)
    """
    if isinstance(written, Mapping):
        return str(written.get("ttl", "5m"))
    return None if written == "off" else "5m"


def identify(model: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, str]:
    """The provider and the id of a model, by its settings as far as they are said. Nothing is opened.

    Raises `Unavailable` where no provider is configured, or the one that is has no rung on the ladder.
    """
    name = model.get("provider") or ("openai" if model.get("base_url") else choose_provider(environment))
    ladder, known = model.get("ladder"), PROVIDERS.get(name)
    found = model.get("model") or (rung(ladder, name) if ladder else None)
    if found is None and ladder and known is not None:
        raise Unavailable(f"the ladder `{ladder}` has no model of `{name}`: write `model.model` instead")
    return name, found or (known.model if known is not None else "")


def _is_known_to_think(given: Mapping[str, Any]) -> bool:
    """Looked up only where the answer matters: the table of models is large."""
    provider, model = given.get("provider", ""), given.get("model", "")
    if not isinstance(given.get("reasoning"), Mapping) or not provider or not model:
        return False
    return is_known(provider, model) and "reasoning" not in lacks(provider, model)


def _known_answer(provider: str, model: str) -> int | None:
    """Looked up only for a provider whose requests have to say how long an answer may be."""
    known = PROVIDERS.get(provider)
    return longest_answer(provider, model or known.model) if known is not None and known.is_bounded else None


def _max_output(given: Mapping[str, Any]) -> dict[str, Any]:
    most = given.get("max_output_tokens")
    return {"max_tokens": most} if most is not None else {}


def connection_text(text: str, key: str, names: Names) -> str:
    """A text of a connection with `${env.NAME}` put in, which is kept nowhere else. Raises `Unavailable`."""
    if "${" not in text:
        return text
    template = parse_template(text)
    later = sorted(name for name in template.names() if name.startswith("run.") and name[4:] not in names["run"])
    if later:
        raise Unavailable(f"`{key}` can't be filled in: `{later[0]}` is not known before the run has begun")
    try:
        return template.compile(PLACES["connection"], _scope(names)).render({**names, "env": os.environ})
    except ExpressionError as error:
        raise Unavailable(f"`{key}` can't be filled in: {error}") from None


def filled_tools(tools: Iterable[ProviderTool], names: Names) -> tuple[ProviderTool, ...]:
    """Tools that the provider runs, with `${env.NAME}` put into their options. Raises `Unavailable`."""

    def filled(value: Any, key: str) -> Any:
        match value:
            case str():
                return connection_text(value, key, names)
            case Mapping():
                return {name: filled(inner, f"{key}.{name}") for name, inner in value.items()}
            case list():
                return [filled(inner, key) for inner in value]
            case _:
                return value

    return tuple(ProviderTool(tool.type, filled(tool.options, f"{tool.type}.options")) for tool in tools)


def system_prompt(settings: Settings, names: Names, project: Path) -> str | None:
    """The system text with its inputs filled in, or None where the spec has none."""
    given: Any = settings.get("context.system")
    if isinstance(given, Mapping):
        given = _read_text(project, str(given.get("file")))
    return None if given is None else filled_in(given, names, "context.system")


def filled_in(text: str, names: Names, key: str) -> str:
    """A text of the spec for the model, with its inputs and what is known of the run. Raises `Unavailable`."""
    try:
        return parse_template(text).compile(PLACES["prompt"], _scope(names)).render(names)
    except ExpressionError as error:
        raise Unavailable(f"`{key}` can't be filled in: {error}") from None


def _scope(names: Names) -> Scope:
    """The types with which check has read the same texts."""
    return make_scope(inputs=names.get(DECLARED))


def _read_text(project: Path, name: str) -> str:
    try:
        return read_text(within(project, name))
    except NotFound as problem:
        raise NotFound(f"`context.system.file`: {problem}") from None
