// extension: starts `agentspec lsp` and lets Visual Studio Code speak to it. Colours and brackets need none of this.

const vscode = require("vscode");

const LANGUAGES = ["agentspec", "yaml", "json"];
let client;

async function activate() {
  let node;
  try {
    node = require("vscode-languageclient/node");
  } catch {
    vscode.window.showInformationMessage("agentspec: run `npm install` in this extension's folder for findings as you type.");
    return;
  }
  const [command, ...args] = vscode.workspace.getConfiguration("agentspec").get("server");
  const server = { command, args, transport: node.TransportKind.stdio };
  const documentSelector = LANGUAGES.map((language) => ({ scheme: "file", language }));
  client = new node.LanguageClient("agentspec", "agentspec", server, { documentSelector });
  await client.start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
