"""Names, fields and functions: the wrong one is marked, and what was meant is offered."""

import pytest

from agentspec.expressions.functions import by_name
from agentspec.expressions.groups import FAILURE
from agentspec.expressions.known import one_of
from agentspec.expressions.scope import Scope, make_scope
from tests.expressions.asking import ask, ask_tool, short

ROWS = [
    (
        "budgt.remaining == 0",
        [("AS302", "budgt", "unknown name `budgt`", "did you mean `budget`?", "budget.remaining == 0")],
    ),
    (
        "budget.remainig == 0",
        [
            (
                "AS303",
                "remainig",
                "unknown field `remainig` in `budget`",
                "did you mean `remaining`?",
                "budget.remaining == 0",
            )
        ],
    ),
    ("turn.calls > 3", [("AS303", "calls", "unknown field `calls` in `turn`", "did you mean `session.calls`?", None)]),
    (
        "turn.tool_calls > 3",
        [
            (
                "AS303",
                "tool_calls",
                "unknown field `tool_calls` in `turn`",
                "did you mean `tool_call_count`?",
                "turn.tool_call_count > 3",
            )
        ],
    ),
    (
        "cost_usd > 1.0",
        [("AS302", "cost_usd", "unknown name `cost_usd`", "did you mean `budget.cost_usd` or `usage.cost_usd`?", None)],
    ),
    ("max > 3", [("AS302", "max", "unknown name `max`", "did you mean `budget.max`?", "budget.max > 3")]),
    (
        'answer == ""',
        [
            (
                "AS313",
                "answer",
                "`answer` is known in `verify_completion[].when`, `turn_end_condition.cadence.when` and 2 more, not in `loop_control[].when`",
                "known here: `iteration`, `budget`, `turn`, `session`, `completion`, `progress`, `usage`",
                None,
            )
        ],
    ),
    (
        'inputs.branch == "main"',
        [
            (
                "AS313",
                "inputs",
                "`inputs` is known in a prompt, a tool and 2 more, not in `loop_control[].when`",
                "known here: `iteration`, `budget`, `turn`, `session`, `completion`, `progress`, `usage`",
                None,
            )
        ],
    ),
    (
        "completion.verdict == done",
        [
            (
                "AS302",
                "done",
                "unknown name `done`",
                'text is written in quotes: `"done"`',
                'completion.verdict == "done"',
            )
        ],
    ),
    (
        "completion.feedback == broken",
        [
            (
                "AS302",
                "broken",
                "unknown name `broken`",
                'text is written in quotes: `"broken"`',
                'completion.feedback == "broken"',
            )
        ],
    ),
    (
        "quux",
        [
            (
                "AS302",
                "quux",
                "unknown name `quux`",
                "known here: `iteration`, `budget`, `turn`, `session`, `completion`, `progress`, `usage`",
                None,
            )
        ],
    ),
    (
        'turn.tool_names.exists(name, nam == "x")',
        [("AS302", "nam", "unknown name `nam`", "did you mean `name`?", 'turn.tool_names.exists(name, name == "x")')],
    ),
    (
        "turn.quux.more.deeper()",
        [
            (
                "AS303",
                "quux",
                "unknown field `quux` in `turn`",
                "its fields: `tool_call_count`, `tool_names`, `successful_tool_names`, `rejected_tool_names`, `text_chars`, `native_fallback_used`",
                None,
            )
        ],
    ),
    (
        "quux.first(1).second(2)",
        [
            (
                "AS302",
                "quux",
                "unknown name `quux`",
                "known here: `iteration`, `budget`, `turn`, `session`, `completion`, `progress`, `usage`",
                None,
            )
        ],
    ),
    (
        "len(turn.tool_names) > 2",
        [("AS304", "len", "unknown function `len`", "write `size(…)`", "size(turn.tool_names) > 2")],
    ),
    (
        'text.uper(completion.feedback) == "X"',
        [
            (
                "AS304",
                "text.uper",
                "unknown function `text.uper`",
                "did you mean `text.upper`?",
                'text.upper(completion.feedback) == "X"',
            )
        ],
    ),
    (
        'completion.feedback.startswith("x")',
        [
            (
                "AS304",
                "startswith",
                "unknown function `startswith`",
                "write `.startsWith(…)`",
                'completion.feedback.startsWith("x")',
            )
        ],
    ),
    (
        "completion.feedback.quux()",
        [("AS304", "quux", "unknown function `quux`", "`agentspec explain functions` lists them", None)],
    ),
    (
        "turn.tool_names.length > 2",
        [
            (
                "AS303",
                "length",
                "`turn.tool_names` is a list of strings and has no fields",
                "write `size(turn.tool_names)`",
                "size(turn.tool_names) > 2",
            )
        ],
    ),
    (
        "max(iteration, 3) > 2",
        [("AS304", "max", "unknown function `max`", "write `math.greatest(…)`", "math.greatest(iteration, 3) > 2")],
    ),
    (
        'turn.tool_names.any(name, name == "x")',
        [("AS304", "any", "unknown function `any`", "write `.exists(…)`", 'turn.tool_names.exists(name, name == "x")')],
    ),
    (
        "lists.range(3).size() > iteration",
        [
            (
                "AS304",
                "lists.range",
                "unknown function `lists.range`",
                "write `list.range(…)`",
                "list.range(3).size() > iteration",
            )
        ],
    ),
    ("turn.tool_names.sum() > 1", [("AS304", "sum", "unknown function `sum`", "write `list.sum(value)`", None)]),
    (
        "iteration() > 1",
        [
            (
                "AS304",
                "iteration",
                "unknown function `iteration`",
                "`iteration` is a value; write it without `( )`",
                None,
            )
        ],
    ),
    (
        "size() > 1",
        [("AS305", "size", "`size` does not take 0 arguments", "it is `size(value: any) -> integer`", None)],
    ),
    (
        "completion.feedback.startsWith()",
        [
            (
                "AS305",
                "startsWith",
                "`startsWith` does not take 0 arguments",
                "it is `<string>.startsWith(start: string) -> boolean`",
                None,
            )
        ],
    ),
    (
        'completion.feedback.contains("a", "b")',
        [
            (
                "AS305",
                "contains",
                "`contains` does not take 2 arguments",
                "it is `<string>.contains(part: string) -> boolean`",
                None,
            )
        ],
    ),
    ("has(turn)", [("AS305", "turn", "`has` asks for a field", "write `has(record.field)`", None)]),
    (
        "has(turn.quux)",
        [
            (
                "AS303",
                "quux",
                "unknown field `quux` in `turn`",
                "its fields: `tool_call_count`, `tool_names`, `successful_tool_names`, `rejected_tool_names`, `text_chars`, `native_fallback_used`",
                None,
            )
        ],
    ),
    (
        'turn.tool_names.exists("x", true)',
        [
            (
                "AS305",
                '"x"',
                "`exists` needs a plain name first",
                "write `list.exists(item, …)` and use `item` in what follows",
                None,
            )
        ],
    ),
    (
        "turn.tool_names.exists(name)",
        [
            (
                "AS305",
                "exists",
                "`exists` does not take 1 argument",
                "it is `<list>.exists(item: name, condition: boolean) -> boolean` or `<list>.exists(index: name, item: name, condition: boolean) -> boolean`",
                None,
            )
        ],
    ),
]


@pytest.mark.parametrize("count", [0, 9])
def test_every_function_tells_of_a_wrong_number_of_arguments(count: int) -> None:
    given = ", ".join(["args.anything"] * count)
    for (name, is_method), ways in by_name().items():
        if any(function.takes(count) for function in ways):
            continue
        text = f"{'args.anything.' if is_method else ''}{name}({given})"

        (found,) = ask_tool(text)

        assert (found.code, text[found.start : found.end]) == ("AS305", name), found


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_wrong_is_marked_told_and_mended(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask(text)) == expected


@pytest.mark.parametrize(
    ("place", "text", "scope", "meant"),
    [
        ("tools.expr", 'message == ""', make_scope(parameters={"message": "string"}), 'args.message == ""'),
        ("prompt", "query", make_scope(inputs={"query": "string"}), "inputs.query"),
        ("context.filter.when", 'tool == "x"', make_scope(), 'message.tool == "x"'),
    ],
)
def test_a_field_of_this_place_is_nearer_than_a_name_of_another(place: str, text: str, scope: Scope, meant: str):
    (found,) = short(text, ask(text, place, scope))

    assert (found[0], found[3], found[4]) == ("AS302", f"did you mean `{meant.split(' ', maxsplit=1)[0]}`?", meant)


def test_all_words_are_listed_however_many_there_are():
    text = 'last_error.class == "zzqy"'

    (found,) = ask(text, "model.routes.when")

    assert found.help == f"it is {one_of(['', *FAILURE['enum']])}"
    assert all(f'`"{word}"`' in found.help for word in FAILURE["enum"])
