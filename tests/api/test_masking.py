"""A key that a server repeats, wherever in its answer and however escaped, reaches nothing that a run leaves behind."""

import asyncio
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec import run
from tests.sample import fast_first
from tests.servers.loopback import CLOSE, DONE, Loopback, Script, event, response, stream

KEYS = ["sk-planted-0123456789abcdef", 'planted/"quoted"\\back+0123', "planted\u00e9\U0001f600 0123456789"]
CALLS = [
    {
        "index": place,
        "id": f"c{place}",
        "type": "function",
        "function": {"name": "echo", "arguments": '{"text": "hello"}'},
        "extra_content": {"google": {"thought_signature": "seal"}},
    }
    for place in (0, 1)
]
MESSAGE = {
    "role": "assistant",
    "content": "hello",
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.text", "text": "hm", "signature": "seal"}],
    "tool_calls": CALLS,
}
ANSWER = {
    "id": "chatcmpl-1",
    "model": "m-1",
    "system_fingerprint": "fp",
    "usage": {"prompt_tokens": 3, "completion_tokens": 4, "note": "x"},
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls", "logprobs": {"content": "x"}}],
}
REFUSED = {"error": {"message": "no", "type": "x", "code": "y", "param": "z", "metadata": {"raw": "r"}}}
REFUSAL = {**ANSWER, "choices": [{"message": {"content": "hello", "refusal": "no"}, "finish_reason": "stop"}]}
END = [response({**ANSWER, "choices": [{"message": {"content": "end"}, "finish_reason": "stop"}]})]
TOOLS = {"echo": {"description": "E", "parameters": {"text": "string"}, "expr": "args.text"}}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all texts of a value."""
    match value:
        case str():
            yield path
        case dict():
            for name, item in value.items():
                yield from places(item, (*path, name))
        case list():
            for place, item in enumerate(value):
                yield from places(item, (*path, place))


def planted(value: Any, path: tuple[Any, ...], text: str) -> Any:
    """The value with `text` at this place."""
    value = copy.deepcopy(value)
    held = value
    for step in path[:-1]:
        held = held[step]
    held[path[-1]] = text
    return value


def escaped(key: str) -> str:
    """The key with every one of its characters escaped, as JSON allows it."""
    units = key.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def forms(key: str, path: tuple[Any, ...]) -> dict[str, str]:
    """What may stand at a place: the key, a text around it, and in arguments every way to write it."""
    plain = json.dumps(key)[1:-1]
    if path[-1] != "arguments":
        return {"alone": key, "within": f"see {key}!", "at a cut": "x" * (195 - len(key)) + key + key}
    return {
        "in a value": f'{{"text": "see {plain}"}}',
        "escaped": f'{{"text": "{escaped(key)}"}}',
        "escaped slash": f'{{"text": "{plain.replace("/", chr(92) + "/")}"}}',
        "twice": json.dumps(f'{{"text": "{escaped(key)}"}}'),
        "broken": f'{{"text": "{escaped(key)}',
        "in a name": f'{{"{escaped(key)}": 1, "text": "x"}}',
    }


def as_stream(answer: dict[str, Any], *end: bytes) -> Script:
    """The answer as a stream of pieces, with each text of its message in two."""
    choice = answer["choices"][0]
    message = {name: item for name, item in choice["message"].items() if name not in ("content", "tool_calls")}
    content, rest = choice["message"]["content"], {**answer, "choices": []}
    pieces: list[dict[str, Any]] = [message, {"content": content[:9]}, {"content": content[9:]}]
    for call in choice["message"].get("tool_calls", ()):
        arguments = call["function"]["arguments"]
        pieces.append({"tool_calls": [{**call, "function": {**call["function"], "arguments": arguments[:15]}}]})
        pieces.append({"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[15:]}}]})
    events = [event({**rest, "choices": [{"index": 0, "delta": piece}]}) for piece in pieces]
    last = event({**rest, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    return [stream(*events, *(end or (last, DONE)))]


async def left_behind(
    folder: Path, script: Script, *, streamed: bool, inputs: dict[str, str] | None = None, **model: Any
) -> dict[str, bytes]:
    """Run once against a server that says this, and give everything that anybody can see of the run."""
    heard: list[Any] = []

    def hear(told: dict[str, Any]) -> None:
        heard.append(told)
        for path in folder.rglob("*.db*"):
            files[f"{path.name} while it ran"] = files.get(f"{path.name} while it ran", b"") + path.read_bytes()

    files: dict[str, bytes] = {}
    async with Loopback([script, END]) as server:
        route = {"provider": "openai", "model": "m-1", "base_url": server.url, "stream": streamed, "retry": False}
        spec = {"name": "s", "task": "go", "model": {**route, **model}, "capability": {"tools": TOOLS}}
        if inputs:
            spec["inputs"] = dict.fromkeys(inputs, "string")
        (folder / "s.json").write_text(json.dumps(spec))
        result = await run(
            folder / "s.json", inputs=inputs or {}, trace=True, on_event=hear, record=folder / "record.yaml"
        )
    files |= _kept(folder)
    assert {"runs.db", "record.yaml"} <= files.keys()
    texts = {"result": result.as_json(), "events": heard, "deltas": _joined(heard)}
    return files | {name: json.dumps(value, ensure_ascii=False).encode() for name, value in texts.items()}


def _kept(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "s.json"}


def _joined(heard: list[dict[str, Any]]) -> dict[str, str]:
    """The pieces of each live text, put together as a reader would."""
    joined: dict[str, str] = {}
    for told in heard:
        if told["seq"] is None:
            place = f"{told['kind']} {told.get('index')}"
            joined[place] = joined.get(place, "") + told["text"]
    return joined


def shown_in(files: dict[str, bytes], key: str) -> list[str]:
    """Where the key stands, as it is or as JSON, YAML and several layers of either write it."""
    spelled = {key, json.dumps(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1], escaped(key)}
    spelled |= {json.dumps(form, ensure_ascii=False)[1:-1] for form in spelled}
    return sorted({name for name, held in files.items() for form in spelled if form.encode() in held})


ANSWERS = {"answer": ANSWER, "refusal": REFUSAL}
CASES = [(name, path) for name, answer in ANSWERS.items() for path in places(answer)]
FEW = 4  # of so many places, one stands for the others in the fast part


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param(*case, id=" ".join(map(str, case)), marks=[pytest.mark.slow] if number % FEW else [])
        for number, case in enumerate(CASES)
    ],
)
async def test_a_key_at_any_place_of_an_answer_shows_nowhere(tmp_path, monkeypatch, name, path):
    for number, (form, streamed) in enumerate(
        (form, streamed) for form in forms("", path) for streamed in (False, True)
    ):
        key = KEYS[number % len(KEYS)]
        monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
        monkeypatch.setenv("TEAM_TOKEN", key)
        folder = tmp_path / str(number)
        folder.mkdir()
        answer = planted(ANSWERS[name], path, forms(key, path)[form])

        files = await left_behind(folder, as_stream(answer) if streamed else [response(answer)], streamed=streamed)

        assert (form, streamed, shown_in(files, key)) == (form, streamed, [])


@pytest.mark.parametrize("path", list(places(REFUSED)), ids=str)
@pytest.mark.parametrize("status", fast_first([400, 200, 401, 429, 500]))
async def test_a_key_at_any_place_of_an_error_shows_nowhere(tmp_path, monkeypatch, path, status):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    monkeypatch.setenv("TEAM_TOKEN", KEYS[1])
    for number, text in enumerate([KEYS[0], f"see {KEYS[1]}", "x" * 390 + KEYS[0] + KEYS[1]]):
        folder = tmp_path / str(number)
        folder.mkdir()
        body = planted(REFUSED, path, text)

        files = await left_behind(folder, [response(body, status, {"x-request-id": KEYS[0]})], streamed=bool(number))

        assert [shown_in(files, key) for key in KEYS[:2]] == [[], []]
        assert not [name for name, held in files.items() if KEYS[0][:12].encode() in held]  # nor the half of one


@pytest.mark.parametrize("tool_format", ["json", "text", "native"])
@pytest.mark.parametrize("written", ["plain", "escaped"])
async def test_a_key_in_a_call_that_is_written_as_text_shows_nowhere(tmp_path, monkeypatch, tool_format, written):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[1])
    key = json.dumps(KEYS[1])[1:-1] if written == "plain" else escaped(KEYS[1])
    arguments = f'{{"text": "see {key}"}}'
    says = {
        "json": f'{{"reason": "{key}", "action": "tool", "tool": "echo", "args": {arguments}, "answer": ""}}',
        "text": f'I say {key}. <tool_call>\n{{"name": "echo", "arguments": {arguments}}}\n</tool_call>',
        "native": f'{{"name": "echo", "arguments": {arguments}}}',
    }[tool_format]
    answer = {**ANSWER, "choices": [{"message": {"content": says}, "finish_reason": "stop"}]}

    for streamed in (False, True):
        folder = tmp_path / str(streamed)
        folder.mkdir()
        script = as_stream(answer) if streamed else [response(answer)]

        files = await left_behind(folder, script, streamed=streamed, tool_format=tool_format)

        assert shown_in(files, KEYS[1]) == []


BODIES = {
    "text": lambda key: f"bad key {key}".encode(),
    "a long text": lambda key: b"word " * 638 + key.encode(),
    "HTML": lambda key: f"<html><title>{key}</title></html>".encode(),
    "percent-encoded": lambda key: f"GET /v1?key={key.replace('/', '%2F')}".encode(),
    "broken JSON": lambda key: f'{{"error": {{"message": "{escaped(key)}'.encode(),
}


@pytest.mark.parametrize("name", BODIES)
async def test_a_key_in_a_body_of_any_kind_shows_nowhere(tmp_path, monkeypatch, name):
    key = "planted/0123456789-abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)

    files = await left_behind(tmp_path, [response(BODIES[name](key), 400)], streamed=False)

    assert shown_in(files, key) == []
    assert not [name for name, held in files.items() if b"planted%2F0123" in held or b"planted/0123" in held]


async def test_a_key_in_a_stream_that_is_cut_shows_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    answer = planted(ANSWER, ("choices", 0, "message", "content"), f"it is {KEYS[0]}")
    cut = [as_stream(answer, b"")[0][:-5], CLOSE]

    assert shown_in(await left_behind(tmp_path, cut, streamed=True), KEYS[0]) == []


@pytest.mark.parametrize(
    "model",
    [
        {"headers": {"Authorization": "Bearer planted-0123456789"}},
        {"headers": {"Authorization": "Private planted-0123456789"}},
        {"headers": {"x-team": "planted-0123456789"}},
        {"headers": {"Cookie": "planted-0123456789"}},
        {"options": {"extra": [{"api_key": "planted-0123456789"}]}},
        {"base_url": "?key=planted-0123456789"},
        {"base_url": "?code=planted-0123456789&api-version=2024-10-01"},
    ],
    ids=str,
)
async def test_what_a_spec_spells_out_for_its_server_shows_nowhere(tmp_path, monkeypatch, model):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    says = {**ANSWER, "choices": [{"message": {"content": "you sent planted-0123456789"}, "finish_reason": "stop"}]}
    async with Loopback([[response(says)]]) as server:
        given = {name: server.url + item if name == "base_url" else item for name, item in model.items()}

        files = await left_behind(tmp_path, [response(says)], streamed=False, **given)

    assert shown_in(files, "planted-0123456789") == []


async def test_an_input_that_a_connection_is_filled_in_with_shows_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    says = {**ANSWER, "choices": [{"message": {"content": "you sent planted-0123456789"}, "finish_reason": "stop"}]}
    headers = {"X-Team": "Team ${inputs.team}", "X-Title": "${inputs.title}"}
    inputs = {"team": "planted-0123456789", "title": "report-7-of-2026"}

    files = await left_behind(tmp_path, [response(says)], streamed=False, inputs=inputs, headers=headers)

    assert shown_in(files, "planted-0123456789") == []
    assert b"report-7-of-2026" in files["runs.db"]


async def test_what_is_no_secret_of_a_connection_is_told_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[0])
    headers = {"X-Title": "Our nightly report 7", "api-version": "2024-10-01-preview", "x-kind": "batched"}
    says = "Our nightly report 7, 2024-10-01-preview, batched"
    answer = {**ANSWER, "choices": [{"message": {"content": says}, "finish_reason": "stop"}]}

    files = await left_behind(tmp_path, [response(answer)], streamed=False, headers=headers)

    assert says.encode() in files["result"]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data(), streamed=st.booleans())
def test_keys_at_several_places_at_once_show_nowhere(tmp_path_factory, data, streamed):
    chosen = data.draw(st.lists(st.sampled_from(list(places(ANSWER))), min_size=2, max_size=6, unique=True))
    answer = ANSWER
    for path in chosen:
        answer = planted(answer, path, data.draw(st.sampled_from(list(forms(KEYS[1], path).values()))))
    script = as_stream(answer) if streamed else [response(answer)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEYS[1])
        files = asyncio.run(left_behind(tmp_path_factory.mktemp("run"), script, streamed=streamed))

    assert shown_in(files, KEYS[1]) == []
