"""No call runs without somebody's yes to this very call, in time; whatever else is said counts as no."""

import asyncio
from typing import Any

import pytest

from agentspec import AgentSpecError, replay, resume, run
from agentspec.core.events import Answered, Resumed, Unanswered
from agentspec.core.orders import Ask, CallTool
from agentspec.testing.kernel import Kernel, call, plan_for, tool

GATES = {
    "approval": {"approval": {"rules": [{"tool": "write", "decision": "ask"}], "expires": 60}},
    "permissions": {"permissions": {"deny": ["write"]}, "approval": {"expires": 60}},
    "consent": {"middleware": ["consent"], "approval": {"expires": 60}},
}
NO = [
    *(
        "",
        "yes",
        "ALLOW",
        "Allow",
        "allow ",
        " allow",
        "allow\n",
        "allow\u200b",
        "\u0430llow",
        "allow\u0000",
        "y",
        "ask",
    ),
    *(None, True, 1, ["allow"], {"decision": "allow"}, "deny"),
]
OTHER_HASHES = ["", "0" * 64, None, 7, ["x"], "OTHER CALL"]


def asked(gate: str) -> Kernel:
    """A run that asks about two calls of one tool."""
    kernel = Kernel(plan_for({"capability": GATES[gate]}, tool("write", effect="write")))
    kernel.start("go")
    kernel.reply("", call("write", "a", '{"path": "x"}'), call("write", "b", '{"path": "y"}'))
    return kernel


def order_of(kernel: Kernel, call_id: str) -> Ask:
    return next(
        order
        for order in kernel.state.pending.values()
        if isinstance(order, Ask) and order.question["call_id"] == call_id
    )


def answer(kernel: Kernel, call_id: str, at: float | None = None, **said: Any) -> None:
    order = order_of(kernel, call_id)
    given = {"decision": "allow", "hash": order.question["hash"], **said}
    when = kernel.tick() if at is None else at
    kernel.give(Answered(when, order=order.id, who="person", question=order.question, answer=given, asker=order.asker))


def started(kernel: Kernel) -> set[str]:
    return {order.call.id for order in kernel.state.pending.values() if isinstance(order, CallTool)}


@pytest.mark.parametrize("gate", GATES)
def test_a_yes_in_time_lets_that_call_run_and_no_other(gate):
    kernel = asked(gate)

    answer(kernel, "a")

    assert started(kernel) == {"a"}


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("word", NO, ids=repr)
def test_what_is_no_plain_yes_lets_nothing_run(gate, word):
    kernel = asked(gate)

    answer(kernel, "a", decision=word)

    assert started(kernel) == set()


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("digest", OTHER_HASHES, ids=repr)
def test_a_yes_to_something_else_lets_nothing_run(gate, digest):
    kernel = asked(gate)
    other = order_of(kernel, "b").question["hash"]

    answer(kernel, "a", hash=other if digest == "OTHER CALL" else digest)

    assert started(kernel) == set()


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("is_resumed", [False, True])
@pytest.mark.parametrize("late", [0.001, 86_400.0])
def test_a_yes_that_comes_too_late_is_a_no_that_says_so(gate, is_resumed, late):
    kernel = asked(gate)
    until = order_of(kernel, "a").question["until"]
    if is_resumed:
        for call_id in "ab":
            order = order_of(kernel, call_id)
            kernel.give(Unanswered(kernel.tick(), order=order.id, who="person"))
        kernel.give(Resumed(until + late / 2, reissued=tuple(kernel.state.pending)))

    answer(kernel, "a", at=until + late)
    answer(kernel, "b", at=until + late)

    assert started(kernel) == set()
    assert kernel.texts[-1].startswith("DENIED: nobody approved this call of `write` in time")


@pytest.mark.parametrize("gate", GATES)
def test_a_yes_at_the_last_moment_is_one(gate):
    kernel = asked(gate)

    answer(kernel, "a", at=order_of(kernel, "a").question["until"])

    assert started(kernel) == {"a"}


@pytest.mark.parametrize("gate", ["approval", "consent"])
def test_a_yes_is_used_up_with_its_call(gate):
    kernel = asked(gate)
    answer(kernel, "a")
    answer(kernel, "b", decision="deny")
    kernel.returned("a")

    kernel.reply("", call("write", "a", '{"path": "x"}'))

    assert started(kernel) == set()
    assert order_of(kernel, "a")


SPEC = """
name: asker
capability:
  approval: {{rules: [{{tool: make, decision: ask}}]{expires}}}
  tools:
    make: {{description: m, parameters: {{path: string}}, run: [mkdir, "${{args.path}}"]}}
"""
TURNS = "- tool_calls: [{id: one, name: make, arguments: {path: %s}}]\n- text: done\n"


def suspended(place, path="x", expires=""):
    (place / "a.yaml").write_text(SPEC.format(expires=expires))
    (place / "s.yaml").write_text(TURNS % path)
    result = asyncio.run(run(place / "a.yaml", "go", script=place / "s.yaml"))
    assert result.status == "suspended"
    return result.run_id


def made(place):
    return sorted(path.name for path in place.iterdir() if path.is_dir() and not path.name.startswith("."))


@pytest.mark.parametrize("name", ["two", "ONE", "\u043ene", "one ", "one\u200b"])
def test_an_answer_to_a_call_that_nobody_asked_about_is_refused(tmp_path, name):
    run_id = suspended(tmp_path)

    with pytest.raises((AgentSpecError, ValueError)):
        asyncio.run(resume(run_id, project=tmp_path, approve={name: "allow"}))
    assert made(tmp_path) == []


def test_a_yes_in_one_run_is_none_in_another(tmp_path):
    first, second = suspended(tmp_path, "x"), suspended(tmp_path, "y")

    asyncio.run(resume(first, project=tmp_path, approve={"one": "allow"}))
    again = asyncio.run(resume(second, project=tmp_path))

    assert (made(tmp_path), again.status) == (["x"], "suspended")


def test_of_two_who_answer_one_is_heard(tmp_path):
    run_id = suspended(tmp_path)

    async def both():
        answers = (resume(run_id, project=tmp_path, approve={"one": word}) for word in ("allow", "deny"))
        return await asyncio.gather(*answers, return_exceptions=True)

    ended = asyncio.run(both())

    assert len([each for each in ended if isinstance(each, AgentSpecError)]) == 1
    assert asyncio.run(replay(run_id, project=tmp_path)).same_version


def test_a_question_that_is_over_is_a_no_whoever_goes_on(tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC.format(expires=", expires: 300ms"))
    (tmp_path / "s.yaml").write_text(TURNS % "x")

    result = asyncio.run(run(tmp_path / "a.yaml", "go", script=tmp_path / "s.yaml", trace=True))
    while result.status == "suspended":
        result = asyncio.run(resume(result.run_id, project=tmp_path, trace=True))

    assert (made(tmp_path), result.status) == ([], "done")
    assert "in time" in str(result.trace)
