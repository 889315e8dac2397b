#!/usr/bin/env python3
"""The card of the instruction set names all that the records have, and shows what assembles.

    card_test.py PROJECT REFERENCE GDR      REFERENCE: the chapter that is generated from the records
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = REFERENCE = GDR = None

# The card's declarations, operands and flags in one kernel.
KERNEL = """kernel card
bvar long x elt flt64to72
var vector long y hlt flt64to72
var vector long sum rrn flt72to64 fadd
param eps2 : long flt64to72 = 0.01
reg dx $lr8v
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub x y dx $lt $ok1
  nop
  fpassa -dx $t
  fmul eps2 $ti $lt
  fmul $lti fs"0.5" $lt
  fadd sum $lti sum/!1
  nop
"""


class CardTest(unittest.TestCase):
    def setUp(self):
        self.card = (PROJECT / "docs/kernels/card.md").read_text(encoding="utf-8")
        self.reference = REFERENCE.read_text(encoding="utf-8")

    def column(self, chapter):
        text = re.search(rf"^## {chapter}\n(.*?)(?=^## |\Z)", self.reference, re.M | re.S)[1]
        return {name for name in re.findall(r"^\| `([^`]+)` \|", text, re.M)}

    def test_all_operations_and_conversions_are_on_it(self):
        named = set(re.findall(r"`([^`]+)`", self.card))
        operations = self.column("Operations")
        self.assertGreater(len(operations), 20)
        self.assertEqual(operations - named, set())
        self.assertEqual(self.column("Conversions") - named, set())

    def test_it_names_the_operations_of_the_tree(self):
        operations = self.reference.split("\n## Operations\n")[1].split("\n## ")[0]
        tree = set(re.findall(r"^\| `([^`]+)` \|.*\breduction\b", operations, re.M))
        told = re.search(r"The tree's operations: (.*?)\.", self.card, re.S)[1]
        self.assertEqual(set(re.findall(r"`([^`]+)`", told)), tree)

    def test_declarations_operands_and_flags_assemble(self):
        shown = re.findall(r"^\| `((?:bvar|var|param|reg) [^`]*)` \|", self.card, re.M)
        self.assertEqual(len(shown), 5)
        for words in shown:
            self.assertIn(words if not words.startswith("var vector long x") else "var vector long y hlt flt64to72", KERNEL)
        with tempfile.TemporaryDirectory() as folder:
            kernel = pathlib.Path(folder) / "card.vsm"
            kernel.write_text(KERNEL, encoding="utf-8")
            done = subprocess.run([GDR, "as", kernel, "-o", kernel.with_suffix(".gdro")], capture_output=True, text=True,
                                  env={"GDR_DATA_DIR": str(PROJECT)})
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    PROJECT, REFERENCE, GDR = (pathlib.Path(argument) for argument in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
