"""Arguments are held against their schema, and all that is wrong is said in words."""

import json
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentspec.core.schema.quick import compile_quick
from agentspec.core.schema.validate import Admitted, compile_schema, problems_of

EDIT = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "op": {"enum": ["add", "sub"]},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        },
        "dry_run": {"type": "boolean"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "ratio": {"type": "number"},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def test_valid_arguments_have_no_problems():
    assert compile_schema(EDIT).check({"path": "a", "edits": [{"old": "a", "new": "b"}], "note": None}) == []


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({}, ["`path` is missing"]),
        ({"path": 3}, ["`path` must be a string, not the number 3"]),
        ({"path": ""}, ["`path` must have at least 1 character, not 0"]),
        ({"path": "a", "count": "3"}, ['`count` must be an integer, not the string "3"']),
        ({"path": "a", "count": True}, ["`count` must be an integer, not true"]),
        ({"path": "a", "count": 0}, ["`count` must be at least 1, not 0"]),
        ({"path": "a", "op": "mul"}, ['`op` must be one of "add", "sub", not the string "mul"']),
        ({"path": "a", "op": "subb"}, ['`op` must be one of "add", "sub", not the string "subb"; did you mean "sub"?']),
        ({"pth": "a"}, ["unknown argument `pth`; did you mean `path`?", "`path` is missing"]),
        ({"path": "a", "zzz": 1}, ["unknown argument `zzz`; known: `path`, `count`, `op`, `edits`, `dry_run`, `note`, `ratio`"]),
        ({"path": "a", "edits": [{"old": "x", "nwe": "y"}]}, ["unknown argument `edits[0].nwe`; did you mean `new`?", "`edits[0].new` is missing"]),
        ({"path": "a", "note": 3}, ["`note` must be a string, or null, not the number 3"]),
        ([], ["the value must be an object, not a list"]),
        ({"path": "a", "count": "x", "op": "y", "dry_run": 1}, [
            '`count` must be an integer, not the string "x"',
            '`op` must be one of "add", "sub", not the string "y"',
            "`dry_run` must be true or false, not the number 1",
        ]),
    ],
)  # fmt: skip
def test_everything_that_is_wrong_is_said_at_its_place(arguments, problems):
    assert sorted(compile_schema(EDIT).check(arguments)) == sorted(problems)


def test_the_fitting_branch_of_a_union_explains():
    form = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["id"]}]}

    assert compile_schema({"properties": {"to": form}}).check({"to": {}}) == ["`to.id` is missing"]
    assert compile_schema({"properties": {"to": form}}).check({"to": 1}) == [
        "`to` must be a string, or an object with `id`, not the number 1"
    ]


def test_a_huge_value_gives_a_short_message():
    [problem] = compile_schema(EDIT).check({"path": "a", "count": "x" * 500_000})

    assert len(problem) < 200


def test_a_hundred_problems_are_cut_to_twenty():
    problems = compile_schema(EDIT).check({"path": "a"} | {f"x{i}": 1 for i in range(100)})

    assert len(problems) == 21
    assert problems[-1] == "and more"


def test_strict_decodes_json_in_a_string_only_where_a_list_is_wanted():
    validator = compile_schema(EDIT)
    edits = [{"old": "a", "new": "b"}]

    admitted = validator.admit({"path": '["not touched"]', "count": 2, "edits": json.dumps(edits)})

    assert admitted == Admitted(
        {"path": '["not touched"]', "count": 2, "edits": edits},
        changes=("`edits` decoded: it was JSON inside a string",),
    )


@pytest.mark.parametrize("text", ["[1", '"[]"', '{"a": 1}', "not json", '[{"old": "a"}]'])
def test_a_string_that_decodes_to_something_else_is_refused(text):
    admitted = compile_schema(EDIT).admit({"path": "a", "edits": text})

    assert admitted.problems == (f"`edits` must be a list, not the string {json.dumps(text)}",)
    assert admitted.changes == ()


def test_strict_converts_nothing_else():
    assert compile_schema(EDIT).admit({"path": "a", "count": "3"}).problems


def test_lenient_converts_safely_and_records_it():
    admitted = compile_schema(EDIT).admit(
        {
            "path": 3,
            "count": "3",
            "dry_run": "True",
            "ratio": "2.5",
            "op": None,
            "extra": 1,
            "edits": {"old": "a", "new": "b"},
        },
        "lenient",
    )

    assert admitted == Admitted(
        {"path": "3", "count": 3, "dry_run": True, "ratio": 2.5, "edits": [{"old": "a", "new": "b"}]},
        changes=(
            '`path` converted from 3 to "3"',
            '`count` converted from "3" to 3',
            '`dry_run` converted from "True" to True',
            '`ratio` converted from "2.5" to 2.5',
            "`op` dropped: null stands for an optional argument",
            "`extra` dropped: there is no such argument",
            "`edits` converted from {'old': 'a', 'new': 'b'} to [{'old': 'a', 'new': 'b'}]",
        ),
    )


@pytest.mark.parametrize(
    ("name", "value"), [("count", "3.5"), ("count", "three"), ("dry_run", "yes"), ("ratio", "nan"), ("path", [1])]
)
def test_lenient_guesses_nothing(name, value):
    assert compile_schema(EDIT).admit({"path": "a", name: value}, "lenient").problems


def test_none_lets_everything_pass():
    assert compile_schema(EDIT).admit({"zzz": 1}, "none") == Admitted({"zzz": 1, "count": 3})


def test_defaults_are_filled_in_and_never_shared():
    validator = compile_schema({"type": "object", "properties": {"a": {"default": []}, "b": {"type": "integer"}}})

    first = validator.admit({"b": 2.0}).value
    first["a"].append(1)

    assert first == {"b": 2, "a": [1]}
    assert isinstance(first["b"], int)
    assert validator.admit({}).value == {"a": []}


def test_a_remote_reference_is_never_fetched():
    [problem] = compile_schema({"$ref": "http://127.0.0.1:9/schema.json"}).check({})

    assert problem.startswith("the schema cannot be applied: ")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"$ref": "#/nowhere"},
        {"type": 5},
        {"properties": 5},
        {"anyOf": 3},
    ],
)
def test_a_broken_schema_is_said_and_crashes_nothing(schema):
    [problem] = compile_schema(schema).check({"a": 1})

    assert problem


def test_a_local_reference_is_followed():
    schema = {"$defs": {"n": {"type": "array"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}

    assert compile_schema(schema).check({"a": 1}) == ["`a` must be a list, not the number 1"]
    assert compile_schema(schema).admit({"a": "[1]"}).value == {"a": [1]}


@pytest.mark.parametrize("schema", [
    {"properties": {"a": {"pattern": "(a+)+$"}}},
    {"patternProperties": {"(a+)+$": {"type": "null"}}, "additionalProperties": False},
])  # fmt: skip
def test_a_catastrophic_pattern_is_fast(schema):
    started = time.process_time()

    assert compile_schema(schema).check({"a": "a" * 40 + "!", "a" * 40 + "!": 1})
    assert time.process_time() - started < 2


def test_the_schema_itself_is_examined():
    assert problems_of(EDIT) == []
    assert problems_of({"type": "strng"}) == [
        '`type` must be one of "array", "boolean", "integer", "null", "number", "object", "string", not the string "strng"; did you mean "string"?'
    ]
    assert problems_of({"pattern": "(?=a)"}) == [
        'the pattern "(?=a)" can\'t be read: RE2 knows no look-around and no back-references'
    ]
    assert problems_of(3) == ["a schema is a mapping"]


def test_the_library_is_loaded_only_for_what_is_refused():
    program = (
        "import sys; from agentspec.core.schema.validate import compile_schema; "
        "v = compile_schema({'type': 'object', 'required': ['a'], 'properties': {'a': {'type': 'string'}}}); "
        "v.admit({'a': 'x'}); assert 'jsonschema' not in sys.modules; v.check({}); assert 'jsonschema' in sys.modules"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


leaf_schemas = st.sampled_from(
    [
        {}, True, {"type": "string"}, {"type": "integer"}, {"type": ["number", "null"]}, {"type": "boolean"},
        {"enum": ["a", "b"]}, {"enum": [1, "a", True]}, {"const": "a"}, {"minimum": 1}, {"exclusiveMaximum": 2},
        {"minLength": 1, "type": "string"}, {"maxItems": 1}, {"type": "object"}, {"type": "array"}, {"title": "x"}, False,
        {"multipleOf": 2}, {"not": {"type": "string"}}, {"uniqueItems": True},
    ]
)  # fmt: skip
schemas = st.recursive(
    leaf_schemas,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda branches: {"allOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda properties, required, rest: {
                "properties": properties,
                "required": required,
                "additionalProperties": rest,
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            inner,
        ),
    ),
    max_leaves=6,
)
values = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, "", "a", "b", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


@given(schemas, values)
def test_the_quick_test_never_accepts_what_the_library_refuses(schema, value):
    is_valid = Draft202012Validator(schema).is_valid(value)

    assert not compile_quick(schema)(value) or is_valid
    assert (compile_schema(schema).check(value) == []) == is_valid


@given(schemas, values, st.sampled_from(["strict", "lenient"]))
def test_what_is_admitted_is_valid(schema, value, mode):
    admitted = compile_schema(schema).admit(value, mode)

    if not admitted.problems:
        assert Draft202012Validator(schema).is_valid(admitted.value)
