#!/usr/bin/env python3
"""gdr lsp as an editor sees it: a client that speaks the Language Server Protocol over the program's standard streams.

    lsp_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

KERNEL = """kernel seen
const axes = 2
bvar long xj elt
bvar short mj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
param scale : short = 2
reg d $lr16v
macro add what to
  fadd what $lti to
end
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi d                           # d: é and \U0001d4ae
  nop
  fmul d mj $lt
  add sum sum
  repeat k = 0..axes-1
    fmul d scale $lr{8*k+24}v
  end
"""


class Client:
    """Requests with running numbers; notifications that arrive before an answer are kept."""

    def __init__(self, cwd, *arguments):
        self.process = subprocess.Popen([cli_test.GDR, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=cwd)
        self.number = 0
        self.notices = []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_text(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def receive(self):
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.process.stdout.read(1)
            if not byte:
                raise EOFError(self.process.stderr.read().decode())
            header += byte
        name, length = header.decode("ascii").strip().split(": ")
        assert name == "Content-Length", header
        message = json.loads(self.process.stdout.read(int(length)))
        assert message["jsonrpc"] == "2.0", message
        return message

    def answer(self, method, **params):
        self.number += 1
        self.send_text(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        while True:
            message = self.receive()
            if "method" in message:
                self.notices.append(message)
            else:
                assert message["id"] == self.number, message
                return message

    def request(self, method, **params):
        message = self.answer(method, **params)
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def error(self, method, **params):
        return self.answer(method, **params)["error"]

    def notify(self, method, **params):
        self.send_text(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def notice(self, method):
        while True:
            for n, message in enumerate(self.notices):
                if message["method"] == method:
                    return self.notices.pop(n)["params"]
            self.notices.append(self.receive())

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        out, err = self.process.stdout.read(), self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, out, err


class LspTest(cli_test.CliTest):
    RELATED = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}

    def setUp(self):
        super().setUp()
        self.client = self.new_client()

    def new_client(self, *arguments):
        client = Client(self.scratch, *arguments)

        def close():
            if client.process.poll() is None:
                client.process.kill()
                client.end()
        self.addCleanup(close)
        return client

    def begun(self, client=None, **params):
        client = client or self.client
        params = {"rootUri": self.scratch.as_uri(), "capabilities": self.RELATED} | params
        able = client.request("initialize", **params)["capabilities"]
        client.notify("initialized")
        return able

    def opened(self, name, text):
        """Writes a file, opens it and returns the URI and the diagnostics."""
        uri = self.file(name, text).as_uri()
        self.client.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "gdr", "version": 1, "text": text})
        return uri, self.diagnostics(uri)

    def diagnostics(self, uri):
        while True:
            params = self.client.notice("textDocument/publishDiagnostics")
            if params["uri"] == uri:
                return params["diagnostics"]

    def changed(self, uri, text, version=2):
        self.client.notify("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=[{"text": text}])

    @staticmethod
    def place(text, word, nth=0):
        """Position of the nth place of a word, in UTF-16 units."""
        at = -1
        for _ in range(nth + 1):
            at = text.index(word, at + 1)
        before = text[:at]
        last = before.rsplit("\n", 1)[-1]
        return {"line": before.count("\n"), "character": len(last.encode("utf-16-le")) // 2}

    def at(self, uri, text, word, nth=0):
        return {"textDocument": {"uri": uri}, "position": self.place(text, word, nth)}

    @staticmethod
    def lines(found):
        return sorted((each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in found)


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


class Fixes(LspTest):
    """Quick fixes: each is applied to the text, and what is told after it is looked at."""

    def offered(self, uri, text, word, nth=0, **context):
        place = self.place(text, word, nth)
        return self.client.request("textDocument/codeAction", textDocument={"uri": uri}, range={"start": place, "end": place},
                                   context={"diagnostics": [], **context})

    @staticmethod
    def applied(text, uri, action):
        ((changed, edits),) = action["edit"]["changes"].items()
        assert changed == uri, action
        lines = text.split("\n")
        for edit in sorted(edits, key=lambda each: (each["range"]["start"]["line"], each["range"]["start"]["character"]), reverse=True):
            begin, end = edit["range"]["start"], edit["range"]["end"]
            head, tail = lines[begin["line"]][:begin["character"]], lines[end["line"]][end["character"]:]
            lines[begin["line"]:end["line"] + 1] = (head + edit["newText"] + tail).split("\n")
        return "\n".join(lines)

    def mended(self, text, word, title, nth=0):
        """Opens a text that has something wrong at a word, takes the fix of this title, and returns the text and what is told of it."""
        uri, found = self.opened("mend.vsm", text)
        self.assertTrue(found)
        actions = {each["title"]: each for each in self.offered(uri, text, word, nth)}
        self.assertIn(title, actions)
        self.assertEqual((actions[title]["kind"], len(actions[title]["diagnostics"])), ("quickfix", 1))
        self.assertIn(actions[title]["diagnostics"][0]["code"], {each["code"] for each in found})
        after = self.applied(text, uri, actions[title])
        self.changed(uri, after)
        return after, self.diagnostics(uri)

    CLEAN = KERNEL.replace("  repeat k = 0..axes-1\n    fmul d scale $lr{8*k+24}v\n  end\n", "").replace("const axes = 2\n", "").replace(
        "param scale : short = 2\n", "")

    def test_the_capability_is_told(self):
        self.assertEqual(self.begun()["codeActionProvider"], {"codeActionKinds": ["quickfix"]})

    def test_a_source_without_errors_has_none(self):
        self.begun()
        uri, found = self.opened("clean.vsm", self.CLEAN)
        self.assertEqual((found, self.offered(uri, self.CLEAN, "fsub")), ([], []))

    def test_words_that_are_nearly_right_are_replaced(self):
        for right, wrong, title in (("fmul d mj", "fmlu d mj", "write 'fmul'"), ("fmul d mj", "fmul d mjj", "write 'mj'"),
                                    ("fmul d mj", "FMUL d mj", "write 'fmul'"), ("fmul d mj", "fmul d, mj", "leave ',' out"),
                                    ("flt72to64", "flt72to46", "write 'flt72to64'"), ("upassa $lti", "mov $lti", "write 'upassa'")):
            self.client = self.new_client()
            self.begun()
            word = "," if title.startswith("leave") else wrong.split()[-1] if "mjj" in wrong or len(wrong.split()) == 1 else wrong.split()[0]
            self.assertEqual(self.mended(self.CLEAN.replace(right, wrong), word, title), (self.CLEAN, []))

    def test_a_result_read_too_early_gets_a_line_in_between(self):
        self.begun()
        early = self.CLEAN.replace("  nop\n", "")
        self.assertEqual(self.mended(early, "d mj", "put a 'nop' before this line"), (self.CLEAN, []))

    def test_what_is_unused_can_be_deleted(self):
        self.begun()
        more = self.CLEAN.replace("reg d $lr16v\n", "reg d $lr16v\nreg never $lr8v\n")
        self.assertEqual(self.mended(more, "never", "delete the declaration"), (self.CLEAN, []))
        more = self.CLEAN + "  fmul d mj $lr40v\n"
        after, found = self.mended(more, "$lr40v", "put 'nop' in its place")
        self.assertEqual((after, found), (self.CLEAN + "  nop\n", []))

    def test_a_width_that_was_not_meant(self):
        self.begun()
        wrong = self.CLEAN.replace("reg d $lr16v\n", "").replace(" d  ", " $lr16v  ").replace("fmul d mj", "fmul $r16v mj")
        after, found = self.mended(wrong, "$r16v", "read '$lr16v'")
        self.assertIn("fmul $lr16v mj $lt", after)
        self.assertEqual(found, [])

    def test_every_warning_can_be_allowed_where_it_stands(self):
        for line in ("reg never $lr8v", "reg never $lr8v  # allow width", "reg never $lr8v  # kept for a reason"):
            self.client = self.new_client()
            self.begun()
            after, found = self.mended(self.CLEAN.replace("macro add", f"{line}\nmacro add"), "never", "allow 'unused' here")
            self.assertEqual(found, [], after)
            self.assertEqual(after.count("# allow"), 1)

    def test_nothing_is_offered_where_a_macro_s_argument_stands_for_its_parameter(self):
        self.begun()
        text = self.CLEAN.replace("add sum sum", "add summ sum")
        uri, found = self.opened("macro.vsm", text)
        self.assertTrue(found)
        self.assertEqual(self.offered(uri, text, "what $lti"), [])

    def test_other_kinds_of_actions_and_wrong_ranges(self):
        self.begun()
        text = self.CLEAN.replace("fmul d mj", "fmlu d mj")
        uri, _ = self.opened("other.vsm", text)
        self.assertEqual(self.offered(uri, text, "fmlu", only=["source.organizeImports"]), [])
        self.assertEqual(len(self.offered(uri, text, "fmlu", only=["quickfix"])), 1)
        for range_ in ({}, None, {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, {"start": {"line": 0}}):
            error = self.client.error("textDocument/codeAction", textDocument={"uri": uri}, range=range_, context={"diagnostics": []})
            self.assertEqual(error["code"], -32602, range_)


class Hover(LspTest):
    def setUp(self):
        super().setUp()
        self.begun()
        self.uri, _ = self.opened("seen.vsm", KERNEL)

    def hover(self, word, nth=0):
        answer = self.client.request("textDocument/hover", **self.at(self.uri, KERNEL, word, nth))
        return answer["contents"]["value"] if answer else None

    def test_a_mnemonic_has_its_explanation_and_the_clocks_of_its_line(self):
        text = self.hover("fmul d mj")
        self.assertIn(self.succeeds("explain", "fmul").out.strip(), text)
        self.assertIn("loop body, line 2, clocks 8 to 11: multiplier", text)
        self.assertIn("GPR read", text)

    def test_names_have_their_declaration_and_place(self):
        self.assertIn("bvar long xj elt", self.hover("xj xi"))
        self.assertIn("of the j-record from short word 0", self.hover("xj xi"))
        self.assertIn("param scale : short = 2", self.hover("scale $lr"))
        self.assertIn("reg d $lr16v", self.hover("d mj"))
        self.assertIn("macro add what to", self.hover("add sum"))
        self.assertIn("macro parameter", self.hover("what $lti"))

    def test_parameters_have_the_range_of_their_whole_numbers(self):
        text = "kernel k\nparam n : long fix64to72 uint8 = 3\nvar vector long x hlt\nloop body\n  uadd n x $lr0v\n"
        uri, _ = self.opened("whole.vsm", text)
        answer = self.client.request("textDocument/hover", **self.at(uri, text, "n x"))
        self.assertIn("3 unless it does, whole numbers from 0 to 255", answer["contents"]["value"])

    def test_registers_are_described(self):
        self.assertIn("general-purpose register: long word (72 bits) at short word 16", self.hover("$lr16v"))
        self.assertIn("The line before is claimed", self.hover("$lti sum"))

    def test_lines_of_a_repeat_are_all_told(self):
        text = self.hover("fmul d scale")
        self.assertIn("line 4, clocks 16 to 19", text)
        self.assertIn("line 5, clocks 20 to 23", text)

    def test_a_warning_s_name_in_a_comment_is_explained(self):
        text = KERNEL.replace("bvar short mj elt", "bvar short mj elt  # allow unused: why")
        self.changed(self.uri, text)
        answer = self.client.request("textDocument/hover", **self.at(self.uri, text, "unused"))
        self.assertIn("-Wno-unused", answer["contents"]["value"])

    def test_nothing_is_told_of_nothing(self):
        self.assertIsNone(self.client.request("textDocument/hover", textDocument={"uri": self.uri}, position={"line": 1, "character": 11}))


class Names(LspTest):
    def setUp(self):
        super().setUp()
        self.begun()
        self.uri, _ = self.opened("seen.vsm", KERNEL)

    def ask(self, method, word, nth=0, **more):
        return self.client.request(f"textDocument/{method}", **self.at(self.uri, KERNEL, word, nth), **more)

    def renamed(self, text, edits):
        lines = text.split("\n")
        for edit in sorted(edits, key=lambda each: each["range"]["start"]["character"], reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = line[:start["character"]] + edit["newText"] + line[end["character"]:]
        return "\n".join(lines)

    def test_definitions(self):
        for word, line in (("mj $lt", 3), ("sum sum", 5), ("d mj", 7), ("scale $lr", 6), ("axes-1", 1), ("add sum", 8), ("what $lti", 8),
                           ("k+24", 19)):
            (found,) = self.ask("definition", word)
            self.assertEqual((found["uri"], found["range"]["start"]["line"]), (self.uri, line), word)
        self.assertIsNone(self.ask("definition", "fmul"))

    def test_an_include_leads_to_its_file(self):
        part = self.file("part.vsm", "const axes = 2\n").as_uri()
        text = KERNEL.replace("const axes = 2", 'include "part.vsm"')
        self.changed(self.uri, text)
        found = self.client.request("textDocument/definition", **self.at(self.uri, text, "part.vsm"))
        self.assertEqual(found["uri"], part)
        (found,) = self.client.request("textDocument/definition", **self.at(self.uri, text, "axes-1"))
        self.assertEqual((found["uri"], found["range"]["start"]), (part, {"line": 0, "character": 6}))

    def test_references_with_and_without_the_declaration(self):
        found = self.ask("references", "sum", context={"includeDeclaration": True})
        self.assertEqual(self.lines(found), [(5, 16), (13, 14), (18, 6), (18, 10)])
        found = self.ask("references", "sum", context={"includeDeclaration": False})
        self.assertEqual(self.lines(found), [(13, 14), (18, 6), (18, 10)])
        self.assertEqual(self.lines(self.ask("documentHighlight", "what")), [(8, 10), (9, 7)])

    def test_a_rename_changes_every_place_and_nothing_else(self):
        before = self.succeeds("as", self.scratch / "seen.vsm", "--listing", "-", "-o", self.scratch / "a.gdro").out
        for word, name in (("d mj", "offset"), ("what", "term"), ("k+24", "axis"), ("add what", "accumulate"), ("axes", "dimensions"),
                           ("mj", "mass"), ("scale", "factor")):
            edits = self.ask("rename", word, newName=name)["changes"]
            self.assertEqual(list(edits), [self.uri])
            text = self.renamed(KERNEL, edits[self.uri])
            self.assertNotEqual(text, KERNEL)
            path = self.file("renamed.vsm", text)
            after = self.succeeds("as", path, "--listing", "-", "-o", self.scratch / "b.gdro").out
            self.assertEqual(words_of_listing(after), words_of_listing(before), name)

    def test_an_argument_given_by_name_is_renamed_with_its_macro(self):
        text = KERNEL.replace("add sum sum", "add what=sum to=sum")
        self.changed(self.uri, text)
        edits = self.client.request("textDocument/rename", **self.at(self.uri, text, "what"), newName="term")["changes"]
        self.assertIn("add term=sum to=sum", self.renamed(text, edits[self.uri]))

    def test_a_rename_reaches_other_open_files(self):
        part, _ = self.opened("part.vsm", "macro twice a\n  fadd a a a\nend\n")
        text = KERNEL.replace("const axes = 2", 'const axes = 2\ninclude "part.vsm"').replace("add sum sum", "twice sum")
        self.changed(self.uri, text)
        edits = self.client.request("textDocument/rename", **self.at(part, "macro twice a", "twice"), newName="doubled")["changes"]
        self.assertEqual(sorted(edits), sorted([part, self.uri]))

    def test_names_that_cannot_be_are_refused_with_the_reason(self):
        for name, said in (("xi", "is the name of a variable"), ("fadd", "word of the language"), ("9x", "is refused"), ("a b", "is refused"),
                           ("", "is refused"), ("loop", "word of the language")):
            error = self.client.error("textDocument/rename", **self.at(self.uri, KERNEL, "mj"), newName=name)
            self.assertEqual(error["code"], -32803)
            self.assertIn(said, error["message"], name)
        error = self.client.error("textDocument/rename", **self.at(self.uri, KERNEL, "fsub"), newName="x")
        self.assertIn("no name stands here", error["message"])
        self.assertIsNone(self.ask("prepareRename", "fsub"))
        self.assertEqual(self.ask("prepareRename", "mj")["placeholder"], "mj")

    def test_names_that_braces_complete_are_not_renamed(self):
        text = KERNEL.replace("reg d $lr16v", "reg d $lr16v\nreg y0 $lr0v").replace("$lr{8*k+24}v", "y{0*k}")
        self.changed(self.uri, text)
        error = self.client.error("textDocument/rename", **self.at(self.uri, text, "y0"), newName="z")
        self.assertIn("braces complete", error["message"])

    def test_macros_that_come_with_gdr_are_found_and_not_renamed(self):
        text = KERNEL.replace("const axes = 2", 'const axes = 2\ninclude "math.vsm"').replace("fmul d mj $lt", "recip d sum")
        self.changed(self.uri, text)
        (found,) = self.client.request("textDocument/definition", **self.at(self.uri, text, "recip"))
        self.assertTrue(found["uri"].endswith("math.vsm"))
        error = self.client.error("textDocument/rename", **self.at(self.uri, text, "recip"), newName="inverse")
        self.assertIn("comes with gdr", error["message"])

    def test_the_outline(self):
        found = self.client.request("textDocument/documentSymbol", textDocument={"uri": self.uri})
        self.assertEqual([each["name"] for each in found], ["seen", "axes", "xj", "mj", "xi", "sum", "scale", "d", "add", "loop initialization",
                                                            "loop body"])
        (macro,) = [each for each in found if each["name"] == "add"]
        self.assertEqual((macro["range"]["start"]["line"], macro["range"]["end"]["line"]), (8, 10))
        for each in found:
            inner, outer = each["selectionRange"], each["range"]
            self.assertLessEqual((outer["start"]["line"], outer["start"]["character"]), (inner["start"]["line"], inner["start"]["character"]))
            self.assertGreaterEqual((outer["end"]["line"], outer["end"]["character"]), (inner["end"]["line"], inner["end"]["character"]))


def words_of_listing(text):
    """Instruction words: the long runs of hexadecimal digits."""
    return [word for word in text.split() if len(word) == 80]


class Writing(LspTest):
    def setUp(self):
        super().setUp()
        self.begun()
        self.uri, _ = self.opened("seen.vsm", KERNEL)

    def offered(self, line):
        """Labels, by what is inserted, behind a last line of the loop body."""
        text = KERNEL + line
        self.changed(self.uri, text)
        position = {"line": text.count("\n"), "character": len(line)}
        items = self.client.request("textDocument/completion", textDocument={"uri": self.uri}, position=position)["items"]
        return {each["label"]: each for each in items}

    def test_a_line_begins_with_an_operation_a_statement_or_a_macro(self):
        found = self.offered("  f")
        for name in ("fadd", "fmul", "nop", "vlen", "repeat", "loop", "add"):
            self.assertIn(name, found)
        self.assertNotIn("xj", found)
        self.assertEqual(found["fadd"]["textEdit"]["range"]["start"]["character"], 2)
        self.assertNotIn("repeat", self.offered("  fadd d d d ; "))
        self.assertIn("fmul", self.offered("  fadd d d d ; "))

    def test_operands_are_names_that_are_visible(self):
        found = self.offered("  fadd x")
        for name in ("xj", "xi", "sum", "scale", "d", "axes"):
            self.assertIn(name, found)
        for name in ("what", "k", "seen", "add", "fadd"):
            self.assertNotIn(name, found)
        self.assertIn("bvar long xj elt", found["xj"]["documentation"]["value"])

    def test_registers_after_a_dollar_sign(self):
        found = self.offered("  fadd d $l")
        self.assertEqual(found["$lt"]["textEdit"]["range"]["start"]["character"], 9)
        self.assertNotIn("xj", found)

    def test_declarations_sections_and_warnings(self):
        found = self.offered("var vector long y ")
        for name in ("hlt", "rrn", "flt64to72", "fadd", "packed"):
            self.assertIn(name, found)
        self.assertNotIn("fmul", found)
        self.assertEqual(found["uint8"]["detail"], "whole numbers of the host, 0 to 255")
        self.assertEqual(found["int16"]["detail"], "whole numbers of the host, -32768 to 32767")
        self.assertEqual(sorted(self.offered("loop ")), ["body", "initialization", "termination"])
        self.assertEqual(sorted(self.offered("experiment ")), ["begin", "end", "initialization", "step"])
        self.assertIn("short-vector", self.offered("  nop # allow short-v"))
        self.assertEqual(self.offered("  nop # a comment of f"), {})

    def test_clocks_stand_behind_lines(self):
        found = self.client.request("textDocument/inlayHint", textDocument={"uri": self.uri},
                                    range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
        labels = {each["position"]["line"]: each["label"] for each in found}
        self.assertEqual(labels, {9: "clock 12", 12: "clock 0", 13: "clock 4", 14: "6 lines, 32 clocks, bound: idp",
                                  15: "clock 0", 16: "clock 4", 17: "clock 8", 18: "clock 12: 1 line, 4 clocks", 20: "clock 16, 20"})
        self.assertEqual(found[-1]["position"]["character"], len("    fmul d scale $lr{8*k+24}v"))
        some = self.client.request("textDocument/inlayHint", textDocument={"uri": self.uri},
                                   range={"start": {"line": 15, "character": 0}, "end": {"line": 16, "character": 0}})
        self.assertEqual([each["position"]["line"] for each in some], [15, 16])
        self.changed(self.uri, KERNEL.replace("fmul d mj", "fmul d nix"))
        self.assertEqual(self.client.request("textDocument/inlayHint", textDocument={"uri": self.uri},
                                             range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}), [])

    def test_a_line_that_uses_a_macro_has_the_clocks_of_all_its_lines(self):
        text = KERNEL.replace("  fadd what $lti to\n", "  fadd what $lt $lt\n  nop\n  fadd $lt what to\n")
        self.changed(self.uri, text.replace("  add sum sum\n", "  add sum sum\n  nop\n  add sum sum\n"))
        found = self.client.request("textDocument/inlayHint", textDocument={"uri": self.uri},
                                    range={"start": {"line": 9, "character": 0}, "end": {"line": 99, "character": 0}})
        labels = {each["position"]["line"]: each["label"] for each in found}
        self.assertEqual({line: labels[line] for line in (9, 10, 11, 20, 22)},
                         {9: "clock 12, 28", 10: "clock 16, 32", 11: "clock 20, 36", 20: "clock 12: 3 lines, 12 clocks",
                          22: "clock 28: 3 lines, 12 clocks"})
        shown = self.client.request("textDocument/hover", textDocument={"uri": self.uri}, position={"line": 22, "character": 4})
        self.assertIn("loop body, lines 7 to 9, clocks 28 to 39: 3 lines, 12 clocks", shown["contents"]["value"])
        self.assertIn("fadd sum $lt $lt\nnop\nfadd $lt sum sum\n", shown["contents"]["value"])

    def test_words_are_told_by_their_kind(self):
        self.client = self.new_client()
        legend = self.begun()["semanticTokensProvider"]["legend"]
        kernel = KERNEL + "  fsub xj xi y{0}\n"
        self.uri, _ = self.opened("seen.vsm", kernel)
        data = self.client.request("textDocument/semanticTokens/full", textDocument={"uri": self.uri})["data"]
        lines, line, begin, kinds = kernel.split("\n"), 0, 0, {}
        for n in range(0, len(data), 5):
            begin = data[n + 1] if data[n] else begin + data[n + 1]
            line += data[n]
            kinds.setdefault(lines[line][begin:begin + data[n + 2]], set()).add((legend["tokenTypes"][data[n + 3]], data[n + 4]))
        for word, kind in (("kernel", ("keyword", 0)), ("xj", ("variable", 1)), ("xj", ("variable", 0)), ("fsub", ("function", 0)),
                           ("add", ("macro", 0)), ("what", ("parameter", 0)), ("k", ("variable", 2)), ("$lti", ("property", 0)),
                           ("elt", ("modifier", 0)), ("y", ("variable", 0)), ("2", ("number", 0)), ("scale", ("variable", 2))):
            self.assertIn(kind, kinds[word], word)


class Structure(LspTest):
    def setUp(self):
        super().setUp()
        self.able = self.begun()
        self.uri, _ = self.opened("seen.vsm", KERNEL)
        self.document = {"uri": self.uri}

    def test_the_capabilities_are_told(self):
        for name in ("documentFormattingProvider", "foldingRangeProvider", "workspaceSymbolProvider"):
            self.assertIs(self.able[name], True)
        self.assertIn("signatureHelpProvider", self.able)

    def test_a_source_is_brought_into_the_layout_of_fmt(self):
        options = {"tabSize": 2, "insertSpaces": True}
        self.assertEqual(self.client.request("textDocument/formatting", textDocument=self.document, options=options), [])
        uri, _ = self.opened("other.vsm", "kernel k\nloop body\nnop;nop")
        (edit,) = self.client.request("textDocument/formatting", textDocument={"uri": uri}, options=options)
        self.assertEqual(edit, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 7}},
                                "newText": "kernel k\nloop body\n  nop ; nop\n"})

    def test_a_carriage_return_alone_ends_a_line(self):
        uri, _ = self.opened("k.vsm", "kernel k\rloop body\r\n   nop\rnop\n")
        (edit,) = self.client.request("textDocument/formatting", textDocument={"uri": uri}, options={"tabSize": 2, "insertSpaces": True})
        self.assertEqual(edit["range"]["end"], {"line": 4, "character": 0})
        self.assertEqual(edit["newText"], "kernel k\nloop body\n  nop\n  nop\n")

    def test_sections_and_blocks_fold(self):
        folds = self.client.request("textDocument/foldingRange", textDocument=self.document)
        lines = KERNEL.splitlines()
        self.assertEqual({(lines[each["startLine"]].split()[0], each["endLine"] - each["startLine"]) for each in folds},
                         {("macro", 1), ("loop", 2), ("loop", 7), ("repeat", 1)})

    def signature(self, line, text):
        self.client.notify("textDocument/didChange", textDocument={"uri": self.uri, "version": 2},
                           contentChanges=[{"text": KERNEL + text}])
        number = len(KERNEL.splitlines())
        return self.client.request("textDocument/signatureHelp", textDocument=self.document,
                                   position={"line": number, "character": len(text)})

    def test_operands_of_operations_and_macros_are_told(self):
        told = self.signature(0, "  fadd d ")
        self.assertEqual((told["signatures"][0]["label"], told["activeParameter"]), ("fadd A B DST...", 1))
        told = self.signature(0, "  nop ; add d su")
        self.assertEqual((told["signatures"][0]["label"], told["activeParameter"]), ("add what to", 1))
        self.assertEqual(self.signature(0, "  fadd d d sum $lr8v ")["activeParameter"], 2)
        self.assertIsNone(self.signature(0, "  fad"))
        self.assertIsNone(self.signature(0, "  # fadd d "))

    def test_names_of_all_open_sources_are_found(self):
        self.opened("other.vsm", KERNEL.replace("scale", "Scaling"))
        found = {(each["name"], each["location"]["uri"].rsplit("/", 1)[1])
                 for each in self.client.request("workspace/symbol", query="scal")}
        self.assertEqual(found, {("scale", "seen.vsm"), ("Scaling", "other.vsm")})

    def test_shutdown_takes_an_empty_list(self):
        self.client.number += 1
        self.client.send_text(json.dumps({"jsonrpc": "2.0", "id": self.client.number, "method": "shutdown", "params": []}))
        self.assertIsNone(self.client.receive()["result"])


class PairFunctions(LspTest):
    SOURCE = """#include <gdr/kernel.h>
struct I { double x; };
struct J { double y; double m; };
struct F { double f; };
void pull(const I& i, const J& j, F& f) {
  const double d = j.y - i.x;
  f.f += j.m * d;
}
"""

    def test_lines_of_the_kernel_are_told_at_lines_in_cplusplus(self):
        self.begun()
        uri, found = self.opened("pull.cc", self.SOURCE)
        self.assertEqual(found, [])
        told = self.client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": 5, "character": 10})
        self.assertIn("loop body, line ", told["contents"]["value"])
        self.assertIsNone(self.client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": 1, "character": 3}))
        hints = self.client.request("textDocument/inlayHint", textDocument={"uri": uri},
                                    range={"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}})
        self.assertTrue({5, 6} <= {each["position"]["line"] for each in hints})

    def test_errors_stand_at_their_lines_once_the_file_is_saved(self):
        self.begun()
        uri, found = self.opened("pull.cc", self.SOURCE.replace("+= j.m", "= j.m"))
        self.assertEqual([each["range"]["start"]["line"] for each in found], [6])
        uri, found = self.opened("clang.cc", self.SOURCE.replace("j.m", "j.n"))
        self.assertIn((6, 1), [(each["range"]["start"]["line"], each["severity"]) for each in found])
        path = self.file("clang.cc", self.SOURCE)
        self.client.notify("textDocument/didSave", textDocument={"uri": path.as_uri()})
        self.assertEqual(self.diagnostics(uri), [])

    def test_what_is_not_used_is_warned_of(self):
        self.begun()
        _, found = self.opened("pull.cc", self.SOURCE.replace("double m;", "double m; float spare;"))
        self.assertEqual([(each["severity"], each["range"]["start"]["line"]) for each in found], [(2, 2)])
        self.assertIn("member 'spare'", found[0]["message"])

    def test_what_is_known_moves_with_its_lines_until_the_file_is_saved(self):
        self.begun()
        source = self.SOURCE.replace("double m;", "double m; float spare;").replace("}\n", "  f.f += 2 * d;\n}\n")
        uri, found = self.opened("pull.cc", source)
        self.assertEqual([each["range"]["start"]["line"] for each in found], [2])
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 50, "character": 0}}

        def labels():
            return {each["position"]["line"]: each["label"]
                    for each in self.client.request("textDocument/inlayHint", textDocument={"uri": uri}, range=whole)}

        def edit(version, line, begin, end, text):
            span = {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}
            self.client.notify("textDocument/didChange", textDocument={"uri": uri, "version": version},
                               contentChanges=[{"range": span, "text": text}])
            return [each["range"]["start"]["line"] for each in self.diagnostics(uri)]

        before = labels()
        self.assertTrue({5, 6, 7} <= set(before))
        self.assertEqual(edit(2, 1, 0, 0, "// one\n// two\n"), [4])
        self.assertEqual(labels(), {line + 2: label for line, label in before.items()})
        # A second edit further down: what is between the two stays known, the changed line is not.
        self.assertEqual(edit(3, 9, 2, 2, "/* more */ "), [4])
        kept = {line + 2: label for line, label in before.items() if line != 7}
        self.assertEqual(labels(), kept)
        for line in range(12):
            told = self.client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": line, "character": 10})
            self.assertEqual(told is not None, line in kept, line)
        some = {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 5}}
        self.assertEqual([each["position"]["line"] for each in
                          self.client.request("textDocument/inlayHint", textDocument={"uri": uri}, range=some)], [7])
        self.assertEqual(edit(4, 4, 0, 0, " "), [])  # the line of the warning
        self.assertEqual(edit(5, 4, 0, 1, ""), [4])  # as it was

    def test_an_error_in_a_function_of_one_s_own_stands_there(self):
        self.begun()
        far = "double outside;\nstatic double far(double d) {\n  return d * outside;\n}\n"
        _, found = self.opened("pull.cc", self.SOURCE.replace("void pull", far + "void pull").replace("j.m * d", "far(j.m * d)"))
        self.assertEqual([each["range"]["start"]["line"] for each in found], [6])
        self.assertIn("function 'far' is called here", json.dumps(found))

    def test_errors_of_clang_are_told_once(self):
        self.begun()
        _, found = self.opened("clang.cc", self.SOURCE.replace("j.m", "j.n"))
        self.assertEqual([each["range"]["start"]["line"] for each in found], [6])

    def test_other_files_in_cplusplus_are_left_alone(self):
        self.begun()
        uri, found = self.opened("other.cc", "int main() { return 0 }\n")
        self.assertEqual(found, [])
        self.assertEqual(self.client.request("textDocument/completion", textDocument={"uri": uri}, position={"line": 0, "character": 3}), [])


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
