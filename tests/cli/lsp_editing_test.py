#!/usr/bin/env python3
"""Requests of gdr lsp about a text that is being written: quick fixes, completion, clocks behind lines, layout, folds, signatures.

    lsp_editing_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
from lsp_client import KERNEL, LspTest  # noqa: E402


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


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
