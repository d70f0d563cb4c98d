"""meant: the words that a finding offers where a name is unknown. Only names that can be used at that very place."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.text.alphabet import look_alikes
from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Span
from agentspec.text.suggest import nearest

SHOWN = 8  # a longer list is no help


def way_out(name: str, known: Iterable[str], what: str) -> tuple[str | None, str | None]:
    """The name that was likely meant (or None), and the sentence that helps."""
    names = sorted(set(known))
    near = nearest(name, names)
    if near:
        return near[0], f"did you mean `{near[0]}`?{look_alikes(name, near[0])}"
    if not names:
        return None, None
    listed = ", ".join(f"`{one}`" for one in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return None, f"{what}: {listed}{more}"


def rename(span: Span, old: str, new: str | None) -> Fix | None:
    """The fix that writes the name that was meant, in the quotes that stand there."""
    if new is None:
        return None
    start = span.text.find(old)
    if start < 0:
        return None
    return Fix(f"rename to `{new}`", (Edit(span.part(start, start + len(old)), new),))
