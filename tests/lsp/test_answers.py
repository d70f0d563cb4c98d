"""What an editor gets for its questions, over pipes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentspec.cli.main import main
from tests.lsp.client import Client, served

BASE = "preset: base\nexecution:\n  max_nudges: 2\n"
SPEC = "name: a\nextends: ./base.yaml\nexecution:\n  max_iteratons: 3\n  tool_timeout: 30\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place: Path = tmp_path_factory.mktemp("editor").resolve()
    (place / "base.yaml").write_text(BASE)
    return place


@pytest.fixture(scope="module")
def client(folder: Path):
    with served() as (client, _):
        client.start(folder, {"completion": {"completionItem": {"snippetSupport": True}}})
        yield client
        client.leave()


def where(uri: str, line: int, character: int, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


def at(line: int, start: int, end: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def test_a_client_is_told_what_it_can_ask_for(tmp_path) -> None:
    with served() as (client, _):
        capable = client.start(tmp_path)
        client.leave()

    assert {name for name, value in capable.items() if value} == {
        *("positionEncoding", "textDocumentSync", "completionProvider", "hoverProvider", "definitionProvider"),
        *("referencesProvider", "documentSymbolProvider", "codeActionProvider", "documentFormattingProvider"),
        *("renameProvider", "executeCommandProvider", "workspace"),
    }
    assert capable["positionEncoding"] == "utf-16"


def test_a_completion_says_what_is_written_and_where(client: Client, folder: Path) -> None:
    uri = client.open(folder / "a.agent", "agent a {\n  exec\n}\n")

    items = client.ask("textDocument/completion", where(uri, 1, 6))["items"]

    item = next(one for one in items if one["label"] == "execution")
    assert item["textEdit"] == {"range": at(1, 2, 6), "newText": "execution {\n    $0\n  }"}
    assert (item["insertTextFormat"], item["kind"], item["filterText"]) == (2, 10, "execution")


def test_hover_definition_and_references_have_their_places(client: Client, folder: Path) -> None:
    uri = client.open(folder / "b.yaml", SPEC)
    base = (folder / "base.yaml").as_uri()

    hover = client.ask("textDocument/hover", where(uri, 4, 4))
    definition = client.ask("textDocument/definition", where(uri, 1, 12))
    references = client.ask("textDocument/references", where(uri, 1, 12, context={"includeDeclaration": True}))

    assert hover["contents"]["value"].startswith("`execution.tool_timeout`: a duration such as `30s`")
    assert hover["range"] == at(4, 2, 14)
    assert definition == [{"uri": base, "range": at(0, 8, 12)}]
    assert references[0] == {"uri": base, "range": at(0, 8, 12)}
    assert {"uri": uri, "range": at(1, 9, 20)} in references


def test_fixes_of_findings_are_actions_and_all_safe_ones_are_one(client: Client, folder: Path) -> None:
    uri = client.open(folder / "c.yaml", SPEC)

    actions = client.ask(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": at(3, 4, 4), "context": {"diagnostics": []}},
    )
    only = client.ask(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": at(3, 4, 4), "context": {"diagnostics": [], "only": ["source.fixAll"]}},
    )

    rename = {"range": at(3, 2, 15), "newText": "max_iterations"}
    assert [(one["title"], one["kind"], one.get("isPreferred")) for one in actions] == [
        ("rename to `max_iterations`", "quickfix", True),
        ("Apply all safe fixes", "source.fixAll.agentspec", None),
    ]
    assert actions[0]["edit"] == {"changes": {uri: [rename]}}
    assert actions[0]["diagnostics"][0]["code"] == "AS102"
    assert [one["kind"] for one in only] == ["source.fixAll.agentspec"]
    assert rename in only[0]["edit"]["changes"][uri]


def test_a_text_is_brought_into_its_form_and_a_broken_one_is_left_alone(client: Client, folder: Path) -> None:
    uri = client.open(folder / "d.agent", "agent d{execution{max_nudges:3}}")
    options = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}

    [edit] = client.ask("textDocument/formatting", options)
    client.change(uri, "agent d { execution { max_nudges: ")
    refused = client.answer(client.send("textDocument/formatting", options))

    assert edit == {"range": at(0, 0, 32), "newText": "agent d {\n  execution { max_nudges: 3 }\n}\n"}
    assert refused["error"]["code"] == -32803


def test_a_rename_changes_all_files_or_says_why_not(client: Client, folder: Path) -> None:
    text = 'agent one { inputs { who: string } context { system: "Hi ${inputs.who}" } }\n'
    uri = client.open(folder / "e.agent", text)

    word = client.ask("textDocument/prepareRename", where(uri, 0, 22))
    changes = client.ask("textDocument/rename", where(uri, 0, 22, newName="person"))["changes"]
    refused = client.answer(client.send("textDocument/rename", where(uri, 0, 22, newName="a b")))

    assert word == {"range": at(0, 21, 24), "placeholder": "who"}
    assert changes == {
        uri: [{"range": at(0, 21, 24), "newText": "person"}, {"range": at(0, 66, 69), "newText": "person"}]
    }
    assert refused["error"]["message"].startswith("`a b` cannot be the name: ")


def test_the_outline_is_nested(client: Client, folder: Path) -> None:
    uri = client.open(folder / "f.yaml", "name: f\nmodel: {provider: ollama}\n")

    [outline] = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    assert (outline["name"], [one["name"] for one in outline["children"]]) == ("f", ["name", "model"])


def test_a_preset_that_changes_in_the_editor_is_seen_by_what_extends_it(client: Client, folder: Path) -> None:
    spec = client.open(folder / "g.yaml", "name: g\nextends: ./house.yaml\nexecution: {max_nudges: 3}\n")
    before = client.findings(spec)

    house = client.open(folder / "house.yaml", "preset: house\nexecution: {max_nudges: 2}\n")
    opened = client.findings(spec)
    client.change(house, "preset: house\nexecution: {max_nudges: !final 2}\n")
    closed = client.findings(spec)
    client.notify("textDocument/didClose", {"textDocument": {"uri": house}})
    after = client.findings(spec)

    codes = [[one["code"] for one in found] for found in (before, opened, closed, after)]
    assert codes == [["AS402"], [], ["AS410"], ["AS402"]]
    [related] = closed[0]["relatedInformation"]
    assert related["location"]["uri"] == house


def test_a_file_that_changes_on_disk_is_seen_by_what_depends_on_it(client: Client, folder: Path) -> None:
    prompt = folder / "said.md"
    spec = client.open(folder / "h.yaml", "name: h\ncontext: {system: {file: said.md}}\n")
    before = client.findings(spec)

    prompt.write_text("Be kind.\n")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": prompt.as_uri(), "type": 1}]})

    assert ([one["severity"] for one in before], client.findings(spec)) == ([1], [])


def test_a_finding_in_another_file_is_told_there_until_it_goes(client: Client, folder: Path) -> None:
    prompt = folder / "greeting.md"
    prompt.write_text("Hello, ${inputs.who}.\n")
    uri = client.open(folder / "greets.yaml", "name: k\ncontext: {system: {file: greeting.md}}\n")

    [found] = client.findings(prompt.as_uri())
    client.change(uri, "name: k\ninputs: {who: string}\ncontext: {system: {file: greeting.md}}\n")
    gone = client.findings(prompt.as_uri())

    assert (found["code"], found["range"]) == ("AS303", at(0, 16, 19))
    assert gone == []


def test_other_yaml_is_neither_completed_nor_formatted(client: Client, folder: Path) -> None:
    uri = client.open(folder / "compose.yaml", "services:   {web: {}}\nname: x\n")

    items = client.ask("textDocument/completion", where(uri, 1, 0))["items"]
    edits = client.ask(
        "textDocument/formatting", {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
    )
    outline = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    assert (items, edits, outline) == ([], [], [])


def test_what_is_told_is_what_check_tells(client: Client, folder: Path, capsys) -> None:
    path = folder / "i.yaml"
    path.write_text(SPEC)

    told = client.findings(client.open(path))
    main(["check", "--format", "json", str(path)])

    found = json.loads(capsys.readouterr().out)["diagnostics"]
    shown = [(one["code"], one["range"]["start"]["line"], one["range"]["start"]["character"]) for one in told]
    assert shown == [
        (one["code"], one["range"]["start"]["line"] - 1, one["range"]["start"]["column"] - 1) for one in found
    ]


def test_a_request_that_is_cancelled_is_answered_so(client: Client, folder: Path) -> None:
    uri = client.open(folder / "j.yaml", SPEC)
    numbers = [client.send("textDocument/hover", where(uri, 4, 4)) for _ in range(50)]
    client.notify("$/cancelRequest", {"id": numbers[-1]})

    answers = [client.answer(number) for number in numbers]

    assert answers[-1]["error"]["code"] == -32800
    assert "error" not in answers[0]
