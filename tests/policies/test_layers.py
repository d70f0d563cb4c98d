"""Given layers of middleware, when calls would run, then they are answered, counted, asked about, or not made again."""

from typing import Any

import pytest

from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolMessage
from agentspec.core.orders import Ask, CallTool, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (
    tool("look", repeat="read", touches=lambda _: Touched()),
    tool("write", effect="write", touches=lambda _: Touched()),
    tool("run", effect="process", touches=lambda _: Touched()),
)


def kernel_with(*layers: Any, **execution: Any) -> Kernel:
    kernel = Kernel(plan_for({"execution": execution, "capability": {"middleware": list(layers)}}, *TOOLS))
    kernel.start("go")
    return kernel


def ask(kernel: Kernel, name: str, arguments: str = "{}", brings: str = "brought") -> str:
    """What a call of its own turn is answered with; `ask` where a person is asked."""
    call_id = f"c{len(kernel.events)}"
    kernel.reply("", call(name, call_id, arguments))
    if kernel.ordered(Ask):
        return "ask"
    if kernel.ordered(CallTool):
        kernel.returned(call_id, brings)
    results = [message for message in kernel.state.transcript if isinstance(message, ToolMessage)]
    return next(message.text for message in results if message.call_id == call_id)


DRY = "Dry run: `{}` was not carried out, and nothing was changed. Go on as if it had succeeded."


def test_a_dry_run_answers_calls_without_carrying_them_out() -> None:
    kernel = kernel_with("dry_run")

    assert ask(kernel, "write") == DRY.format("write")
    assert kernel.state.facts.turn.successful_tool_names == ("write",)
    assert kernel.state.facts.session.calls == 0


def test_a_layer_is_about_the_tools_that_it_names_and_the_calls_that_its_condition_finds() -> None:
    kernel = kernel_with({"dry_run": {"except": ["look"], "when": "tool.effect == 'write'", "message": "No."}})

    assert [ask(kernel, name) for name in ("look", "write", "run")] == ["brought", "No.", "brought"]


@pytest.mark.parametrize("layer", ["dry_run", "consent", "cache", "idempotency", "rate_limit"])
def test_a_condition_that_fails_denies(layer: str) -> None:
    name = "look" if layer == "cache" else "write"
    options: dict[str, Any] = {"max_calls": 9} if layer == "rate_limit" else {}
    kernel = kernel_with({layer: {"when": "args.missing == 1.0", **options}}, stall=False)
    if layer in ("cache", "idempotency"):
        assert ask(kernel, name) == "brought"

    assert ask(kernel, name).startswith(
        f"DENIED: refused by the middleware: `capability.middleware[0].{layer}.when` could not be evaluated:"
    )


def test_so_many_calls_run_and_no_more() -> None:
    kernel = kernel_with({"rate_limit": {"max_calls": 2, "only": ["write"]}})

    kernel.reply("", *(call("write", f"w{at}", f'{{"n": {at}}}') for at in range(4)))
    kernel.returned("w0")
    kernel.returned("w1")

    words = (
        "DENIED: refused by the rate limit: `capability.middleware[0].rate_limit` lets through 2 calls in the run. "
        "Trying again does not help."
    )
    assert kernel.texts[-2:] == [words, words]
    assert ask(kernel, "run") == "brought"


def test_calls_are_counted_anew_in_each_stretch_of_time() -> None:
    kernel = kernel_with({"rate_limit": {"max_calls": 1, "per": "60s"}})

    assert ask(kernel, "write") == "brought"
    assert ask(kernel, "write", '{"n": 1}').endswith("lets through 1 calls in 60 s. Try again later.")
    kernel.now += 60
    assert ask(kernel, "write", '{"n": 2}') == "brought"


def test_none_may_be_let_through() -> None:
    assert ask(kernel_with({"rate_limit": {"max_calls": 0}}), "look").startswith("DENIED: refused by the rate limit")


def test_consent_is_asked_for_what_is_not_of_the_kinds_that_need_none() -> None:
    assert ask(kernel_with("consent"), "look") == "brought"
    assert ask(kernel_with("consent"), "write") == "ask"
    assert ask(kernel_with({"consent": {"auto": ["edit"]}}), "write") == "brought"
    assert ask(kernel_with({"consent": {"auto": ["edit"]}}), "look") == "ask"


def test_what_was_read_is_given_again_until_something_changes_or_time_is_over() -> None:
    kernel = kernel_with({"cache": {"ttl": "1m"}}, stall=False)

    assert [ask(kernel, "look", brings=each) for each in ("one", "two")] == ["one", "one"]
    assert ask(kernel, "look", '{"at": "x"}', "three") == "three"
    ask(kernel, "write")
    assert [ask(kernel, "look", brings=each) for each in ("four", "five")] == ["four", "four"]
    kernel.now += 61
    assert ask(kernel, "look", brings="six") == "six"


def test_a_change_that_was_made_is_not_made_again() -> None:
    kernel = kernel_with("idempotency", stall=False)

    assert [ask(kernel, "write", brings=each) for each in ("one", "two")] == ["one", "one"]
    assert ask(kernel, "write", '{"n": 1}', "three") == "three"
    assert [ask(kernel, "look", brings=each) for each in ("a", "b")] == ["a", "b"]


def test_a_change_that_failed_may_be_made_again() -> None:
    kernel = kernel_with("idempotency")
    kernel.reply("", call("write", "w"))
    kernel.returned("w", "full", status="error")

    assert ask(kernel, "write", brings="done") == "done"


def test_the_author_says_what_makes_two_calls_the_same() -> None:
    kernel = kernel_with({"idempotency": {"key": "${args.id}"}}, stall=False)

    assert ask(kernel, "write", '{"id": "a", "n": 1}', "one") == "one"
    assert ask(kernel, "write", '{"id": "a", "n": 2}', "two") == "one"
    assert ask(kernel, "write", '{"id": "b", "n": 2}', "three") == "three"


def test_what_is_kept_is_bounded() -> None:
    kernel = kernel_with({"cache": {"entries": 2}}, stall=False)

    for at in range(4):
        ask(kernel, "look", f'{{"n": {at}}}', str(at))

    assert len(kernel.state.memory[kernel.plan.names.index("cache")].answers) == 2
    assert ask(kernel, "look", '{"n": 0}', "again") == "again"


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (["consent", "dry_run"], ["ask"]),
        (["dry_run", "consent"], [DRY.format("write")]),
        ([{"rate_limit": {"max_calls": 1}}, "dry_run"], [DRY.format("write"), "DENIED"]),
        (["dry_run", {"rate_limit": {"max_calls": 1}}], [DRY.format("write"), DRY.format("write")]),
        ([{"rate_limit": {"max_calls": 2}}, {"rate_limit": {"max_calls": 1}}], ["brought", "DENIED"]),
        ([{"rate_limit": {"max_calls": 1}}, "consent"], ["ask"]),
        ([{"rate_limit": {"max_calls": 0}}, "consent"], ["DENIED"]),
        (["consent", {"rate_limit": {"max_calls": 0}}], ["ask"]),
        (["idempotency", "dry_run"], [DRY.format("write"), DRY.format("write")]),
    ],
)
def test_the_author_s_order_decides_which_layer_is_asked_first(layers: list[Any], said: list[str]) -> None:
    kernel = kernel_with(*layers, stall=False)

    heard = [ask(kernel, "write", f'{{"n": {at}}}') for at in range(len(said))]

    assert [text[:6] if text.startswith("DENIED") else text for text in heard] == said


def test_two_layers_of_consent_each_ask_for_themselves() -> None:
    kernel = kernel_with({"consent": {"prompt": "first"}}, {"consent": {"prompt": "second"}})

    kernel.reply("", call("write"))
    asked = []
    for _ in range(2):
        question = kernel.pending(Ask).question
        asked.append((question["rule"], question["reason"]))
        kernel.answered({"decision": "allow", "hash": question["hash"]})

    assert asked == [("capability.middleware[0].consent", "first"), ("capability.middleware[1].consent", "second")]
    assert len(kernel.ordered(CallTool)) == 1


def spans(kernel: Kernel) -> list[dict[str, Any]]:
    return [order.fields for order in kernel.orders if isinstance(order, Note) and order.event == "span"]


def test_each_call_is_a_span() -> None:
    kernel = kernel_with({"telemetry": {"only": ["write"]}})
    kernel.reply("", call("write"), call("look", "c2"))
    kernel.returned("c2")
    unseen = spans(kernel)
    kernel.reply("", call("write", "c3"))
    kernel.returned("c3", duration_ms=2000)

    (span,) = spans(kernel)
    assert (unseen, len(span["trace_id"]), len(span["span_id"]), span["end"] - span["start"]) == ([], 32, 16, 2.0)
    assert (span["name"], span["attributes"]) == (
        "execute_tool write",
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "write",
            "gen_ai.tool.call.id": "c3",
            "gen_ai.tool.type": "function",
        },
    )


@pytest.mark.parametrize(("layers", "told"), [(["telemetry", "dry_run"], 1), (["dry_run", "telemetry"], 0)])
def test_what_a_layer_within_it_answers_is_a_span_as_well(layers: list[Any], told: int) -> None:
    kernel = kernel_with(*layers)

    kernel.reply("", call("write"))

    assert len(spans(kernel)) == told
    answered = "capability.middleware[1].dry_run"
    assert [span["attributes"]["agentspec.answered_by"] for span in spans(kernel)] == [answered] * told
