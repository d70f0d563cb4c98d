"""A client over pipes: what it is told, whatever it sends, and when the server ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import agentspec
from agentspec.lsp.frames import framed
from tests.lsp.client import Client, served

BAD = "name: a\nexecution:\n  max_iteratons: 3\n"
GOOD = "name: a\nexecution:\n  max_iterations: 3\n"


def at(line: int, start: int, end: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


@pytest.fixture
def client(tmp_path):
    with served() as (client, _):
        client.start(tmp_path)
        yield client
        client.leave()


def test_a_client_is_told_what_check_says_with_the_page_of_the_code(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.yaml", BAD)

    [found] = client.findings(uri)

    page = found["codeDescription"].pop("href")
    assert Path(page.removeprefix("file://")).read_text("utf-8").startswith("# AS102")
    assert found == {
        "range": at(2, 2, 15),
        "message": "unknown key `max_iteratons` in `execution`\ndid you mean `max_iterations`?",
        "severity": 1,
        "code": "AS102",
        "codeDescription": {},
        "source": "agentspec",
    }


def test_a_finding_goes_when_its_cause_does_and_nothing_is_written(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.yaml", BAD)
    before = client.findings(uri)

    client.change(uri, GOOD)

    assert (len(before), client.findings(uri)) == (1, [])
    assert list(tmp_path.iterdir()) == []


def test_what_builds_on_an_unsaved_text_is_told_anew_with_every_key_in_it(client: Client, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("preset: base\n")
    spec = client.open(tmp_path / "a.yaml", "name: a\nextends: ./base.yaml\nexecution:\n  max_iterations: 3\n")
    found = [client.findings(spec)]
    base = client.open(tmp_path / "base.yaml")
    found.append(client.findings(spec))

    for typed in ("preset: base\ninputs: {x: string}\n", "preset: base\n"):
        client.change(base, typed)
        found.append(client.findings(spec))

    assert [[one["code"] for one in each] for each in found] == [[], [], ["AS417"], []]


def test_findings_of_a_file_that_is_gone_are_taken_back_and_its_users_told(client: Client, tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text(BAD.replace("name", "preset"))
    spec, uri = client.open(tmp_path / "a.yaml", "name: a\nextends: ./base.yaml\n"), client.open(base)
    while not client.findings(uri):
        pass

    base.unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 3}]})

    while client.findings(uri):
        pass
    while not (found := client.findings(spec)):
        pass
    assert [one["code"] for one in found] == ["AS402"]


def test_places_count_in_utf_16_units_unless_both_agree_on_others(tmp_path: Path) -> None:
    text = 'name: a\nexecution: {"😀é": 1}\n'
    columns = {}

    for encodings in (None, ["utf-8"], ["utf-32", "utf-16"]):
        with served() as (client, _):
            client.start(tmp_path, **({"positionEncodings": encodings} if encodings else {}))
            [found] = client.findings(client.open(tmp_path / "a.yaml", text))
            columns[str(encodings)] = (found["range"]["start"]["character"], found["range"]["end"]["character"])
            client.leave()

    assert columns == {"None": (12, 17), "['utf-8']": (12, 20), "['utf-32', 'utf-16']": (12, 16)}


def test_a_text_without_a_file_is_told_of_by_its_own_address(client: Client) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "agentspec", "version": 1, "text": "agent a { nothing: 1 }"}

    client.notify("textDocument/didOpen", {"textDocument": document})

    [found] = client.findings("untitled:Untitled-1")
    assert found["code"] == "AS102"


@pytest.mark.parametrize(
    "uri", ["x", "file:///a%00b.yaml", "file:///\ud800.yaml", "http://127.0.0.1/a.yaml", "file:///"]
)
def test_an_address_of_whatever_form_is_served(client: Client, uri: str) -> None:
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": "name: \udfff\nexecution: {}\n"}

    client.notify("textDocument/didOpen", {"textDocument": document})

    assert [one["code"] for one in client.findings(uri)] == ["AS002"]


def test_folders_come_and_go_while_it_runs(client: Client, tmp_path: Path) -> None:
    other = tmp_path.with_name("other")
    other.mkdir(exist_ok=True)
    (other / "user.yaml").write_text(f"name: u\nextends: {tmp_path}/base.yaml\nexecution: {{max_nudges: 1}}\n")
    uri = client.open(tmp_path / "base.yaml", "preset: base\n")
    ask = {
        "textDocument": {"uri": uri},
        "position": {"line": 0, "character": 9},
        "context": {"includeDeclaration": False},
    }
    folder = {"uri": other.as_uri(), "name": "other"}
    found = []

    for event in ({"added": [folder], "removed": []}, {"added": [], "removed": [folder]}):
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        found.append([one["uri"] for one in client.ask("textDocument/references", ask)])

    assert found == [[(other / "user.yaml").as_uri()], []]


def test_yaml_that_is_no_spec_is_left_alone(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "compose.yaml", "name: web\nservices: {}\n")

    assert client.findings(uri) == []


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"Content-Length: 5\r\n\r\n{nope", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 2\r\n\r\n{}", -32600),
        (framed({"jsonrpc": "2.0"}), -32600),
        (framed({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}), -32600),
        (framed({"jsonrpc": "2.0", "id": 1, "method": ["shutdown"]}), -32600),
        (framed({"jsonrpc": "2.0"})[:-1] + b"\n", -32700),
        (b'Content-Length: 13\r\n\r\n{"jsonrpc":"\xff', -32700),
        (b"Content-Length: 70000\r\n\r\n" + b"[" * 70_000, -32700),
        (b"Content-Length: 67108865\r\n\r\n" + b" " * 67_108_865, -32700),
    ],
    ids=["no JSON", "a list", "no version", "nothing", "a number", "a name", "cut short", "no UTF-8", "deep", "huge"],
)
def test_a_message_that_cannot_be_read_is_refused_and_the_next_one_answered(
    client: Client, tmp_path: Path, sent: bytes, code: int
) -> None:
    client.write(sent)

    refused = client.answer(None)

    assert refused["error"]["code"] == code
    assert client.findings(client.open(tmp_path / "a.yaml", GOOD)) == []


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n",
        b"\0\xff" * 70_000 + b"\n",
        b'{"jsonrpc": "2.0", "id": 7, "method": "shutdown"}',
    ],
    ids=["blank", "HTTP", "no number", "negative", "binary", "no header"],
)
def test_what_is_no_header_is_passed_over(client: Client, tmp_path: Path, sent: bytes) -> None:
    client.write(sent)

    assert client.findings(client.open(tmp_path / "a.yaml", GOOD)) == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"method": "agentspec/nothing", "params": {}}, -32601),
        ({"method": "agentspec/nothing"}, -32601),
        ({"method": "textDocument/hover"}, -32602),
        ({"method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///a"}, "position": -1}}, -32602),
        ({"method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}, -32600),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_by_its_number(client: Client, message: object, code: int) -> None:
    client.write(framed({"jsonrpc": "2.0", "id": "mine", **message}))

    assert client.answer("mine")["error"]["code"] == code


@pytest.mark.parametrize(
    "message",
    [
        {"method": "textDocument/didOpen", "params": {"textDocument": 3}},
        {"method": "textDocument/didOpen"},
        {"id": {}, "result": None},
        {"id": 7, "error": 3},
    ],
)
def test_what_is_no_request_is_not_answered_but_logged(client: Client, tmp_path: Path, message: object) -> None:
    client.write(framed({"jsonrpc": "2.0", **message}))

    assert client.told("window/logMessage")["message"].endswith(" takes other parameters")
    assert client.findings(client.open(tmp_path / "a.yaml", GOOD)) == []


@pytest.mark.parametrize("method", ["textDocument/didChange", "textDocument/didClose", "notebookDocument/didChange"])
def test_a_text_that_is_not_open_is_neither_changed_nor_closed(client: Client, tmp_path: Path, method: str) -> None:
    document = {"uri": (tmp_path / "never.yaml").as_uri(), "version": 2}
    params = {"textDocument": document, "notebookDocument": document, "contentChanges": [{"text": BAD}], "change": {}}
    client.notify(method, params)

    client.findings(client.open(tmp_path / "a.yaml", GOOD))

    assert [one["method"] for one in client.kept] == []


def test_a_client_learns_what_serves_it(tmp_path: Path) -> None:
    with served() as (client, _):
        client.start(tmp_path)

        assert client.server == {"name": "agentspec", "version": agentspec.__version__}
        client.leave()


def test_a_request_before_initialize_is_refused_and_nothing_is_told(tmp_path: Path) -> None:
    with served() as (client, _):
        client.open(tmp_path / "a.yaml", BAD)

        early = client.answer(client.send("textDocument/documentSymbol", {}))

        client.start(tmp_path)
        assert early["error"] == {"code": -32002, "message": "`initialize` has to come first"}
        assert client.kept == []
        client.leave()


def test_nothing_but_exit_follows_shutdown(tmp_path: Path) -> None:
    with served() as (client, code):
        client.start(tmp_path)
        client.ask("shutdown")
        client.open(tmp_path / "a.yaml", BAD)

        late = [
            client.answer(client.send(method)) for method in ("shutdown", "textDocument/hover", "agentspec/nothing")
        ]

        assert [one["error"]["code"] for one in late] == [-32600] * 3
        client.notify("exit")
        assert code() == 0


def test_what_was_asked_before_shutdown_is_answered_though_exit_follows_at_once(tmp_path: Path) -> None:
    with served() as (client, code):
        client.start(tmp_path)
        document = {"textDocument": {"uri": client.open(tmp_path / "a.yaml", BAD)}}
        asked = [client.send("textDocument/documentSymbol", document) for _ in range(3)]
        last = client.send("shutdown")

        client.notify("exit")

        answers = [client.answer(number) for number in (*asked, last)]
        assert ["error" in one for one in answers] == [False] * 4
        assert code() == 0


def test_exit_without_shutdown_is_told_by_the_exit_code(tmp_path: Path) -> None:
    with served() as (client, code):
        client.start(tmp_path)

        client.notify("exit")

        assert code() == 1


@pytest.mark.parametrize("last", [b"", b"Content-Length: 10\r\n\r\n{", b"Content-Le"])
def test_a_client_that_dies_ends_the_server(tmp_path: Path, last: bytes) -> None:
    with served() as (client, code):
        client.start(tmp_path)
        client.open(tmp_path / "a.yaml", BAD)
        client.write(last)

        client.close()

        assert code() == 1


def test_a_client_that_says_so_ends_the_server(tmp_path: Path) -> None:
    with served() as (client, code):
        client.start(tmp_path)

        client.leave()

        assert code() == 0


def test_a_client_whose_process_is_gone_ends_the_server_though_its_pipe_is_open(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    with served() as (client, code):
        client.start(tmp_path, process=gone.pid)

        assert code() == 1


def test_a_client_that_can_is_asked_to_tell_of_files(tmp_path: Path) -> None:
    with served() as (client, _):
        client.start(tmp_path, watches=True)

        [asked] = client.told("client/registerCapability")["registrations"]

        assert asked["method"] == "workspace/didChangeWatchedFiles"
        client.leave()


def test_nothing_of_a_spec_is_run_whatever_is_asked(client: Client, tmp_path: Path) -> None:
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\ndef go(*_): open('sprung', 'w')\n")
    text = (
        "name: a\nmodel: {provider: process, options: {command: [touch, sprung]}}\n"
        "execution: {post_turn: [{python: 'trap:go'}]}\n"
        "capability:\n  mcp: {s: {command: [touch, sprung], pin: true}}\n"
        "  tools:\n    t: {description: d, run: [touch, sprung]}\n    p: {description: d, python: 'trap:go'}\n"
    )
    uri = client.open(tmp_path / "a.yaml", text)
    client.findings(uri)
    place = {"textDocument": {"uri": uri}, "position": {"line": 6, "character": 4}, "newName": "new"}

    for question in ("completion", "hover", "definition", "references", "rename", "documentSymbol"):
        client.ask(f"textDocument/{question}", {**place, "context": {"includeDeclaration": True, "triggerKind": 1}})

    assert sorted(path.name for path in tmp_path.iterdir()) == ["trap.py"]
