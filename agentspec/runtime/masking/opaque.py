"""opaque: what of an answer only its maker understands, without secrets: what it knows the parts by stays as it is.

It knows no secret and no pattern: how texts and names are read is told to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.text.blanks import HIDDEN, Reads

# Fields by which a provider tells the parts of an answer and knows them again.
TOLD_BY = frozenset(
    (
        *("type", "id", "role", "status", "call_id", "tool_use_id", "name", "model", "phase"),
        *("signature", "thoughtSignature", "encrypted_content", "data"),
    )
)


class Opaque(NamedTuple):
    """How contents and names are read, the names whose values are hidden, and the ids of calls that have new ones.

    >>> Opaque(str.upper, str, frozenset(), {"c1": "c2"}).of({"type": "text", "text": "a", "id": "c1"})
    {'type': 'text', 'text': 'A', 'id': 'c2'}
    """

    text: Reads
    name: Reads
    hidden: frozenset[str]
    renamed: Mapping[str, str]

    def of(self, value: Any) -> Any:
        match value:
            case str():
                return self.renamed.get(value) or self.text(value)
            case Mapping():
                return {self._named(name): self._part(name, inside) for name, inside in value.items()}
            case list() | tuple():
                return [self.of(inside) for inside in value]
            case _:
                return value

    def _part(self, name: str, inside: Any) -> Any:
        if name in self.hidden:
            return HIDDEN
        return self._named(inside) if name in TOLD_BY and isinstance(inside, str) else self.of(inside)

    def _named(self, name: str) -> str:
        return self.renamed.get(name) or self.name(name)
