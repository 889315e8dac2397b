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
  try {
    await client.start();
  } catch (error) {
    await tell(error);
  }
}

/// The editor's own message names neither the setting nor what is to be installed.
async function tell(error) {
  const open = "Open settings";
  const chosen = await vscode.window.showErrorMessage(
    `The program "${settings().get("path")}" does not run (${error.message}). Install gdr, or set gdr.path to its place.`,
    open,
  );
  if (chosen === open) await vscode.commands.executeCommand("workbench.action.openSettings", "gdr.path");
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
