"""keys: the keys that may be written at the cursor: none that is there already, or that one which is there excludes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.compose.project import MANIFESTS
from agentspec.lsp.completion.cursor import MARK, Cursor
from agentspec.lsp.completion.named import Place, keys_at, names_at
from agentspec.lsp.completion.offer import Offer, bounds, whole
from agentspec.lsp.completion.spelled import has_rules, key_text
from agentspec.lsp.completion.values import value_offers
from agentspec.lsp.keys import about
from agentspec.spec.describe import describe, find
from agentspec.spec.in_effect import is_in_effect
from agentspec.spec.schema import MARK as ANNOTATION
from agentspec.spec.schema import Form, form
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.structure.findings import exclusive_groups
from agentspec.syntax.tree import Mapping, Path
from agentspec.syntax.tree import find as node_at

HEADS = ("preset", "library", "scenario")  # of YAML; what has none of them is an agent
SCENARIO = (".scenario.yaml", ".scenario.yml", ".scenario.json")


def key_offers(cursor: Cursor) -> Iterator[Offer]:
    """The keys that could stand where the cursor is."""
    above, kind = cursor.path[:-1], _kind(cursor)
    node = find(above, kind)[0]
    at = form({}) if node is None else form(node)
    written = node_at(cursor.part.composed.document.root, above)
    taken = {name for name in written.names() if MARK not in name} if isinstance(written, Mapping) else set()
    if at.mapping is not None:
        yield from _known(cursor, above, at.mapping, kind, taken)
    elif at.sequence is not None:
        yield from _items(cursor, at, (*above, 0))
    if not above and not taken and kind == "agent":
        yield from (_key(cursor, (head,), head) for head in HEADS)
    own = (name for name in keys_at(Place(cursor.part, cursor.path)) if name not in taken)
    yield from (whole(cursor, name, "name", behind=": ") for name in own)


def _kind(cursor: Cursor) -> str:
    """The kind of the document; of one that does not say it yet, as its file is named."""
    root, file = cursor.part.composed.document.root, FilePath(cursor.part.sheet.path).name
    is_said = isinstance(root, Mapping) and not {"name", *HEADS}.isdisjoint(root.names())
    named = "scenario" if file.endswith(SCENARIO) else "library" if file in MANIFESTS else "agent"
    return cursor.part.composed.kind if is_said or cursor.part.sheet.parsed.spelling == "dsl" else named


def _known(cursor: Cursor, above: Path, mapping: Wanted, kind: str, taken: set[str]) -> Iterator[Offer]:
    """The keys of a mapping that the schema knows, or that name something."""
    record = mapping.get("else", mapping)
    excluded = {name for group in exclusive_groups(record) if not taken.isdisjoint(group) for name in group}
    for name in record.get("properties", {}):
        if name not in excluded - taken and describe((*above, name), kind) is not None:
            offer = _key(cursor, (*above, name), kind)
            if name not in taken or offer.label != name:  # the DSL has heads that may be begun again
                yield offer
    names = record.get("propertyNames", {}).get(ANNOTATION, {})
    if names.get("kind") == "reference":
        place = Place(cursor.part, cursor.path)
        yield from (whole(cursor, one, "name", behind=": ") for one in names_at(place, names["to"]) if one not in taken)


def _items(cursor: Cursor, at: Form, path: Path) -> Iterator[Offer]:
    """The items of a list that has to be begun: a dash in YAML, in the DSL the first word of a rule."""
    if cursor.part.sheet.parsed.spelling == "yaml":
        yield from (each._replace(text=f"- {each.text}") for each in value_offers(cursor, path))
    elif has_rules(at):
        yield whole(cursor, "when", "key", behind=" ")


def _key(cursor: Cursor, path: Path, kind: str) -> Offer:
    doc, is_known = describe(path, kind), is_in_effect(path, kind)
    assert doc is not None
    label, text = key_text(cursor, path, kind)
    detail = doc.type if is_known else f"{doc.type}; not yet in effect"
    rank = 0 if doc.required else 1 if is_known else 2
    return Offer(label, "key", text, *bounds(cursor), detail, "\n\n".join(about(doc)), rank)
