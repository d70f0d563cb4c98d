"""Given permissions, when calls are asked for, then what is not permitted is refused, or a person may grant it."""

import json
from typing import Any

import pytest

from agentspec.core.calls.touched import Touched
from agentspec.core.events import Answered
from agentspec.core.orders import Ask, CallTool, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (
    tool("read_file", repeat="read", touches=lambda given: Touched(paths=(given.get("path", "a"),))),
    tool("write_file", effect="write", touches=lambda given: Touched(paths=(given.get("path", "a"),))),
)


def kernel_with(**permissions: Any) -> Kernel:
    kernel = Kernel(plan_for({"capability": {"permissions": permissions}}, *TOOLS))
    kernel.start("go")
    return kernel


def becomes(kernel: Kernel, name: str, arguments: str = "{}") -> str:
    """What becomes of a call: `run`, `ask`, or the words of its refusal."""
    call_id = f"c{len(kernel.events)}"
    kernel.reply("", call(name, call_id, arguments))
    if kernel.ordered(CallTool):
        kernel.returned(call_id)
        return "run"
    if kernel.ordered(Ask):
        return "ask"
    return next(note.fields["text"] for note in kernel.ordered(Note) if note.event == "tool_result")


def becomes_of(kernel: Kernel, path: str) -> str:
    """What becomes of writing a file, in one word."""
    return becomes(kernel, "write_file", json.dumps({"path": path})).partition(":")[0]


def answer(kernel: Kernel, decision: str) -> None:
    order = kernel.pending(Ask)
    said = {"decision": decision, "hash": order.question["hash"]}
    kernel.give(
        Answered(kernel.tick(), order=order.id, who="person", question=order.question, answer=said, asker=order.asker)
    )


def test_what_is_allowed_runs_and_nothing_else() -> None:
    kernel = kernel_with(allow=["read_*"], on_escalation="deny")

    assert becomes(kernel, "read_file") == "run"
    assert becomes(kernel, "write_file") == (
        "DENIED: refused by the permissions: `capability.permissions.allow` does not name it. "
        "Permitted tools: `read_*`. Trying again does not help."
    )


@pytest.mark.parametrize(
    ("pattern", "path", "becomes"),
    [
        ("sub", "sub", "DENIED"),
        ("sub", "sub/a.txt", "DENIED"),
        ("sub/", "sub/a.txt", "DENIED"),
        ("./sub", "sub/a.txt", "DENIED"),
        ("sub", "x/sub/y/a.txt", "DENIED"),
        ("x/sub", "x/sub/y/a.txt", "DENIED"),
        ("x/sub/", "x/../x/sub/a.txt", "DENIED"),
        ("**/sub", "x/sub/a.txt", "DENIED"),
        ("*/sub", "x/sub/a.txt", "DENIED"),
        ("{sub,other}", "sub/a.txt", "DENIED"),
        (".", "sub/a.txt", "DENIED"),
        ("sub/**", "sub/x/a.txt", "DENIED"),
        ("sub/*", "sub/a.txt", "DENIED"),
        ("sub/*", "sub/x/a.txt", "run"),
        ("su?", "sub/a.txt", "run"),
        ("sub", "subs/a.txt", "run"),
        ("x/sub", "sub/a.txt", "run"),
        ("sub/a", "sub/a.txt", "run"),
    ],
)
def test_a_folder_that_is_denied_is_denied_with_all_that_is_below(pattern: str, path: str, becomes: str) -> None:
    kernel = kernel_with(deny=[{"tool": "write_file", "paths": [pattern]}], on_escalation="deny")

    assert becomes_of(kernel, path) == becomes


@pytest.mark.parametrize("pattern", ["sub", "sub/"])
def test_a_folder_that_is_allowed_is_allowed_without_what_is_below(pattern: str) -> None:
    kernel = kernel_with(allow=[{"tool": "write_file", "paths": [pattern]}], on_escalation="deny")

    assert becomes_of(kernel, "sub/a.txt") == "DENIED"


def test_an_empty_list_allows_nothing() -> None:
    assert becomes(kernel_with(allow=[], on_escalation="deny"), "read_file").startswith("DENIED")


def test_a_denial_goes_before_what_is_allowed() -> None:
    kernel = kernel_with(allow=["*"], deny=[{"tool": "*", "paths": ["secret/**"]}], on_escalation="deny")

    assert becomes(kernel, "read_file", '{"path": "a/../secret/b"}').startswith(
        "DENIED: refused by the permissions: `capability.permissions.deny[0]` denies it."
    )
    assert becomes(kernel, "read_file", '{"path": "a"}') == "run"


def test_arguments_and_conditions_narrow_a_rule() -> None:
    rule = {"tool": "write_file", "args": {"mode": "a*"}, "when": "args.n < 3.0"}
    kernel = kernel_with(allow=[rule], on_escalation="deny")

    said = [
        becomes(kernel, "write_file", arguments)
        for arguments in (
            '{"mode": "append", "n": 1}',
            '{"mode": "b", "n": 1}',
            '{"mode": "a", "n": 5}',
            '{"mode": "a"}',
        )
    ]

    assert [each.partition(":")[0] for each in said] == ["run", "DENIED", "DENIED", "DENIED"]


def test_a_person_may_grant_once() -> None:
    kernel = kernel_with(allow=["read_*"])

    assert becomes(kernel, "write_file") == "ask"
    assert kernel.pending(Ask).question["answers"] == ["allow", "session", "deny"]
    answer(kernel, "allow")
    kernel.returned(kernel.pending(CallTool).call.id)

    assert becomes(kernel, "write_file") == "ask"


def test_a_person_may_grant_for_the_run() -> None:
    kernel = kernel_with(allow=["read_*"], deny=[{"tool": "write_file", "paths": ["docs/**"]}])
    becomes(kernel, "write_file")
    answer(kernel, "session")
    kernel.returned(kernel.pending(CallTool).call.id)

    assert becomes(kernel, "write_file", '{"path": "b"}') == "run"
    assert becomes(kernel, "write_file", '{"path": "docs/b"}') == "ask"


def test_a_no_is_a_result() -> None:
    kernel = kernel_with(deny=["write_file"])
    becomes(kernel, "write_file")

    answer(kernel, "deny")

    assert kernel.texts[-1].startswith("DENIED: refused by a person")
