"""reading: the values of one composed document by their paths, and what of them can be relied on.

A value of the wrong type reads as None: shape has reported it, and no rule derives anything from it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from pathlib import Path as FilePath
from typing import Any, TypeVar

from agentspec.checker.questions.file_texts import file_texts
from agentspec.checker.scalars import number_of, seconds_of, text_of, texts_of
from agentspec.spec.structure.shape import Mark
from agentspec.syntax.tree import (
    Broken,
    Entry,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    dotted,
    find,
    holder,
    plain,
    walk,
)
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span

PROFILES = "stdlib/profiles/"  # the folder whose documents only hold what a spec leaves open
UNKNOWN_KEY = "AS102"

Asked = TypeVar("Asked", bound="Reading")
Answer = TypeVar("Answer")


def answered_once(question: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """A question about a document that is answered once, however many rules ask it."""

    @wraps(question)
    def ask(subject: Asked) -> Answer:
        if question not in subject.kept:
            subject.kept[question] = question(subject)
        answer: Answer = subject.kept[question]
        return answer

    return ask


def texts_in(nodes: list[tuple[Path, Node]]) -> list[tuple[Path, Scalar, str]]:
    """The texts among some nodes."""
    scalars = [(path, node, node.value) for path, node in nodes if isinstance(node, Scalar)]
    return [(path, node, value) for path, node, value in scalars if isinstance(value, str)]


class Reading:
    """One document after composition. `kind` is `agent`, `preset`, `library` or `scenario`.

    `source` is the file of the document; parts of the tree may come from others. `marks` are the nodes whose meaning
    the schema knows. `errors` were found before: nothing is derived from what is wrong. `is_whole` is false where some
    part could not be read or resolved: then nothing is unknown, missing or unused for certain. `agents` are the agents
    of the same file.
    """

    def __init__(
        self,
        root: Mapping,
        kind: str,
        project: FilePath,
        source: Source,
        *,
        marks: tuple[Mark, ...] = (),
        errors: tuple[Diagnostic, ...] = (),
        is_whole: bool = True,
        agents: dict[str, bool] | None = None,
    ) -> None:
        self.root = root
        self.written = root  # as it is without the values of inputs, where those were put in
        self.kind = kind
        self.project = project
        self.source = source
        self.marks = marks
        self.errors = errors
        self.is_whole = is_whole
        self.agents = agents or {}  # of its file, each with whether it calls agents itself
        self._at: dict[Path, Node | None] = {(): root}  # many rules ask for the same places
        self.kept: dict[object, Any] = {}  # what rules have found out once, by who found it

    @cached_property
    def nodes(self) -> list[tuple[Path, Node]]:
        """Every node of the document with its path, parents first."""
        return list(walk(self.root))

    @cached_property
    def texts(self) -> list[tuple[Path, Scalar, str]]:
        """Every text of the document, with its path and its node."""
        return texts_in(self.nodes)

    @property
    def written_texts(self) -> list[tuple[Path, Scalar, str]]:
        """Every text as the author wrote it, without the values of inputs."""
        return self.texts if self.written is self.root else texts_in(list(walk(self.written)))

    @cached_property
    def file_texts(self) -> list[tuple[Path, Scalar, str]]:
        """The texts for models that stand in files of the project, as `texts` has those of the document."""
        found = file_texts(self.root, self.project) if self.kind == "agent" else ()
        return [(path, node, str(node.value)) for path, node in found]

    @cached_property
    def expressions(self) -> list[tuple[Path, Scalar, str]]:
        """Every expression that is written as a text, with its path and its node."""
        marked = [mark for mark in self.marks if mark.annotation.get("kind") == "expression"]
        nodes = [(mark.path, mark.node) for mark in marked if isinstance(mark.node, Scalar)]
        return [(path, node, node.value) for path, node in nodes if isinstance(node.value, str)]

    def at(self, *path: str | int) -> Node | None:
        """The node at a path, or None where the document has none."""
        known = self._at
        if path not in known:
            above = self.at(*path[:-1])
            known[path] = None if above is None else find(above, path[-1:])
        return known[path]

    def entry(self, *path: str | int) -> Entry | None:
        """The entry that stands at a path of a mapping, key and value."""
        above = self.at(*path[:-1])
        last = path[-1]
        return above.entry(last) if isinstance(above, Mapping) and isinstance(last, str) else None

    def text(self, *path: str | int) -> str | None:
        """The string at a path."""
        return text_of(self.at(*path))

    def number(self, *path: str | int) -> float | None:
        """The number at a path; a boolean is none, nor is one that may not stand there."""
        return None if self._is_refused(path) else number_of(self.at(*path))

    def seconds(self, *path: str | int) -> float | None:
        """The duration at a path, in seconds."""
        return None if self._is_refused(path) else seconds_of(self.at(*path))

    def _is_refused(self, path: Path) -> bool:
        return bool(self.errors) and dotted(path) in self._refused

    @cached_property
    def _refused(self) -> frozenset[str]:
        return frozenset(error.path for error in self.errors if error.code.startswith("AS2"))

    def flag(self, *path: str | int) -> bool | None:
        """The boolean at a path."""
        node = self.at(*path)
        return node.value if isinstance(node, Scalar) and isinstance(node.value, bool) else None

    def items(self, *path: str | int) -> list[tuple[Path, Node]]:
        """The items of the list at a path, each with its own path."""
        node = self.at(*path)
        items = node.items if isinstance(node, Sequence) else []
        return [((*path, index), item) for index, item in enumerate(items)]

    def words(self, *path: str | int) -> tuple[str, ...]:
        """The strings at a path, one or several."""
        one = self.text(*path)
        return tuple(str(each.value) for each in texts_of(self.at(*path))) if one is None else (one,)

    def values(self, *path: str | int) -> dict[str, Any]:
        """The mapping at a path as plain values; an empty one where none stands there."""
        node = self.at(*path)
        values = plain(node) if isinstance(node, Mapping) else None
        return values if isinstance(values, dict) else {}

    def entries(self, *path: str | int) -> list[Entry]:
        """The entries of the mapping at a path, without those that were unset."""
        node = self.at(*path)
        entries = node.entries if isinstance(node, Mapping) else []
        return [entry for entry in entries if entry.operation != "unset"]

    def span(self, *path: str | int) -> Span:
        """Where to point for a path: its value where it is a scalar, else its key, else the nearest part above."""
        node = self.at(*path)
        entry = self.entry(*path) if path else None
        if entry is not None and not isinstance(node, Scalar):
            return entry.key.span
        if node is not None:
            return node.span
        return self.span(*path[:-1])

    def key(self, *path: str | int) -> Span:
        """The key that stands at a path, where there is one."""
        entry = self.entry(*path)
        return self.span(*path) if entry is None else entry.key.span

    def is_own(self, span: Span) -> bool:
        """Whether a place is in the document's own file, not in one that it builds on."""
        return span.source.name == self.source.name

    def is_authored(self, *path: str | int) -> bool:
        """Whether a value was written in a spec, a preset or on the command line, and not by a profile."""
        node = self.at(*path)
        is_default = self.kind == "agent" and node is not None and node.span.source.name.startswith(PROFILES)
        return node is not None and not is_default

    def is_sound(self, *path: str | int) -> bool:
        """Whether no error was found at or below a path, and everything there could be read."""
        return not self._has_broken(path) and not (self.errors and self._has_error_below(dotted(path)))

    def _has_broken(self, above: Path) -> bool:
        broken = self._broken_paths
        return bool(broken) and any(path[: len(above)] == above for path in broken)

    @cached_property
    def _broken_paths(self) -> list[Path]:
        return [path for path, node in self.nodes if isinstance(node, Broken)]

    def _has_error_below(self, above: str) -> bool:
        paths = self._error_paths
        for start in (above, f"{above}.", f"{above}["):
            at = bisect_left(paths, start)
            if at < len(paths) and (paths[at] == above if start == above else paths[at].startswith(start)):
                return True
        return False

    @cached_property
    def _error_paths(self) -> list[str]:
        return sorted(error.path for error in self.errors)

    @cached_property
    def _unknown_keys(self) -> frozenset[str]:
        return frozenset(error.path for error in self.errors if error.code == UNKNOWN_KEY)

    @cached_property
    def _having_unknown_keys(self) -> frozenset[str]:
        return frozenset(map(holder, self._unknown_keys))

    def has_all(self, *path: str | int) -> bool:
        """Whether what a mapping doesn't have is certainly absent: no key of it is unknown or broken."""
        node = self.at(*path)
        is_broken = isinstance(node, Mapping) and any(isinstance(entry.value, Broken) for entry in node.entries)
        return not is_broken and not (self._unknown_keys and dotted(path) in self._having_unknown_keys)

    def is_unknown(self, path: Path) -> bool:
        """Whether shape knows no such key."""
        return dotted(path) in self._unknown_keys

    def references(self, to: str) -> Iterator[tuple[Path, Scalar, str]]:
        """Every place whose schema says that it names a `tool`, a `provider`, a `route`: path, node and name."""
        yield from self._references.get(to, ())

    @cached_property
    def _references(self) -> dict[str, list[tuple[Path, Scalar, str]]]:
        found: dict[str, list[tuple[Path, Scalar, str]]] = {}
        for mark in self.marks:
            name = text_of(mark.node) if mark.annotation.get("kind") == "reference" else None
            if name is not None and isinstance(mark.node, Scalar) and "${" not in name:
                found.setdefault(str(mark.annotation.get("to")), []).append((mark.path, mark.node, name))
        return found
