"""The helpers of `json` look into documents, change copies of them, and say where something is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.pure.json_path import query_json
from agentspec.adapters.tools.pure.pure import Unfit
from tests.adapters.tools.calling import call, refusal, value

DOCUMENT = {
    "items": [{"n": 1, "tag": "x"}, {"n": 2.0, "tag": "xy"}, {"n": True}, {"n": None}, [1, [2, [3]]], "é😀"],
    "by": {'it\'s "k"': 1, "": 2, "c": {"d": "a"}},
    "row": [0, 1, 2, 3, 4, 5],
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("$.by.c.d", ["a"]),
        ("$['by'][\"c\"]['d']", ["a"]),
        ("$.by['it\\'s \"k\"']", [1]),
        ('$.by["it\'s \\"k\\""]', [1]),
        ("$.by['']", [2]),
        ("$.nothing.here", []),
        ("$.row[0]", [0]),
        ("$.row[-1]", [5]),
        ("$.row[9]", []),
        ("$.row[1:4:2]", [1, 3]),
        ("$.row[::-2]", [5, 3, 1]),
        ("$.row[-2:]", [4, 5]),
        ("$.row[::0]", []),
        ("$.row[0, -1, 'x']", [0, 5]),
        ("$ .row [ 0 ]", [0]),
        ("$.by.c.*", ["a"]),
        ("$..d", ["a"]),
        ("$..[2]", [{"n": True}, 2]),
        ("$.items[*].n", [1, 2.0, True, None]),
        ("$.items[?@.n == 1].tag", ["x"]),
        ("$.items[?@.n > 1].tag", ["xy"]),
        ("$.items[?@.n >= 1 && @.tag != 'x'].tag", ["xy"]),
        ("$.items[?@.n == null || @.n == true].n", [True, None]),
        ("$.items[?@.tag].n", [1, 2.0]),
        ("$.items[?!(@.tag)].n", [True, None]),
        ("$.items[?@.a == @.b].n", [1, 2.0, True, None]),
        ("$.row[?@ > $.items[1].n]", [3, 4, 5]),
        ("$.items[?length(@.tag) == 2].n", [2.0]),
        ("$.items[?length(@) == 2]", [{"n": 1, "tag": "x"}, {"n": 2.0, "tag": "xy"}, [1, [2, [3]]], "é😀"]),
        ("$.items[?count(@.*) == 1].n", [True, None]),
        ("$.items[?value(@..tag) == 'xy'].n", [2.0]),
        ("$.items[?match(@.tag, 'x.')].n", [2.0]),
        ("$.items[?search(@.tag, 'y')].n", [2.0]),
        ("$.items[?@ == 'é\\ud83d\\ude00']", ["é😀"]),
        ("$.row[?@ < 1.5e0]", [0, 1]),
        ("$[?@[0] == 0][1]", [1]),
    ],
)
def test_a_query_finds(query, expected):
    found = query_json(DOCUMENT, query)

    assert (found, list(map(type, found))) == (expected, list(map(type, expected)))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("items", "a query begins with `$`, the whole document: `$.items[0].name`"),
        ("$.", "the query ends too early"),
        ("$.items[", "the query ends too early"),
        ("$.items]", "unexpected `]` at character 8 of the query"),
        ("$.items[01]", "unexpected `1` at character 10 of the query"),
        ("$['a", "the text that begins at character 3 of the query never ends"),
        ("$['\\q']", "the text '\\q' has an escape that JSON does not know"),
        ("$['\\ud800']", "the text '\\ud800' holds half of a surrogate pair, which is no character"),
        ("$[99999999999999999]", "`99999999999999999` is too large for an index"),
        ("$.a[?1]", "`1` alone is no condition: compare it with something"),
        ("$.a[?@.* == 1]", "a query that may find several values can't be compared; name one, such as `@.items[0]`"),
        ("$.a[?size(@) == 1]", "`size` is no function of a query; known: length, count, value, match, search"),
        ("$.a[?length(@.b)]", "`length` gives a value: compare it with something"),
        ("$.a[?match(@.b, 'x') == true]", "`match` is true or false by itself: it can't be compared"),
        ("$.a[?count(1) == 1]", "`count` takes a query such as `@.items`"),
        ("$.a[?length(@.a, @.b) == 1]", "`length` takes 1 values, not 2"),
        ("$" + "[?@" * 21 + "]" * 21, "the query is nested more than 20 deep"),
        ("$" + "." * 2000, "the query has 2001 characters; at most 2000 are taken"),
    ],
)
def test_a_query_that_is_none_is_refused_in_words(query, words):
    with pytest.raises(Unfit) as refused:
        query_json({"a": [1]}, query)

    assert str(refused.value) == words


@pytest.mark.parametrize(
    "query",
    ["$..*..*..*..*", "$..[?count($..*) > 1]", "$[?@ == $[0] && @ == $[1] && @ == $[2] && @ == $[3] && @ == $[4]]"],
)
def test_a_query_that_explodes_is_stopped(query):
    document = [[[list(range(10))] * 10] * 10] * 40

    with pytest.raises(Unfit, match="the query looks at more than 200000 values; ask for less"):
        query_json(document, query)


async def test_a_query_answers_json_and_says_how_much_there_is():
    output = await call("json", "json_query", document=json.dumps(DOCUMENT), query="$.row[*]", most=2)

    assert output.text == "[0, 1]\n[2 of 6 values]"
    assert output.data == {"values": [0, 1], "found": 6}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("json_get", {"document": '{"a/b": [{"m~n": 7}]}', "pointer": "/a~1b/0/m~0n"}, 7),
        ("json_get", {"document": {"": 1}, "pointer": "/"}, 1),
        ("json_get", {"document": "[1]", "pointer": ""}, [1]),
        ("json_get", {"document": '"text"', "pointer": ""}, "text"),
        ("json_set", {"document": '{"a": [1]}', "pointer": "/a/-", "value": 2}, {"a": [1, 2]}),
        ("json_set", {"document": {"a": [1]}, "pointer": "/a/0", "value": None}, {"a": [None]}),
        ("json_set", {"document": {}, "pointer": "/b", "value": {"c": 1}}, {"b": {"c": 1}}),
        ("json_set", {"document": {}, "pointer": "", "value": 3}, 3),
        ("json_remove", {"document": '{"a": [1, 2], "b": 0}', "pointer": "/a/0"}, {"a": [2], "b": 0}),
        ("json_remove", {"document": {"a": 1}, "pointer": "/a"}, {}),
        (
            "json_merge",
            {"document": '{"a": {"b": 1, "c": 2}}', "patch": '{"a": {"b": null, "d": 3}}'},
            {"a": {"c": 2, "d": 3}},
        ),
        ("json_merge", {"document": [1], "patch": {"a": {"b": None}}}, {"a": {}}),
        ("json_format", {"document": '{"b":1,"a":[]}', "sort_keys": True}, '{\n  "a": [],\n  "b": 1\n}'),
        ("json_format", {"document": {"é": 1.0}, "indent": 0}, '{"é": 1.0}'),
        ("json_validate", {"document": "{}"}, {"valid": True, "problems": []}),
        (
            "json_validate",
            {"document": '{"n": "3"}', "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            {"valid": False, "problems": ['`n` must be an integer, not the string "3"']},
        ),
        ("json_validate", {"document": "3", "schema": '{"minimum": 1}'}, {"valid": True, "problems": []}),
        (
            "json_validate",
            {"document": "{a: 1}"},
            {
                "valid": False,
                "problems": [
                    "`document` is no JSON: Expecting property name enclosed in double quotes at line 1, column 2"
                ],
            },
        ),
    ],
)
async def test_a_helper_gives(name, arguments, expected):
    assert await value("json", name, **arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        (
            "json_get",
            {"document": "{", "pointer": ""},
            "`document` is no JSON: Expecting property name enclosed in double quotes at line 1, column 2",
        ),
        ("json_get", {"document": "[NaN]", "pointer": ""}, "`document` is no JSON: `NaN` is no number of JSON"),
        ("json_get", {"document": "[" * 50_000, "pointer": ""}, "`document` is nested more than 100 deep"),
        ("json_get", {"document": "[" * 102 + "]" * 102, "pointer": ""}, "`document` is nested more than 100 deep"),
        (
            "json_get",
            {"document": "{}", "pointer": "a"},
            "a pointer is empty (the whole document) or begins with `/`, such as `/items/0/name`",
        ),
        ("json_get", {"document": {"b": 1}, "pointer": "/a"}, "nothing at `/a`: there is no key `a` among `b`"),
        ("json_get", {"document": [1], "pointer": "/01"}, "nothing at `/01`: `01` is no index of a list of 1 items"),
        ("json_get", {"document": [1], "pointer": "/-"}, "nothing at `/-`: `-` is no index of a list of 1 items"),
        (
            "json_get",
            {"document": 1, "pointer": "/a"},
            "nothing at `/a`: `a` would have to stand in a mapping or a list",
        ),
        (
            "json_set",
            {"document": [1], "pointer": "/1", "value": 0},
            "nothing at `/1`: `1` is no index of a list of 1 items",
        ),
        (
            "json_set",
            {"document": "1", "pointer": "/1", "value": 0},
            "nothing at `/1`: `1` would have to stand in a mapping or a list",
        ),
        ("json_remove", {"document": {}, "pointer": ""}, "the whole document can't be removed from itself"),
        ("json_remove", {"document": {}, "pointer": "/a"}, "nothing at `/a`: there is no key `a` among no keys at all"),
        ("json_validate", {"document": "1", "schema": {"type": "whole"}}, None),
    ],
)
async def test_what_has_no_answer_is_refused_in_words(name, arguments, words):
    said = await refusal("json", name, **arguments)

    assert said == words if words else said.startswith("`schema` is no JSON Schema: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=6), JSON, min_size=1, max_size=4), JSON, st.data())
async def test_what_is_set_can_be_got_and_the_rest_stays(document, new, data):
    key = data.draw(st.sampled_from(sorted(document)))
    pointer = "/" + key.replace("~", "~0").replace("/", "~1")

    changed = await value("json", "json_set", document=json.dumps(document), pointer=pointer, value=new)

    assert changed == document | {key: new}
    assert await value("json", "json_get", document=changed, pointer=pointer) == new
    without = await value("json", "json_remove", document=changed, pointer=pointer)
    assert without == {name: inner for name, inner in document.items() if name != key}


@given(JSON)
def test_the_deep_wildcard_finds_every_value_within(document):
    def count(inside):
        children = inside.values() if isinstance(inside, dict) else inside if isinstance(inside, list) else ()
        return sum(1 + count(child) for child in children)

    assert len(query_json(document, "$..*")) == count(document)


@given(JSON, st.text("$.[]*?@'\"()!=<>&|,:01ab ", max_size=25))
def test_any_query_is_answered_or_refused(document, query):
    try:
        found = query_json(document, f"${query}")
    except Unfit:
        return
    assert isinstance(found, list)
