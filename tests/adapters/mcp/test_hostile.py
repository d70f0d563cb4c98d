"""Servers that misbehave: each call has one result, the reason is in it, and nothing is left running."""

import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agentspec.adapters.mcp.catalogue import Choice
from agentspec.adapters.mcp.connection import Connection, Failed, Server, require_sdk
from agentspec.adapters.mcp.servers import Servers
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command
from agentspec.errors import Unavailable
from agentspec.ports import Invocation

WRONG = "the MCP server `s` answered against the protocol: `content`: Input should be a valid list"
RAW = str(Path(__file__).parents[2] / "servers" / "mcp_raw.py")


def server(what: str, *words: str, seconds: float = 30) -> Server:
    argv = [sys.executable, RAW, what, *words]
    program = Command(argv=argv, cwd=Path.cwd(), env=child_environment(os.environ), grace=0.3, run_id="test")
    return Server("s", program=program, start_timeout=seconds)


@asynccontextmanager
async def opened(what: str, *words: str, notices: list | None = None, seconds: float = 30):
    require_sdk()
    connection = Connection(server(what, *words, seconds=seconds), (notices if notices is not None else []).append)
    servers = Servers({"s": connection}, lambda data: "kept")
    try:
        yield servers
    finally:
        await servers.close()


async def offered(servers: Servers, **choice):
    return await servers.open([Choice("s", **choice)], set())


async def called(servers: Servers, tool):
    return await servers.call(tool, Invocation(name=tool.name, call_id="c", arguments={}, key="k"))


def heard_of(servers: Servers) -> asyncio.Event:
    """Set when the servers know of a change."""
    changed = asyncio.Event()
    servers.on_change = lambda server, difference: changed.set()
    return changed


async def result_of(what: str, *words: str, times: int = 1, notices: list | None = None):
    async with opened(what, *words, notices=notices) as servers:
        tool = (await offered(servers)).tools[0]
        outputs = [await called(servers, tool) for _ in range(times)]
    return outputs[-1]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("dies", "the MCP server `s` is gone: it ended with exit code 3; it may have acted"),
        ("silent", "the MCP server `s` is gone: it closed the connection; it may have acted"),
        ("huge", "the MCP server `s` is gone: it sent a message of more than 33554432 bytes; it may have acted"),
        ("noend", "the MCP server `s` is gone: it sent a message of more than 33554432 bytes; it may have acted"),
        ("wrong", f"{WRONG}; it may have acted"),
        ("refuses", "the MCP server `s` refused: no such ticket (-32602)"),
    ],
)
async def test_a_call_that_comes_to_nothing_says_why_and_whether_it_may_have_acted(what, message):
    output = await result_of(what)

    assert (output.status, output.error.message) == ("error", message)


@pytest.mark.parametrize("what", ["rubbish", "deep"])
async def test_what_is_no_message_is_skipped_and_told_once(what):
    notices: list[str] = []

    output = await result_of(what, notices=notices)

    assert (output.status, output.text) == ("ok", "still here")
    assert len(notices) == 1
    assert notices[0].startswith("it prints what is no message, which is skipped: ")
    assert notices[0].isprintable()


async def test_a_flood_on_standard_error_stops_nobody():
    assert (await result_of("flood")).text == "called"


async def test_questions_of_a_server_are_refused_at_once_and_a_ping_is_answered():
    output = await result_of("asks")

    assert output.text == (
        '{"sampling/createMessage": "error", "roots/list": "error", "elicitation/create": "error", '
        '"ping": "result", "no/such": "error"}'
    )


@pytest.mark.parametrize("what", ["rug", "widened"])
async def test_a_tool_that_has_changed_is_not_called_any_more(what):
    async with opened(what) as servers:
        changed = heard_of(servers)
        tool = (await offered(servers)).tools[0]
        first = await called(servers, tool)
        await changed.wait()
        second = await called(servers, tool)

    assert first.text == "called"
    assert second.error.category == "changed"
    assert second.error.message == (
        "the MCP server `s` has changed `t` since this run was told what it does: "
        "it is not called before a person has accepted the change"
    )


async def test_a_tool_that_is_gone_is_told_and_one_that_was_added_changes_nothing_for_the_others():
    for what, status in (("removed", "error"), ("added", "ok")):
        async with opened(what) as servers:
            changed = heard_of(servers)
            tool = (await offered(servers)).tools[0]
            await called(servers, tool)
            await changed.wait()
            assert (await called(servers, tool)).status == status


async def test_every_page_of_a_list_is_read():
    async with opened("pages") as servers:
        assert [tool.tool for tool in (await offered(servers)).tools] == [f"t{number}" for number in range(101)]


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("endless", "its list of tools has no end (1001 so far)"),
        ("circle", "its list of tools has no end (2 so far)"),
        ("many", "the server offers 5000 tools, and a run takes 256 of one: choose them with `allow`"),
    ],
)
async def test_a_list_that_is_too_long_keeps_the_run_from_starting(what, reason):
    async with opened(what) as servers:
        with pytest.raises(Unavailable) as refused:
            await offered(servers)

    assert str(refused.value) == f"`capability.mcp.s`: {reason}"


@pytest.mark.slow
async def test_of_too_many_tools_a_few_can_be_chosen():
    async with opened("many") as servers:
        assert [tool.tool for tool in (await offered(servers, allow=("t7", "t4999"))).tools] == ["t7", "t4999"]


async def test_long_names_stay_apart_and_are_called_by_their_own():
    async with opened("long") as servers:
        tools = (await offered(servers)).tools
        outputs = [await called(servers, tool) for tool in tools]

    assert len({tool.name for tool in tools}) == 2
    assert all(len(tool.name) == 64 for tool in tools)
    assert [output.text for output in outputs] == ["called", "called"]


async def test_a_remote_reference_is_never_fetched_and_only_its_tool_is_left_out():
    async with opened("remote") as servers:
        found = await offered(servers)

    assert [tool.tool for tool in found.tools] == ["good"]
    assert found.notes == (
        (
            "the tool `t` of the MCP server `s` is left out: its schema can't be used: "
            "`$ref` leads to `http://127.0.0.1:9/x`, and nothing is fetched"
        ),
    )


async def test_a_cancelled_call_is_told_to_the_server_and_its_late_answer_is_dropped(tmp_path):
    async with opened("hangs", str(tmp_path / "told")) as servers:
        tool = (await offered(servers)).tools[0]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await called(servers, tool)
        async with asyncio.timeout(5):
            while not (tmp_path / "told").exists():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.01)


async def test_a_server_that_says_nothing_is_given_up_after_its_time():
    async with opened("mute", seconds=0.7) as servers:
        began = time.monotonic()
        with pytest.raises(Unavailable) as refused:
            await offered(servers)

    assert str(refused.value) == "`capability.mcp.s`: no answer after 0.7 s"
    assert time.monotonic() - began < 10


async def test_a_server_is_started_a_few_times_and_then_left_alone():
    output = await result_of("dies", times=5)

    assert output.error.message == "the MCP server `s` was lost 4 times and is left alone"


def bearing(word: str) -> list[str]:
    """The processes that were started with a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if word.encode() in line and int(entry.name) != os.getpid():
                found.append(entry.name)
    return found


@pytest.mark.parametrize("what", ["good", "stubborn", "forks"])
async def test_nothing_of_a_server_is_left_running(what, tmp_path):
    word = f"mark-{tmp_path.name}"

    output = await result_of(what, word)

    assert output.text == "called"
    assert bearing(word) == []


async def test_nothing_is_left_of_a_server_whose_start_was_cancelled(tmp_path):
    word = f"mark-{tmp_path.name}"
    connection = Connection(server("mute", word), lambda line: None)
    opening = asyncio.create_task(connection.tools())
    async with asyncio.timeout(5):
        while not bearing(word):  # noqa: ASYNC110 - another process starts
            await asyncio.sleep(0.01)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await connection.close()

    assert bearing(word) == []


async def test_calls_of_one_server_run_beside_each_other():
    async with opened("good") as servers:
        tool = (await offered(servers)).tools[0]
        outputs = await asyncio.gather(*(called(servers, tool) for _ in range(100)))

    assert {output.text for output in outputs} == {"called"}


async def test_an_unknown_failure_is_told_in_words():
    connection = Connection(Server("s", url="http://127.0.0.1:9/mcp"), lambda line: None)

    with pytest.raises(Failed) as failed:
        await connection.tools()
    await connection.close()

    assert str(failed.value).startswith("the MCP server `s` failed: ConnectError")
