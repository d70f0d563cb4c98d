"""Whole runs whose programs are in a sandbox: what it keeps from them, what is granted, and where a run is refused."""

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from agentspec import run
from agentspec.adapters.tools.sandbox.ladder import Ladder, find_ladder
from agentspec.adapters.tools.sandbox.rung import Rung
from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.api.assembly.guards import require_sandbox
from agentspec.api.assembly.walls import wall_of
from agentspec.errors import NotAllowed
from agentspec.spec.settings import Settings

CONNECT = "import socket,sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5); print('out')"
SPEC = """
name: builder
capability:
  sandbox: {sandbox}
  tools:
    put: {{run: [/bin/sh, -c, echo x > made]}}
    put_outside: {{run: [./put.sh]}}
    show: {{run: [/bin/sh, -c, cat .en*]}}
    ask: {{parameters: {{port: string}}, run: [{python}, -c, "{connect}", "${{args.port}}"]}}
    fetch: {{parameters: {{port: string}}, network: true, run: [{python}, -c, "{connect}", "${{args.port}}"]}}
  toolkits: [command: {{root: ., allow: [./put.sh]}}]
{more}
"""


def go(project, turns, sandbox="auto", more=""):
    """The results of one turn of calls, by their ids."""
    spec = SPEC.format(sandbox=sandbox, python=sys.executable, connect=CONNECT, more=more)
    (project / "a.yaml").write_text(spec)
    calls = ", ".join(f"{{id: {name}, name: {tool}, arguments: {arguments}}}" for name, tool, arguments in turns)
    (project / "turns.yaml").write_text(f"- tool_calls: [{calls}]\n- text: done\n")
    result = asyncio.run(run(project / "a.yaml", "go", script=project / "turns.yaml", trace=True))
    assert result.status == "done", result
    return {line["id"]: (line["status"], line["text"]) for line in result.trace if line["kind"] == "result"}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / ".env").write_text("KEY=hush\n")
    (folder / "put.sh").write_text("#!/bin/sh\necho x > ../other/made\n")
    (folder / "put.sh").chmod(0o755)
    (tmp_path / "other").mkdir()
    return folder


def test_programs_write_below_the_project_read_no_secret_and_have_no_network_but_what_is_granted(project):
    assert find_ladder().strongest is not None, "this machine has no sandbox: see `agentspec doctor`"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        results = go(
            project,
            (
                ("in", "put", "{}"),
                ("out", "put_outside", "{}"),
                ("secret", "show", "{}"),
                ("closed", "ask", f"{{port: '{port}'}}"),
                ("open", "fetch", f"{{port: '{port}'}}"),
                ("kit", "run_command", "{argv: [./put.sh]}"),
            ),
        )

    assert results["in"] == ("ok", "(no output)")
    assert results["open"] == ("ok", "out\n")
    assert {name: status for name, (status, _) in results.items() if status != "ok"} == {
        "out": "error",
        "secret": "error",
        "closed": "error",
    }
    name = find_ladder().strongest.name
    for call in ("out", "kit"):
        assert f"the sandbox ({name}) lets it write below `{project}` only" in results[call][1], results[call]
    assert "hush" not in str(results)
    assert not list((project.parent / "other").iterdir())


def test_a_command_that_verifies_has_the_same_wall(project):
    verify = "execution: {loop_until_done: true, max_iterations: 1, verify_completion: [{command: [./put.sh]}]}"

    (project / "a.yaml").write_text(f"name: builder\n{verify}\n")
    (project / "turns.yaml").write_text("- text: done\n- text: enough\n")
    result = asyncio.run(run(project / "a.yaml", "go", script=project / "turns.yaml", trace=True))

    assert result.status == "budget_exhausted"
    assert not list((project.parent / "other").iterdir())


def test_where_the_spec_says_none_there_is_none(project):
    results = go(project, (("out", "put_outside", "{}"), ("secret", "show", "{}")), "none")

    assert results == {"out": ("ok", "(no output)"), "secret": ("ok", "KEY=hush\n")}


def test_folders_that_the_spec_names_may_be_written(project):
    results = go(project, (("out", "put_outside", "{}"),), "{writable: [../other]}")

    assert results == {"out": ("ok", "(no output)")}


def test_a_required_sandbox_runs_where_one_holds_and_refuses_the_run_elsewhere(project):
    turns = (("in", "put", "{}"),)
    if find_ladder().holding is not None:
        assert go(project, turns, "workspace") == {"in": ("ok", "(no output)")}
    else:
        with pytest.raises(NotAllowed):
            go(project, turns, "workspace")


TOO_WEAK = Ladder((Rung("bubblewrap", "`bwrap` is not installed"), Rung("Landlock", abi=2)))


@pytest.mark.parametrize(
    "capability",
    [
        {"sandbox": "workspace", "tools": {"t": {"run": ["true"]}}},
        {"sandbox": {"mode": "workspace"}, "toolkits": ["command"]},
        {"sandbox": "workspace", "toolkits": [{"command": {"root": "."}}]},
        {"sandbox": "workspace"},
    ],
)
def test_a_run_is_refused_where_no_sandbox_holds(capability):
    execution = {} if len(capability) > 1 else {"verify_completion": [{"command": ["true"]}]}
    with pytest.raises(NotAllowed) as refused:
        require_sandbox(Settings({"capability": capability, "execution": execution}), lambda: TOO_WEAK)

    assert str(refused.value) == (
        "`capability.sandbox: workspace` asks for a sandbox, and this machine has none that holds (bubblewrap: `bwrap` "
        "is not installed; Landlock: it can't keep programs from the network here); `agentspec doctor` tells more; "
        "nothing was started"
    )


@pytest.mark.parametrize(
    "capability",
    [
        {"sandbox": "auto", "tools": {"t": {"run": ["true"]}}},
        {"sandbox": "workspace", "tools": {"t": {"expr": "1"}}, "toolkits": ["files.read"]},
        {},
    ],
)
def test_a_run_that_needs_no_sandbox_starts_without(capability):
    require_sandbox(Settings({"capability": capability}), lambda: TOO_WEAK)


@pytest.mark.parametrize(
    ("capability", "wall"),
    [
        ({}, Wall((Path("/shop"),))),
        ({"sandbox": "none"}, None),
        ({"sandbox": {"mode": "none", "cpu_time": 1.5}}, Wall((Path("/shop"),), mode="none", cpu=2)),
        (
            {"sandbox": {"writable": ["../out"], "network": True, "memory": 1024, "processes": 7}},
            Wall((Path("/shop"), Path("/shop/../out")), network=True, memory=1024, processes=7),
        ),
        (
            {"ceiling": {"roots": ["src"]}, "sandbox": {"writable": ["out"]}},
            Wall((Path("/shop/src"),), is_bounded=True),
        ),
        (
            {"approval": {"external_roots": ["/data"], "secrets": ["*.vault"]}},
            Wall((Path("/shop"), Path("/data")), secrets=("*.vault",)),
        ),
    ],
)
def test_the_wall_is_what_the_spec_says(capability, wall):
    assert wall_of(Settings({"capability": capability}), Path("/shop"), root=Path("/shop")) == wall


@pytest.mark.parametrize(
    ("ceiling", "expected"),
    [
        ({}, True),
        ({"effects": ["process", "network"], "hosts": ["*"]}, True),
        ({"effects": ["process"]}, False),
        ({"hosts": ["api.example.org"]}, False),
    ],
)
def test_a_ceiling_that_names_hosts_leaves_programs_no_network(ceiling, *, expected):
    for granted in ({"network": True}, {}):
        settings = Settings({"capability": {"ceiling": ceiling, "sandbox": granted}})

        wall = wall_of(settings, Path("/shop"), root=Path("/shop"), network=not granted)

        assert wall is not None
        assert wall.network is expected
