"""dresses: one spec written otherwise: other line ends, wide characters before everything, anchors, merges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from agentspec.syntax.tree import Mapping
from tests.mutation.corpus import Spec
from tests.mutation.defect import edited
from tests.mutation.sites import Sites, sites_of

SECTION = re.compile(r"^(model|execution|capability|lifecycle|context):\n((?:(?: .*)?\n)+)", re.MULTILINE)
HEAD = re.compile(r"\A(?:#.*\n|---\n)*")


def carriage_returns(sites: Sites) -> str:
    """Lines that end as on Windows."""
    return sites.text.replace("\n", "\r\n")


def emoji(sites: Sites) -> str:
    """A key with characters beyond the first plane of Unicode before every other of a mapping in braces."""
    at = {
        key.holder.span.start + 1
        for key in sites.keys
        if sites.text[key.holder.span.start] == "{" and "patternProperties" in key.wanted
    }
    behind = ", " if sites.parsed.spelling == "yaml" else " "
    text, _ = edited(sites.text, *((start, start, f' x-e: "é🎉"{behind}') for start in at))
    return f"# é🎉\n{text}"


def anchored(sites: Sites) -> str:
    """Every section is written at the top, and an alias stands where it belongs."""
    return _moved(sites, lambda name: f"{name}: *{name}\n")


def merged(sites: Sites) -> str:
    """Every section is written at the top, and merged where it belongs."""
    return _moved(sites, lambda name: f"{name}:\n  <<: *{name}\n")


def _moved(sites: Sites, reference: Callable[[str], str]) -> str:
    root = sites.parsed.documents[0].root if len(sites.parsed.documents) == 1 else None
    if not isinstance(root, Mapping) or sites.parsed.spelling != "yaml":
        return sites.text
    parts = [f"x-{found[1]}: &{found[1]}\n{found[2]}" for found in SECTION.finditer(sites.text)]
    rest = SECTION.sub(lambda found: reference(found[1]), sites.text)
    head = HEAD.match(rest)
    assert head is not None
    return rest[: head.end()] + "".join(parts) + rest[head.end() :]


DRESSES: tuple[Callable[[Sites], str], ...] = (carriage_returns, emoji, anchored, merged)


def dressed(specs: Iterable[Spec]) -> Iterator[Spec]:
    """Each spec in every dress that changes it; whether it is still valid is the asker's question."""
    for spec in specs:
        sites = sites_of(spec)
        for dress in DRESSES:
            text = dress(sites)
            if text != spec.text:
                yield spec._replace(name=f"{spec.name} ({dress.__name__})", text=text)
