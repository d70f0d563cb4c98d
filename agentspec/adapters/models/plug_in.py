"""plug_in: a model of a provider that another installed package offers (entry point `agentspec.providers`).

What the package does wrong is told with its name. While a run is on it is a failure of the call, never an exception.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.structs import replace

from agentspec.adapters.models.script import size_of
from agentspec.adapters.models.taken import TakenIds
from agentspec.adapters.models.witness import Witness
from agentspec.core.messages import Failure, Reply, Usage, bytes_of
from agentspec.core.replies import RawCall, estimate_tokens, settle_calls
from agentspec.errors import AgentSpecError, Unavailable
from agentspec.ports import Delta, Model, ModelRequest, ModelSettings, Provider
from agentspec.text.installed import PROVIDERS, Offer, offers


class PlugInModel:
    """The model that a package has made for a run, held to what every model keeps."""

    def __init__(self, model: Model, settings: ModelSettings, package: str) -> None:
        self.provider = settings.provider
        self.name = settings.model or str(getattr(model, "name", ""))
        self._model = model
        self._timeout = settings.timeout
        self._witness = Witness(self.provider, self.name, f"the package `{package}`")
        self._ids = TakenIds()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Ask the package's model once, for no longer than the call may take."""
        left = self._timeout if request.deadline is None else min(self._timeout, request.deadline)
        try:
            async with asyncio.timeout(left):
                answer = await self._model.answer(request, listen)
        except TimeoutError:
            return self._witness.failure("timeout", f"no answer within {left:g} s")
        except Exception as problem:  # noqa: BLE001 - somebody else's code, and a port raises nothing
            return self._witness.failure("bad_response", f"{type(problem).__name__}: {problem}", retryable=False)
        if isinstance(answer, Failure):
            return replace(answer, provider=self.provider, model=answer.model or self.name)
        if not isinstance(answer, Reply):
            words = f"it answers with `{type(answer).__name__}` in place of `Reply` or `Failure`"
            return self._witness.failure("bad_response", words, retryable=False)
        return self._witness.settle(self._settled(answer, request))

    async def close(self) -> None:
        """Let the package clean up; what goes wrong there changes nothing any more."""
        with contextlib.suppress(Exception):
            await self._model.close()

    def _settled(self, reply: Reply, request: ModelRequest) -> Reply:
        """The reply with usable ids, and with an estimate where nobody counted."""
        raw = (RawCall(call.id, call.name, call.arguments) for call in reply.calls)
        position = request.transcript.position
        calls, lost = settle_calls(raw, self._ids.of(request.transcript), lambda number: f"call_{position}_{number}")
        usage = reply.usage
        if usage == Usage():
            written = bytes_of(reply.text) + sum(bytes_of(call.name + call.arguments) for call in calls)
            usage = Usage(estimate_tokens(size_of(request)), estimate_tokens(written), estimated=True)
        return replace(
            reply,
            calls=calls,
            lost=(*reply.lost, *lost),
            usage=usage,
            provider=self.provider,
            model=reply.model or self.name,
            finish="tool_calls" if calls and reply.finish == "stop" else reply.finish,
        )


def offered_providers() -> Mapping[str, Offer]:
    """The providers of installed packages by name; of two with one name the first. Reads the file system."""
    return {offer.name: offer for offer in reversed(offers(PROVIDERS))}


def load_provider(offer: Offer) -> Provider:
    """Import what a package offers. Raises `Unavailable` where that fails or gives nothing that can be called."""
    who = f"the provider `{offer.name}` of the package `{offer.package}`"
    try:
        provider = offer.load()
    except Exception as problem:
        raise Unavailable(f"{who} can't be loaded: {type(problem).__name__}: {problem}") from problem
    if not callable(provider):
        raise Unavailable(f"{who} is no function that makes a model, but `{type(provider).__name__}`")
    made: Provider = provider
    return made


def plug_in_model(offer: Offer, settings: ModelSettings, project: Path) -> PlugInModel:
    """The model of a package's provider.

    Raises `Unavailable` where the package is broken, and what it raises itself in words for people: `Unavailable`,
    `SpecInvalid`.
    """
    provider = load_provider(offer)
    who = f"the provider `{offer.name}` of the package `{offer.package}`"
    try:
        model = provider(settings, project)
    except AgentSpecError:
        raise
    except Exception as problem:
        raise Unavailable(f"{who} makes no model: {type(problem).__name__}: {problem}") from problem
    missing = [name for name in ("answer", "close") if not callable(getattr(model, name, None))]
    if missing:
        raise Unavailable(f"{who} makes a model without `{'` and `'.join(missing)}`")
    return PlugInModel(model, settings, offer.package)
