"""A tool whose schema a provider refuses is asked for in plain words, and the others stay as they are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.plain_schema import is_refused, plain, plain_tool, refused_tool
from agentspec.core.messages import Reply
from agentspec.ports import ModelRequest, ToolSchema
from tests.adapters.models.asking import OPENING, TOOL, model_at
from tests.adapters.models.vendors import VENDORS
from tests.servers.loopback import Loopback, response
from tests.servers.said import Said
from tests.servers.speakers import SPEAKERS, answers

ODD = {
    "type": "object",
    "$defs": {"Kind": {"type": "string", "enum": ["a", "b"]}, "Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}}},
    "properties": {
        "kind": {"$ref": "#/$defs/Kind", "description": "Which kind"},
        "size": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]},
        "tags": {"type": "array"},
        "sure": {"type": ["boolean", "null"], "default": True},
        "node": {"$ref": "#/$defs/Node"},
        "fixed": {"const": "x"},
        "level": {"enum": [1, 2]},
        "$odd": {"type": "string"},
    },
    "required": ["kind", "$odd"],
    "anyOf": [{"required": ["size"]}, {"required": ["tags"]}],
    "additionalProperties": False,
}  # fmt: skip
PLAIN = {
    "kind": {"type": "string", "description": "Which kind", "enum": ["a", "b"]},
    "size": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "sure": {"type": "boolean"},
    "fixed": {"type": "string", "enum": ["x"]},
    "level": {"type": "string"},
}
TOOLS = (TOOL, ToolSchema("odd", "Odd.", ODD), ToolSchema("other", "Other.", ODD))
WORDS = {
    "openai": "Invalid schema for function 'odd': schema must have type 'object' and not have 'anyOf' at the top level.",
    "openai_responses": "Invalid schema for function 'odd': In context=('properties', 'tags'), array schema missing items.",
    "anthropic": "tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    "google": "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[tags].items: missing field.",
}


def test_a_plain_schema_has_types_names_lists_and_words_alone():
    made = plain(ODD)

    assert made.keys() == {"type", "properties", "required"}
    assert made["required"] == ["kind"]
    assert {name: made["properties"][name] for name in PLAIN} == PLAIN
    assert "$odd" not in made["properties"]


def test_what_refers_to_itself_ends():
    made = plain({"type": "object", "properties": {"node": {"$ref": "#"}}})

    assert json.dumps(made).count("node") == 6


def test_what_is_lost_stands_in_the_description():
    told = plain_tool(TOOLS[1]).description

    assert told.startswith("Odd.\n\nThe arguments have to fit this JSON Schema: ")
    assert json.loads(told.partition("Schema: ")[2]) == ODD


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "object", "array", "null", "#", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "anyOf", "$ref", "$defs", "a", "required", "enum", "const"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_schema_has_a_plain_form(schema):
    def look(made):
        assert made.keys() <= {"type", "description", "properties", "required", "items", "enum"}
        assert (made["type"] == "array") == ("items" in made)
        for inner in (*made.get("properties", {}).values(), *([made["items"]] if "items" in made else [])):
            look(inner)

    look(plain(schema))


@pytest.mark.parametrize("provider", WORDS)
async def test_one_refused_schema_does_not_fail_every_request(provider):
    speaker = SPEAKERS[provider]
    refused = [response(speaker.refusal(400, WORDS[provider]), 400)]
    client = HttpClient()

    async with Loopback([refused, answers(speaker, Said("Ah."), streamed=False), refused, refused]) as server:
        model = model_at(server.url, client, provider=provider)
        told = [await model.answer(ModelRequest(OPENING, tools=TOOLS), None) for _ in range(4)]
    await client.close()

    assert [isinstance(each, Reply) or each.retryable for each in told] == [True, True, True, False]
    assert [each.body.count(b"have to fit") for each in server.asked] == [0, 1, 1, 3]
    assert b'"anyOf":[{"required":["size"]}' in server.asked[1].body  # the tool that nobody refused


@pytest.mark.parametrize("provider", VENDORS)
def test_the_vendors_types_take_plain_tools(provider):
    wire = PROVIDERS[provider].wire({"model": "m-1"}, "here")
    wire.written.ask_plainly(None)

    VENDORS[provider].request(json.loads(wire.body(ModelRequest(OPENING, tools=TOOLS), stream=False)))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("invalid schema for function 'odd': no", "odd"),
        ("invalid schema for function 'gone': no", None),
        ("tools.0.custom.input_schema.properties: property keys should match pattern", "lookup"),
        ("tools.9.input_schema: no", None),
        ("unknown name \"$ref\" at 'tools[0].function_declarations[2].parameters'", "other"),
        ('json schema conversion failed:\nunrecognized schema: {"description":"any"}', None),
        ("failed to initialize samplers: failed to parse grammar", None),
        ("the specified schema produces a constraint that has too many states for serving.", None),
    ],
)
def test_a_refusal_names_its_tool_by_name_or_place_or_not_at_all(words, name):
    assert is_refused(words)
    assert refused_tool(words, TOOLS) == name
    assert refused_tool(words, ()) is None


@pytest.mark.parametrize("words", ["tools are not supported", "invalid value for 'tools'", "schema of the answer"])
def test_other_refusals_are_about_no_schema_of_a_tool(words):
    assert not is_refused(words)


def test_a_tool_without_a_description_gets_one():
    assert plain_tool(replace(TOOL, description="")).description.startswith("The arguments have to fit")
