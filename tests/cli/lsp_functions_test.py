#!/usr/bin/env python3
"""gdr lsp on pair functions in C++.

    lsp_functions_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
from lsp_client import LspTest  # noqa: E402


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
