"""preset: what a document extends, resolved into layers, the lowest first.

Each document is a layer once, at its lowest place, however many ways lead to it. What cannot be resolved is a finding
at the item of `extends` and is left out; nothing here raises for an author's mistake.
"""

from __future__ import annotations

import json
from collections.abc import Sequence as Items
from functools import partial
from typing import NamedTuple

from agentspec.compose.bind import MOST_ADDED, Absent, bind
from agentspec.compose.diamond import Branch, Ident, Part, look_for_diamonds
from agentspec.compose.documents import items_of
from agentspec.compose.files import Files, is_builtin
from agentspec.compose.findings import finding
from agentspec.compose.given import given_values, passed_on
from agentspec.compose.groups import alone
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.origin import Layer
from agentspec.compose.reference import PRESETS, Target, find_target
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, plain
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

NOT_INHERITED = frozenset(
    (
        *("name", "preset", "library", "scenario", "extends", "description", "version"),
        *("use", "trust", "deprecated", "yanked"),
    )
)
"""Top-level keys that say something of their own document only."""

MOST_SHOWN = 8  # steps of a circle
MOST_DEPTH = 64
MOST_DOCUMENTS = 1000


class Extended(NamedTuple):
    """The layers below a document, lowest first, and whether all that it extends was found and read.

    `lists` are the `extends` of several items on the way, each as the branches that it brings.
    """

    layers: list[Layer]
    findings: list[Diagnostic]
    is_complete: bool
    lists: list[list[Branch]]


class _Hop(NamedTuple):
    target: Target
    item: Span  # the item of its `extends` that is being followed


class _Use(NamedTuple):
    reference: Scalar
    given: Mapping | None


class Instead(NamedTuple):
    """Another document in the place of one, wherever a composition extends it: what would be if a preset changed.

    What the other one extends itself is left as it is: a new preset may build on the old one.
    """

    document: Document
    target: Target


def resolve(target: Target, files: Files, instead: Instead | None = None) -> Extended:
    """All that a document extends, as layers."""
    resolver = _Resolver(files, instead)
    resolver.folder = target.folder
    parts = resolver.below(target, {}, ())
    return Extended([part.layer for part in parts], resolver.findings, resolver.is_complete, resolver.lists)


class _Resolver:
    """One resolution: what was found so far. Documents with the same values are expanded once."""

    def __init__(self, files: Files, instead: Instead | None) -> None:
        self.files = files
        self.instead = instead
        self.folder = ""  # of the document that is composed
        self.findings: list[Diagnostic] = []
        self.is_complete = True
        self.lists: list[list[Branch]] = []
        self._expanded: dict[tuple[Ident, str], tuple[Part, ...]] = {}

    def below(self, target: Target, values: dict[str, Node], trail: tuple[_Hop, ...]) -> list[Part]:
        """What the document extends, each part once."""
        branches: list[Branch] = []
        parts: dict[tuple[Ident, str], Part] = {}
        for item in items_of(target.root.get("extends")):
            branch = self._branch(item, target, values, trail)
            if branch is None:
                self.is_complete = False
                continue
            branches.append(branch)
            for part in branch.parts:
                parts.setdefault((part.ident, part.given), part)
        if len(branches) > 1:
            self.lists.append(branches)
        self.findings.extend(look_for_diamonds(branches, target.root))
        return list(parts.values())

    def _branch(self, item: Node, target: Target, values: dict[str, Node], trail: tuple[_Hop, ...]) -> Branch | None:
        use = _use(item)
        if use is None:
            return None
        found = find_target(use.reference, target, self.files)
        if isinstance(found, Diagnostic):
            self.findings.append(found)
            return None
        hops = (*trail, _Hop(target, use.reference.span))
        found = self._current(found, hops)
        problem = self._circle(found, hops) or found.problem(use.reference.span)
        if problem is not None:
            self.findings.append(problem)
        if found.is_own_file and is_builtin(PRESETS, str(use.reference.value)):
            self.findings.append(_hidden(use.reference, found))
        if found.is_broken:
            self.is_complete = False
        if problem is not None and problem.code == "AS403":
            return None
        given = None if use.given is None else self._given(use.given, found, target, values)
        return Branch(use.reference.span, str(use.reference.value), self._expand(found, given, use, hops))

    def _current(self, found: Target, hops: tuple[_Hop, ...]) -> Target:
        """What stands in the place of a document."""
        new = self.instead
        is_old = new is not None and found.document is new.document
        if new is None or not is_old or any(hop.target.document is new.target.document for hop in hops):
            return found
        return new.target

    def _circle(self, found: Target, hops: tuple[_Hop, ...]) -> Diagnostic | None:
        start = next((index for index, hop in enumerate(hops) if hop.target.ident == found.ident), None)
        if start is not None:
            return _circle(hops[start:])
        if len(hops) > MOST_DEPTH or len(self._expanded) >= MOST_DOCUMENTS:
            limit = f"at most {MOST_DEPTH} deep and {MOST_DOCUMENTS} documents"
            return finding("AS403", hops[0].item, f"`extends` leads too far: {limit}", path=("extends",))
        return None

    def _expand(self, found: Target, given: Node | None, use: _Use, hops: tuple[_Hop, ...]) -> tuple[Part, ...]:
        key = (found.ident, json.dumps(plain(given), sort_keys=True) if given is not None else "")
        if key not in self._expanded:
            values = given_values(found, given, use.reference.span, self.findings)
            below = [*self._bounds(found, hops), *self.below(found, values, hops)]
            layer = Layer(found.layer, alone(self._inherited(found, values)), found.document, found.library)
            self._expanded[key] = (*below, Part(*key, layer))
        return self._expanded[key]

    def _bounds(self, found: Target, hops: tuple[_Hop, ...]) -> list[Part]:
        """The ceiling of a library, where this document leads into it."""
        if not found.library or found.library == hops[-1].target.library:
            return []
        from agentspec.compose.libraries.find import ceiling_part  # noqa: PLC0415 - few specs use libraries

        return ceiling_part(found.library, self.files)

    def _bound(self, node: Node, values: dict[str, Node]) -> Node:
        oversize: list[Scalar] = []
        bound = bind(node, values, oversize)
        for text in oversize[:1]:
            message = f"the inputs make this preset longer by more than {MOST_ADDED} characters"
            self.findings.append(finding("AS418", text.span, message, help="give it shorter values, or use them less"))
        return bound

    def _given(self, node: Mapping, found: Target, asking: Target, values: dict[str, Node]) -> Node:
        """The values that are passed on; what has become too long is unknown from there on."""
        is_inherited = partial(self._may_have_input, asking)
        node = passed_on(node, found, declared_inputs(asking.root), is_inherited, self.findings)
        told = len(self.findings)
        bound = self._bound(node, values)
        if len(self.findings) == told:
            return bound
        unknown = [Entry(key=entry.key, value=Broken(span=entry.value.span)) for entry in node.entries]
        return Mapping(entries=unknown, span=node.span)

    def _may_have_input(self, target: Target, name: str) -> bool:
        """Whether a document has an input from what it builds on: only agents hand theirs on."""
        seen, left = {target.ident}, [target]
        while left:
            asking = left.pop()
            uses = filter(None, map(_use, items_of(asking.root.get("extends"))))
            for found in (find_target(use.reference, asking, self.files) for use in uses):
                if isinstance(found, Diagnostic) or found.is_broken:
                    return True  # nobody knows
                if found.kind == "agent" and name in declared_inputs(found.root):
                    return True
                if found.ident not in seen:
                    seen.add(found.ident)
                    left.append(found)
        return False

    def _inherited(self, found: Target, values: dict[str, Node]) -> Mapping:
        """What a document hands on: without the keys that are its own, with its inputs bound."""
        own = NOT_INHERITED | ({"inputs"} if found.kind == "preset" else set())
        kept = [entry for entry in found.root.entries if entry.name not in own]
        own_part = Mapping(entries=kept, span=found.root.span)
        root = self._bound(with_files(own_part, found, self.files, self.findings, self.folder), values)
        assert isinstance(root, Mapping)
        return root if found.kind == "preset" or not values else _without_inputs(root, values)


def _circle(hops: Items[_Hop]) -> Diagnostic:
    """The finding for a circle. It begins at its first place, whoever leads into it: one circle is one finding."""
    first = min(range(len(hops)), key=lambda index: (hops[index].item.source.name, hops[index].item.start))
    circle = (*hops[first:], *hops[:first])
    shown = [hop.target.shown for hop in circle]
    if len(shown) > MOST_SHOWN:
        shown[MOST_SHOWN - 1 : -1] = ["…"]
    related = tuple(Related(hop.item, f"`{hop.target.shown}` extends this") for hop in circle[1:MOST_SHOWN])
    message = f"`extends` goes in a circle: {' → '.join((*shown, shown[0]))}"
    help_ = "take one of these steps out"
    return finding("AS403", circle[0].item, message, path=("extends",), help=help_, related=related)


def _hidden(reference: Scalar, found: Target) -> Diagnostic:
    message = f"`{found.shown}` is the one of this file here, not the built-in preset of that name"
    related = (Related(found.document.span, "this one"),)
    help_ = "give it another name where the built-in preset is meant"
    return finding("AS409", reference.span, message, path=("extends",), help=help_, related=related)


def _use(item: Node) -> _Use | None:
    """A reference and what it is given; None for a form that the structural check reports."""
    match item:
        case Scalar(value=str()):
            return _Use(item, None)
        case Mapping():
            reference, given = item.get("use"), item.get("with")
            if isinstance(reference, Scalar) and isinstance(reference.value, str):
                return _Use(reference, given if isinstance(given, Mapping) else None)
    return None


def _without_inputs(root: Mapping, given: dict[str, Node]) -> Mapping:
    """The layer without the declarations of inputs that it was given."""
    inputs = root.get("inputs")
    if not isinstance(inputs, Mapping):
        return root
    left = Mapping(entries=[entry for entry in inputs.entries if entry.name not in given], span=inputs.span)
    entries = [Entry(key=e.key, value=left) if e.name == "inputs" else e for e in root.entries]
    return Mapping(entries=entries, span=root.span)


def with_files(root: Mapping, target: Target, files: Files, found: list[Diagnostic], folder: str) -> Mapping:
    """What a document says, with what it takes from the files of libraries, for one that is composed in a folder."""
    if not target.library and target.root.get("use") is None:
        return root
    from agentspec.compose.libraries.inside import with_library_files  # noqa: PLC0415 - few specs use libraries

    return with_library_files(root, target, files, found, folder)


def own_root(target: Target) -> Mapping:
    """The mapping of the document that is composed itself. A preset's inputs have no value then but their defaults;
    a slot of one that has none stays as it is written.
    """
    if target.kind != "preset":
        return target.root
    values: dict[str, Node] = {
        name: declared.default or Absent(value=None, span=declared.span)
        for name, declared in declared_inputs(target.root).items()
        if not declared.is_required
    }
    root = bind(target.root, values)
    assert isinstance(root, Mapping)
    return root
