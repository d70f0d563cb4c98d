"""Whole runs of a model whose answer is cut off, at servers that go on with its beginning."""

import json

import pytest

from agentspec import run
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.prefill import settle_prefill
from tests.servers.loopback import Loopback, response
from tests.servers.said import Said
from tests.servers.speakers import SPEAKERS, answers

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
CUT = Said("One, two, ", reason="length")
GOING_ON = {
    "anthropic": ({"role": "assistant", "content": [{"type": "text", "text": "One, two,"}]}, {}),
    "openai": (
        {"role": "assistant", "content": "One, two,"},
        {"continue_final_message": True, "add_generation_prompt": False},
    ),
    "ollama": ({"role": "assistant", "content": "One, two,"}, {}),
}


@pytest.fixture
def write(tmp_path, monkeypatch):
    for key in KEYS:
        monkeypatch.setenv(key, "sk-geheim-0123456789")

    def written(provider, server, **model):
        base = server.url.removesuffix("/v1") if provider == "ollama" else server.url
        given = {"provider": provider, "model": "m-1", "base_url": base, "prefill": "on", **model}
        path = tmp_path / "s.json"
        path.write_text(json.dumps({"name": "s", "task": "Count.", "model": given}))
        return path

    return written


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", GOING_ON)
async def test_a_cut_answer_is_gone_on_with_and_is_one_answer(write, provider, streamed):
    speaker, heard = SPEAKERS[provider], []
    scripts = [answers(speaker, said, streamed=streamed) for said in (CUT, Said(" three."))]
    async with Loopback(scripts) as server:
        path = write(provider, server, stream=streamed, prices={"input": 1, "output": 1})
        result = await run(path, on_event=heard.append)

    one, other = (asked.json for asked in server.asked)
    message, fields = GOING_ON[provider]
    assert (result.status, result.text, result.visible_text) == ("done", "One, two, three.", "One, two, three.")
    assert (result.llm.iterations, result.llm.provider_calls, result.llm.prefix_share) == (1, 2, 1.0)
    assert result.llm.cost_usd == pytest.approx(2 * 0.000118)
    assert other["messages"][-1] == message
    assert other.items() >= fields.items()
    assert [each for each in one["messages"] if each["role"] == "assistant"] == []
    if streamed:
        assert "".join(each["text"] for each in heard if each["kind"] == "text_delta") == "One, two,  three."


async def test_a_server_that_says_the_beginning_again_says_it_once(write):
    scripts = [answers(SPEAKERS["openai"], said, streamed=False) for said in (CUT, Said("One, two, three."))]
    async with Loopback(scripts) as server:
        result = await run(write("openai", server, stream=False))

    assert result.text == "One, two, three."


async def test_a_server_that_takes_no_beginning_is_asked_without_one(write):
    speaker, words = SPEAKERS["anthropic"], "This model does not support assistant message prefill."
    refused = [response(speaker.refusal(400, words), 400)]
    whole = answers(speaker, Said("One, two, three."), streamed=False)
    async with Loopback([answers(speaker, CUT, streamed=False), refused, whole]) as server:
        result = await run(write("anthropic", server, stream=False, retry={"base": "1ms"}))

    assert (result.status, result.text, len(server.asked)) == ("done", "One, two, three.", 3)
    assert server.asked[2].json["messages"] == server.asked[0].json["messages"]


@pytest.mark.parametrize(("model", "asked"), [("claude-haiku-4-5", "on"), ("claude-opus-5", "off"), ("ours", "off")])
def test_auto_asks_only_the_models_that_are_known_to_go_on(model, asked):
    values = {"model": {"provider": "anthropic", "model": model}}
    blueprint = Blueprint(name="s", spec_hash="0", values=values, inputs={}, project="/")

    settle_prefill(blueprint, {})

    assert blueprint.settings.text("model.prefill") == asked
