"""Graphs of presets: however a chain is bracketed it comes to the same, and no ceiling in it is ever passed."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.compose.files import Files
from agentspec.compose.load import Composed, compose
from agentspec.compose.merge import merge, settle
from agentspec.compose.rights.narrow import WITHIN, amount
from agentspec.compose.rights.rights import rights_of
from agentspec.compose.weave import Overrides
from agentspec.syntax.tree import Mapping, Sequence, find, plain, same
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source

# --- what a document may say

LISTS = {
    "tools": ["'*'", "'read_*'", "read_file", "'run_*'", "run_command", "'s__*'", "get_t", "'[]'", "t"],
    "effects": ["none", "read", "write", "process", "network"],
    "roots": [".", "src", "src/app", "docs", "/data"],
    "hosts": ["'*'", "'*.org'", "api.org", "gh.com"],
    "commands": ["[git]", "[git, log]", "ls", "[npx, s]"],
    "providers": ["openai", "script", "'*'"],
    "models": ["'gpt-*'", "gpt-5", "m"],
}
LIMITS = st.dictionaries(st.sampled_from(["tokens", "tool_calls", "wall_clock"]), st.integers(1, 9), max_size=2)
GIVEN = {
    "files.read": ["{root: src}", "{root: .}", "{enabled: [read_file]}"],
    "files.edit": ["{root: docs}", "{}"],
    "web.fetch": ["{hosts: [api.org]}", "{hosts: ['*']}", "{}"],
    "command": ["{allow: [[git, log]]}", "{allow: [ls], allow_else: ask}", "{}"],
}
PARTS = st.sampled_from(
    [
        "tools: {t: {expr: '1'}}",
        "tools: {t: {run: [git, log]}}",
        "tools: {t: {run: [ls], network: true}}",
        "tools: {t: {http: {url: 'https://api.org/x', method: POST}}}",
        "tools: {t: {http: {url: '${env.HOST}/x'}}, u: {python: 'a.b:c'}}",
        "resources: {t: {url: 'sqlite:///x', table: t, verbs: [get, delete]}}",
        "mcp: {s: {command: [npx, s], effects: {'l*': read}}}",
        "mcp: {s: {url: 'https://gh.com/', allow: [list]}}",
        "approval: {external_roots: [/data]}",
        "approval: {default: ask, rules: [{tool: t, decision: deny}]}",
        "permissions: {deny: [t], on_escalation: deny}",
        "sandbox: {mode: workspace, writable: [docs]}",
    ]
)
MODELS = st.sampled_from(
    [
        "{provider: openai, model: gpt-5}",
        "{provider: script}",
        "{model: m}",
        "{base_url: 'http://x.org'}",
        "{temperature: 1}",
    ]
)
KEYS = st.sampled_from(["max_nudges", "max_iterations", "iteration_budget", "x-a", "x-list"])
VALUES = st.sampled_from(["1", "2", "[x]", "[y, z]", "{k: 1}", "{k: 2, l: 1}", "!unset ", "!final 3", "null"])


@st.composite
def ceilings(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.sampled_from(list(LISTS)), max_size=3, unique=True))
    entries = [f"{key}: [{', '.join(draw(st.lists(st.sampled_from(LISTS[key]), max_size=3)))}]" for key in keys]
    limits = draw(LIMITS)
    if limits:
        entries.append(
            "limits: {"
            + ", ".join(f"{key}: {value}{'s' * (key == 'wall_clock')}" for key, value in limits.items())
            + "}"
        )
    return "{" + ", ".join(entries) + "}"


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """The sections of a document."""
    lines: list[str] = []
    execution = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        execution.pop("x-list", None)
        execution["+x-list"] = draw(st.sampled_from(["[x]", "[y, z]", "1"]))
    if execution:
        lines.append("execution: {" + ", ".join(f"{key}: {value}" for key, value in execution.items()) + "}")
    if draw(st.booleans()):
        lines.append(f"model: {draw(MODELS)}")
    capability = {part.partition(":")[0]: part for part in draw(st.lists(PARTS, max_size=2))}
    if draw(st.booleans()):
        capability["ceiling"] = f"ceiling: {draw(ceilings())}"
    if draw(st.booleans()):
        name = draw(st.sampled_from(list(GIVEN)))
        capability["toolkits"] = (
            f"{draw(st.sampled_from(['', '+']))}toolkits: [{{{name}: {draw(st.sampled_from(GIVEN[name]))}}}]"
        )
    if capability:
        lines.append("capability: {" + ", ".join(capability.values()) + "}")
    return "".join(f"{line}\n" for line in lines)


CHAINS = st.lists(bodies(), min_size=2, max_size=5)


@st.composite
def graphs(draw: st.DrawFn) -> list[str]:
    """Presets, each of which may extend some that come before it, and a spec that extends some of them."""
    found: list[str] = []
    for index, body in enumerate(draw(CHAINS)):
        extended = draw(st.lists(st.integers(0, index - 1), max_size=2, unique=True)) if index else []
        found.append(_document(f"preset: p{index}", [f"p{each}" for each in extended], body))
    names = draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=3, unique=True))
    return [*found, _document("name: a", [f"p{each}" for each in names], draw(bodies()))]


def _document(head: str, extended: list[str], body: str) -> str:
    return f"{head}\n" + (f"extends: [{', '.join(extended)}]\n" if extended else "") + body


def composed(documents: list[str], sets: tuple[str, ...] = ()) -> Composed:
    parsed = parse(Source("made.yaml", "---\n".join(documents)))
    assert [found for found in parsed.diagnostics if found.severity == "error"] == []
    return compose(parsed, parsed.documents[-1], "made.yaml", Files(), overrides=Overrides(None, sets))


# --- brackets


@st.composite
def brackets(draw: st.DrawFn, size: int) -> list[object]:
    """A way to put brackets around so many things: nested lists of indices."""
    things: list[object] = list(range(size))
    while len(things) > 1:
        at = draw(st.integers(0, len(things) - 2))
        things[at : at + 2] = [[things[at], things[at + 1]]]
    return things


def check_brackets(bodies: list[str], data: st.DataObject) -> None:
    chain = [_document(f"preset: p{n}", [f"p{n - 1}"] if n else [], body) for n, body in enumerate(bodies[:-1])]
    linear = composed([*chain, _document("name: a", [f"p{len(chain) - 1}"], bodies[-1])])

    presets: list[str] = []
    top = _as_presets(data.draw(brackets(len(chain)))[0], bodies, presets)
    bracketed = composed([*presets, _document("name: a", [top], bodies[-1])])
    flat = composed(
        [
            *(_document(f"preset: p{n}", [], body) for n, body in enumerate(bodies[:-1])),
            _document("name: a", [f"p{n}" for n in range(len(chain))], bodies[-1]),
        ]
    )

    for other in (bracketed, flat):
        assert same(_sections(linear), _sections(other))
        assert _told(linear) == _told(other)
    patches = [layer.root for layer in linear.layers]
    left = settle(reduce(lambda low, high: merge(low, high, []), patches), [])
    way = data.draw(brackets(len(patches)))[0]
    assert same(left, settle(_merged(way, patches), []))


def _as_presets(way: object, bodies: list[str], presets: list[str]) -> str:
    """Presets that extend each other as the brackets say; the name of the outermost."""
    name = f"q{len(presets)}"
    if isinstance(way, int):
        presets.append(_document(f"preset: {name}", [], bodies[way]))
        return name
    assert isinstance(way, list)
    inner = [_as_presets(each, bodies, presets) for each in way]
    name = f"q{len(presets)}"
    presets.append(_document(f"preset: {name}", inner, ""))
    return name


def _merged(way: object, patches: list[Mapping]) -> Mapping:
    if isinstance(way, int):
        return patches[way]
    assert isinstance(way, list)
    return merge(_merged(way[0], patches), _merged(way[1], patches), [])


def _told(one: Composed) -> list[str]:
    """What is found; in which order depends on the places, and those on the brackets."""
    return sorted(found.message for found in one.diagnostics)


def _sections(one: Composed) -> Mapping:
    return Mapping(entries=[entry for entry in one.tree.entries if entry.name != "extends"], span=one.tree.span)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CHAINS, st.data())
def test_a_chain_comes_to_the_same_however_it_is_bracketed(bodies: list[str], data: st.DataObject) -> None:
    check_brackets(bodies, data)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CHAINS, st.data())
def test_a_thousand_chains_come_to_the_same_however_they_are_bracketed(bodies: list[str], data: st.DataObject) -> None:
    check_brackets(bodies, data)


# --- ceilings


def check_ceilings(documents: list[str], sets: tuple[str, ...]) -> None:
    one = composed(documents, sets)

    rights = rights_of(one.tree)
    for layer in one.layers:
        ceiling = find(layer.root, ("capability", "ceiling"))
        for entry in ceiling.entries if isinstance(ceiling, Mapping) else []:
            if entry.name == "limits":
                assert isinstance(entry.value, Mapping)
                for limit in entry.value.entries:
                    assert amount(rights.kinds["limits"][limit.name].node) <= amount(limit.value)  # type: ignore[operator]
            elif isinstance(entry.value, Sequence):
                check_list(one, entry.name, entry.value)


def check_list(one: Composed, key: str, allowed: Sequence) -> None:
    """The ceiling that is left, and all that may be done, lie within one list of a ceiling."""
    left = find(one.tree, ("capability", "ceiling", key))
    assert isinstance(left, Sequence), key
    calls = [
        right
        for right in rights_of(one.tree).kinds[key].values()
        if right.decision != "deny" and (key not in ("hosts", "commands") or right.path[1] in ("tools", "toolkits"))
    ]
    for node in (*left.items, *(right.node for right in calls)):
        assert any(WITHIN[key](node, outer) for outer in allowed.items), f"{key}: {plain(node)}"


SETS = st.sampled_from(
    [
        (),
        ("capability.ceiling.tools=['*']",),
        ("capability.ceiling=null",),
        ("capability={toolkits: [files.edit, command]}",),
        ("capability.ceiling.limits.tokens=99999",),
        ("execution.limits.tokens=99999", "capability.toolkits=[web.fetch]"),
    ]
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(), SETS)
def test_what_may_be_done_is_within_every_ceiling(documents: list[str], sets: tuple[str, ...]) -> None:
    check_ceilings(documents, sets)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(), SETS)
def test_what_may_be_done_is_within_every_ceiling_of_a_thousand_graphs(
    documents: list[str], sets: tuple[str, ...]
) -> None:
    check_ceilings(documents, sets)
