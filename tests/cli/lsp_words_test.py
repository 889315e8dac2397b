#!/usr/bin/env python3
"""Requests of gdr lsp about a word: hover, definition, references, rename, outline.

    lsp_words_test.py GDR PROJECT [TestCase...]
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
from lsp_client import KERNEL, LspTest  # noqa: E402


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


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
