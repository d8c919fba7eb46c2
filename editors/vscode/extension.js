"use strict";
// Starts `kc lsp` and lets VS Code talk to it. What the server can do is its own matter.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration("kc");
  const [command, ...args] = settings.get("command");
  const languages = settings.get("python") ? ["mlir", "python"] : ["mlir"];
  client = new LanguageClient(
    "kc",
    "kc",
    { command, args },
    { documentSelector: languages.map((language) => ({ scheme: "file", language })) },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `${[command, ...args].join(" ")} cannot be started (${error.message}). ` +
        "Run: pip install 'kc-compiler[lsp]', or name the command in the setting kc.command.",
    );
  }
};

exports.deactivate = () => client?.stop();
