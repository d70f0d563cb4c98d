"""Tools with layers around them: receipts of calls, and texts that are blanked on both ways."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from agentspec.adapters.tools.layered import layered
from agentspec.adapters.tools.receipts import Answered
from agentspec.core.calls.layers import layers_of
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output, Tool
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import tool
from agentspec.testing.world import FunctionTool, MemoryArtifacts


def wrapped(inner: Tool, project: Path, *middleware: Any) -> Tool:
    settings = Settings({"capability": {"middleware": list(middleware)}})
    layers = layers_of(settings, "redact", "audit_log", "handoff")
    return layered(inner, tool("send", effect="network"), project, layers, MemoryArtifacts())


def call(wrapped_tool: Tool, **arguments: Any) -> Output:
    invocation = Invocation(name="send", call_id="c1", arguments=arguments, key="k", run={"id": "r"})
    return asyncio.run(wrapped_tool.call(invocation))


def receipts(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_call_leaves_a_receipt_before_and_after(tmp_path: Path) -> None:
    seen = []

    def send(to: str, body: str) -> Output:
        seen.append((to, body, len(receipts(tmp_path / "audit.jsonl"))))
        return Output(error=ToolError(category="http", message="no"), status="error")

    outer = wrapped(FunctionTool(send), tmp_path, {"audit_log": {"path": "audit.jsonl", "redact": ["body"]}})
    call(outer, to="ada", body="private")

    assert seen == [("ada", "private", 1)]
    first, second = receipts(tmp_path / "audit.jsonl")
    assert {name: first[name] for name in ("event", "run_id", "call_id", "tool", "arguments")} == {
        "event": "called",
        "run_id": "r",
        "call_id": "c1",
        "tool": "send",
        "arguments": {"to": "ada", "body": "[redacted]"},
    }
    assert (second["event"], second["status"], second["hash"]) == ("returned", "error", first["hash"])
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o077 == 0


def test_a_call_without_a_receipt_is_not_made(tmp_path: Path) -> None:
    inner = FunctionTool(lambda: "sent")
    (tmp_path / "real").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    said = [call(wrapped(inner, tmp_path, {"audit_log": {"path": path}})) for path in ("no/audit", "link")]

    assert [output.error.message.partition(":")[0] for output in said if output.error] == ["not run"] * 2
    assert inner.calls == []


def test_patterns_and_names_are_blanked_on_both_ways(tmp_path: Path) -> None:
    inner = FunctionTool(lambda **given: Output(text=f"sent {given['body']} to 555-0199", data={"token": "t", "n": 1}))

    output = call(
        wrapped(inner, tmp_path, {"redact": {"patterns": ["[0-9]{3}-[0-9]{4}"], "keys": ["token"]}}),
        body="call 555-0100",
        token="x",
    )

    assert inner.calls[0].arguments == {"body": "call [redacted]", "token": "[redacted]"}
    assert (output.text, output.data) == ("sent call [redacted] to [redacted]", {"token": "[redacted]", "n": 1})


def test_a_large_output_and_a_failure_are_blanked_too(tmp_path: Path) -> None:
    overflow = tmp_path / "whole"
    overflow.write_text("a 555-0100\nb 555-0101\r\n", newline="")
    inner = FunctionTool(
        lambda: Output(text="a 555-0100", overflow=overflow, error=ToolError(category="x", message="for 555-0102"))
    )

    output = call(wrapped(inner, tmp_path, {"redact": {"patterns": "[0-9]{3}-[0-9]{4}"}}))

    assert (output.text, output.error and output.error.message) == ("a [redacted]", "for [redacted]")
    assert overflow.read_bytes() == b"a [redacted]\nb [redacted]\r\n"


def test_values_of_names_are_blanked_in_json_texts(tmp_path: Path) -> None:
    inner = FunctionTool(lambda: Output(text='{"user": {"password": "p", "name": "ada"}}'))

    output = call(wrapped(inner, tmp_path, {"redact": {"keys": "password"}}))

    assert json.loads(output.text) == {"user": {"password": "[redacted]", "name": "ada"}}


def test_a_layer_leaves_other_tools_as_they_are(tmp_path: Path) -> None:
    inner = FunctionTool(lambda: "sent")

    assert wrapped(inner, tmp_path, {"redact": {"patterns": "x", "except": ["send"]}}, "dry_run") is inner


def test_the_first_layer_is_the_outermost(tmp_path: Path) -> None:
    redact, audit = {"redact": {"patterns": ["secret"]}}, {"audit_log": {"path": "audit.jsonl"}}

    call(wrapped(FunctionTool(lambda text: text), tmp_path, redact, audit), text="secret")
    call(wrapped(FunctionTool(lambda text: text), tmp_path, audit, redact), text="secret")

    called = [line["arguments"]["text"] for line in receipts(tmp_path / "audit.jsonl") if line["event"] == "called"]
    assert called == ["[redacted]", "secret"]


@pytest.mark.parametrize("key", ["handoff", "__handoff"])
def test_what_is_handed_over_is_kept(tmp_path: Path, key: str) -> None:
    given = {key: {"to": "ada", "work": "review"}, "note": "n"}
    as_value = call(wrapped(FunctionTool(lambda: Output(text="t", data=given)), tmp_path, "handoff"))
    as_text = call(wrapped(FunctionTool(lambda: Output(text=json.dumps(given))), tmp_path, "handoff"))

    artifact = hashlib.sha256(b'{"to":"ada","work":"review"}').hexdigest()
    kept = {**given, "artifacts": [{"artifact": artifact, "what": "handoff"}]}
    assert (as_value.text, as_value.data, as_text.data) == (
        f"t\n[handed over, kept as artifact {artifact}]",
        kept,
        kept,
    )


@pytest.mark.parametrize("handoff", ["to ada", {}, None, [1]])
def test_a_hand_over_that_can_not_be_read_is_an_error_where_the_author_is_strict(tmp_path: Path, handoff: Any) -> None:
    inner = FunctionTool(lambda: Output(text="t", data={"handoff": handoff}))

    strict = call(wrapped(inner, tmp_path, {"handoff": {"strict": True}}))
    lenient = call(wrapped(inner, tmp_path, "handoff"))

    why = (
        "the hand-over can't be read: it is no mapping that says something (`capability.middleware[0].handoff.strict`)"
    )
    assert strict.error == ToolError(category="handoff", message=why)
    assert lenient == Output(text="t", data={"handoff": handoff})


@pytest.mark.parametrize("output", [Output(text="t"), Output(text="{no json"), Output(text="[1]"), Output(data=[1])])
def test_other_results_stay_as_they_are(tmp_path: Path, output: Output) -> None:
    assert call(wrapped(FunctionTool(lambda: output), tmp_path, {"handoff": {"strict": True}})) == output


@pytest.mark.parametrize(("by", "written"), [(1, ["answered"]), (0, []), (-1, [])])
def test_what_a_layer_within_it_answered_leaves_a_receipt(tmp_path: Path, by: int, written: list[str]) -> None:
    layer = {"audit_log": {"path": "audit.jsonl", "redact": ["body"], "except": ["look"]}}
    layers = layers_of(Settings({"capability": {"middleware": [layer, "dry_run"]}}), "audit_log")
    plans = {name: tool(name, effect="network") for name in ("send", "look")}
    listener = Answered(layers, plans, tmp_path, "ada")
    event = {
        "kind": "tool_result",
        "run_id": "r",
        "call_id": "c",
        "status": "ok",
        "arguments": {"body": "b", "to": "t"},
    }
    event |= {"by": f"capability.middleware[{by}].dry_run"} if by >= 0 else {}

    for name in ("send", "look", "unknown"):
        listener.hear({**event, "name": name})

    lines = receipts(tmp_path / "audit.jsonl") if written else []
    assert [line["event"] for line in lines] == written
    assert [line["arguments"] for line in lines] == [{"body": "[redacted]", "to": "t"}] * len(written)
    assert not (tmp_path / "audit.jsonl").exists() or written
