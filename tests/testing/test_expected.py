"""What came out against what is expected: each key says in one line, or in a difference, what is not so."""

import pytest

from agentspec.testing.expected import CameOut, misses

RESULT = {
    "status": "done",
    "stop_reason": "natural",
    "text": "Two files.\nNo more.",
    "output": {"count": 2},
    "error": None,
    "tools": {"calls": ["look", "look", "edit"], "successful": ["look"], "rejected": ["edit"]},
    "llm": {"iterations": 3, "provider_calls": 4, "input_tokens": 20, "output_tokens": 5, "cost_usd": 0.0},
}
EVENTS = (
    {"kind": "run_started", "seq": 1},
    {"kind": "tool_result", "seq": 2, "name": "look", "error": {"category": "x", "message": "y"}},
    {"kind": "text_delta", "seq": None, "text": "T"},
    {"kind": "run_finished", "seq": 3},
)
OUT = CameOut(RESULT, EVENTS, {"a.txt": "1\n2\n"})


@pytest.mark.parametrize(
    "expect",
    [
        {"status": "done", "stop_reason": ["natural", "sentinel"]},
        {"text": "Two files.\nNo more."},
        {
            "text": {
                "contains": ["Two", "No"],
                "excludes": "three",
                "matches": r"^Two .*\.$|Two",
                "equals": RESULT["text"],
            }
        },
        {"tools": {"calls": ["look", "look", "edit"], "successful": ["look"], "rejected": [], "not_called": ["write"]}},
        {"output": {"count": 2}, "files": {"a.txt": "1\n2\n"}},
        {"limits": {"iterations": 3, "provider_calls": 4, "tool_calls": 3, "tokens": 25, "cost_usd": 0}},
        {"events": [{"kind": "tool_result", "error": {"category": "x"}}, {"kind": "run_finished"}]},
        {"that": ["result.llm.iterations == 3", "files['a.txt'].startsWith('1')"]},
    ],
)
def test_what_holds_is_not_told(expect):
    assert misses(expect, OUT) == []


DID = (
    'events[1]: expected `{"kind": "run_started"}` after the one before it, '
    "got `run_started`, `tool_result`, `run_finished`"
)


@pytest.mark.parametrize(
    ("expect", "lines"),
    [
        ({"status": "stuck"}, ["status: expected `stuck`, got `done` (natural)"]),
        ({"status": ["stuck", "failed"]}, ["status: expected `stuck`, `failed`, got `done` (natural)"]),
        ({"stop_reason": "sentinel"}, ["stop_reason: expected `sentinel`, got `natural`"]),
        (
            {"text": "Two files.\nOne more."},
            [
                "text: not as expected",
                "  --- expected",
                "  +++ got",
                "  @@ -1,2 +1,2 @@",
                "   Two files.",
                "  -One more.",
                "  +No more.",
            ],
        ),
        ({"text": {"contains": "three"}}, ["text.contains: expected `three` in it, got `Two files.\\nNo more.`"]),
        (
            {"text": {"excludes": ["Two", "x"]}},
            ["text.excludes[0]: expected `Two` not in it, got `Two files.\\nNo more.`"],
        ),
        ({"text": {"matches": "^No$"}}, ["text.matches: expected a match of `^No$`, got `Two files.\\nNo more.`"]),
        ({"tools": {"calls": ["look"]}}, ["tools.calls: expected `look`, got `look`, `look`, `edit`"]),
        ({"tools": {"successful": ["edit", "x"]}}, ["tools.successful: expected `edit`, `x` among them, got `look`"]),
        ({"tools": {"rejected": ["look"]}}, ["tools.rejected: expected `look` among them, got `edit`"]),
        (
            {"tools": {"not_called": ["edit"]}},
            ["tools.not_called: expected no call of `edit`, got `look`, `look`, `edit`"],
        ),
        ({"output": {"count": 3}}, ['output: expected `{"count": 3}`, got `{"count": 2}`']),
        (
            {"output": {"count": 2, "names": ["Ada Lovelace", "Charles Babbage", "Luigi Federico Menabrea", "Ada"]}},
            [
                "output: not as expected",
                "  --- expected",
                "  +++ got",
                "  @@ -1,9 +1,3 @@",
                "   {",
                '  -  "count": 2,',
                '  -  "names": [',
                '  -    "Ada Lovelace",',
                '  -    "Charles Babbage",',
                '  -    "Luigi Federico Menabrea",',
                '  -    "Ada"',
                "  -  ]",
                '  +  "count": 2',
                "   }",
            ],
        ),
        ({"files": {"b.txt": ""}}, ['files["b.txt"]: expected a text, got none; there are `a.txt`']),
        (
            {"files": {"a.txt": "1\n"}},
            ['files["a.txt"]: not as expected', "  --- expected", "  +++ got", "  @@ -1 +1,2 @@", "   1", "  +2"],
        ),
        ({"limits": {"tokens": 24}}, ["limits.tokens: expected at most 24, got 25"]),
        (
            {"events": [{"kind": "run_finished"}, {"kind": "run_started"}]},
            [
                DID,
            ],
        ),
        (
            {"that": "result.status == 'stuck'"},
            ["that: `result.status == 'stuck'` does not hold: `result.status` is `done`"],
        ),
        ({"that": "files['x'] == ''"}, ["that: `files['x'] == ''` can't be evaluated: there is no key `x`"]),
    ],
)
def test_what_does_not_hold_is_told_by_its_key(expect, lines):
    assert [line for miss in misses(expect, OUT) for line in miss.lines(7)] == [f"line 7: {lines[0]}", *lines[1:]]


def test_a_bound_of_cost_does_not_hold_where_no_price_is_known():
    unpriced = OUT._replace(result={**RESULT, "llm": {**RESULT["llm"], "cost_usd": None}})

    [miss] = misses({"limits": {"cost_usd": 1}}, unpriced)

    assert miss.words == "expected at most 1, and no price is known of the model: give it `model.prices`"
    assert not miss.is_written
