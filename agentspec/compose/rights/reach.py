"""reach: how far each tool, table, server and file reaches by its own settings, and whether other settings reach less.

Beside what `rights` knows by names: the rows that are seen, the request that is made, the arguments that are taken.
What cannot be put in an order reaches further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agentspec.compose.documents import items_of
from agentspec.compose.rights.narrow import amount
from agentspec.syntax.tree import Mapping, Node, Path, dotted, find, mappings, plain

Rule = Callable[[Node | None, Node | None], bool]
"""Whether the first setting reaches no further than the second one; None is a setting that is not there."""


class Reach(NamedTuple):
    """One setting of something that is there; `node` is None where it is not written."""

    node: Node | None
    path: Path
    rule: Rule


def fixed(new: Node | None, old: Node | None) -> bool:
    """Another one may be anything: a table, an address, a statement."""
    return _value(new) == _value(old)


def guard(new: Node | None, old: Node | None) -> bool:
    """It holds something back, and nobody can tell whether another one holds back as much."""
    return old is None or fixed(new, old)


def denied(new: Node | None, old: Node | None) -> bool:
    """A list of what is not reached."""
    return all(item in _items(new) for item in _items(old))


def listed(new: Node | None, old: Node | None) -> bool:
    """A list of what is reached, which is everything where there is none."""
    return old is None or (new is not None and opened(new, old))


def opened(new: Node | None, old: Node | None) -> bool:
    """What is reached in addition: items of a list, entries of a mapping, or a single value."""
    return all(item in _items(old) for item in _items(new))


def flag(new: Node | None, old: Node | None) -> bool:
    """A door that `true` opens."""
    return _value(new) is not True or _value(old) is True


def bound(new: Node | None, old: Node | None) -> bool:
    """The most of something."""
    most, before = amount(new), amount(old)
    return old is None or (most is not None and before is not None and most <= before)


def arguments(new: Node | None, old: Node | None) -> bool:
    """The parameters that a model fills: each one that is there was there, and took at least as much."""
    now, before = _value(new) or {}, _value(old) or {}
    return now == before or (
        isinstance(now, dict)
        and isinstance(before, dict)
        and all(name in before and _takes_less(_schema(now[name]), _schema(before[name])) for name in now)
    )


Rules = dict[Path, Rule]
TOOLKITS: Path = ("capability", "toolkits")
PROVIDER_TOOLS: Path = ("capability", "provider_tools")
CALLS = ("model", "execution", "context")
"""The sections that hold calls of models."""
OF_TABLES: Rules = {
    ("url",): fixed,
    ("table",): fixed,
    ("where",): guard,
    ("columns", "read"): listed,
    ("columns", "write"): opened,
    ("defaults",): guard,
    ("audit",): guard,
}
OF_ACTIONS: Rules = {("sql",): fixed, ("parameters",): arguments}
OF_TOOLS: dict[str, Rules] = {  # by their kind, those whose arguments reach the world
    "run": {("parameters",): arguments},
    "python": {("parameters",): arguments},
    "external": {("parameters",): arguments},
    "http": {("http",): fixed, ("parameters",): arguments},
    "mcp": {("mcp",): fixed, ("parameters",): arguments},
}
OF_TOOLKITS: dict[str, Rules] = {
    "files.read": {("exclude",): denied},
    "web.fetch": {("private",): flag},
}
OF_SERVERS: Rules = {
    ("url",): fixed,
    ("env",): opened,
    ("cwd",): fixed,
    ("headers",): opened,
    ("auth",): opened,
    ("deny",): denied,
    ("pin",): lambda new, old: flag(old, new),  # what is pinned cannot become another tool
}
OF_PROVIDER_TOOLS: Rules = {("options",): fixed}
OF_MODELS: Rules = {("headers",): opened, ("options",): opened}
OF_RUNS: Rules = {
    ("capability", "identity"): fixed,
    ("capability", "sandbox", "memory"): bound,
    ("capability", "sandbox", "cpu_time"): bound,
    ("capability", "sandbox", "processes"): bound,
    ("observability", "events"): opened,
    ("observability", "otel", "content"): flag,
    ("observability", "redact", "patterns"): denied,
    ("observability", "redact", "keys"): denied,
    ("observability", "transcript_dir"): opened,
    ("observability", "report"): opened,
}
_WORDS = frozenset(("description", "title", "examples", "default", "optional"))
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
_LIMITS = {"maximum": 1, "maxLength": 1, "maxItems": 1, "minimum": -1, "minLength": -1, "minItems": -1}


def reach(tree: Mapping) -> dict[str, Reach]:
    """Every setting that says how far something reaches, by its name, also those that are not written.

    >>> from agentspec.syntax.yaml import parse
    >>> from agentspec.text.source import Source
    >>> spec = "capability: {toolkits: [{web.fetch: {private: true}}]}"
    >>> found = reach(parse(Source("a.yaml", spec)).documents[0].root)
    >>> [name for name, each in found.items() if each.node is not None]
    ['toolkits.web.fetch.private']
    """
    return {
        f"{owner}.{dotted(key)}" if key and owner else dotted(key) or owner: Reach(find(node, key), (*path, *key), rule)
        for owner, path, node, rules in _owners(tree)
        for key, rule in rules.items()
    }


def _owners(tree: Mapping) -> Iterator[tuple[str, Path, Node, Rules]]:
    """What is there, by a name that stays when something is put beside it."""
    for section, rules in (("resources", OF_TABLES), ("mcp", OF_SERVERS)):
        for name, path, node in _named(tree, ("capability", section)):
            yield f"{section}.{name}", path, node, rules
            for action, inner, statement in _named(node, ("actions",)):
                yield f"{section}.{name}.actions.{action}", (*path, *inner), statement, OF_ACTIONS
    for name, path, node in _named(tree, ("capability", "tools")):
        yield (
            f"tools.{name}",
            path,
            node,
            next((OF_TOOLS[entry.name] for entry in node.entries if entry.name in OF_TOOLS), {}),
        )
    yield from _toolkits(tree)
    for index, item in enumerate(items_of(find(tree, PROVIDER_TOOLS))):
        yield (
            f"provider_tools.{plain(find(item, ('type',)) or item)}",
            (*PROVIDER_TOOLS, index),
            item,
            OF_PROVIDER_TOOLS,
        )
    for section in CALLS:
        inside = find(tree, (section,))
        for path, node in mappings(inside, (section,)) if inside is not None else ():
            if not {"options", "headers"} & set(path) and _asks_a_model(path, node):
                yield dotted(path), path, node, OF_MODELS
    yield "", (), tree, OF_RUNS


def _named(tree: Mapping, at: Path) -> Iterator[tuple[str, Path, Mapping]]:
    found = find(tree, at)
    for entry in found.entries if isinstance(found, Mapping) else ():
        if isinstance(entry.value, Mapping) and entry.operation != "unset":
            yield entry.name, (*at, entry.name), entry.value


def _toolkits(tree: Mapping) -> Iterator[tuple[str, Path, Node, Rules]]:
    """A toolkit that is there twice has a number from the second one on."""
    seen: dict[str, int] = {}
    for index, item in enumerate(items_of(find(tree, TOOLKITS))):
        entry = item.entries[0] if isinstance(item, Mapping) and item.entries else None
        name, options = (str(plain(item)), item) if entry is None else (entry.name, entry.value)
        seen[name] = seen.get(name, 0) + 1
        owner = f"toolkits.{name}" if seen[name] == 1 else f"toolkits.{name} ({seen[name]})"
        path: Path = (*TOOLKITS, index) if entry is None else (*TOOLKITS, index, name)
        yield owner, path, options, OF_TOOLKITS.get(name, {})


def _asks_a_model(path: Path, node: Mapping) -> bool:
    """A script is no provider: what it says is written down."""
    provider = node.get("provider")
    is_script = provider is not None and plain(provider) == "script"
    return not is_script and (path == ("model",) or provider is not None or node.get("model") is not None)


def _value(node: Node | None) -> object:
    return None if node is None else plain(node)


def _items(node: Node | None) -> list[object]:
    match _value(node):
        case None | False:
            return []
        case list() as items:
            return items
        case dict() as entries:
            return list(entries.items())
        case other:
            return [other]


def _schema(spelt: object) -> dict[str, Any]:
    """A parameter as constraints, each of which takes something away."""
    if isinstance(spelt, str):
        name = spelt.removesuffix("?")
        return {"type": "array", "items": name[:-2]} if name.endswith("[]") else {"type": name}
    given = {key: value for key, value in spelt.items() if key not in _WORDS} if isinstance(spelt, dict) else {}
    kind = given.get("type")
    return {**given, **_schema(kind)} if isinstance(kind, str) else given


def _takes_less(now: dict[str, Any], before: dict[str, Any]) -> bool:
    return all(_holds(key, value, now) for key, value in before.items())


def _holds(key: str, value: Any, now: dict[str, Any]) -> bool:
    """Whether a constraint still holds."""
    said = now.get(key)
    if said == value:
        return True
    options = now.get("enum")
    if key == "enum" or (key == "type" and said is None):
        known: Any = value if key == "enum" else None
        return isinstance(options, list) and all(
            option in known if key == "enum" else isinstance(option, _TYPES.get(str(value), ())) for option in options
        )
    sign = _LIMITS.get(key)
    return sign is not None and isinstance(said, int | float) and said * sign <= value * sign
