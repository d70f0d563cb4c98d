"""Tools of real MCP servers in whole runs."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentspec import NotAllowed, SpecInvalid, Unavailable, replay, resume, run
from agentspec.adapters.mcp.lock import Change
from agentspec.api.mcp import look_at_servers
from tests.servers.background import says
from tests.servers.loopback import Loopback
from tests.servers.web import web

SERVERS = Path(__file__).parents[1] / "servers"


def call(tool: str, /, **arguments: object) -> dict:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


@pytest.fixture
def spec(tmp_path):
    def write(turns: list, servers: dict, **capability: object) -> Path:
        path = tmp_path / "s.json"
        model = {"provider": "script", "options": {"turns": turns}}
        sections = {"mcp": servers, **capability}
        path.write_text(json.dumps({"name": "s", "task": "go", "model": model, "capability": sections}))
        return path

    return write


def program(*words: str, **more: object) -> dict:
    return {"command": [sys.executable, str(SERVERS / "mcp_program.py"), *words], **more}


class Heard(list):
    def __call__(self, event: dict) -> None:
        self.append(event)

    @property
    def results(self) -> list[dict]:
        return [event for event in self if event["kind"] == "tool_result"]

    @property
    def texts(self) -> list[str]:
        return [event["text"] for event in self.results]


@pytest.fixture
def heard() -> Heard:
    return Heard()


async def test_tools_of_two_servers_are_called_by_their_names(spec, heard):
    turns = [call("one__add", a=1, b=2), call("two__words"), call("one__fails"), call("one__gone"), "done"]
    path = spec(turns, {"one": {"command": [sys.executable, str(SERVERS / "mcp_sdk.py")]}, "two": program()})

    result = await run(path, on_event=heard)

    assert result.status == "done"
    assert heard.texts[:3] == ["3", "hello", "ERROR: Error executing tool fails"]
    assert heard.results[0]["data"] == {"result": 3}
    assert heard.texts[3].startswith("ERROR: unknown tool `one__gone`")
    assert (await replay(result.run_id, project=path.parent)).steps == 9


async def test_a_server_sees_the_variables_that_the_spec_names_and_no_others(spec, heard, monkeypatch, tmp_path):
    monkeypatch.setenv("PLANTED_TOKEN", "planted-0123456789")
    monkeypatch.setenv("AGENTSPEC_OTHER", "other")
    (tmp_path / "below").mkdir()
    turns = [
        call("s__variable", name="GIVEN"),
        call("s__variable", name="PLANTED_TOKEN"),
        call("s__variable", name="AGENTSPEC_OTHER"),
        call("s__folder"),
        "done",
    ]
    path = spec(turns, {"s": program(env={"GIVEN": "to-${env.AGENTSPEC_OTHER}-x"}, cwd="below")})

    await run(path, on_event=heard)

    assert heard.texts == ["to-other-x", "(unset)", "(unset)", str(tmp_path / "below")]


async def test_a_variable_that_is_not_set_keeps_the_run_from_starting(spec):
    path = spec(["done"], {"s": program(env={"TOKEN": "${env.NOT_THERE_AT_ALL}"})})

    with pytest.raises(Unavailable) as refused:
        await run(path)

    assert str(refused.value).startswith("`capability.mcp.s.env.TOKEN` can't be filled in: ")


async def test_allow_and_deny_choose_and_an_own_tool_has_its_own_words(spec, heard):
    tools = {"plus": {"description": "Sums", "mcp": "s/add", "effect": "none"}}
    turns = [call("plus", a=2, b=2), call("s__words"), call("s__add", a=1, b=1), call("s__folder"), "done"]
    path = spec(turns, {"s": program(allow=["words", "fold*"], deny=["folder"])}, tools=tools)

    await run(path, on_event=heard)

    assert heard.texts[:2] == ["4", "hello"]
    assert [event["status"] for event in heard.results] == ["ok", "ok", "unknown_tool", "unknown_tool"]
    effects = {event["name"]: event["effect"] for event in heard if event["kind"] == "tool_call"}
    assert effects == {"plus": "none", "s__words": "write"}


async def test_an_image_is_named_and_kept(spec, heard):
    await run(spec([call("s__picture"), "done"], {"s": program()}), on_event=heard)

    assert heard.texts[0].startswith("[image, image/png, 104 bytes, kept as artifact ")


async def test_a_server_that_dies_in_a_call_fails_it_at_once_and_is_started_again_for_the_next(spec, heard):
    path = spec([call("s__dies"), call("s__add", a=1, b=1), "done"], {"s": program()})

    await run(path, on_event=heard)

    lost = "ERROR: the MCP server `s` is gone: it ended with exit code 3; it said: going down; it may have acted"
    assert heard.texts == [lost, "2"]


async def test_a_call_has_the_time_limit_of_its_server(spec, heard):
    path = spec([call("s__silent"), call("s__words"), "done"], {"s": program(timeout="300ms")})

    await run(path, on_event=heard)

    assert heard.texts == ["ERROR: no result after 0.3 s; it was stopped and may have acted", "hello"]


async def test_what_a_server_prints_beside_messages_is_skipped_and_told_once(spec, heard):
    notices: list[str] = []
    path = spec([call("s__words"), "done"], {"s": program("noisy")})

    await run(path, on_event=heard, on_notice=notices.append)

    assert heard.texts == ["hello"]
    assert notices == ["the MCP server `s`: it prints what is no message, which is skipped: Server started"]


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ({"command": ["no-such-program-at-all"]}, "the program `no-such-program-at-all` was not found on the PATH"),
        (
            {"command": ["sh", "-c", "echo no key >&2; exit 4"]},
            "the MCP server `s` is gone: it ended with exit code 4; it said: no key",
        ),
    ],
)
async def test_a_server_that_does_not_start_keeps_the_run_from_starting(spec, tmp_path, server, reason):
    with pytest.raises(Unavailable) as refused:
        await run(spec(["done"], {"s": server, "good": program()}))

    assert str(refused.value) == f"`capability.mcp.s`: {reason}"


async def test_an_own_tool_of_a_server_that_does_not_offer_it_keeps_the_run_from_starting(spec):
    path = spec(["done"], {"s": program()}, tools={"x": {"description": "X", "mcp": "s/nothing"}})

    with pytest.raises(Unavailable) as refused:
        await run(path)

    assert str(refused.value) == "the MCP server `s` offers no tool `nothing` that a run can use"


CHANGED = (
    "the MCP server `s` has changed `t` since this run was told what it does: "
    "it is not called before a person has accepted the change"
)
RAW = str(SERVERS / "mcp_raw.py")


def raw(what: str, **more: object) -> dict:
    return {"command": [sys.executable, RAW], "env": {"MCP_RAW": what}, **more}


async def test_a_pinned_server_is_not_started_before_somebody_has_accepted_it(spec):
    with pytest.raises(NotAllowed) as refused:
        await run(spec(["done"], {"s": raw("good", pin=True)}))

    assert str(refused.value) == (
        "the MCP server `s` is pinned, and nobody has accepted it yet: look at it with `agentspec mcp list SPEC s`, "
        "then `agentspec mcp accept SPEC s`"
    )


async def test_of_a_pinned_server_only_tools_that_are_as_they_were_accepted_are_offered(spec, heard):
    notices: list[str] = []
    await look_at_servers(spec(["done"], {"s": raw("good", pin=True)}), accept=True)

    await run(spec([call("s__t"), "done"], {"s": raw("good", pin=True)}), on_event=heard)
    changed = spec([call("s__t"), "done"], {"s": raw("other", pin=True)})
    await run(changed, on_event=heard, on_notice=notices.append)

    assert [event["status"] for event in heard.results] == ["ok", "unknown_tool"]
    assert notices == [
        f"the tool `{name}` of the MCP server `s` is left out: it is not what was accepted; "
        "`agentspec mcp list SPEC s` shows what has changed"
        for name in ("t", "more")
    ]
    (look,) = await look_at_servers(changed)
    assert look.changes == [
        Change("more", "new"),
        Change("t", "changed", (("description", "D", "Another"),)),
    ]


async def test_another_command_is_another_server(spec):
    await look_at_servers(spec(["done"], {"s": raw("good", pin=True)}), accept=True)

    with pytest.raises(NotAllowed, match="has another command or address than the one that was accepted"):
        await run(spec(["done"], {"s": raw("good", pin=True) | {"command": [sys.executable, "-E", RAW]}}))


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 9}', b"\xff"])
async def test_a_lock_that_cannot_be_read_accepts_nothing(spec, tmp_path, content):
    (tmp_path / ".agentspec").mkdir()
    (tmp_path / ".agentspec" / "mcp.lock").write_bytes(content)

    with pytest.raises(Unavailable, match=r"mcp\.lock` .*accept the servers again"):
        await run(spec(["done"], {"s": raw("good", pin=True)}))


async def test_a_token_comes_from_the_environment_and_shows_nowhere(spec, heard, monkeypatch, tmp_path):
    monkeypatch.setenv("WEB_ACCESS", "planted-0123456789")
    server = {"auth": {"token_env": "WEB_ACCESS"}}

    with web("planted-0123456789") as (url, _):
        path = spec([call("s__header", name="authorization"), "done"], {"s": {"url": url, **server}})
        result = await run(path, on_event=heard)

    assert result.status == "done"
    assert heard.texts == ["Bearer [redacted]"]
    assert "planted-0123456789" not in (tmp_path / ".agentspec" / "runs.db").read_bytes().decode("latin-1")


async def test_a_token_that_is_not_set_keeps_the_run_from_starting(spec):
    path = spec(["done"], {"s": {"url": "http://127.0.0.1:9/mcp", "auth": {"token_env": "NOT_THERE_AT_ALL"}}})

    with pytest.raises(Unavailable) as refused:
        await run(path)

    assert str(refused.value) == (
        "`capability.mcp.s.auth.token_env`: the environment variable `NOT_THERE_AT_ALL` is not set"
    )


async def test_a_variable_that_changes_what_programs_run_is_given_to_none(spec):
    with pytest.raises(SpecInvalid) as refused:
        await run(spec(["done"], {"s": program(env={"LD_PRELOAD": "x.so"})}))

    assert [found.message for found in refused.value.diagnostics] == [
        "`LD_PRELOAD` would change what code programs run, and is given to none"
    ]


async def test_large_results_are_capped_and_kept_whole(spec, heard):
    await run(spec([call("s__t"), "done"], {"s": raw("large")}), on_event=heard)

    (result,) = heard.results
    assert (result["truncated"], result["full_bytes"]) == (True, 1_000_000)
    assert len(result["text"].encode()) <= 65536
    assert result["artifact"]


async def test_the_model_sees_the_tools_after_the_specs_own(spec):
    path = spec([], {"s": raw("good")}, tools={"own": {"description": "O", "expr": "1"}})
    path.write_text(path.read_text().replace('"script", "options": {"turns": []}', '"openai", "model": "m"'))

    async with Loopback([says("done")]) as server:
        await run(path, sets=[f"model.base_url={server.url}", "model.api_key_env=HOME"])

    assert [tool["function"]["name"] for tool in server.asked[0].json["tools"]] == ["own", "s__t"]


@pytest.mark.parametrize(
    ("what", "difference", "texts"),
    [
        ("added", {"added": ("more",), "changed": (), "removed": ()}, ["called", "called"]),
        (
            "rug",
            {"added": (), "changed": ("t",), "removed": ()},
            ["called", f"ERROR: {CHANGED}"],
        ),
        (
            "removed",
            {"added": (), "changed": (), "removed": ("t",)},
            ["called", "ERROR: the MCP server `s` does not offer `t` any more"],
        ),
    ],
)
async def test_a_change_of_the_tools_is_an_event_and_what_the_model_is_shown_stays(
    spec, heard, what, difference, texts
):
    path = spec([call("s__t"), call("s__t"), "done"], {"s": raw(what)})

    result = await run(path, on_event=heard)

    (told,) = [event for event in heard if event["kind"] == "tools_changed"]
    assert {key: told[key] for key in ("server", *difference)} == {"server": "s", **difference}
    assert heard.texts == texts
    assert (await replay(result.run_id, project=path.parent)).steps > 0


async def test_approval_rules_know_the_server_of_a_tool(spec, heard):
    rules = {"rules": [{"mcp": "s", "decision": "deny", "reason": "not today"}]}
    tools = {"own": {"description": "O", "mcp": "s/t"}}
    servers = {"s": raw("good"), "other": raw("good")}
    path = spec([call("s__t"), call("own"), call("other__t"), "done"], servers, tools=tools, approval=rules)

    await run(path, on_event=heard)

    assert ["not today" in text for text in heard.texts] == [True, True, False]
    assert heard.texts[2] == "called"


async def test_a_resumed_run_opens_its_servers_again_and_calls_only_what_it_was_told_of(spec, heard, tmp_path):
    tools = {"sleepy": {"description": "S", "run": ["sleep", "60"]}}
    path = spec([call("s__t"), call("sleepy"), call("s__t"), "done"], {"s": raw("good")}, tools=tools)

    def stop(event: dict) -> None:
        heard(event)
        if event["kind"] == "tool_call" and event["name"] == "sleepy":
            going.cancel()

    going = asyncio.ensure_future(run(path, on_event=stop))
    with pytest.raises(asyncio.CancelledError):
        await going
    (run_id,) = {event["run_id"] for event in heard}
    heard.clear()
    result = await resume(run_id, project=tmp_path, on_event=heard)

    assert result.status == "done"
    assert heard.texts[-1] == "called"
    assert (await replay(run_id, project=tmp_path)).steps > 0


async def test_credentials_of_servers_that_a_spec_spells_out_show_nowhere(spec, heard, tmp_path):
    server = program(env={"SERVICE_TOKEN": "planted-0123456789"})
    path = spec([call("s__variable", name="SERVICE_TOKEN"), "done"], {"s": server})

    await run(path, on_event=heard)

    assert heard.texts == ["[redacted]"]
    assert b"planted-0123456789" not in (tmp_path / ".agentspec" / "runs.db").read_bytes()


def test_without_the_package_the_way_to_it_is_told(spec):
    path = spec(["done"], {"s": raw("good")})
    code = "import sys; sys.modules['mcp'] = None; from agentspec.cli.main import main; sys.exit(main(['run', sys.argv[1]]))"

    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False, env=os.environ
    )

    told = "agentspec: MCP servers need the package `mcp`: `pip install 'agentspec[mcp]'`\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
