"""Templates: slots are found, checked and filled; nothing that is put in is looked through again."""

import pytest

from agentspec.errors import ExpressionError
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import make_scope
from agentspec.expressions.template import Slot, parse_template
from tests.expressions.asking import short

INPUTS = make_scope(
    inputs={
        "branch": "string",
        "count": "number",
        "tools": "string[]",
        "labels": "object",
        "since": {"type": "string", "optional": True},
    },
    parameters={"path": "string", "limit": "integer?", "body": "any"},
)

PARTS = [
    ("plain", ["plain"]),
    ("", []),
    ("${a}", [Slot(0, 4, "a")]),
    ("x ${ a.b } y", ["x ", Slot(2, 10, " a.b "), " y"]),
    ("$${a}", ["${", "a}"]),
    ("$$${a}", ["$", "${", "a}"]),
    ("$a {b} $ {c}", ["$a {b} $ {c}"]),
    ('${a ? "}" : "{"}', [Slot(0, 16, 'a ? "}" : "{"')]),
    ("${ {'a': 1}.a }", [Slot(0, 15, " {'a': 1}.a ")]),
    ("${it's} ${b}", [Slot(0, 7, "it's"), " ", Slot(8, 12, "b")]),
    ("😀${a}é", ["😀", Slot(1, 5, "a"), "é"]),
    ("${a} ${b", [Slot(0, 4, "a"), " ${", "b"]),
]


@pytest.mark.parametrize(("text", "parts"), PARTS, ids=[row[0] for row in PARTS])
def test_a_text_is_cut_at_its_slots(text: str, parts: list[str | Slot]) -> None:
    assert list(parse_template(text).parts) == parts


LITERAL = "a literal `${` is written `$${`"
ROWS = [
    ("prompt", "on ${inputs.branch}", []),
    (
        "prompt",
        "on ${inputs.brnch}",
        [("AS303", "brnch", "unknown field `brnch` in `inputs`", "did you mean `branch`?", "on ${inputs.branch}")],
    ),
    (
        "prompt",
        "${inptus.branch}",
        [("AS302", "inptus", "unknown name `inptus`", "did you mean `inputs`?", "${inputs.branch}")],
    ),
    ("prompt", "${HOME}", [("AS302", "HOME", "unknown name `HOME`", f"known here: `inputs`, `run`; {LITERAL}", None)]),
    (
        "prompt",
        "${args.path}",
        [
            (
                "AS313",
                "args",
                "`args` is known in `tools.*.expr`, `approval.rules[].when` and 4 more, not in a prompt",
                "known here: `inputs`, `run`",
                None,
            )
        ],
    ),
    (
        "prompt",
        "key ${env.TOKEN}",
        [
            (
                "AS332",
                "env",
                "`env` cannot be read here",
                "environment variables are read only in `url`, `headers`, `env` and `base_url`; `api_key_env` takes a name",
                None,
            )
        ],
    ),
    ("connection", "${env.TOKEN}", []),
    (
        "connection",
        "${TOKEN}",
        [("AS302", "TOKEN", "unknown name `TOKEN`", "did you mean `env.TOKEN`?", "${env.TOKEN}")],
    ),
    ("tools.template.env", "https://${env.HOST}/${args.path}", []),
    (
        "prompt",
        "${run.now}",
        [
            (
                "AS303",
                "now",
                "unknown field `now` in `run`",
                "its fields: `id`, `session_id`, `spec`, `task`, `provider`, `model`, `tool_format`, `final_answer` and 5 more",
                None,
            )
        ],
    ),
    ("tools.template", "${run.now}", []),
    ("prompt", "a ${", [("AS330", "${", "this `${` is not closed on its line", f"add `}}`; {LITERAL}", None)]),
    ("prompt", "a ${x\n}", [("AS330", "${", "this `${` is not closed on its line", f"add `}}`; {LITERAL}", None)]),
    ("prompt", "${ }", [("AS330", "${ }", "there is nothing in this `${ }`", LITERAL, None)]),
    (
        "prompt",
        "${inputs.tools}",
        [
            (
                "AS331",
                "inputs.tools",
                "`inputs.tools` is a list, which is no text",
                "write `${inputs.tools.join(', ')}`",
                None,
            )
        ],
    ),
    (
        "prompt",
        "${inputs.labels}",
        [
            (
                "AS331",
                "inputs.labels",
                "`inputs.labels` is a mapping, which is no text",
                "write `${json.encode(inputs.labels)}`",
                None,
            )
        ],
    ),
    (
        "prompt",
        "${inputs}",
        [
            (
                "AS331",
                "inputs",
                "`inputs` is a record, which is no text",
                "name one of its fields: `${inputs.branch}`",
                None,
            )
        ],
    ),
    (
        "prompt",
        "${[1, 2]}",
        [("AS331", "[1, 2]", "this is a list of integers, which is no text", "write `[1, 2].join(', ')`", None)],
    ),
    (
        "prompt",
        "${inputs.branch.name}",
        [("AS303", "name", "`inputs.branch` is a string and has no fields", None, None)],
    ),
    (
        "prompt",
        '${inputs.count > 3 ? "many" : "few"}',
        [
            (
                "AS306",
                "3",
                "`3` is an integer and `inputs.count` is a number; the two do not mix",
                "write `3.0`",
                '${inputs.count > 3.0 ? "many" : "few"}',
            )
        ],
    ),
    (
        "prompt",
        "${text.uper(inputs.branch)}",
        [
            (
                "AS304",
                "text.uper",
                "unknown function `text.uper`",
                "did you mean `text.upper`?",
                "${text.upper(inputs.branch)}",
            )
        ],
    ),
    (
        "prompt",
        "{{ inputs.branch }}, {inputs.count} and $inputs.since",
        [
            (
                "AS333",
                "{{ inputs.branch }}",
                "`{{ inputs.branch }}` is plain text here",
                "write `${inputs.branch}`",
                "${inputs.branch}, {inputs.count} and $inputs.since",
            ),
            (
                "AS333",
                "{inputs.count}",
                "`{inputs.count}` is plain text here",
                "write `${inputs.count}`",
                "{{ inputs.branch }}, ${inputs.count} and $inputs.since",
            ),
            (
                "AS333",
                "$inputs.since",
                "`$inputs.since` is plain text here",
                "write `${inputs.since}`",
                "{{ inputs.branch }}, {inputs.count} and ${inputs.since}",
            ),
        ],
    ),
    ("prompt", '{"a": {"b": 1}} {{x}} $5 {user.name} $(date)', []),
]


@pytest.mark.parametrize(("place", "text", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_a_slot_is_checked_at_its_place(place: str, text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, parse_template(text).check(PLACES[place], INPUTS)) == expected


def test_inputs_that_nobody_declared_yet_may_have_any_name() -> None:
    assert parse_template("${inputs.anything}").check(PLACES["prompt"]) == []


def fill(text: str, place: str = "prompt", **names: object) -> str:
    return parse_template(text).compile(PLACES[place], INPUTS).render(names)


FILLED = [
    ("on ${inputs.branch}!", {"branch": "main"}, "on main!"),
    ("${inputs.count}", {"count": 5.0}, "5"),
    ("${inputs.count}", {"count": 0.25}, "0.25"),
    ("${inputs.count * 2.0}", {"count": 5}, "10"),
    ("[${inputs.since}]", {}, "[]"),
    ("$${inputs.branch}", {}, "${inputs.branch}"),
    ("${inputs.branch}", {"branch": "${inputs.count} $${x}"}, "${inputs.count} $${x}"),
    ("${inputs.tools.join(', ')}", {"tools": ["a", "b"]}, "a, b"),
    ("${inputs.labels.kind}", {"labels": {"kind": True}}, "true"),
    ("${json.encode(inputs.labels)}", {"labels": {"b": 1, "a": [2.5]}}, '{"a":[2.5],"b":1}'),
]


@pytest.mark.parametrize(("text", "inputs", "expected"), FILLED, ids=[row[0] for row in FILLED])
def test_slots_are_filled(text: str, inputs: dict[str, object], expected: str) -> None:
    assert fill(text, inputs=inputs) == expected


def test_a_long_value_goes_in_whole() -> None:
    body = "x" * 200_000

    assert fill("${args.path}", "tools.template", args={"path": body}) == body


def test_a_missing_value_is_told_by_its_name() -> None:
    with pytest.raises(ExpressionError, match=r"^`inputs\.branch` has no value$"):
        fill("${inputs.branch}", inputs={})


def test_a_missing_environment_variable_is_told_by_its_name() -> None:
    with pytest.raises(ExpressionError, match=r"^the environment variable `TOKEN` is not set$"):
        fill("Bearer ${env.TOKEN}", "connection", env={})


def test_a_value_that_turns_out_to_be_no_scalar_is_refused_without_showing_it() -> None:
    with pytest.raises(ExpressionError, match=r"^`args\.body` is no scalar, so it cannot stand in a text$"):
        fill("${args.body}", "tools.template", args={"body": {"secret": "s3cret"}})


def test_a_template_with_an_error_is_not_compiled() -> None:
    with pytest.raises(ExpressionError, match=r"^unknown field `brnch` in `inputs` in `brnch`$"):
        parse_template("${inputs.brnch}").compile(PLACES["prompt"], INPUTS)


ELEMENTS = [
    ("${args.limit}", {}, None),
    ("${args.limit}", {"limit": 3}, "3"),
    ("--limit=${args.limit}", {}, "--limit="),
    ("--verbose", {}, "--verbose"),
    ("", {}, ""),
]


@pytest.mark.parametrize(("text", "args", "expected"), ELEMENTS)
def test_an_element_that_is_one_missing_value_is_left_out(
    text: str, args: dict[str, object], expected: str | None
) -> None:
    filling = parse_template(text).compile(PLACES["tools.template"], INPUTS)

    assert filling.render_element({"args": args}) == expected


def test_a_template_tells_which_names_it_reads() -> None:
    template = parse_template("${env.TOKEN} ${text.upper(inputs.branch)} $${env.OTHER} ${inputs.count > 1.0}")

    assert template.names() == {"env.TOKEN", "inputs.branch", "inputs.count"}
