"""scopes: what the declarations of a tool add to the expressions inside it."""

from __future__ import annotations

from agentspec.expressions.scope import Scope, make_scope
from agentspec.syntax.tree import Mapping, plain


def tool_scope(tool: Mapping) -> Scope:
    """The types of `args` and of the result. A tool without `parameters` takes none."""
    parameters, returns = tool.get("parameters"), tool.get("returns")
    return make_scope(
        parameters={} if parameters is None else plain(parameters),
        returns=None if returns is None else plain(returns),
    )
