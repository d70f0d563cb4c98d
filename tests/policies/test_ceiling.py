"""Given a ceiling, when calls are asked for, then none beyond it runs, before any of the others has begun."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from agentspec.checker.check import Options, check_paths
from agentspec.compose.rights.rights import rights_of
from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolCall
from agentspec.core.orders import CallTool, Note
from agentspec.core.tools import ToolPlan
from agentspec.syntax.tree import Mapping
from agentspec.syntax.yaml import parse
from agentspec.testing.kernel import Kernel, call, plan_for, tool
from agentspec.text.source import Source

KNOWN = ("read_file", "write_file", "run_command", "fetch", "script")


def tools() -> list[ToolPlan]:
    """Five tools; what `script` touches nobody can tell."""
    return [
        tool("read_file", repeat="read", touches=lambda given: Touched(paths=(given["path"],))),
        tool("write_file", effect="write", touches=lambda given: Touched(paths=(given["path"],))),
        tool("run_command", effect="process", touches=lambda given: Touched(command=tuple(given["argv"]))),
        tool("fetch", effect="network", touches=lambda given: Touched(url=given["url"])),
        tool("script", effect="process"),
    ]


def refusals(ceiling: dict[str, Any], *calls: ToolCall) -> list[str]:
    """What the calls of one reply are refused with, after the gate."""
    kernel = Kernel(plan_for({"capability": {"ceiling": ceiling}}, *tools(), project="/work/shop"))
    kernel.start("go")
    kernel.reply("", *calls)
    refused = [note.fields for note in kernel.ordered(Note) if note.event == "tool_result"]
    assert len(refused) + len(kernel.ordered(CallTool)) <= len(calls)
    return [fields["error"]["message"].removeprefix("refused by the ceiling: ") for fields in refused]


READ = call("read_file", arguments='{"path": "src/a.txt"}')
WRITE = call("write_file", "c2", '{"path": "src/a.txt"}')
RUN = call("run_command", arguments='{"argv": ["git", "push"]}')
FETCH = call("fetch", arguments='{"url": "https://api.example.org/x"}')
SCRIPT = call("script")
AGAIN = "Trying again does not help."


@pytest.mark.parametrize(
    ("ceiling", "asked", "said"),
    [
        ({"tools": ["read_*"]}, READ, []),
        ({"tools": ["read_*"]}, WRITE, [f"`write_file` is not among its tools. Allowed tools: `read_*`. {AGAIN}"]),
        ({"tools": []}, READ, [f"`read_file` is not among its tools. Allowed tools: nothing. {AGAIN}"]),
        ({"effects": ["read"]}, READ, []),
        ({"effects": ["read"]}, WRITE, [f"the effect of `write_file` is `write`. Allowed effects: `read`. {AGAIN}"]),
        ({"roots": ["src"]}, WRITE, []),
        ({"roots": ["docs"]}, WRITE, [f"`src/a.txt` is not within its folders. Allowed folders: `docs`. {AGAIN}"]),
        ({"commands": [["git", "push"]]}, RUN, []),
        (
            {"commands": [["git", "status"], "ls"]},
            RUN,
            [f"`git push` is none of its commands. Allowed commands: `git status`, `ls`. {AGAIN}"],
        ),
        (
            {"commands": ["ls"]},
            SCRIPT,
            [f"nobody can tell which program `script` would run. Allowed commands: `ls`. {AGAIN}"],
        ),
        ({"hosts": ["*.example.org"]}, FETCH, []),
        (
            {"hosts": ["example.org"]},
            FETCH,
            [f"the host `api.example.org:443` is not among its hosts. Allowed hosts: `example.org`. {AGAIN}"],
        ),
    ],
)
def test_a_call_beyond_the_ceiling_is_refused_with_what_is_within(
    ceiling: dict[str, Any], asked: ToolCall, said: list[str]
) -> None:
    assert refusals(ceiling, asked) == said


@pytest.mark.parametrize("path", ["src/../../etc/passwd", "/etc/passwd", "srcs/a", "src/../b", "../src/a", "//etc/x"])
def test_no_way_of_writing_a_path_leads_out_of_a_root(path: str) -> None:
    assert len(refusals({"roots": ["src"]}, call("read_file", arguments=f'{{"path": "{path}"}}'))) == 1


@pytest.mark.parametrize(
    "argv", ['["./git", "push"]', '["/tmp/git", "push"]', '["git"]', '["env", "git", "push"]', "[]"]
)
def test_only_the_very_command_is_within(argv: str) -> None:
    said = refusals({"commands": [["git", "push"]]}, call("run_command", arguments=f'{{"argv": {argv}}}'))

    assert len(said) == (0 if argv == "[]" else 1)


def test_all_calls_are_looked_at_before_the_first_runs() -> None:
    kernel = Kernel(plan_for({"capability": {"ceiling": {"tools": ["read_*"]}}}, *tools()))
    kernel.start("go")

    kernel.reply("", READ, WRITE)

    assert [type(order).__name__ for order in kernel.orders] == ["Note", "CallTool"]
    kernel.returned("c1", "text")
    assert [text.split(":")[0] for text in kernel.texts[-2:]] == ["text", "DENIED"]


def test_a_command_that_names_a_host_is_held_to_the_hosts() -> None:
    asked = call("run_command", arguments='{"argv": ["curl", "https://evil.example/x"]}')

    said = refusals({"hosts": ["api.example.org"]}, asked)

    assert said == [f"the host `evil.example:443` is not among its hosts. Allowed hosts: `api.example.org`. {AGAIN}"]


URLS = ("http://127.0.0.1:18977/x", "https://a.org/x", "http://a.org:80", "https://a.org:8443/x", "http://[::1]:8080/x")
ENTRIES = (
    *("*", "*:443", "127.0.0.1", "127.0.0.1:18977", "127.0.0.1:9999", "a.org", "A.org:443", "a.org:8443", "*.org:80"),
    *("[::1]", "[::1]:8080", "[::1]:80", "::1", "b.org"),
)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("url", URLS)
def test_check_and_authority_tell_of_a_host_what_a_call_of_it_meets(tmp_path, url, entry) -> None:
    spec = {
        "name": "a",
        "model": {"provider": "mock"},
        "capability": {
            "ceiling": {"hosts": [entry]},
            "tools": {"t": {"description": "Look.", "http": {"url": url}}},
        },
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    is_refused = bool(refusals({"hosts": [entry]}, call("fetch", arguments=json.dumps({"url": url}))))

    codes = [one.code for one in check_paths([path], Options()).diagnostics]
    root = parse(Source("a.yaml", json.dumps(spec))).documents[0].root

    assert isinstance(root, Mapping)
    assert ("AS620" in codes, rights_of(root).kinds["hosts"] == {}) == (is_refused, is_refused)


def test_a_denial_is_for_good() -> None:
    kernel = Kernel(plan_for({"capability": {"ceiling": {"tools": ["read_*"]}}}, *tools()))
    kernel.start("go")

    for _ in range(2):
        kernel.reply("", replace(WRITE, id=f"w{len(kernel.events)}"))

    assert (kernel.outcome.status, kernel.outcome.reason) == ("error", "repeated_denial")
