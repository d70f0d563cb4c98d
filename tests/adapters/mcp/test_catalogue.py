"""What a server lists becomes tools of a run, or is left out with the reason; nothing of it is believed."""

import pytest

from agentspec.adapters.mcp.catalogue import DESCRIPTION_MAX, Choice, digest_of, read_catalogue


def listed(name="t", **more):
    return {"name": name, "description": "D", "inputSchema": {"type": "object", "properties": {}}, **more}


def read(*tools, **choice):
    return read_catalogue(tools, Choice("s", **choice), set())


def test_a_tool_has_the_words_and_the_schema_of_its_server_and_is_taken_to_write():
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}

    (tool,) = read(listed(inputSchema=schema, annotations={"readOnlyHint": True})).tools

    assert (tool.name, tool.tool, tool.description, tool.parameters) == ("s__t", "t", "D", schema)
    assert (tool.effect, tool.plan().repeat, tool.plan().kind) == ("write", "once", "mcp")


def test_effects_are_the_specs_by_name_before_patterns():
    tools = read(listed("get"), listed("get_all"), listed("put"), effects={"get*": "read", "get_all": "network"}).tools

    assert [tool.effect for tool in tools] == ["read", "network", "write"]


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (listed(""), "a name has from 1 to 512 characters"),
        (listed("x" * 513), "a name has from 1 to 512 characters"),
        (listed(inputSchema={"type": "array"}), "its arguments are no object"),
        (listed(inputSchema=7), "its schema is no object"),
        (listed(inputSchema={"type": "object", "description": "x" * 70000}), "its schemas have 70041 bytes, and 65536 are taken"),
        (listed(inputSchema={"type": "object", "properties": 3}), "its schema can't be used: `properties` must be an object, not the number 3"),
        (
            listed(inputSchema={"$ref": "https://evil.example/schema.json"}),
            "its schema can't be used: `$ref` leads to `https://evil.example/schema.json`, and nothing is fetched",
        ),
        (
            listed(inputSchema={"properties": {"a": {"$ref": "#/$defs/gone"}}}),
            "its schema can't be used: `$ref` leads to `#/$defs/gone`, which is not there",
        ),
        (
            listed(inputSchema={"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            "its schema can't be used: `$ref` leads from `#/$defs/a` only back to it",
        ),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_be_used_is_left_out_and_told(tool, reason):
    found = read(tool, listed("good"))

    assert [one.tool for one in found.tools] == ["good"]
    shown = tool["name"][:100] + ("…" if len(tool["name"]) > 100 else "")
    assert found.notes == (f"the tool `{shown}` of the MCP server `s` is left out: {reason}",)


def test_a_name_that_is_listed_twice_is_the_first_one():
    found = read(listed(description="first"), listed(description="second"))

    assert [tool.description for tool in found.tools] == ["first"]
    assert found.notes == ("the tool `t` of the MCP server `s` is left out: it is listed twice",)


def test_a_description_has_no_hidden_characters_and_an_end():
    (tool,) = read(listed(description="see\u200b\U000e0041\u202e\x1b[31m" + "x" * 5000)).tools

    assert tool.description.startswith("see\\x1b[31mxxx")
    assert tool.description.endswith("x [… 915 characters are left out]")
    assert len(tool.description) < DESCRIPTION_MAX + 50


def test_an_allowed_name_that_nobody_offers_is_told():
    found = read(listed("a"), listed("b"), allow=("a", "serach"))

    assert [tool.tool for tool in found.tools] == ["a"]
    assert found.notes == ("`capability.mcp.s.allow`: the server offers no tool `serach`",)


def test_names_of_other_tools_are_not_taken():
    found = read_catalogue([listed("t")], Choice("s"), {"s__t"})

    assert found.tools[0].name == "s__t_" + found.tools[0].name[5:]
    assert len(found.tools[0].name) == 13


@pytest.mark.parametrize("key", ["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
def test_a_change_of_anything_that_says_what_a_tool_does_is_another_digest(key):
    before = listed(title="T", outputSchema={"type": "object"}, annotations={"readOnlyHint": True})

    assert digest_of(before) != digest_of({**before, key: {"changed": True}})
    assert digest_of(before) == digest_of({**before, "icons": [{"src": "x"}], "_meta": {"a": 1}})
