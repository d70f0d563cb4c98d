"""expr: a tool that is one expression over its arguments.

No effect and no time of its own: the same arguments give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from agentspec.adapters.tools.programs.values import NotCarried, plain, text_of
from agentspec.core.messages import ToolError
from agentspec.core.schema.validate import compile_schema
from agentspec.errors import ExpressionError
from agentspec.ports import Invocation, Output


class Evaluated(Protocol):
    """A compiled expression."""

    def evaluate(self, names: Mapping[str, object]) -> object: ...


class ExprTool:
    """Evaluates `program` with `args`, `inputs` and `run`; `returns` is the JSON Schema of its result."""

    def __init__(self, program: Evaluated, returns: Mapping[str, Any] | None = None) -> None:
        self._program = program
        self._returns = compile_schema(returns, noun="key") if returns else None

    async def call(self, invocation: Invocation) -> Output:
        return self.compute(invocation)

    def compute(self, invocation: Invocation) -> Output:
        """See `ports.Instant`."""
        names = {"args": invocation.arguments, "inputs": invocation.inputs, "run": invocation.run}
        try:
            value = plain(self._program.evaluate(names))
        except ExpressionError as error:
            return _failed("expression", str(error))
        except NotCarried as error:
            return _failed("result", f"the expression gave no usable result: {error}")
        problems = self._returns.check(value) if self._returns else []
        if problems:
            return _failed("result", "the expression's result is not what `returns` says: " + "; ".join(problems))
        return Output(text=text_of(value), data=value)

    async def close(self) -> None: ...


def _failed(category: str, message: str) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message))
