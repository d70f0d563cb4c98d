"""Given an answer that owes a form, when the model is asked, then it is held to the form, or told of it once."""

from typing import Any

import pytest

from agentspec.core.orders import CallModel, Note
from agentspec.spec.prompts import built_in
from agentspec.testing.kernel import Kernel, call, plan_for, tool

FORM = built_in("answer.form")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
WORDS = f'{FORM} It has to fit this JSON Schema:\n{{"type": "object", "properties": {{"n": {{"type": "integer"}}}}, "required": ["n"]}}'


def kernel_with(*tools: Any, output: Any = None, model: Any = None, **execution: Any) -> Kernel:
    values = {"model": model or {}, "execution": {"output": output or {"schema": SCHEMA}, **execution}}
    kernel = Kernel(plan_for(values, *tools))
    kernel.start("How many?")
    return kernel


def constrained(kernel: Kernel) -> bool:
    return bool(kernel.plan.answer_schema) and kernel.pending(CallModel).is_constrained


def test_an_answer_that_its_provider_holds_to_a_schema_is_not_told_of_it() -> None:
    kernel = kernel_with()

    assert constrained(kernel)
    assert kernel.texts == ["How many?"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tools": [tool("look")]}, WORDS),
        ({"output": "json"}, FORM),
        ({"output": {"schema": {"type": "array"}}}, f'{FORM} It has to fit this JSON Schema:\n{{"type": "array"}}'),
        ({"model": {"tool_format": "json"}}, WORDS),
        ({"loop_until_done": True, "output": "json"}, f"{FORM} The word `##DONE##` may follow it."),
    ],
    ids=["tools", "any JSON", "no object", "steps", "a word that ends the run"],
)
def test_where_nobody_can_hold_it_the_model_is_told_behind_the_task(given: dict[str, Any], words: str) -> None:
    kernel = kernel_with(*given.pop("tools", ()), **given)

    assert not constrained(kernel)
    assert kernel.texts == ["How many?", words]
    assert kernel.pending(CallModel).length == 2


def test_it_is_told_once() -> None:
    kernel = kernel_with(tool("look"))

    for number in range(3):
        kernel.reply("", call("look", f"c{number}"))
        kernel.returned(f"c{number}", f"book {number}")

    assert kernel.texts.count(WORDS) == 1


REFUSAL = {"category": "invalid_request", "message": "`response_format` is not supported", "http_status": 400}


def test_a_provider_that_refuses_the_schema_has_the_form_told_to_its_model_from_then_on() -> None:
    kernel = kernel_with(verify_completion=[{"when": "iteration == 1", "veto": "Again."}])

    kernel.fail(**REFUSAL)
    assert kernel.ordered(Note) == [
        Note(event="format_changed", fields={"from": "native", "to": "native", "constrained": False})
    ]
    assert (constrained(kernel), kernel.texts) == (False, ["How many?", WORDS])
    kernel.reply('{"n": 3}')

    assert (constrained(kernel), kernel.texts) == (False, ["How many?", WORDS, '{"n": 3}'])
    kernel.reply('{"n": 3}')
    assert (kernel.outcome.status, kernel.outcome.output) == ("done", {"n": 3})


def test_a_server_that_breaks_twice_over_the_schema_is_asked_without_it() -> None:
    kernel = kernel_with()

    kernel.fail("server_error", retryable=True, http_status=500)
    kernel.answered()
    assert constrained(kernel)
    kernel.fail("server_error", retryable=True, http_status=500)

    assert (constrained(kernel), kernel.texts) == (False, ["How many?", WORDS])


def test_another_fault_says_nothing_of_the_schema() -> None:
    kernel = kernel_with()

    for _ in range(2):
        kernel.fail("rate_limited", retryable=True)
        kernel.answered()

    assert constrained(kernel)


def test_last_words_are_told_by_whoever_grants_them() -> None:
    kernel = kernel_with(tool("look"), max_iterations=1)

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert kernel.texts.count(WORDS) == 1
    assert WORDS in str(kernel.pending(CallModel).harness)
