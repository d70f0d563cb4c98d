"""structure: keys in the wrong place, twice, missing, beside one that excludes them; names that can't be names."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from agentspec.spec.describe import find
from agentspec.spec.schema import Node
from agentspec.syntax.read import parse
from agentspec.syntax.tree import Entry, Mapping, plain
from agentspec.text.source import Source
from tests.mutation.defect import Change, Kind, at, edited, put
from tests.mutation.sites import Key, Sites

SECTIONS = ("model", "execution", "capability", "lifecycle", "context", "observability")


def cut(sites: Sites, key: Key) -> tuple[int, int, str] | None:
    """The change that takes one entry away; None where that would leave nothing, or change more than that."""
    entries = key.holder.entries
    index = next(i for i, entry in enumerate(entries) if entry is key.entry)
    if len(entries) < 2 or len(sites.parsed.documents) > 1:
        return None
    is_last = index == len(entries) - 1
    start = entries[index - 1].span.end if is_last else key.entry.span.start
    end = key.entry.span.end if is_last else entries[index + 1].span.start
    change = (start, end, "")
    return change if start < end and _reads_without(sites, key, put(sites.text, (start, end), "")) else None


def _reads_without(sites: Sites, key: Key, text: str) -> bool:
    """Whether the text says the same, but for one key."""
    parsed = parse(Source(sites.parsed.source.name, text))
    tree = plain(sites.parsed.documents[0].root)
    *above, last = key.path
    holder: Any = tree
    for step in above:
        holder = holder[step]
    holder.pop(last, None)
    return not parsed.diagnostics and [plain(document.root) for document in parsed.documents] == [tree]


HEADS = ("scenario", "library")  # without it a document is one of another kind


def missing(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A key that has to be there, or the only one of several."""
    for key in sites.keys:
        code, change = _needed(key), cut(sites, key)
        if code is not None and change is not None:
            text, moved = edited(sites.text, change)
            told = key.above or next(entry.key.span for entry in key.holder.entries if entry is not key.entry)
            yield Change(text, (code,), moved(told.start), moved(told.start) + len(told.text))


def _needed(key: Key) -> str | None:
    name, present = key.entry.name, set(key.holder.names())
    if name in HEADS and not key.path[:-1]:
        return None
    is_partial = key.kind == "preset" and not any(isinstance(step, int) for step in key.path)
    if name in key.wanted.get("required", ()) and not is_partial:
        return "AS101"
    for word in ("oneOf", "anyOf"):
        group = {part["required"][0] for part in key.wanted.get(word, ()) if "required" in part}
        if group & present == {name} and not is_partial:
            return "AS104"
    return None


def twice(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The same key again, straight behind itself."""
    for key in sites.keys:
        behind = beside(sites, key, key.entry.span.text)
        if behind is not None and key.entry.operation == "set":
            start = key.entry.span.end + len(behind) - len(key.entry.span.text)
            end = start + len(key.entry.name)
            yield Change(put(sites.text, (key.entry.span.end,) * 2, behind), ("AS005",), start, end)


def beside(sites: Sites, key: Key, text: str) -> str | None:
    """An entry as it is written behind another one; None where that one is not written on a line of its own."""
    span = key.entry.span
    line = sites.text[sites.text.rfind("\n", 0, span.start) + 1 : span.start]
    if "\n" in span.text:
        return None
    if sites.parsed.spelling == "dsl":
        return f", {text}" if sites.text[key.entry.key.span.end :][:1] == ":" else None
    if key.holder.flow:
        return f", {text}"
    return f"\n{line.replace('-', ' ')}{text}" if not line.replace("-", "").strip() else None


def elsewhere(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A key of a section that stands in another section; the help names the right one."""
    root = sites.parsed.documents[0].root
    entries = root.entries if isinstance(root, Mapping) else []
    blocks = [(entry, block) for entry in entries if (block := _block(entry)) is not None]
    for key in sites.keys:
        for section, block in blocks:
            is_plain = len(key.path) == 2 and key.path[0] in SECTIONS and "\n" not in key.entry.span.text
            has_it = find((section.name, key.entry.name), key.kind)[0] is not None
            change = cut(sites, key) if is_plain and not has_it else None
            if change is not None:
                first = block.entries[0].key.span
                line = f"{key.entry.span.text}\n{' ' * (first.first.column - 1)}"
                text, moved = edited(sites.text, change, (first.start, first.start, line))
                start = moved(first.start) - len(line)
                yield Change(text, ("AS102",), start, start + len(key.entry.name), help=f"`{key.path[0]}")


def _block(entry: Entry) -> Mapping | None:
    value = entry.value
    if entry.name not in SECTIONS or not isinstance(value, Mapping) or value.flow or not value.entries:
        return None
    return value if value.entries[0].merged is None else None


def excluded(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """Two keys of which a mapping can have one: two kinds of a tool, two verbs of a rule."""
    for key in sites.keys:
        for other, line in _rivals(key):
            behind = beside(sites, key, line)
            if behind is not None:
                start = key.entry.span.end + len(behind) - len(line)
                yield Change(put(sites.text, (key.entry.span.end,) * 2, behind), ("AS103",), start, start + len(other))


RIVALS = {
    "expr": ("run", "run: [ls]"),
    "run": ("python", 'python: "a.b:c"'),
    "extend": ("stop", "stop: gave_up"),
    "stop": ("none", "none: true"),
    "veto": ("accept", "accept: true"),
    "command": ("url", 'url: "http://localhost:1/mcp"'),
}


def _rivals(key: Key) -> Iterator[tuple[str, str]]:
    rival = RIVALS.get(key.entry.name)
    groups = [group for word in ("oneOf", "allOf") for group in _groups(key.wanted, word)]
    if rival and any({key.entry.name, rival[0]} <= set(group) for group in groups):
        yield rival


def _groups(wanted: Node, word: str) -> Iterator[list[str]]:
    if word == "allOf":
        yield from (part["not"]["required"] for part in wanted.get("allOf", ()))
    elif "oneOf" in wanted:
        yield [branch["required"][0] for branch in wanted["oneOf"]]


def bad_name(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A name that the author gives, with a sign that no name can have."""
    for document in sites.parsed.documents:
        root = document.root
        tools = root.get("capability") if isinstance(root, Mapping) else None
        named = tools.get("tools") if isinstance(tools, Mapping) else None
        for entry in named.entries if isinstance(named, Mapping) else ():
            if entry.key.span.text == entry.name and sites.parsed.spelling == "yaml":
                yield at(sites.text, entry.key.span, f"{entry.name}!", "AS107")


STRUCTURE = (
    Kind("key that is missing", "structure", missing),
    Kind("key twice", "structure", twice),
    Kind("key in another section", "structure", elsewhere, "yaml"),
    Kind("key beside one that excludes it", "structure", excluded),
    Kind("name with a sign that names can't have", "structure", bad_name, "yaml"),
)
