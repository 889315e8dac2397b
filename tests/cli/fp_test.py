#!/usr/bin/env python3
"""`gdr fp`: numbers of the machine, shown and computed with.

    fp_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import re
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402


def documented_examples():
    """(operation, operands, result) of the floating-point examples of docs/machine/arithmetic.md."""
    page = (cli_test.PROJECT / "docs/machine/arithmetic.md").read_text(encoding="utf-8")
    examples = []
    for line in page.split("```examples\n")[1].split("```")[0].splitlines():
        match = re.fullmatch(r"(f\w+)((?: [0-9a-f]+)+) -> ([0-9a-f]+)[a-z ]*", line)
        if match:
            examples.append(("fmul2" if match[1] == "fmull" else match[1], match[2].split(), match[3]))
    return examples


def lines_of(examples):
    lines = []
    for operation, operands, result in examples:
        if operation == "fmul":
            operands = [operands[0], operands[1][:9]]  # its second operand is short; the page writes it widened
        lines.append(f"{operation}.{'l' if len(result) == 18 else 's'} {' '.join(operands)}\n")
    return "".join(lines)


class FpEval(cli_test.CliTest):
    ENGINES = ("reference", "simd")

    def test_examples_of_the_arithmetic_page_hold_on_every_engine(self):
        examples = documented_examples()
        self.assertGreater(len(examples), 15)
        self.assertLessEqual({"fadd", "fsub", "fpassa", "fmax", "fmul", "fmul2"}, {example[0] for example in examples})
        for engine in self.ENGINES:
            out = self.succeeds("fp", "eval", "--engine", engine, stdin=lines_of(examples)).out
            self.assertEqual(out.splitlines(), [example[2] for example in examples], engine)

    def test_results_keep_the_order_of_many_mixed_lines(self):
        examples = documented_examples() * 500  # more than a chip takes at once
        for engine in self.ENGINES:
            out = self.succeeds("fp", "eval", "--engine", engine, stdin=lines_of(examples)).out
            self.assertEqual(out.splitlines(), [example[2] for example in examples], engine)

    def test_operands_of_any_width_may_be_mixed(self):
        one, two = "3ff000000", "400000000"
        for engine in self.ENGINES:
            for a in (one, one + "0" * 9):
                for b in (two, two + "0" * 9):
                    text = f"fadd.l {a} {b}\nfsub.s {a} {b}\n"
                    out = self.succeeds("fp", "eval", "--engine", engine, stdin=text).out
                    self.assertEqual(out, "400800000000000000\nbff000000\n")
                text = f"fmul.s {a} {two}\n"
                self.assertEqual(self.succeeds("fp", "eval", "--engine", engine, stdin=text).out, "400000000\n")

    def test_malformed_lines_are_named_and_what_stood_before_is_answered(self):
        good = "fadd.s 3ff000000 3ff000000\n"
        long, short = "3ff000000000000000", "3ff000000"
        for line in [
            "",
            "fadd.s",
            f"fadd.s {short}",
            f"fadd.s {short} {short} {short}",
            f"fadd {short} {short}",
            f"fadd.x {short} {short}",
            f"fdiv.s {short} {short}",
            f"fpassa.s {short} {short}",
            f"uadd.s {short} {short}",
            f"fadd.s {short}0 {short}",
            f"fadd.s {short} 3ff00000g",
            f"fmul.s {long} {long}",
            f"fmul2.l {long} {short}",
            f"fmul2.l {short} {long}",
        ]:
            for engine in self.ENGINES:
                outcome = self.ends(1, ["line 3:"], "fp", "eval", "--engine", engine, stdin=good * 2 + line + "\n" + good)
                self.assertEqual(outcome.out, "400000000\n" * 2, line)

    def test_no_lines_give_no_results(self):
        self.assertEqual(self.succeeds("fp", "eval", stdin="").out, "")


class FpShow(cli_test.CliTest):
    def show(self, value):
        return json.loads(self.succeeds("fp", "show", "--json", "-", "--", value).out)

    def test_a_number_is_shown_in_both_widths(self):
        for value in (1.5, 0.1, -2.75e-300, 1.7976931348623157e308):
            report = self.show(repr(value))
            bits = struct.unpack(">Q", struct.pack(">d", value))[0]
            self.assertEqual(report["long"]["word"], f"{bits:016x}00")
            self.assertEqual(report["long"]["value"], value)
            self.assertTrue(report["long"]["value_is_exact"])
            self.assertEqual(report["long"]["exponent_field"], bits >> 52 & 2047)
            self.assertEqual(report["long"]["sign"], bits >> 63)
            self.assertEqual(report["long"]["class"], "finite")

    def test_a_short_word_is_rounded_and_says_so(self):
        report = self.show("3ff000000800000001")["short"]
        self.assertEqual((report["word"], report["conversion"]), ("3ff000001", "rounded"))
        self.assertEqual(report["value"], 1 + 2.0**-24)
        self.assertEqual(self.show("7fefffffffffffffff")["short"]["conversion"], "overflow")
        self.assertEqual(self.show("3ff800000000000000")["short"]["conversion"], "exact")

    def test_a_long_word_beyond_a_double_says_that_the_value_is_the_nearest(self):
        report = self.show("3ff000000000000001")["long"]
        self.assertEqual((report["value"], report["value_is_exact"]), (1, False))
        self.assertEqual(report["fraction"], "000000000000001")

    def test_special_words_keep_their_bits(self):
        zero = self.show("800123456789abcdef")["long"]
        self.assertEqual((zero["class"], zero["value"], zero["sign"], zero["fraction"]),
                         ("zero", 0, 1, "123456789abcdef"))
        infinity = self.show("fff000abc")["short"]
        self.assertEqual((infinity["class"], infinity["value"], infinity["word"]), ("infinity", None, "fff000abc"))
        self.assertEqual(self.show("5e-324")["long"]["conversion"], "underflow")

    def test_nine_digits_are_a_word_and_a_prefix_is_allowed(self):
        self.assertEqual(self.show("400000000")["long"]["value"], 2)
        self.assertEqual(self.show("0x400000000")["long"]["value"], 2)
        self.assertEqual(self.show("400000000.0")["long"]["value"], 4e8)

    def test_negative_numbers_need_no_separator(self):
        self.assertIn("c00400000", self.succeeds("fp", "show", "-2.5").out)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
