"""denials: how a gate refuses a call: which gate it was, why, what would be allowed, and whether trying again helps."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.core.rulings import Refuse

SHOWN = 8  # names of what is allowed; more are no help
FOR_GOOD = "Trying again does not help."


def denied(gate: str, why: str, allowed: str = "") -> Refuse:
    """Refuse a call for good.

    >>> denied("ceiling", "its effect is `write`", "Allowed effects: `read`.").reason
    'refused by the ceiling: its effect is `write`. Allowed effects: `read`. Trying again does not help.'
    """
    words = " ".join(part for part in (f"refused by the {gate}: {why.rstrip('.')}.", allowed, FOR_GOOD) if part)
    return Refuse(words, category=gate.replace(" ", "_"))


def names(values: Iterable[str]) -> str:
    """Names in backticks, the first few of them; `nothing` where there are none.

    >>> names(["a", "b"]), names([])
    ('`a`, `b`', 'nothing')
    """
    listed = [f"`{value}`" for value in values]
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more if listed else "nothing"
