#!/usr/bin/env python3
"""The extension for VS Code in editor/clients/vscode: vscode_test.py GDR PROJECT GRAMMAR

GRAMMAR is the TextMate grammar as the generator has just written it.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
import lsp_client  # noqa: E402

# Loads the extension with stand-ins for what the editor gives it, and prints what it starts.
PROBE = """
const Module = require("module");
const started = {};
const settings = { get: (name) => ({ path: "the-gdr" })[name] };
const vscode = {
  workspace: { getConfiguration: () => settings, createFileSystemWatcher: () => ({}) },
  debug: { registerDebugAdapterDescriptorFactory: (type, factory) => { started.type = type; started.factory = factory; return {}; } },
  DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } },
};
class LanguageClient {
  constructor(id, name, server, options) { Object.assign(started, { server, selector: options.documentSelector }); }
  async start() { started.running = true; }
  async stop() { started.running = false; }
}
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
const extension = require(process.argv[1]);
const context = { subscriptions: [] };
extension.activate(context).then(async () => {
  const running = started.running;
  await extension.deactivate();
  console.log(JSON.stringify({ server: started.server, selector: started.selector, type: started.type,
    adapter: started.factory.createDebugAdapterDescriptor(), running, stopped: !started.running, kept: context.subscriptions.length }));
});
"""


# The same with a program that is not there: prints what the user is told, and where the button leads.
WITHOUT_PROGRAM = """
const Module = require("module");
const told = {};
const vscode = {
  workspace: { getConfiguration: () => ({ get: () => "no-gdr" }), createFileSystemWatcher: () => ({}) },
  debug: { registerDebugAdapterDescriptorFactory: () => ({}) },
  window: { showErrorMessage: async (message, button) => { Object.assign(told, { message, button }); return button; } },
  commands: { executeCommand: async (...command) => { told.command = command; } },
};
class LanguageClient { async start() { throw new Error("spawn no-gdr ENOENT"); } }
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
require(process.argv[1]).activate({ subscriptions: [] }).then(() => console.log(JSON.stringify(told)));
"""


class Extension(lsp_client.LspTest):
    FOLDER = pathlib.Path()
    GRAMMAR = pathlib.Path()

    def manifest(self):
        return json.loads((self.FOLDER / "package.json").read_text(encoding="utf-8"))

    def grammar(self):
        return json.loads((self.FOLDER / "syntaxes/gdr.tmLanguage.json").read_text(encoding="utf-8"))

    def test_the_grammar_is_what_the_generator_writes(self):
        kept = (self.FOLDER / "syntaxes/gdr.tmLanguage.json").read_text(encoding="utf-8")
        self.assertEqual(kept, self.GRAMMAR.read_text(encoding="utf-8"), f"copy {self.GRAMMAR} to editor/clients/vscode/syntaxes")

    def test_the_syntax_file_of_vim_is_what_the_generator_writes(self):
        kept = (cli_test.PROJECT / "editor/clients/vim/syntax/gdr.vim").read_text(encoding="utf-8")
        made = self.GRAMMAR.with_name("gdr.vim")
        self.assertEqual(kept, made.read_text(encoding="utf-8"), f"copy {made} to editor/clients/vim/syntax")

    def test_vim_colours_words_as_what_they_are(self):
        vim = shutil.which("nvim") or shutil.which("vim")
        if vim is None:
            self.skipTest("neither Neovim nor Vim is installed")
        with tempfile.TemporaryDirectory() as folder:
            source, out = pathlib.Path(folder, "k.vsm"), pathlib.Path(folder, "out")
            source.write_text('kernel k\nvar vector long xi hlt\nloop body\n  fsub xi $lr8v.a $lt # a\n  fmul $t il"3" x[12]\n')
            places = [(1, 1), (2, 1), (2, 5), (3, 1), (4, 3), (4, 11), (4, 23), (5, 11), (5, 19)]
            names = ", ".join(f'synIDattr(synID({line}, {column}, 1), "name")' for line, column in places)
            subprocess.run([vim, "-es", "-u", "NONE", "--cmd", f"set runtimepath^={cli_test.PROJECT}/editor/clients/vim", "-c", "filetype on",
                            "-c", "syntax on", "-c", f"edit {source}", "-c", f"call writefile([{names}], '{out}')", "-c", "qa!"], check=False)
            self.assertEqual(out.read_text().split(), ["gdrStatement", "gdrStatement", "gdrAttribute", "gdrSection", "gdrOperation", "gdrRegister",
                                                       "gdrComment", "gdrString", "gdrNumber"])

    def test_the_grammar_colours_words_as_what_they_are(self):
        patterns = [each for each in self.grammar()["patterns"] if "match" in each]
        for line, word, name in (("  fmul x y $lt", "fmul", "support.function"), ("loop body", "loop body", "keyword.control.section"),
                                 ("var vector long x hlt", "vector", "storage.modifier"), ("  fmul x y $lr8v.a", "$lr8v.a", "variable.language"),
                                 ("  fmul x y $ok1.z", "$ok1.z", "variable.language"), ("  repeat k = 0..3", "  repeat", "keyword.control"),
                                 ("  nop # a word", "# a word", "comment.line"), ("  vlen 3", "vlen", "keyword.other")):
            found = [each["name"] for each in patterns if (match := re.search(each["match"], line)) and match[0] == word]
            self.assertTrue(found and found[0].startswith(name), (line, found))
        self.assertFalse([each for each in patterns if "function" in each["name"] and re.search(each["match"], "fmulx xfmul")])

    def test_files_that_the_manifest_names_are_there(self):
        manifest = self.manifest()
        contributed = manifest["contributes"]
        for path in (manifest["main"], contributed["languages"][0]["configuration"], contributed["grammars"][0]["path"]):
            self.assertTrue((self.FOLDER / path).is_file(), path)
        json.loads((self.FOLDER / contributed["languages"][0]["configuration"]).read_text(encoding="utf-8"))
        self.assertEqual(contributed["grammars"][0]["scopeName"], self.grammar()["scopeName"])

    def test_a_program_that_is_not_there_is_told_with_its_setting(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("Node.js is not installed")
        done = subprocess.run([node, "-e", WITHOUT_PROGRAM, self.FOLDER / "extension.js"], capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        self.assertIn('"no-gdr" does not run (spawn no-gdr ENOENT)', told["message"])
        self.assertIn("gdr.path", told["message"])
        self.assertEqual(told["command"], ["workbench.action.openSettings", "gdr.path"])

    def test_what_is_shipped_has_a_readme_a_licence_and_an_icon(self):
        self.assertEqual((self.FOLDER / "LICENSE").read_bytes(), (cli_test.PROJECT / "LICENSE").read_bytes())
        self.assertIn("gdr.path", (self.FOLDER / "README.md").read_text(encoding="utf-8"))
        self.assertEqual((self.FOLDER / self.manifest()["icon"]).read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_the_server_knows_every_setting(self):
        names = [name.removeprefix("gdr.") for name in self.manifest()["contributes"]["configuration"]["properties"]]
        for name in names:
            client = self.new_client()
            answer = client.answer("initialize", initializationOptions={name: [[]]})
            self.assertEqual("error" in answer, name != "path", name)  # which is the editor's alone

    def test_the_client_finds_the_server_s_quick_fixes(self):
        # The client asks for code actions where the server says that it has them.
        self.assertEqual(self.begun()["codeActionProvider"], {"codeActionKinds": ["quickfix"]})
        text = "kernel k\nvar vector long x hlt\nloop body\n  fadx x x $lt\n"
        uri, found = self.opened("k.vsm", text)
        position = {"line": 3, "character": 3}
        (action,) = self.client.request("textDocument/codeAction", textDocument={"uri": uri}, range={"start": position, "end": position},
                                        context={"diagnostics": found, "only": ["quickfix"], "triggerKind": 1})
        ((edit,),) = action["edit"]["changes"].values()
        self.assertEqual((action["title"], edit["newText"], action["diagnostics"][0]["code"]), ("write 'fadd'", "fadd", found[0]["code"]))

    def test_it_starts_the_language_server_and_the_debugger(self):
        if not shutil.which("node"):
            self.skipTest("needs node")
        done = subprocess.run(["node", "-e", PROBE, str(self.FOLDER / "extension.js")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual(found["server"], {"command": "the-gdr", "args": ["lsp"]})
        self.assertEqual(found["adapter"], {"command": "the-gdr", "args": ["debug", "--dap"]})
        self.assertEqual((found["type"], found["selector"]), (self.manifest()["contributes"]["debuggers"][0]["type"], [{"language": "gdr"}]))
        self.assertTrue(found["running"] and found["stopped"] and found["kept"] == 1)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    Extension.FOLDER, Extension.GRAMMAR = cli_test.PROJECT / "editor/clients/vscode", pathlib.Path(sys.argv[3])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
