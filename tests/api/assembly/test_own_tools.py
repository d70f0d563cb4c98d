"""Tools of every kind in whole runs: what they give, what is checked, and what a run with them has to be allowed."""

import json

import pytest

import agentspec
from agentspec.errors import NotAllowed
from tests.servers.loopback import Loopback, response

SCRIPT = """
name: worker
task: go
model:
  provider: script
  options:
    turns:
      - tool_calls: [{name: t, arguments: %s}]
      - text: done
capability:
  tools:
    t: %s
"""


async def run(folder, tool, arguments, **options):
    """The one result of the tool in a whole run."""
    path = folder / "worker.yaml"
    path.write_text(SCRIPT % (json.dumps(arguments), json.dumps(tool)))
    result = await agentspec.run(str(path), trace=True, store=folder / "store", **options)
    assert result.status == "done", result.error
    return next(entry for entry in result.trace if entry["kind"] == "result")


async def test_an_http_tool_asks_its_server_and_hides_its_key(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_ACCESS", "sk-geheim-0123456789")
    async with Loopback([[response({"stock": 3, "echo": "sk-geheim-0123456789"})]]) as server:
        tool = {
            "description": "Stock of an item",
            "parameters": {"item": "string"},
            "http": {"url": f"{server.url}/${{args.item}}", "headers": {"X-Key": "${env.SHOP_ACCESS}"}},
            "returns": {"fields": {"stock": "integer", "echo": "string"}},
        }
        result = await run(tmp_path, tool, {"item": "a b"})

    assert server.asked[0].headers["x-key"] == "sk-geheim-0123456789"
    assert server.asked[0].line == "GET /v1/a%20b HTTP/1.1"
    assert "geheim" not in json.dumps(result)


async def test_python_has_to_be_allowed(tmp_path):
    (tmp_path / "own_tools_shop.py").write_text("def double(n):\n    return n * 2\n")
    tool = {"parameters": {"n": "integer"}, "returns": "integer", "python": "own_tools_shop:double"}

    with pytest.raises(NotAllowed, match=r"`capability\.tools\.t\.python` is Python"):
        await run(tmp_path, tool, {"n": 4})
    result = await run(tmp_path, tool, {"n": 4}, allow_python=True)

    assert (result["status"], result["text"]) == ("ok", "8")


@pytest.mark.parametrize(
    ("program", "status", "text"),
    [
        (["echo", "3"], "ok", "3\n"),
        (
            ["echo", "three"],
            "error",
            "ERROR: the result is not what `returns` says: it is no JSON\nthree\n",
        ),
    ],
)
async def test_what_a_program_prints_is_held_against_returns(tmp_path, program, status, text):
    result = await run(tmp_path, {"run": program, "returns": "integer"}, {})

    assert (result["status"], result["text"]) == (status, text)


NOTES = """
name: noting
task: go
model:
  provider: script
  options:
    turns:
      - tool_calls: [{name: keep, arguments: {name: a, text: one}}]
      - tool_calls: [{name: look, arguments: {}}]
      - tool_calls: [{name: scratch_read, arguments: {name: a}}]
      - text: done
capability:
  tools: {look: {expr: "1"}}
  toolkits: [{scratch: {names: {scratch_write: keep}}}]
  approval: {rules: [{tool: look, decision: ask}]}
"""


async def test_notes_are_there_again_when_a_run_is_resumed(tmp_path):
    (tmp_path / "noting.yaml").write_text(NOTES)
    waiting = await agentspec.run(str(tmp_path / "noting.yaml"), store=tmp_path / "store")

    result = await agentspec.resume(waiting.run_id, approve="allow", store=tmp_path / "store", trace=True)

    read = next(entry for entry in result.trace if entry["kind"] == "result" and entry["name"] == "scratch_read")
    assert (waiting.status, read["status"], read["text"]) == ("suspended", "ok", "one")


async def test_an_address_is_asked_about_where_no_hosts_are_named(tmp_path):
    path = tmp_path / "reader.yaml"
    path.write_text(
        "name: reader\ntask: go\nmodel: {provider: script, options: {turns: ["
        "{tool_calls: [{name: fetch, arguments: {url: 'http://127.0.0.1/'}}]}, {text: done}]}}\n"
        "capability: {toolkits: [web.fetch]}\n"
    )

    waiting = await agentspec.run(str(path), store=tmp_path / "store")
    result = await agentspec.resume(waiting.run_id, approve="allow", store=tmp_path / "store", trace=True)

    read = next(entry for entry in result.trace if entry["kind"] == "result")
    assert (waiting.status, waiting.stop_reason) == ("suspended", "approval")
    assert (read["status"], read["text"]) == (
        "error",
        "ERROR: `127.0.0.1` leads to `127.0.0.1`, which is no public address",
    )


async def test_a_schema_of_the_components_holds_for_arguments_and_results(tmp_path):
    path = tmp_path / "shared.yaml"
    path.write_text(
        "name: shared\ntask: go\nmodel: {provider: script, options: {turns: ["
        "{tool_calls: [{name: t, arguments: {to: {code: x}}}, {name: t, arguments: {to: {code: 7}}}]}, {text: done}]}}\n"
        "capability:\n"
        "  components: {Place: {type: object, properties: {code: {type: integer}}}}\n"
        "  tools:\n"
        "    t:\n"
        "      parameters: {to: {schema: {$ref: '#/components/Place'}}}\n"
        "      returns: {schema: {$ref: '#/components/Place'}}\n"
        '      run: [echo, \'{"code": "no"}\']\n'
    )

    result = await agentspec.run(str(path), store=tmp_path / "store", trace=True)

    first, second = (entry for entry in result.trace if entry["kind"] == "result")
    assert (first["status"], second["status"]) == ("invalid_arguments", "error")
    assert 'the result is not what `returns` says: `code` must be an integer, not the string "no"' in second["text"]


def test_types_from_files_hold_for_arguments(tmp_path):
    (tmp_path / "id.json").write_text('{"type": "string", "pattern": "^[A-Z]{2}$"}')
    turns = [{"tool_calls": [{"name": "t", "arguments": {"id": word}}]} for word in ("AB", "ab")]
    tool = {"description": "d", "parameters": {"id": {"schema": "id.json"}}, "expr": "args.id"}
    spec = {"name": "a", "task": "go", "capability": {"tools": {"t": tool}}}
    spec["model"] = {"provider": "script", "options": {"turns": [*turns, {"text": "done"}]}}
    (tmp_path / "a.json").write_text(json.dumps(spec))

    result = agentspec.run_sync(tmp_path / "a.json", trace=True)

    assert [line["status"] for line in result.trace if line["kind"] == "result"] == ["ok", "invalid_arguments"]
