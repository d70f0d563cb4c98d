"""Two calls are the same whatever the order of their keys; two results are the same when their full texts are."""

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.calls.canonical import call_key, canonical, key_of, result_digest, text_digest
from agentspec.core.messages import ToolCall, ToolResult

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON), st.randoms())
def test_the_order_of_keys_does_not_count(arguments, random):
    items = list(arguments.items())
    random.shuffle(items)

    assert call_key("look", dict(items)) == call_key("look", arguments)


@given(JSON, JSON)
def test_other_arguments_are_another_call(one, other):
    assert (call_key("look", one) == call_key("look", other)) == (repr(one) == repr(other) or _is_same(one, other))


def _is_same(one, other):
    """Equal, and `True` is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and one == other


def test_values_that_no_quick_encoder_takes_are_compared_too():
    assert canonical({"b": 2**70, "a": "\ud800"}) == '{"a":"\\ud800","b":1180591620717411303424}'
    assert call_key("look", {"n": 2**70}) != call_key("look", {"n": 2**70 + 1})


def test_the_name_of_the_tool_counts():
    assert call_key("look", {}) != call_key("peek", {})


def test_a_call_has_the_same_key_before_and_after_its_arguments_are_read():
    written = ToolCall(id="c1", name="look", arguments='{"b": [1, {"d": 2, "c": 3}], "a": "x",}')

    assert key_of(written) == call_key("look", {"a": "x", "b": [1, {"c": 3, "d": 2}]})


def test_arguments_that_nobody_can_read_are_compared_as_they_are_written():
    broken = ToolCall(id="c1", name="look", arguments='{"a": ')

    assert key_of(broken) == key_of(ToolCall(id="c2", name="look", arguments='{"a": '))
    assert key_of(broken) != key_of(ToolCall(id="c2", name="look", arguments='{"b": '))


def test_a_result_is_known_by_its_digest_or_else_by_its_text():
    whole = ToolResult(name="look", call_id="c1", text="cut", digest="0123456789abcdef")

    assert result_digest(whole) == "0123456789abcdef"
    assert result_digest(ToolResult(name="look", call_id="c1", text="\ud800")) == text_digest("\ud800")
