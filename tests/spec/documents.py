"""documents: documents for property tests, drawn from the schema itself, and changed at one place."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from agentspec.spec.schema import MARK, branches, root
from agentspec.spec.values import TYPES

SAMPLES: dict[str, list[Any]] = {
    "duration": ["250ms", "30s", "1.5h", "2d"],
    "size": ["64KiB", "10MB", "1B"],
    "expression": ["a > 1", "true", True, 3, 2.5],
    "template": ["", "You are ${inputs.x}.", "$${literal}"],
    "address": ["https://api.example.org/v1", "http://localhost:8080", "${env.URL}"],
    "type": [*TYPES, "string?", "number[]", "any[]?"],
    "name": ["a", "read_file", "b2"],
    "variable": ["OPENAI_API_KEY", "_x"],
    "status": ["incomplete", "gave_up"],
    "version": ["1.2.0", "0.1.0-rc.1+build"],
    "range": ["^1.4", ">=1.2 <2", "*", "1"],
    "python": ["pkg.mod:fn", "m:f.g"],
    "regex": ["a+", "^x$"],
    "path": ["a/b", "."],
    "glob": ["src/**", "*"],
    "host": ["api.example.org", "*.example.org", "localhost:8080", "*"],
    "reference": ["openai", "read_file", "a"],
    "word": ["ls", "git"],
}
# No whole number with a point (`1.0`): JSON Schema 2020-12 counts it as an integer, the language does not.
JUNK: list[Any] = [
    *("x", True, False, None, 0, 1, -1, 60, 2.5, 0.5, -0.5),
    *("", " ", "yes", "90", "30s", "64KiB", "3days", "0s"),
    *("done", "adaptive", "a/b", "pkg.mod:fn", "^1", "1.2.0", "strng", "none", "off", "(", "GET", "stderr"),
    *([], [1], ["a"], ["a", ["b"]], [{}]),
    *({}, {"a": 1}, {"tool": "a"}, {"when": "true"}, {"file": "a"}, {"type": "any"}),
]


def kind_of_sample(branch: Any) -> str | None:
    """Of which kind of `SAMPLES` the values of a node are; a template with a form of its own is of that form."""
    mark = branch.get(MARK, {})
    return "address" if mark.get("form") == "address" else mark.get("kind")


def documents(kind: str = "agent") -> st.SearchStrategy[dict[str, Any]]:
    """Valid documents of a kind: a few keys of every record, values from within their limits."""
    return _value(root(kind), 5)


def _value(node: Any, depth: int) -> st.SearchStrategy[Any]:
    return st.one_of([_branch(branch, depth) for branch in branches(node)])


def _branch(branch: Any, depth: int) -> st.SearchStrategy[Any]:
    if "const" in branch:
        return st.just(branch["const"])
    if "enum" in branch:
        return st.sampled_from(branch["enum"])
    mark = kind_of_sample(branch)
    if mark == "reference" and "/" in branch.get("pattern", ""):
        return st.just("server/tool")
    if branch.get(MARK, {}).get("form") == "address":
        return st.sampled_from(["https://host/v1", "${env.URL}"])
    if mark in SAMPLES:
        return st.sampled_from(SAMPLES[mark])
    match branch.get("type"):
        case "object":
            return _mapping(branch, depth)
        case "array":
            least = branch.get("minItems", 0)
            return st.lists(
                _value(branch["items"], depth - 1), min_size=least, max_size=max(least, 2 if depth > 0 else 0)
            )
        case "string":
            return st.sampled_from(["a", "some text", "${inputs.x} and ${env.Y}", "ünï 🚀"])
        case "integer":
            return st.integers(branch.get("minimum", 0), 60)
        case "number":
            low = branch.get("minimum", branch.get("exclusiveMinimum", 0)) + 0.25
            return st.sampled_from([min(low, branch.get("maximum", low)), min(1, branch.get("maximum", 1))])
        case "boolean":
            return st.booleans()
        case _:
            return st.sampled_from([1, "x", [1, {"a": None}], {"x-y": "${z}"}])


@st.composite
def _mapping(draw: st.DrawFn, branch: Any, depth: int) -> dict[str, Any]:
    if "properties" not in branch:
        return draw(_named(branch, depth))
    properties = branch["properties"]
    chosen = {*branch.get("required", ())}
    for word in ("oneOf", "anyOf"):
        if word in branch:
            chosen.add(draw(st.sampled_from(branch[word]))["required"][0])
    group = {part["required"][0] for part in branch.get("oneOf", ())}
    if depth > 0:
        free = [name for name in properties if name not in group]
        least = min(len(free), depth)
        chosen.update(draw(st.lists(st.sampled_from(free), min_size=least, max_size=least + 2)) if free else ())
    for part in branch.get("allOf", ()):
        first, second = part["not"]["required"]
        if {first, second} <= chosen:
            chosen.discard(second if second not in branch.get("required", ()) else first)
    for name, needed in branch.get("dependentRequired", {}).items():
        if name in chosen and needed[0] not in chosen:
            chosen.discard(name)
    names = [name for name in properties if name in chosen]
    return {name: draw(_value(properties[name], depth - 1)) for name in names}


@st.composite
def _named(draw: st.DrawFn, branch: Any, depth: int) -> dict[str, Any]:
    if "else" in branch and draw(st.booleans()):
        return {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    branch = branch.get("else", branch)
    inside = branch.get("additionalProperties", True)
    if inside is True:
        return draw(st.sampled_from([{}, {"any": [1, None]}, {"x-a": "b", "deep": {"c": True}}]))
    names = branch.get("propertyNames", {}).get("enum", ["a", "b2", "read_file"])
    chosen = draw(st.lists(st.sampled_from(names), max_size=2 if depth > 0 else 0, unique=True))
    return {name: draw(_value(inside, depth - 1)) for name in chosen}


@st.composite
def changed(draw: st.DrawFn, kind: str = "agent") -> dict[str, Any]:
    """A document with one thing changed: a value replaced, a key added, renamed or removed."""
    document = copy.deepcopy(draw(documents(kind)))
    places = list(_places(document))
    holder, key = draw(st.sampled_from(places)) if places else (document, "name")
    change = draw(st.sampled_from(["replace", "add", "rename", "remove"]))
    match change, holder:
        case "remove", dict():
            holder.pop(key, None)
        case "rename", dict():
            holder[f"{key}z"] = holder.pop(key, 1)
        case "add", dict():
            holder[draw(st.sampled_from(["x-free", "nonsense", "when", "max"]))] = draw(st.sampled_from(JUNK))
        case _:
            holder[key] = draw(st.sampled_from(JUNK))
    return document


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in list(items):
        yield value, key
        yield from _places(inside)
