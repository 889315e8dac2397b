// The extension without an editor's window: what it starts is spoken to by the editor's own client libraries.
// `npm test`; the program is $GDR, or gdr in PATH.
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const rpc = require("vscode-languageserver-protocol/node");

const manifest = require("../package.json");
const program = process.env.GDR || "gdr";

const KERNEL = `kernel headless
bvar long xj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi $lt
  fadd sum $lti sum
`;

/// What the extension starts in an editor whose settings are `settings`.
async function started(settings) {
  const seen = {};
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(seen, { server, options });
    }
    async start() {}
    async stop() {
      seen.stopped = true;
    }
  }
  const vscode = {
    workspace: {
      getConfiguration: () => ({ get: (name) => settings[name] }),
      createFileSystemWatcher: () => ({}),
    },
    debug: {
      registerDebugAdapterDescriptorFactory: (type, factory) => {
        seen.adapter = factory.createDebugAdapterDescriptor();
        seen.type = type;
        return {};
      },
    },
    DebugAdapterExecutable: class {
      constructor(command, args) {
        Object.assign(this, { command, args });
      }
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) =>
    name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
  try {
    delete require.cache[require.resolve("../extension.js")];
    const extension = require("../extension.js");
    await extension.activate({ subscriptions: [] });
    await extension.deactivate();
  } finally {
    Module._load = load;
  }
  assert.ok(seen.stopped);
  return seen;
}

function scratch(t, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gdr-vscode-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return folder;
}

test("the language server mends a source while it is typed", async (t) => {
  const { server, options } = await started({ path: program });
  assert.deepStrictEqual(options.documentSelector, [{ language: manifest.contributes.languages[0].id }]);
  const running = spawn(server.command, server.args);
  const connection = rpc.createProtocolConnection(running.stdout, running.stdin);
  t.after(() => running.kill());
  const told = [];
  let wake = () => {};
  connection.onNotification(rpc.PublishDiagnosticsNotification.type, (params) => {
    told.push(params);
    wake();
  });
  const diagnostics = async () => {
    while (told.length === 0) await new Promise((resolve) => (wake = resolve));
    return told.shift().diagnostics;
  };
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: {},
  });
  assert.ok(capabilities.hoverProvider && capabilities.completionProvider && capabilities.renameProvider);
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  const uri = "untitled:headless.vsm";
  const wrong = KERNEL.replace("fsub", "fsbu");
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "gdr", version: 1, text: wrong },
  });
  const [found] = await diagnostics();
  assert.match(found.message, /unknown operation 'fsbu'; did you mean 'fsub'/);
  const [action] = await connection.sendRequest(rpc.CodeActionRequest.type, {
    textDocument: { uri },
    range: found.range,
    context: { diagnostics: [found] },
  });
  const [edit] = Object.values(action.edit.changes)[0];
  await connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: edit.range, text: edit.newText }],
  });
  assert.deepStrictEqual(await diagnostics(), []);
  const hover = await connection.sendRequest(rpc.HoverRequest.type, {
    textDocument: { uri },
    position: { line: 8, character: 3 },
  });
  assert.match(JSON.stringify(hover.contents), /fsub/);
  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
});

test("the debugger stops at a breakpoint and shows a word by its name", async (t) => {
  const { adapter, type } = await started({ path: program });
  assert.strictEqual(type, manifest.contributes.debuggers[0].type);
  const folder = scratch(t, { "k.vsm": KERNEL, "i.csv": "xi\n1\n2\n", "j.csv": "xj\n5\n7\n" });
  const kernel = path.join(folder, "k.vsm");
  const [configuration] = manifest.contributes.debuggers[0].initialConfigurations;
  const launch = { ...configuration, stopOnEntry: false };
  for (const name of ["program", "i", "j"]) {
    launch[name] = launch[name].replace("${file}", kernel).replace("${workspaceFolder}", folder);
  }
  const quoted = [adapter.command, ...adapter.args].map((word) => `'${word}'`);
  const client = new DebugClient(quoted[0], quoted.slice(1).join(" "), type, { shell: true });
  client.defaultTimeout = 60000;
  await client.start();
  t.after(() => client.stop());
  const line = KERNEL.split("\n").findIndex((text) => text.startsWith("  fadd")) + 1;
  await client.hitBreakpoint(launch, { path: kernel, line });
  const stack = await client.stackTraceRequest({ threadId: 1 });
  assert.strictEqual(stack.body.stackFrames[0].line, line);
  const answer = await client.evaluateRequest({ expression: "xj - xi", frameId: stack.body.stackFrames[0].id });
  assert.match(answer.body.result, /^4/);
});
