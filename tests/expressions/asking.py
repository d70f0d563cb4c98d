"""asking: what a check says about an expression, short enough to stand in a table."""

from __future__ import annotations

from agentspec.expressions.compile import check_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.problem import Problem, apply
from agentspec.expressions.scope import EMPTY, Scope, make_scope

CALC = make_scope(
    parameters={
        "lhs": "number",
        "n": "integer",
        "name": "string",
        "flag": "boolean",
        "op": {"enum": ["add", "sub"]},
        "maybe": "number?",
        "perhaps": "boolean?",
        "note": {"type": "string", "optional": True},
        "tags": "string[]",
        "widths": "number[]",
        "free": "object",
        "anything": "any",
        "rows": {"items": {"fields": {"label": "string", "qty": "integer"}}},
        "box": {"fields": {"width": "number"}},
        "dry-run": "boolean",
    },
)


def ask(text: str, place: str = "loop_control.when", scope: Scope = EMPTY) -> list[Problem]:
    return check_expression(text, PLACES[place], scope)


def ask_tool(text: str, returns: object = None) -> list[Problem]:
    scope = CALC if returns is None else CALC._replace(returns=make_scope(returns=returns).returns)
    return check_expression(text, PLACES["tools.expr"], scope)


def short(text: str, problems: list[Problem]) -> list[tuple[str, str, str, str | None, str | None]]:
    """Each problem as code, marked text, message, help, and the text after its fix."""
    return [
        (
            found.code,
            text[found.start : found.end],
            found.message,
            found.help,
            apply(text, found.edits) if found.edits else None,
        )
        for found in problems
    ]
