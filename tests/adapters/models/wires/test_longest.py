"""How long an answer may be: the least of what anybody says, learnt from a server's complaint, in every protocol."""

import json

import pytest

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.failures import Complaint, classify
from agentspec.adapters.models.wires.longest import Longest
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import OPENING, TOOL

FIELD = {
    "openai": lambda told: told.get("max_tokens"),
    "openai_responses": lambda told: told.get("max_output_tokens"),
    "anthropic": lambda told: told.get("max_tokens"),
    "google": lambda told: told.get("generationConfig", {}).get("maxOutputTokens"),
    "ollama": lambda told: told.get("options", {}).get("num_predict"),
}
OPTION = {
    "openai": {"max_tokens": 300},
    "openai_responses": {"max_output_tokens": 300},
    "anthropic": {"max_tokens": 300},
    "google": {"generationConfig": {"maxOutputTokens": 300}},
    "ollama": {"options": {"num_predict": 300}},
}
WIRES = pytest.mark.parametrize("provider", FIELD)
USUAL = {"anthropic": 32_000}  # the one protocol in which a request has to say it


def told(provider, wire, **varying):
    return json.loads(wire.body(ModelRequest(OPENING, tools=(TOOL,), **varying), stream=False))


def wire_of(provider, **constant):
    return PROVIDERS[provider].wire({"model": "m-1", **constant}, "here")


@WIRES
@pytest.mark.parametrize(
    ("written", "asked", "option", "expected"),
    [
        (None, None, False, None),
        (900, None, False, 900),
        (None, 64, False, 64),
        (900, 64, False, 64),
        (64, 900, False, 64),
        (900, 800, True, 300),
        (200, 800, True, 200),
        (900, 64, True, 64),
    ],
)
def test_the_longest_answer_is_the_least_that_anybody_says(provider, written, asked, option, expected):
    wire = wire_of(provider, **({} if written is None else {"max_tokens": written}))

    body = told(provider, wire, max_output_tokens=asked, options=OPTION[provider] if option else {})

    assert FIELD[provider](body) == (USUAL.get(provider) if expected is None else expected)


@WIRES
def test_what_a_server_says_of_it_is_learnt_once(provider):
    wire = wire_of(provider, max_tokens=200_000)
    words = "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for m-1"
    refusal = classify(400, Complaint(words, frozenset()), {})

    assert (wire.adapt(refusal), wire.adapt(refusal)) == (True, False)
    assert FIELD[provider](told(provider, wire)) == 64_000
    assert FIELD[provider](told(provider, wire, max_output_tokens=64)) == 64


LEARNT = {
    "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens for m-1": 64_000,
    "max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you …": 16_384,
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less …": 8192,
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]": 8192,
    "maxOutputTokens value of 99999 but the supported range is from 1 (inclusive) to 65537 (exclusive).": 65_536,
    "input length and `max_tokens` exceed context limit: 120000 + 99999 > 200000, decrease input length": 80_000,
    "input length and `max_tokens` exceed context limit: 10000 + 199999 > 200000, decrease input length": 100_000,
    "input length and `max_tokens` exceed context limit: 199999 + 99 > 200000, decrease input length": None,
    "'max_tokens' is too large: 9999. This model's maximum context length is 8192 tokens and your request has 5000 "
    "input tokens": 3192,
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, "
    "4000 in the completion). Please reduce the length of the messages or completion.": 3192,
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (20000 of text "
    "input, 20000 in the output).": 12_768,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.": None,
    "prompt is too long: 210000 tokens > 200000 maximum": None,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.": None,
    "max_tokens must be at least 1": None,
}


@pytest.mark.parametrize(("words", "learnt"), LEARNT.items())
def test_a_complaint_is_about_the_answer_or_teaches_nothing(words, learnt):
    longest = Longest()

    assert longest.learn(words.lower()) is (learnt is not None)
    assert longest.told == learnt


def test_ollamas_word_for_an_endless_answer_is_no_bound():
    wire = wire_of("ollama", max_tokens=-1)

    assert FIELD["ollama"](told("ollama", wire)) == -1
    assert FIELD["ollama"](told("ollama", wire, max_output_tokens=64)) == 64


CONSTANT = {
    "openai": ({"temperature": 0.5}, {"temperature": 0.1}),
    "openai_responses": ({"reasoning": {"effort": "low", "summary": "auto"}}, {"reasoning": {"effort": "high"}}),
    "anthropic": ({"thinking": {"type": "adaptive", "display": "none"}}, {"thinking": {"type": "disabled"}}),
    "google": ({"safetySettings": [1]}, {"safetySettings": [2]}),
    "ollama": ({"keep_alive": "5m"}, {"keep_alive": "1m"}),
}


@pytest.mark.parametrize("provider", CONSTANT)
def test_an_option_of_one_call_takes_the_place_of_what_stands_in_all_of_them(provider):
    constant, option = CONSTANT[provider]
    wire = wire_of(provider, **constant)
    (name, usual), (_, changed) = *constant.items(), *option.items()
    joined = usual | changed if isinstance(usual, dict) else changed
    request = ModelRequest(OPENING, options={**option, "model": "m-2", "stream": True})

    bodies = [wire.body(each, stream=False) for each in (ModelRequest(OPENING), request, ModelRequest(OPENING))]

    assert bodies[0] == bodies[2]
    pairs = json.loads(bodies[1], object_pairs_hook=lambda pairs: pairs)
    assert [key for key, _ in pairs].count(name) == 1
    assert json.loads(bodies[1]) == json.loads(bodies[0]) | {name: joined}
