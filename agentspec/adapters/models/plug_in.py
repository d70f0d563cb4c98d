"""plug_in: a model of a provider that another installed package offers (entry point `agentspec.providers`).

What the package does wrong is told with its name. While a run is on it is a failure of the call, never an exception.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from agentspec.adapters.models.followed import Followed
from agentspec.adapters.models.held import Held
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.wires.draft import keepable
from agentspec.adapters.models.wires.usage import MOST
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import Failure, Reply, Usage
from agentspec.core.models.replies import RawCall, estimate_tokens, settle_calls
from agentspec.core.transcript import bytes_of
from agentspec.errors import AgentSpecError, Unavailable
from agentspec.ports import Delta, Model, ModelRequest, ModelSettings, Provider
from agentspec.text.installed import PROVIDERS, Offer, offers

Answer = TypeVar("Answer", Reply, Failure)
FAULTS = (Exception, SystemExit)  # a package may not end the program that it is part of
WORTH_TELLING = 0.25  # seconds in which nothing else could be done: beyond that, other runs notice


class PlugInModel:
    """The model that a package has made for a run, held to what every model keeps."""

    def __init__(self, model: Model, settings: ModelSettings, package: str) -> None:
        self.provider = settings.provider
        self.name = settings.model or str(getattr(model, "name", ""))
        self._model = model
        self._timeout = settings.timeout
        self._witness = Witness(self.provider, self.name, f"the package `{package}`")
        self._followed = Followed()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Ask the package's model once, for no longer than the call may take."""
        left = self._timeout if request.deadline is None else min(self._timeout, request.deadline)
        held = Held()
        try:
            async with asyncio.timeout(left) as time:
                answer = await held.over(self._model.answer(request, _cleaning(listen)))
            answer = self._read(answer, request)
        except TimeoutError as problem:
            words = f"no answer within {left:g} s" if time.expired() else f"TimeoutError: {problem}"
            answer = self._witness.failure("timeout", words)
        except FAULTS as problem:  # somebody else's code, and a port raises nothing
            answer = self._witness.failure("bad_response", f"{type(problem).__name__}: {problem}", retryable=False)
        if held.longest > left:
            words = f"it let nothing else run for longer than its {left:g} s; it waits without `await`"
            answer = self._witness.failure("timeout", words, retryable=False)
        return replace(answer, held_ms=round(held.longest * 1000)) if held.longest > WORTH_TELLING else answer

    def _read(self, answer: object, request: ModelRequest) -> Reply | Failure:
        """What the package's model has returned, if it is what it should be."""
        try:
            match answer:
                case Failure():
                    failure = _kept(answer)
                    return replace(failure, provider=self.provider, model=failure.model or self.name)
                case Reply():
                    return self._witness.settle(self._settled(_kept(answer), request))
                case _:
                    words = f"it answers with `{type(answer).__name__}` in place of `Reply` or `Failure`"
        except (TypeError, ValueError, RecursionError) as problem:
            words = f"its `{type(answer).__name__}` can't be used: {problem}"
        return self._witness.failure("bad_response", words, retryable=False)

    async def close(self) -> None:
        """Let the package clean up; what goes wrong there changes nothing any more."""
        with contextlib.suppress(*FAULTS):
            await self._model.close()

    def _settled(self, reply: Reply, request: ModelRequest) -> Reply:
        """The reply with usable ids, and with an estimate where nobody counted."""
        raw = (RawCall(call.id, call.name, call.arguments) for call in reply.calls)
        position, followed = request.transcript.position, self._followed.to(request.transcript)
        calls, lost = settle_calls(raw, followed.ids, lambda number: f"call_{position}_{number}")
        usage = reply.usage
        counts = (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens)
        if usage == Usage() or not all(0 <= count < MOST for count in counts):
            written = bytes_of(reply.text) + sum(bytes_of(call.name + call.arguments) for call in calls)
            usage = Usage(estimate_tokens(followed.size), estimate_tokens(written), estimated=True)
        return replace(
            reply,
            calls=calls,
            lost=(*reply.lost, *lost),
            usage=usage,
            provider=self.provider,
            model=reply.model or self.name,
            finish="tool_calls" if calls and reply.finish == "stop" else reply.finish,
        )


def _kept(answer: Answer) -> Answer:
    """The answer as a journal can hold it. Raises `ValueError` or `TypeError` where a field is not of its type."""
    return msgspec.convert(keepable(msgspec.to_builtins(answer)), type(answer))


def _cleaning(listen: Callable[[Delta], None] | None) -> Callable[[Delta], None] | None:
    """The same listener, who hears nothing that can't be written."""
    return None if listen is None else lambda delta: listen(replace(delta, text=encodable(delta.text)))


def offered_providers() -> Mapping[str, Offer]:
    """The providers of installed packages by name; of two with one name the first. Reads the file system."""
    return {offer.name: offer for offer in reversed(offers(PROVIDERS))}


def load_provider(offer: Offer) -> Provider:
    """Import what a package offers. Raises `Unavailable` where that fails or gives nothing that can be called."""
    who = f"the provider `{offer.name}` of the package `{offer.package}`"
    try:
        provider = offer.load()
    except FAULTS as problem:
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
    except FAULTS as problem:
        raise Unavailable(f"{who} makes no model: {type(problem).__name__}: {problem}") from problem
    missing = [name for name in ("answer", "close") if not callable(getattr(model, name, None))]
    if missing:
        raise Unavailable(f"{who} makes a model without `{'` and `'.join(missing)}`")
    return PlugInModel(model, settings, offer.package)
