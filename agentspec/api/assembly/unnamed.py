"""unnamed: what a spec asks about who the run acts for, where nobody was named: rows and rules that then fit nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

EXPRESSIONS = ("where", "when", "until")  # keys whose text is an expression; elsewhere one stands in `${…}`
ASKED = re.compile(r"\bidentity\.(user|roles|tenant)\b")
FILLED = re.compile(r"\$\{[^}]*\bidentity\.(user|roles|tenant)\b[^}]*\}")


def unnamed(capability: Mapping[str, Any]) -> Iterator[str]:
    """A line for each name that is asked for and was not given, with the first place that asks.

    >>> list(unnamed({"resources": {"orders": {"where": "row.owner == identity.user"}}}))
    ['`capability.resources.orders.where` asks for `identity.user`, and nobody is named: `--identity user=…`']
    """
    if "identity." not in str(capability):  # mostly nobody asks, and the walk would cost every run
        return
    known = capability.get("identity") or {}
    told = {name for name in ("user", "roles", "tenant") if known.get(name)}
    for path, name in _asked(capability, "capability"):
        if name not in told:
            told.add(name)
            yield f"`{path}` asks for `identity.{name}`, and nobody is named: `--identity {name}=…`"


def _asked(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            pattern = ASKED if path.rpartition(".")[2] in EXPRESSIONS else FILLED
            yield from ((path, name) for name in pattern.findall(value))
        case Mapping():
            for key, inner in value.items():
                yield from _asked(inner, f"{path}.{key}")
        case list():
            for index, inner in enumerate(value):
                yield from _asked(inner, f"{path}[{index}]")
        case _:
            pass
