"""The search tool: what it says, what it takes, and that nothing of a query breaks it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.people.python import PythonFunctions
from agentspec.adapters.tools.offered.search_tools import SearchTool, search_plan
from agentspec.core.offer.search import Search
from agentspec.core.tools import ToolPlan
from agentspec.ports import Invocation, Output


def hidden(name: str, description: str, namespace: str = "") -> ToolPlan:
    return ToolPlan(
        name=name,
        description=description,
        parameters={"type": "object"},
        effect="read",
        kind="expr",
        is_deferred=True,
        namespace=namespace,
    )


MANY = tuple(hidden(f"read_{number}", f"Reads the file {number}. " + "Long. " * 100) for number in range(30))


async def search(tools: tuple[ToolPlan, ...], result_max: int = 65536, **arguments: object) -> Output:
    tool = SearchTool(Search("hybrid", "search_tools", tools), result_max, PythonFunctions(Path(), 5.0))
    return await tool.call(Invocation(name="search_tools", call_id="c", arguments=arguments, key="k"))


async def test_it_says_what_was_found_and_from_when_on_it_can_be_called():
    output = await search((hidden("send_mail", "Sends  a\nmessage"), hidden("read", "Reads")), query="a message")

    assert output == Output(
        text="These tools can be called from your next turn on:\n- send_mail: Sends a message",
        data={"found": ["send_mail"]},
    )


async def test_it_says_so_where_nothing_fits():
    output = await search((hidden("read", "Reads"),), query="dance")

    assert (output.error, output.data) == (None, {"found": []})
    assert output.text == "No tool fits. Try other words, or go on with the tools that you have."


async def test_a_limit_bounds_what_is_found_and_the_rest_is_counted():
    usual = await search(MANY, query="file")
    two = await search(MANY, query="file", limit=2)

    assert len(usual.data["found"]) == 5
    assert two.data == {"found": ["read_0", "read_1"]}
    assert two.text.splitlines()[-1].startswith("28 more fit less well")


async def test_nothing_is_found_that_the_answer_has_no_room_to_name():
    output = await search(MANY, result_max=600, query="file", limit=20)

    assert len(output.text.encode()) <= 600
    assert all(f"- {name}:" in output.text for name in output.data["found"])
    assert output.data["found"] == ["read_0", "read_1"]


@pytest.mark.parametrize("query", ["", " \n", "x" * 3_000])
async def test_a_query_that_says_nothing_or_too_much_is_an_error_in_words(query):
    output = await search(MANY, query=query)

    assert output.status == "error"
    assert output.error.message.startswith("`query` ")


@given(st.text(max_size=60))
async def test_no_query_breaks_it(query):
    once, again = await search(MANY[:3], query=query), await search(MANY[:3], query=query)

    assert once == again


def test_groups_and_names_stand_in_its_description_where_they_are_asked_for():
    tools = (hidden("dig", "Digs", "garden"), hidden("blast", "Blasts"))

    plain = search_plan(Search("bm25", "search_tools", (tools[1],)))
    listed = search_plan(Search("regex", "find", tools, lists_names=True))

    assert list(plain.parameters["properties"]) == ["query", "limit"]
    assert listed.parameters["properties"]["namespace"]["enum"] == ["garden"]
    assert listed.description.endswith("There are: blast, dig.")
    assert (listed.name, listed.kind, listed.effect, listed.repeat) == ("find", "runtime", "none", "read")


@pytest.mark.parametrize(
    ("body", "found", "error"),
    [
        ("return [tool['name'] for tool in state['tools'] if state['query'] in tool['description']]", ["read"], None),
        ("return ['read', 'other', 'send', 'read', 3]", ["read", "send"], None),
        ("return 'read'", None, "the search failed: `finding13:find` gave no list of names"),
        ("raise ValueError('no')", None, "the search failed: `finding22:find`: it failed: ValueError: no"),
    ],
)
async def test_the_author_s_function_finds_instead(tmp_path, body, found, error):
    module = f"finding{len(body)}"
    (tmp_path / f"{module}.py").write_text(f"def find(state):\n    {body}\n")
    tools = (hidden("send", "Sends a message"), hidden("read", "Reads a book"))
    asked = Search("bm25", "search_tools", tools, function=f"{module}:find")
    tool = SearchTool(asked, 65536, PythonFunctions(tmp_path, 5.0))

    output = await tool.call(Invocation(name="s", call_id="c", arguments={"query": "book"}, key="k"))

    assert (output.data, output.error and output.error.message) == (found and {"found": found}, error)
