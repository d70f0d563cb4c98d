"""pure: a tool that is one function of its arguments. No effect, no clock, no chance; the same call gives the same.

Every text that goes in is bounded, since a function holds the interpreter while it works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.programs.values import NotCarried, plain, text_of
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output

LONGEST = 1 << 20  # characters of one text


class Unfit(ValueError):
    """A call that has no answer; `str()` is the sentence that the model reads."""


class Shown(NamedTuple):
    """A value with words of its own for the model."""

    text: str
    data: Any


class Pure(NamedTuple):
    """One helper as the language fixes it; `parameters` in shorthand."""

    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., Any]


class PureTool:
    """Calls `function` with the arguments by their names; an `Unfit` that it raises becomes the error of the call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    async def call(self, invocation: Invocation) -> Output:
        return self.compute(invocation)

    def compute(self, invocation: Invocation) -> Output:
        """See `ports.Instant`."""
        try:
            require_texts(invocation.arguments)
            found = self._function(**invocation.arguments)
            shown = found if isinstance(found, Shown) else None
            data = plain(shown.data if shown else found)
        except (Unfit, NotCarried) as problem:
            return Output(status="error", error=ToolError(category="value", message=str(problem)))
        return Output(text=shown.text if shown else text_of(data), data=data)

    async def close(self) -> None: ...


def require_texts(arguments: Mapping[str, Any]) -> None:
    """Raise `Unfit` for a text that is too long, or that UTF-8 has no bytes for."""
    for name, value in arguments.items():
        if not isinstance(value, str):
            continue
        if len(value) > LONGEST:
            raise Unfit(f"`{name}` has {len(value)} characters; at most {LONGEST} are taken")
        if encodable(value) != value:
            raise Unfit(f"`{name}` holds half of a surrogate pair, which is no character")


def pure_toolkit(family: str, tools: Mapping[str, Pure], options: Mapping[str, Any], setting: Setting) -> Offered:
    """The helpers of a family that the options leave."""
    made = [
        KitTool(name, tool.description, tool.parameters, PureTool(tool.function), is_concurrent=True)
        for name, tool in tools.items()
    ]
    return offer(family, made, options, setting)


def parameter(kind: str, description: str, **limits: Any) -> dict[str, Any]:
    """A parameter in shorthand: `parameter("integer?", "How many.", minimum=1)`."""
    return {"type": kind, "description": description, **limits}


def choice(words: Iterable[str], description: str, default: str | None = None) -> dict[str, Any]:
    """A parameter that is one of some words."""
    form: dict[str, Any] = {"enum": list(words), "description": description}
    return form if default is None else {**form, "default": default}
