"""shadowed: a second model is asked the same, for comparison. What it says is recorded with the answer, and never used.

Both are asked at once, and the answer waits for both. Where the first fails, the second is called back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec.structs import replace

from agentspec.core.messages import Failure, Mirrored, Reply
from agentspec.ports import Delta, Model, ModelRequest


class ShadowedModel:
    """A model whose requests are mirrored where they say so (`is_mirrored`)."""

    def __init__(self, model: Model, shadow: Model) -> None:
        self.provider = model.provider
        self.name = model.name
        self._model = model
        self._shadow = shadow

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        if not request.is_mirrored or request.begun:  # what one has begun is not another's to go on with
            return await self._model.answer(request, listen)
        mirror = asyncio.create_task(self._mirrored(request))
        try:
            answer = await self._model.answer(request, listen)
            return answer if isinstance(answer, Failure) else replace(answer, mirrored=await mirror)
        finally:
            mirror.cancel()

    async def _mirrored(self, request: ModelRequest) -> Mirrored:
        began = time.monotonic()
        try:
            answer = await self._shadow.answer(request, None)
        except Exception as error:  # noqa: BLE001 - whatever it does, the run goes on without it
            answer = Failure(category="bad_response", message=f"{type(error).__name__}: {error}"[:500])
        ms = round((time.monotonic() - began) * 1000)
        seen = Mirrored(self._shadow.provider, self._shadow.name, text=answer.text, usage=answer.usage, ms=ms)
        if isinstance(answer, Failure):
            return replace(seen, error=answer.category, message=answer.message)
        return replace(seen, calls=answer.calls)

    async def close(self) -> None:
        await self._model.close()
        await self._shadow.close()
