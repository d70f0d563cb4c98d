"""All policies: which there are, in which order they are asked, and what holds for every one of them."""

from typing import Any

import msgspec
import pytest

from agentspec.core.events import (
    AbortRequested,
    Answered,
    Consulted,
    DeadlineReached,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
    UserSaid,
)
from agentspec.core.facts import Facts
from agentspec.core.messages import AssistantMessage, Failure, Reply, ToolCall, ToolResult, Usage, UserMessage
from agentspec.core.orders import Consultation, Outcome
from agentspec.core.policy import Policy, Ruled, TurnAnswered, TurnEnded, TurnSettled, TurnStarted
from agentspec.core.proposals import Act, Admit, Close, End, Take, Think
from agentspec.core.rulings import PASS, SILENT, Feedback, Hold, Refuse, Tell
from agentspec.core.transcript import Transcript
from agentspec.policies import discover
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import call, tool

TOOLS = {"look": tool("look"), "dig": tool("dig", is_deferred=True), "search_tools": tool("search_tools")}
TOOLS |= {"report_progress": tool("report_progress"), "write": tool("write", effect="write")}
TOOLS["read_output"] = tool("read_output", is_late=True)
LONG = Transcript([UserMessage(text="go"), *(AssistantMessage(text="many words " * 20) for _ in range(20))])
VALUES: dict[str, Any] = {
    "context": {
        "compaction": {"strategy": "hybrid", "keep_last": 0, "threshold": 10},
        "projection": "clean_tool_repair",
        "filter": [{"when": "message.role == 'tool'", "drop": True}],
        "scratchpad": {"goals": ["find it"], "reorganize_every": 2},
        "reminders": ["Be brief.", {"text": "Look.", "when": "iteration > 1"}],
        "timestamp_messages": True,
    },
    "capability": {
        "tool_search": "bm25",
        "skills": {"dig": {"prompt": "Dig deep.", "description": "more", "allowed_tools": ["look"]}},
        "skill_match": {"sticky": False},
        "read_only_stance": {"until": "iteration > 5", "hide": ["write"]},
        "progress_tool": True,
        "middleware": [
            {"consent": {"only": ["write"]}},
            "dry_run",
            "telemetry",
            {"rate_limit": {"max_calls": 3}},
            "cache",
        ],
    },
    "model": {
        "native_tool_fallback": "allow_once",
        "tool_choice": "required",
        "routes": [{"model": "large", "when": "attempt > 1"}, {"model": "small"}],
        "fallback": ["large"],
        "shadow": {"model": "other"},
    },
    "execution": {
        "tool_error_mode": "abort",
        "done_sentinel": "FIN",
        "max_nudges": 2,
        "loop_until_done": True,
        "iteration_budget": "adaptive",
        "loop_control": [{"when": "iteration == 1", "python": "acme.loops:decide"}, {"extend": 1}],
        "require_successful_tools": ["look"],
        "stop_after_successful_tools": ["look"],
        "require_artifacts": ["a.txt"],
        "verify_completion_judge": True,
        "step_judge": True,
        "input_guardrail": {"when": "task == 'x'", "judge": True},
        "post_turn": [{"when": "iteration == 1", "message": "More.", "claim_tool": "look"}],
        "terminal": [{"when": "iteration == 1", "message": "More."}],
        "turn_end_condition": {"cadence": {"when": "iteration > 1"}},
        "verify_completion": [{"when": "answer == ''", "veto": "Say it."}, {"command": ["true"]}],
        "output": {"schema": {"type": "object"}},
        "limits": {"wall_clock": "5s", "tokens": 10, "tool_calls": 1, "provider_calls": 2, "consecutive_failures": 1},
    },
}
HEARD = (
    RunStarted(at=0.0, run_id="r", session_id="s", opening=(), spec_name="n", spec_hash="0"),
    ModelReplied(at=1.0, order=1, reply=Reply(text="")),
    ModelReplied(at=1.0, order=1, reply=Reply(text="cut", finish="length")),
    ModelReplied(at=1.0, order=1, reply=Reply(text="", lost=("call 1 has no name",))),
    ModelFailed(at=2.0, order=1, failure=Failure(category="server_error", message="no", retryable=True)),
    ModelReplied(at=1.0, order=1, reply=Reply(text="", calls=(call("look"),), is_from_text=True)),
    ModelFailed(at=2.0, order=1, failure=Failure(category="invalid_request", message="no tools", http_status=400)),
    Consulted(at=2.5, order=1, asker="output", role="repair", reply=Reply(text="{}")),
    ToolReturned(at=3.0, order=2, call=call("look"), result=ToolResult(name="look", call_id="c1", status="error")),
    Answered(at=4.0, order=3, who="clock", question=1),
    Answered(at=4.0, order=4, who="files", question=["a.txt"], answer={"a.txt": "missing"}, asker="require_artifacts"),
    Answered(at=4.0, order=5, who="command", question={"rule": 1}, answer={"status": "ok"}, asker="verify_completion"),
    Consulted(at=4.0, order=6, asker="verify_completion_judge", role="judge", reply=Reply(text="done")),
    Consulted(at=4.5, order=4, asker="judge", role="judge", reply=Reply(usage=Usage(7, 2, estimated=True))),
    UserSaid(at=5.0, text="more"),
    DeadlineReached(at=6.0, limit="wall_clock"),
    AbortRequested(at=7.0, by="signal"),
    Resumed(at=8.0),
    TurnStarted(turn=1),
    TurnAnswered(turn=1),
    TurnSettled(turn=1),
    TurnEnded(turn=1),
    ToolReturned(at=9.0, order=4, call=call("look"), result=ToolResult(name="look", call_id="c1", text="a book")),
    ToolReturned(at=9.0, order=5, call=call("look"), result=ToolResult(name="look", call_id="c1", text="a book")),
    ModelReplied(at=9.0, order=6, reply=Reply(text="done", has_sentinel=True)),
    Ruled(policy="unknown_tools", proposal=Admit(call=call("lok"), index=0), ruling=Refuse("no")),
    TurnEnded(turn=2),
    Ruled(policy="stall", proposal=Think(turn=1), ruling=Tell(Feedback("stall", "You repeat yourself."))),
    Ruled(policy="sentinel", proposal=Think(turn=1), ruling=Tell(Feedback("done_sentinel", "Say FIN."))),
    Answered(at=4.0, order=3, who="python", question={"rule": 0}, answer={"value": {}}, asker="iteration_budget"),
    Ruled(
        policy="stall",
        proposal=Act(call=call("look"), index=0, arguments={}),
        ruling=Refuse("known", category="rescue"),
    ),
    Ruled(policy="nudge", proposal=Think(turn=1), ruling=Refuse("no", reply="keep")),
    ModelFailed(at=9.0, order=7, failure=Failure(category="context_overflow", message="maximum context length is 512")),
    Ruled(
        policy="compaction",
        proposal=Think(turn=3, transcript=LONG),
        ruling=Hold("summary", Consultation("Sum up.", "A long talk.", role="summary")),
    ),
    Consulted(at=9.0, order=8, asker="compaction", role="summary", reply=Reply(text="They talked.")),
    Ruled(policy="compaction", proposal=Think(turn=4, transcript=LONG), ruling=SILENT),
)
PROPOSALS = (
    Think(turn=3),
    Take(reply=Reply(text="")),
    Admit(call=ToolCall(id="c", name="look", arguments="{"), index=0),
    Act(call=ToolCall(id="c", name="look", arguments="{}"), index=0, arguments={}),
    Close(turn=3),
    End(outcome=Outcome("done", "completed")),
    End(outcome=Outcome("done", "completed"), is_gated=True),
)


def configured() -> list[Policy[Any]]:
    return [policy for kind in discover() for policy in kind.configure_all(Settings(VALUES), TOOLS)]


def test_the_policies_are_asked_in_this_order() -> None:
    names = [f"{policy.stage.name} {policy.__module__.rpartition('.')[2]}" for policy in discover()]

    assert names == [
        "LIMIT effect_phases",
        "LIMIT progress",
        "LIMIT routes",
        "LIMIT shadow",
        "LIMIT prefill",
        "LIMIT limits",
        "LIMIT repeated_denial",
        "LIMIT stall",
        "LIMIT iteration_budget",
        "LIMIT tool_format",
        "LIMIT retry",
        "LIMIT fallback",
        "LIMIT tool_errors",
        "SHAPE tool_search",
        "SHAPE read_only_stance",
        "SHAPE narrowing",
        "SHAPE skills",
        "SHAPE answer_form",
        "SHAPE tool_choice",
        "SHAPE reminders",
        "SHAPE timestamps",
        "SHAPE projection",
        "SHAPE filter",
        "SHAPE scratchpad",
        "SHAPE evidence",
        "SHAPE pictures",
        "SHAPE read_output",
        "SHAPE progress_tool",
        "SHAPE provider_tools",
        "SHAPE compaction",
        "VALID native_fallback",
        "VALID unknown_tools",
        "VALID arguments",
        "AUTHORITY ceiling",
        "AUTHORITY permissions",
        "AUTHORITY input_guardrail",
        "CONSENT approval",
        "CONSENT cache",
        "CONSENT consent_layer",
        "CONSENT dry_run",
        "CONSENT idempotency",
        "CONSENT rate_limit",
        "CONSENT telemetry",
        "QUALITY sentinel",
        "QUALITY lost_calls",
        "QUALITY paused",
        "QUALITY truncation",
        "QUALITY nudge",
        "QUALITY confirmation",
        "QUALITY step_judge",
        "QUALITY stop_after_successful_tools",
        "QUALITY post_turn",
        "QUALITY require_successful_tools",
        "QUALITY require_artifacts",
        "QUALITY verify_completion",
        "QUALITY verify_completion_judge",
        "QUALITY turn_end_condition",
        "QUALITY terminal",
        "CLOSE wrap_up",
        "CLOSE output",
    ]


@pytest.mark.parametrize("policy", configured(), ids=lambda policy: type(policy).__name__)
def test_a_policy_survives_any_event_and_remembers_the_same_twice(policy: Policy[Any]) -> None:
    once, twice = policy.start(), policy.start()

    for event in HEARD:
        once = policy.observe(once, event, Facts())
        twice = policy.observe(twice, event, Facts())

    assert once == twice
    assert msgspec.json.encode(once) == msgspec.json.encode(twice)


@pytest.mark.parametrize("policy", configured(), ids=lambda policy: type(policy).__name__)
def test_a_review_leaves_memory_alone(policy: Policy[Any]) -> None:
    memory = policy.start()
    for event in HEARD:
        memory = policy.observe(memory, event, Facts())
    before = msgspec.json.encode(memory)

    rulings = [policy.review(memory, proposal, Facts(run_id="r")) for proposal in PROPOSALS]
    again = [policy.review(memory, proposal, Facts(run_id="r")) for proposal in PROPOSALS]

    assert rulings == again
    assert msgspec.json.encode(memory) == before


@pytest.mark.parametrize("policy", configured(), ids=lambda policy: type(policy).__name__)
def test_a_policy_passes_what_it_does_not_review(policy: Policy[Any]) -> None:
    for proposal in PROPOSALS:
        if type(proposal) not in policy.reviews:
            assert policy.review(policy.start(), proposal, Facts()) == PASS
