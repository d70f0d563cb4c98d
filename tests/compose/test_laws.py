"""Whatever presets extend each other and whatever a command line says: composing ends, raises nothing, and is true."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.compose.files import Files
from agentspec.compose.findings import SEVERITIES
from agentspec.compose.load import Composed, compose, input_values, unset_inputs
from agentspec.compose.overrides import read_value
from agentspec.compose.rights.change import rights_change
from agentspec.compose.rights.of_agents import rights_with_called
from agentspec.compose.weave import Overrides
from agentspec.syntax.tree import Entry, Mapping, Parsed, Scalar, Sequence, dotted, find, plain, same, walk
from agentspec.syntax.yaml import parse
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source

NAMES = ["a", "b", "c", "d", "e"]
WORDS = st.sampled_from([*NAMES, "audit", "nothing", "./missing.yaml", "made.yaml#a", ""])
VALUES = st.sampled_from(["1", "2", "[x]", "[y, z]", "{k: 1}", "!unset ", "!final 3", "null", "'${inputs.n}'"])
KEYS = st.sampled_from(["max_nudges", "max_iterations", "iteration_budget", "x-one", "+x-list", "x-list", "profile"])
GLOBS = st.sampled_from(["read_*", "read_file", "*", "w*"])


@st.composite
def documents(draw: st.DrawFn, name: str) -> str:
    lines = [f"preset: {name}" if draw(st.booleans()) else f"name: {name}"]
    items = draw(st.lists(WORDS, max_size=3))
    if items:
        used = [f"{{use: '{word}', with: {{n: 2}}}}" if draw(st.booleans()) else f"'{word}'" for word in items]
        lines.append(f"extends: [{', '.join(used)}]")
    if draw(st.booleans()):
        lines.append("inputs: {n: {type: integer, default: 1}}")
    entries = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    if entries:
        lines.append("execution: {" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}")
    if draw(st.booleans()):
        lines.append(f"model: {{{draw(st.sampled_from(['provider', 'temperature', 'base_url']))}: {draw(VALUES)}}}")
    if draw(st.booleans()):
        globs = ", ".join(f"'{glob}'" for glob in draw(st.lists(GLOBS, max_size=2)))
        lines.append(f"capability: {{ceiling: {{tools: [{globs}]}}, permissions: {{deny: [{globs}]}}}}")
    return "\n".join(lines) + "\n"


FILES = st.tuples(*map(documents, NAMES)).map("---\n".join)


def composed(text: str, **options: object) -> tuple[Parsed, list[Composed]]:
    parsed = parse(Source("made.yaml", text))
    files = Files()
    return parsed, [compose(parsed, each, "made.yaml", files, **options) for each in parsed.documents]  # type: ignore[arg-type]


@given(FILES)
def test_every_graph_of_presets_composes_to_a_true_tree(text: str) -> None:
    check_graph(text)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(FILES)
def test_every_graph_of_presets_composes_to_a_true_tree_at_length(text: str) -> None:
    check_graph(text)


def check_graph(text: str) -> None:
    untouched = parse(Source("made.yaml", text))
    parsed, found = composed(text)
    again = composed(text)[1]
    for one, other in zip(found, again, strict=True):
        assert same(one.tree, other.tree)
        assert {each.code for each in one.diagnostics} <= SEVERITIES.keys()
        assert [each.message for each in one.diagnostics] == [each.message for each in other.diagnostics]
        assert len({layer.name for layer in one.layers if layer.name == "spec"}) == 1
        check_origins(one)
        rights = rights_with_called(one.tree, {entry.name: one.tree for entry in _tools(one.tree)})
        assert rights_change(rights, rights) == ([], [], None)
    for document, fresh in zip(parsed.documents, untouched.documents, strict=True):
        assert same(document.root, fresh.root)


def _tools(tree: Mapping) -> list[Entry]:
    tools = find(tree, ("capability", "tools"))
    return tools.entries if isinstance(tools, Mapping) else []


def check_origins(one: Composed) -> None:
    for path, node in walk(one.tree):
        if isinstance(node, Scalar | Sequence) or (isinstance(node, Mapping) and not node.entries):
            assert one.origins[path][-1].value == plain(node), dotted(path)
            assert one.origins[path][-1].span == node.span, dotted(path)


PARTS = [
    *("use", "with", "n", "type", "default", "enum", "fields", "items", "tools", "effects", "roots", "hosts"),
    *("commands", "limits", "tokens", "rules", "deny", "decision", "run", "http", "url", "files.read", "web.fetch"),
    *("allow", "root", "names", "enabled", "provider", "model", "routes", "+x", "x", "ceiling", "approval"),
    *("effect", "effects", "kind", "verbs", "actions", "command", "env", "python", "agent", "network", "writable"),
    *("external_roots", "secrets", "default", "only", "consent", "mode", "allow_else", "on_escalation", "tool", "mcp"),
]
NODES = st.recursive(
    st.sampled_from(
        ["1", "x", "''", "null", "true", "audit", "a", "!unset ", "!final 2", "'${inputs.n}'", "'*'", "1h"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(PARTS), inner, max_size=3).map(
            lambda entries: "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
        ),
    ),
    max_leaves=8,
)
PLACES = [
    *("extends", "inputs", "model", "execution", "capability.ceiling", "capability.approval"),
    *("capability.permissions", "capability.tools", "capability.toolkits", "capability.mcp", "capability"),
    *("capability.resources", "capability.middleware", "capability.sandbox", "capability.subagents", "context"),
]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(PLACES), NODES), max_size=4),
    st.lists(st.tuples(st.sampled_from(PLACES), NODES), max_size=4),
)
def test_whatever_stands_where_composes_to_a_true_tree(low: list[tuple[str, str]], high: list[tuple[str, str]]) -> None:
    text = f"preset: low\n{_sections(low)}---\nname: a\nextends: low\n{_sections(high)}"

    check_graph(text)


def _sections(entries: list[tuple[str, str]]) -> str:
    """Each place once, those inside `capability` together."""
    whole = {place: node for place, node in entries if "." not in place and place != "extends"}
    inner = {place.partition(".")[2]: node for place, node in entries if "." in place}
    if inner:
        whole["capability"] = "{" + ", ".join(f"{key}: {node}" for key, node in inner.items()) + "}"
    return "".join(f"{key}: {node}\n" for key, node in whole.items())


SPEC = "name: a\ninputs: {n: integer, s: string?, l: 'string[]'}\nmodel: {routes: [{model: x}]}\nx-list: [1, {a: 2}]\n"
PATHS = st.one_of(
    st.text(max_size=12),
    st.lists(st.sampled_from(["model", ".", "routes", "[0]", "[9]", '"a.b"', "=", "x-list", "[1]", "a", " "]), max_size=6).map(
        "".join
    ),
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=12), st.sampled_from(["[a", "{a: 1}", "5", "!unset", "{a: !unset }", "&a *a", "'"]))


@settings(deadline=None)
@given(PATHS, TEXTS, st.text(max_size=8))
def test_every_command_line_composes_or_is_told_what_is_wrong(path: str, value: str, model: str) -> None:
    before = copy.deepcopy(parse(Source("made.yaml", SPEC)).documents[0].root)

    [one] = composed(SPEC, overrides=Overrides(model, (f"{path}={value}", path)), inputs=(f"n={value}", path))[1]

    check_origins(one)
    assert all(each.code in SEVERITIES for each in [*one.diagnostics, *unset_inputs(one)])
    assert input_values(one).keys() <= {"n", "s", "l"}
    assert same(before, one.document.root)


@settings(deadline=None)
@given(st.text())
def test_every_value_reads_to_a_node_or_a_finding(text: str) -> None:
    source = Source("--set x", f"x={text}")

    found = read_value(source, 2)

    assert source.text == f"x={text}"
    assert isinstance(found, Diagnostic) or found.span.source is source
