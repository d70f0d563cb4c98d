"""constants: parts of an expression that read no name, and their values."""

from __future__ import annotations

from functools import cache
from typing import Any

from agentspec.errors import ExpressionError
from agentspec.expressions.engine import cel
from agentspec.expressions.failures import outcome
from agentspec.expressions.functions import config, declarations
from agentspec.expressions.nodes import Call, Items, Name, Node, Pairs, walk


def is_constant(node: Node) -> bool:
    """Whether a part reads no name; a macro's own names count as names."""
    return all(not isinstance(part, Name | Items | Pairs) and _is_plain(part) for part in walk(node))


def _is_plain(part: Node) -> bool:
    return not isinstance(part, Call) or part.target is None or not isinstance(part.target, Name)


@cache
def _environment() -> Any:
    return cel().NewEnv(config=config(), functions=declarations(), variables={"pattern": cel().Type.STRING})


def evaluate_constant(text: str, data: dict[str, Any] | None = None) -> Any:
    """The value of an expression that reads no name, or the `ExpressionError` it ends in."""
    try:
        program = _environment().compile(text)
        return outcome(program.eval(data=data or {}))
    except ExpressionError as error:
        return error
    except (RuntimeError, TypeError, ValueError):
        return ExpressionError("it cannot be evaluated")
