"""adapter: the project's model adapter in the bare loop of the floors; no kernel, no policies, no journal."""

from __future__ import annotations

import json
from collections.abc import Callable

from work import MODEL, SYSTEM, TASK, TOOL, lookup, main

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.core.messages import AssistantMessage, Reply, SystemMessage, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, Model, ModelRequest, ModelSettings, ToolSchema

SCHEMA = ToolSchema("lookup", str(TOOL["function"]["description"]), TOOL["function"]["parameters"])  # type: ignore[index]


class Adapter:
    async def open(self) -> None:
        self.client = HttpClient()

    def model(self, base_url: str) -> Model:
        settings = ModelSettings(provider="openai", model=MODEL, base_url=base_url)
        return make_model(settings, {"OPENAI_API_KEY": "bench"}, self.client)

    async def loop(self, base_url: str, result: int) -> int:
        functions: dict[str, Callable[..., str]] = {"lookup": lambda key: lookup(key, result)}
        model = self.model(base_url)
        transcript = Transcript([SystemMessage(SYSTEM), UserMessage(TASK)])
        turns = 0
        while True:
            reply = await model.answer(ModelRequest(transcript, (SCHEMA,)), None)
            assert isinstance(reply, Reply), reply
            transcript = transcript.append(AssistantMessage(reply.text, reply.calls))
            turns += 1
            if not reply.calls:
                return turns
            for call in reply.calls:
                text = functions[call.name](**json.loads(call.arguments))
                transcript = transcript.append(ToolMessage(call.id, call.name, text))

    async def stream(self, base_url: str) -> int:
        pieces = 0

        def hear(_: Delta) -> None:
            nonlocal pieces
            pieces += 1

        reply = await self.model(base_url).answer(ModelRequest(Transcript([UserMessage(TASK)])), hear)
        assert isinstance(reply, Reply), reply
        return pieces

    async def close(self) -> None:
        await self.client.close()


if __name__ == "__main__":
    main(Adapter())
