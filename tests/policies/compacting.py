"""compacting: runs whose conversation grows until something of it has to be left out."""

from typing import Any

from agentspec.core.orders import CallModel, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

WINDOW = 2_000
SHELF = "many old books and papers lie on it " * 10


def kernel_with(
    compaction: Any = "truncate", window: int | None = WINDOW, context: dict[str, Any] | None = None, **model: Any
) -> Kernel:
    execution = {"loop_until_done": True, "max_iterations": 99, "stall": False, **model.pop("execution", {})}
    known = {"provider": "script", "model": "m", "context_window": window, **model}
    plan = plan_for(
        {"model": known, "context": {"compaction": compaction, **(context or {})}, "execution": execution}, tool("look")
    )
    return Kernel(plan)


class Told:
    """What the event stream heard of compactions."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.events: list[dict[str, Any]] = []

    def take(self, event: str = "compacted") -> None:
        self.events += [note.fields for note in self.kernel.ordered(Note) if note.event == event]


def turn(kernel: Kernel, number: int, text: str = SHELF) -> None:
    kernel.reply(f"I look at shelf {number}.", call("look", f"c{number}", f'{{"shelf": {number}}}'))
    kernel.returned(f"c{number}", f"shelf {number}: {text}")


def turns_until_asked(kernel: Kernel, most: int = 40) -> int:
    """Turns until something else than the model is asked, or a compaction is made."""
    kernel.start("Find the book.")
    for number in range(most):
        turn(kernel, number)
        if kernel.state.is_over or kernel.state.view.cut or not kernel.ordered(CallModel):
            return number
    raise AssertionError("nothing was due")


def shown(kernel: Kernel) -> list[str]:
    return [message.text for message in kernel.state.shown]
