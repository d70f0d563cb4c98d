"""routed: several models as one: each request goes to the model of its route. It chooses none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from agentspec.core.messages import Failure, Reply
from agentspec.ports import Delta, Model, ModelRequest


class RoutedModel:
    """The models of a run's routes, by their numbers; whoever is no worker asks the first of them, the default."""

    def __init__(self, routes: Sequence[Model]) -> None:
        self.routes = routes
        self.provider = routes[0].provider
        self.name = routes[0].name

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        model = self.routes[request.route]
        answer = await model.answer(request, listen)
        return replace(answer, model=model.name) if isinstance(answer, Failure) and not answer.model else answer

    async def close(self) -> None:
        await close_all(self.routes)


async def close_all(models: Iterable[Model]) -> None:
    """Close each model once, however many routes it answers on."""
    for model in {id(model): model for model in models}.values():
        await model.close()
