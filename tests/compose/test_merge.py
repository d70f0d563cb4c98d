"""One layer over another: rows of lower, upper, effective; and the laws of merging."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.compose.merge import Clash, merge, settle
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Scalar, Sequence, dotted, plain, same, walk
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source, Span


def mapping(text: str, name: str = "x.yaml") -> Mapping:
    parsed = parse(Source(name, text))
    assert [found for found in parsed.diagnostics if found.severity == "error"] == []
    [document] = parsed.documents
    assert isinstance(document.root, Mapping)
    return document.root


def effective(*layers: Mapping) -> tuple[object, list[str]]:
    """The values that layers leave, lowest first, and what clashed: kind and path."""
    clashes: list[Clash] = []
    patch = layers[0]
    for layer in layers[1:]:
        patch = merge(patch, layer, clashes)
    values = plain(settle(patch, clashes))
    return values, [f"{clash.kind} {dotted(clash.path)}" for clash in clashes]


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("{a: 1}", "{b: 2}", {"a": 1, "b": 2}),
        ("{a: 1}", "{a: 2}", {"a": 2}),
        ("{a: {x: 1, y: 2}}", "{a: {y: 3, z: 4}}", {"a": {"x": 1, "y": 3, "z": 4}}),
        ("{a: [1, 2]}", "{a: [3]}", {"a": [3]}),
        ("{a: [1, 2]}", "{a: []}", {"a": []}),
        ("{a: {x: 1}}", "{a: 2}", {"a": 2}),
        ("{a: 1}", "{a: {x: 2}}", {"a": {"x": 2}}),
        ("{a: 1}", "{a: null}", {"a": None}),
        ("{a: [1]}", "{+a: [2, 3]}", {"a": [1, 2, 3]}),
        ("{b: 1}", "{+a: [2]}", {"b": 1, "a": [2]}),
        ("{a: 1, b: 2}", "{a: !unset }", {"b": 2}),
        ("{a: {x: 1, y: 2}}", "{a: {x: !unset }}", {"a": {"y": 2}}),
        ("{b: 2}", "{a: !unset }", {"b": 2}),
        ("{a: {b: {c: {d: 1, e: 2}}}}", "{a: {b: {c: {d: 3}}}}", {"a": {"b": {"c": {"d": 3, "e": 2}}}}),
    ],
)
def test_what_two_layers_leave(lower: str, upper: str, expected: object) -> None:
    assert effective(mapping(lower), mapping(upper)) == (expected, [])


def test_a_key_that_was_unset_begins_anew() -> None:
    layers = [mapping("{a: {x: 1}}"), mapping("{a: !unset }"), mapping("{a: {y: 2}}")]

    assert effective(*layers) == ({"a": {"y": 2}}, [])


def test_what_is_added_after_an_unset_is_the_whole_list() -> None:
    layers = [mapping("{a: [1]}"), mapping("{a: !unset }"), mapping("{+a: [2]}"), mapping("{+a: [3]}")]

    assert effective(*layers) == ({"a": [2, 3]}, [])


@pytest.mark.parametrize(
    ("lower", "upper", "kept", "clash"),
    [
        ("{a: 1}", "{+a: [2]}", {"a": 1}, "append a"),
        ("{a: {x: 1}}", "{+a: [2]}", {"a": {"x": 1}}, "append a"),
        ("{a: [1]}", "{+a: 2}", {"a": [1]}, "item a"),
        ("{b: 1}", "{+a: {x: 1}}", {"b": 1}, "item a"),
        ("{a: !final 1}", "{a: 2}", {"a": 1}, "final a"),
        ("{a: !final 1}", "{a: !unset }", {"a": 1}, "final a"),
        ("{a: !final [1]}", "{+a: [2]}", {"a": [1]}, "final a"),
        ("{a: !final {x: 1}}", "{a: {y: 2}}", {"a": {"x": 1}}, "final a"),
        ("{a: {x: !final 1}}", "{a: {x: 2, y: 3}}", {"a": {"x": 1, "y": 3}}, "final a.x"),
        ("{a: {x: !final 1}}", "{a: 2}", {"a": {"x": 1}}, "final a"),
        ("{a: {x: !final 1}}", "{a: !unset }", {"a": {"x": 1}}, "final a"),
        ("{a: {b: {x: !final 1}}}", "{a: [1]}", {"a": {"b": {"x": 1}}}, "final a"),
        ("{a: [{x: !final 1}]}", "{a: [2]}", {"a": [{"x": 1}]}, "final a"),
        ("{a: [{x: !final 1}]}", "{a: {y: 2}}", {"a": [{"x": 1}]}, "final a"),
    ],
)
def test_what_a_layer_may_not_do_leaves_the_lower_value(lower: str, upper: str, kept: object, clash: str) -> None:
    assert effective(mapping(lower), mapping(upper)) == (kept, [clash])


def test_saying_a_final_value_again_changes_nothing_and_is_no_clash() -> None:
    layers = [mapping("{a: !final {x: 1}}"), mapping("{a: {x: 1}}"), mapping("{a: {x: 2}}")]

    assert effective(*layers) == ({"a": {"x": 1}}, ["final a"])


def test_a_value_that_could_not_be_read_is_unknown_and_no_clash() -> None:
    unknown = Mapping(entries=[entry("a", Broken(span=PLACE))], span=PLACE)
    added = Mapping(entries=[entry("a", Broken(span=PLACE), "append")], span=PLACE)

    assert effective(mapping("{a: !final 1}"), unknown) == ({"a": 1}, [])
    assert effective(mapping("{a: [1]}"), unknown) == ({"a": None}, [])
    assert effective(mapping("{a: [1]}"), added) == ({"a": None}, [])
    assert effective(unknown, mapping("{+a: [1]}")) == ({"a": None}, [])
    assert effective(mapping("{b: 1}"), added) == ({"b": 1, "a": None}, [])


def test_nodes_keep_their_own_files_and_a_shared_mapping_gets_the_upper_span() -> None:
    lower, upper = (
        mapping("execution:\n  max_nudges: 1\n  tool_retries: 2\n", "low"),
        mapping("execution: {a: 1}", "up"),
    )

    merged = settle(merge(lower, upper, []), [])

    assert {dotted(path): node.span.source.name for path, node in walk(merged)} == {
        "": "up",
        "execution": "up",
        "execution.max_nudges": "low",
        "execution.tool_retries": "low",
        "execution.a": "up",
    }


# Laws. Layers are generated without `!final`; a key holds one kind of value only, so that nothing clashes.

PLACE = Span(Source("made", ""), 0, 0)
NAMES = st.sampled_from(["a", "b", "c"])


def scalar(value: str | int | bool | None) -> Scalar:
    return Scalar(value=value, span=PLACE)


def listed(items: list[Node]) -> Sequence:
    return Sequence(items=items, span=PLACE)


def entry(name: str, value: Node, operation: str = "set") -> Entry:
    return Entry(key=scalar(name), value=value, operation=operation)  # type: ignore[arg-type]


SCALARS = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from(["", "x"])).map(scalar)
LISTS = st.lists(SCALARS, max_size=3).map(listed)


def mappings(depth: int) -> st.SearchStrategy[Mapping]:
    entries = [
        st.builds(entry, NAMES.map("s_{}".format), SCALARS),
        st.builds(entry, NAMES.map("l_{}".format), LISTS, st.sampled_from(["set", "append"])),
        st.builds(entry, st.sampled_from(["s_a", "l_a", "m_a", "m_b"]), st.just(scalar(None)), st.just("unset")),
    ]
    if depth:
        entries.append(st.builds(entry, st.sampled_from(["m_a", "m_b", "s_a"]), mappings(depth - 1)))
    unique = st.lists(st.one_of(entries), max_size=5, unique_by=lambda made: made.name)
    return unique.map(lambda found: Mapping(entries=found, span=PLACE))


LAYERS = mappings(2)


def settled(tree: Mapping) -> Mapping:
    clashes: list[Clash] = []
    result = settle(tree, clashes)
    assert clashes == []
    return result


@given(LAYERS, LAYERS, LAYERS)
def test_layers_may_be_grouped_in_any_way(low: Mapping, middle: Mapping, high: Mapping) -> None:
    clashes: list[Clash] = []

    left = merge(merge(low, middle, clashes), high, clashes)
    right = merge(low, merge(middle, high, clashes), clashes)

    assert clashes == []
    assert same(settled(left), settled(right))


@given(LAYERS, LAYERS)
def test_merging_never_changes_a_source(low: Mapping, high: Mapping) -> None:
    before = copy.deepcopy((low, high))

    settle(merge(low, high, []), [])

    assert same(low, before[0])
    assert same(high, before[1])


@given(LAYERS)
def test_a_layer_over_itself_says_what_it_says_alone_except_for_what_it_adds(layer: Mapping) -> None:
    without = [made for made in layer.entries if made.operation != "append" and not isinstance(made.value, Mapping)]
    plain_layer = Mapping(entries=without, span=PLACE)

    assert same(settled(merge(plain_layer, plain_layer, [])), settled(plain_layer))


@given(LAYERS, SCALARS)
def test_what_is_unset_last_is_gone_and_what_is_set_last_is_there(low: Mapping, value: Scalar) -> None:
    unset = Mapping(entries=[entry("s_a", scalar(None), "unset")], span=PLACE)
    put = Mapping(entries=[entry("s_a", value)], span=PLACE)

    assert settled(merge(merge(low, put, []), unset, [])).get("s_a") is None
    assert settled(merge(merge(low, unset, []), put, [])).get("s_a") is value
    assert same(settled(merge(merge(low, unset, []), unset, [])), settled(merge(low, unset, [])))


@given(LAYERS)
def test_what_is_settled_has_no_marks_left(layer: Mapping) -> None:
    marks = [made.operation for _, node in walk(settled(layer)) if isinstance(node, Mapping) for made in node.entries]

    assert set(marks) <= {"set"}
