// Starts `gdr lsp` for .vsm files and `gdr debug --dap` for debugging. Everything that is known of the language is in
// the program.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  return vscode.workspace.getConfiguration("gdr");
}

async function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("gdr", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(settings().get("path"), ["debug", "--dap"]),
    }),
  );
  client = new LanguageClient(
    "gdr",
    "gdr",
    { command: settings().get("path"), args: ["lsp"] },
    {
      documentSelector: [{ language: "gdr" }],
      initializationOptions: settings(),
      synchronize: {
        configurationSection: "gdr",
        fileEvents: vscode.workspace.createFileSystemWatcher("**/*.vsm"),
      },
    },
  );
  await client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
