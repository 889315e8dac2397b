#!/usr/bin/env python3
"""Sessions of gdr lsp: begin and end, wrong messages, and the diagnostics that it publishes.

    lsp_protocol_test.py GDR PROJECT [TestCase...]
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
from lsp_client import KERNEL, LspTest  # noqa: E402


class Protocol(LspTest):
    def test_a_session_from_initialize_to_exit(self):
        able = self.begun()
        self.assertEqual((able["positionEncoding"], able["textDocumentSync"]["change"]), ("utf-16", 2))
        self.assertIsNone(self.client.request("shutdown"))
        self.assertEqual(self.client.error("textDocument/hover")["code"], -32600)
        self.client.notify("exit")
        self.assertEqual(self.client.end(), (0, b"", ""))

    def test_exit_without_shutdown_is_status_1(self):
        self.begun()
        self.client.notify("exit")
        self.assertEqual(self.client.end()[0], 1)

    def test_requests_before_initialize_and_a_second_one_are_refused(self):
        self.assertEqual(self.client.error("textDocument/hover")["code"], -32002)
        self.client.notify("textDocument/didOpen")
        self.begun()
        self.assertEqual(self.client.error("initialize")["code"], -32600)

    def test_malformed_messages_get_errors(self):
        self.begun()
        for text, code in ((b"{", -32700), (b"", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"null", -32600), (b"7", -32600),
                           (b'{"id": 1}', -32600), (b'{"id": {}, "method": "shutdown"}', -32600), (b'{"id": 1, "method": 7}', -32600),
                           (b'{"id": 1, "method": "textDocument/hover", "params": []}', -32602),
                           (b'{"id": 1, "method": "textDocument/hover", "params": {}}', -32602),
                           (b'{"id": 1, "method": "no/such"}', -32601), (b'{"id": "a", "method": "$/no"}', -32601),
                           (b"[" * 5000 + b"]" * 5000, -32803)):
            self.client.send_text(text)
            message = self.client.receive()
            self.assertEqual(message["error"]["code"], code, (text, message))
        for text in (b'{"method": "no/such"}', b'{"id": 5, "result": null}', b'{"method": "$/cancelRequest", "params": {"id": 3}}'):
            self.client.send_text(text)  # without an answer
        self.assertIsNone(self.client.request("shutdown"))

    def test_wrong_parameters_are_refused_and_places_beyond_the_text_are_empty(self):
        self.begun()
        uri, _ = self.opened("seen.vsm", KERNEL)
        for method in ("hover", "definition", "completion", "prepareRename"):
            for position in ({"line": -1, "character": 0}, {"line": 1.5, "character": 0}, {"line": 2**40, "character": 0}, {"line": "1"}, None):
                error = self.client.error(f"textDocument/{method}", textDocument={"uri": uri}, position=position)
                self.assertEqual(error["code"], -32602, (method, position))
            error = self.client.error(f"textDocument/{method}", textDocument={"uri": "file:///none.vsm"}, position={"line": 0, "character": 0})
            self.assertEqual(error["code"], -32602)
        for line, character in ((0, 10**6), (10**6, 0), (22, 5)):
            self.client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": line, "character": character})
            self.client.request("textDocument/completion", textDocument={"uri": uri}, position={"line": line, "character": character})
            self.client.request("textDocument/inlayHint", textDocument={"uri": uri},
                                range={"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}})
        self.client.notify("textDocument/didChange", textDocument={"uri": uri}, contentChanges=[{"range": {
            "start": {"line": 2, "character": 0}, "end": {"line": 1, "character": 0}}, "text": ""}])
        self.assertIn("ends before it begins", self.client.notice("window/showMessage")["message"])
        self.client.notify("textDocument/didClose", textDocument={"uri": "file:///none.vsm"})
        self.assertIn("not open", self.client.notice("window/showMessage")["message"])

    def test_every_beginning_of_a_source_is_answered(self):
        self.begun()
        uri, _ = self.opened("seen.vsm", "")
        words = KERNEL.split(" ")
        for n in range(0, len(words), 3):
            text = " ".join(words[:n])
            self.changed(uri, text, n)
            position = {"line": text.count("\n"), "character": len(text.rsplit("\n", 1)[-1])}
            for method in ("hover", "completion", "definition", "references"):
                self.client.request(f"textDocument/{method}", textDocument={"uri": uri}, position=position)
            self.client.request("textDocument/semanticTokens/full", textDocument={"uri": uri})
            self.client.request("textDocument/documentSymbol", textDocument={"uri": uri})

    def test_a_stream_that_is_no_protocol_ends_with_an_error(self):
        self.client.send_bytes(b"hello\r\n\r\n")
        status, _, err = self.client.end()
        self.assertEqual(status, 1)
        self.assertIn("no Content-Length", err)


class Diagnostics(LspTest):
    def test_errors_have_code_severity_and_range_and_go_when_they_are_mended(self):
        self.begun()
        uri, found = self.opened("seen.vsm", KERNEL.replace("fmul d mj $lt", "fmul d nix $lt"))
        (error,) = [each for each in found if each["severity"] == 1]
        self.assertRegex(error["code"], r"^E\d{4}$")
        self.assertIn("nix", error["message"])
        self.assertEqual(error["range"], {"start": {"line": 17, "character": 9}, "end": {"line": 17, "character": 12}})
        self.changed(uri, KERNEL)
        self.assertEqual([each for each in self.diagnostics(uri) if each["severity"] == 1], [])

    def test_changes_of_a_part_are_put_in_their_places(self):
        self.begun()
        uri, found = self.opened("seen.vsm", KERNEL)

        def change(*pieces):
            changes = []
            for start, end, new in pieces:
                changes.append({"range": {"start": start, "end": end}, "text": new})
            self.client.notify("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=changes)
            return [(each["code"], each["range"]["start"]["line"]) for each in self.diagnostics(uri)]
        word = self.place(KERNEL, "fsub")
        behind = word | {"character": word["character"] + 4}
        self.assertEqual(change((word, behind, "fsbu")), [("E0103", word["line"])])
        # Each change counts from the text that the one before left; the comment has letters of two units.
        line = KERNEL.split("\n")[word["line"]]
        end = word | {"character": len(line.encode("utf-16-le")) // 2}
        self.assertEqual(change((word, behind, "fsub"), (end, end, " é\U0001d4ae"),
                                (end | {"character": end["character"] + 4}, {"line": word["line"] + 1, "character": 0}, "\n  foo\n")),
                         [("E0103", word["line"] + 1)])
        self.assertEqual(change(({"line": word["line"] + 1, "character": 0}, {"line": word["line"] + 2, "character": 0}, "")),
                         [(each["code"], each["range"]["start"]["line"]) for each in found])

    def test_notes_are_related_places_or_stand_in_the_message(self):
        text = KERNEL.replace("  nop\n", "").replace("add sum sum", "nop")
        self.begun()
        uri, found = self.opened("early.vsm", text)
        (error,) = [each for each in found if each["severity"] == 1]
        (related,) = error["relatedInformation"]
        self.assertIn("written here", related["message"])
        self.assertEqual((related["location"]["uri"], related["location"]["range"]["start"]["line"]), (uri, 15))
        self.client = self.new_client()
        self.begun(capabilities={})
        _, found = self.opened("early.vsm", text)
        (error,) = [each for each in found if each["severity"] == 1]
        self.assertNotIn("relatedInformation", error)
        self.assertIn("early.vsm:16: ", error["message"])

    def test_warnings_are_chosen_by_settings_and_unused_ones_are_faded(self):
        text = KERNEL.replace("fmul d mj $lt", "fmul d scale $lt")
        self.begun()
        uri, found = self.opened("seen.vsm", text)
        (unused,) = [each for each in found if "mj" in each["message"]]
        self.assertEqual((unused["severity"], unused["data"], unused["tags"]), (2, {"warning": "unused"}, [1]))
        self.client.notify("workspace/didChangeConfiguration", settings={"gdr": {"warnings": ["error=unused"]}})
        self.assertIn(1, [each["severity"] for each in self.diagnostics(uri) if "mj" in each["message"]])
        self.client.notify("workspace/didChangeConfiguration", settings={"gdr": {"warnings": ["no-unused"]}})
        self.assertEqual([each for each in self.diagnostics(uri) if "mj" in each["message"]], [])
        self.client.notify("workspace/didChangeConfiguration", settings={"gdr": {"warnings": ["nosuch"]}})
        self.assertIn("nosuch", self.client.notice("window/showMessage")["message"])

    def test_settings_that_are_wrong_refuse_to_initialize(self):
        error = self.client.error("initialize", initializationOptions={"warnings": ["nosuch"]})
        self.assertEqual(error["code"], -32602)
        self.assertIn("nosuch", error["message"])

    def test_included_files_are_found_by_settings_and_by_the_command_line(self):
        (self.scratch / "parts").mkdir()
        self.file("parts/part.vsm", "const axes = 2\n")
        text = KERNEL.replace("const axes = 2", 'include "part.vsm"')
        for client, options in ((self.client, None), (self.new_client(), {"includePath": ["parts"]}),
                                (self.new_client("-I", str(self.scratch / "parts")), None)):
            self.client = client
            self.begun(initializationOptions=options)
            _, found = self.opened("seen.vsm", text)
            errors = [each["message"] for each in found if each["severity"] == 1]
            found_it = bool(options) or len(client.process.args) > 2
            self.assertEqual(any("part.vsm" in each for each in errors), not found_it, errors)

    def test_errors_in_included_files_stand_there_and_unsaved_texts_count(self):
        self.begun()
        part, found = self.opened("part.vsm", "macro twice a\n  fadd a a a\nend\n")
        self.assertEqual(found, [])  # no kernel, and none is asked for
        uri, found = self.opened("seen.vsm", KERNEL.replace("const axes = 2", 'const axes = 2\ninclude "part.vsm"')
                                 .replace("add sum sum", "twice sum"))
        self.assertEqual([each for each in found if each["severity"] == 1], [])
        self.changed(part, "macro twice a\n  faddd a a a\nend\n")
        errors = [each for each in self.diagnostics(part) if each["severity"] == 1]
        self.assertEqual(errors[0]["range"]["start"]["line"], 1)
        self.assertEqual(errors[0]["relatedInformation"][0]["location"]["uri"], uri)
        self.client.notify("textDocument/didClose", textDocument={"uri": part})
        self.assertEqual(self.diagnostics(part), [])  # what is on disk is right

    def test_positions_count_utf_16_units(self):
        self.begun()
        text = KERNEL + "  nix # \U0001d4ae\U0001d4ae $r0\n"
        uri, found = self.opened("seen.vsm", text)
        self.assertTrue(found)
        answer = self.client.request("textDocument/semanticTokens/full", textDocument={"uri": uri})["data"]
        lengths = {answer[n + 2] for n in range(0, len(answer), 5)}
        self.assertIn(len("# d: é and ") + 2, lengths)
        self.assertIn(len("# ") + 4 + len(" $r0"), lengths)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
