"""A result has to be what `returns` says, whatever kind of tool gave it."""

import pytest

from agentspec.adapters.tools.checked import CheckedTool
from agentspec.core.messages import ToolError
from agentspec.core.schema.shorthand import lower
from agentspec.ports import Invocation, Output


class Gives:
    """A tool that gives one output."""

    def __init__(self, output):
        self.output = output
        self.is_closed = False

    async def call(self, _invocation):
        return self.output

    async def close(self):
        self.is_closed = True


async def check(returns, output, *, prints):
    tool = CheckedTool(Gives(output), lower(returns), prints=prints)
    return await tool.call(Invocation(name="t", call_id="c", arguments={}, key="k"))


@pytest.mark.parametrize(
    ("returns", "output", "prints", "data"),
    [
        ("integer", Output(text="3\n", data={"exit_code": 0}), True, 3),
        ("string", Output(text="three", data={"exit_code": 0}), True, {"exit_code": 0}),
        ({"fields": {"n": "integer"}}, Output(text='{"n": 1}', data={"n": 1}), False, {"n": 1}),
        ("string", Output(text="plain"), False, None),
        ("string", Output(text="plain", data="plain"), False, "plain"),
        ("any", Output(text="[1]"), True, [1]),
    ],
)
async def test_a_result_that_fits_is_passed_on(returns, output, prints, data):
    given = await check(returns, output, prints=prints)

    assert (given.status, given.text, given.data) == ("ok", output.text, data)


@pytest.mark.parametrize(
    ("returns", "output", "prints", "words"),
    [
        ("integer", Output(text="three"), True, "it is no JSON"),
        ("integer", Output(text='"3"'), True, 'the value must be an integer, not the string "3"'),
        ({"fields": {"n": "integer"}}, Output(text="{}", data={}), False, "`n` is missing"),
        ("string", Output(text='{"a": 1}', data={"a": 1}), False, "must be a string, not an object"),
    ],
)
async def test_a_result_that_does_not_fit_is_an_error_that_keeps_what_was_given(returns, output, prints, words):
    given = await check(returns, output, prints=prints)

    assert (given.status, given.error.category, given.text) == ("error", "result", output.text)
    assert given.error.message.startswith("the result is not what `returns` says: ")
    assert words in given.error.message


async def test_a_result_that_is_too_large_to_read_is_an_error(tmp_path):
    given = await check("integer", Output(text="1…", overflow=tmp_path / "all"), prints=True)

    assert given.error.message == "the result is not what `returns` says: it is too large to be read whole"
    assert given.overflow == tmp_path / "all"


async def test_an_error_stays_the_error_that_it_was():
    failed = Output(status="error", error=ToolError(category="exit", message="exit 1"))

    assert await check("integer", failed, prints=True) is failed


async def test_closing_closes_the_tool_within():
    inner = Gives(Output())
    await CheckedTool(inner, {"type": "string"}, prints=True).close()

    assert inner.is_closed
