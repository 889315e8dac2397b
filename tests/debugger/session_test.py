#!/usr/bin/env python3
"""gdr debug and gdr run --break: sessions on the standard input and from scripts, errors that were planted in kernels.

    session_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test  # noqa: E402

HEAD = """kernel planted
bvar long xj elt
bvar short mj elt
var vector long xi hlt
var vector long sum rrn flt72to64 {reduction}
reg d $lr8v
reg q {q}
reg y $lr24v
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
"""


class DebugTest(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        self.i = self.file("i.csv", "xi\n" + "".join(f"{n}\n" for n in range(150)))
        self.j = self.file("j.csv", "xj,mj\n" + "".join(f"{n},2\n" for n in range(200)))

    def kernel(self, body, reduction="fadd", q="$lr16v"):
        """The line numbers of the body's lines count from 13."""
        return self.file("planted.vsm", HEAD.format(reduction=reduction, q=q) + body)

    def session(self, kernel, *commands, status=0):
        script = self.file("script", "".join(f"{command}\n" for command in commands))
        outcome = cli_test.gdr("debug", kernel, "--i", self.i, "--j", self.j, "--script", script)
        self.assertEqual(outcome.status, status, outcome.out + outcome.err)
        return outcome

    def finds(self, kernel, commands, *expected):
        self.assertLessEqual(len(commands), 5)
        out = self.session(kernel, *commands).out
        for text in expected:
            self.assertIn(text, out)
        return out


class Origins(DebugTest):
    def setUp(self):
        super().setUp()
        self.i = self.file("i.csv", "x\n" + "".join(f"{n}\n" for n in range(1, 21)))

    def test_a_word_of_broadcast_memory_comes_from_the_pe_that_stored_it(self):
        kernel = self.file("stored.vsm", """kernel stored
var vector long x hlt
bvar vector long b
var vector long r rrn flt72to64
loop initialization
  fpassa x $lr0v
  nop
  bm $lr0v b @2
  nop
  bm b $lr8v
  nop
  fadd $lr8v f"1" r
""")
        out = self.succeeds("debug", kernel, "--i", self.i, "--script", self.file("script", "end\nprint r\nwhy r 4\n")).out
        self.assertIn("$lr0 of PE 2 = 9", out)
        self.assertIn("x of i-particle 8", out)
        self.assertNotIn("i-particle 0", out)

    def test_elements_of_a_line_that_also_writes_a_scalar(self):
        kernel = self.file("last.vsm", """kernel last
bvar long xj elt
var vector long x hlt
var scalar long last
var vector long r rrn flt72to64 fadd
loop initialization
  nop
  fpassa x $lr8v last
  nop
  fpassa $lr8v r
loop body
  nop
  fadd r xj r
  nop
""")
        self.j = self.file("j.csv", "xj\n2\n3\n")
        for element in range(4):
            out = self.session(kernel, f"focus element={element}", "pair i=0 j=0", f"why $lr8v[{element}] 3").out
            self.assertIn(f"x of i-particle {element}", out)
        self.assertIn("x of i-particle 3", self.session(kernel, "pair i=0 j=0", "why last 3").out)


class Pairs(DebugTest):
    def test_a_chip_without_records_is_named(self):
        self.j = self.file("few.csv", "xj,mj\n0,2\n1,2\n")
        kernel = self.kernel("  fsub xj xi d\n  nop\n  fmul d mj y\n  nop\n  fadd sum y sum\n")
        told = self.session(kernel, "focus chip=3", "pair i=4", status=1).err
        self.assertIn("no j-record lies on chip 3, where the focus is: name one, as in pair i=4 j=0", told)
        self.assertIn("chip 0", self.session(kernel, "focus chip=3", "pair i=4 j=0").out)


class Planted(DebugTest):
    """Each error is found in at most five commands: the last answer names the line, or shows the word that is wrong."""

    def test_a_word_written_under_a_flag_alone(self):
        kernel = self.kernel("  fsub xj xi d $ok1.z\n  nop\n  fmul d mj y/!1\n  nop\n  fadd sum y sum\n")
        self.finds(kernel, ["pair i=147 j=147", "break 17", "continue", "why y"],
                   "not written since by", "planted.vsm:15, run 2, loop body, iteration 2, line 2: its flag or mask held it back")

    def test_b_destination_first(self):
        kernel = self.kernel("  fsub $lt xj xi\n  nop\n  fadd sum $lt sum\n")
        self.finds(kernel, ["pair i=5 j=64", "why xi"], "xi = ", "written by run 1, loop body, iteration 0, line 0",
                   "planted.vsm:13: fsub $lt xj xi")

    def test_c_short_vector(self):
        kernel = self.kernel("  vlen 3\n  nop\n  fadd sum xj sum\n")
        out = self.finds(kernel, ["pair i=3 j=0", "end", "why sum"], "sum = 0, written by run 2, loop initialization, line 1")
        self.assertNotIn("planted.vsm:15", out.split("end (")[1])

    def test_d_registers_that_overlap(self):
        kernel = self.kernel("  fadd xj xi d\n  fmul xi mj q\n  nop\n  fadd sum d sum\n", q="$lr10v")
        self.finds(kernel, ["pair i=1 j=0", "break 16", "continue", "why d"], "planted.vsm:14: fmul xi mj q")

    def test_e_width(self):
        kernel = self.kernel("  fadd xj xi d\n  nop\n  fadd sum $r8v sum\n")
        self.finds(kernel, ["pair i=1 j=64", "break 15", "continue", "why sum", "why $r8v[1]"],
                   "$r9 = 0, written by run 1, loop body, iteration 1, line 0", "planted.vsm:13: fadd xj xi d")

    def test_f_identity(self):
        kernel = self.kernel("  nop\n  fmin sum xj sum\n", reduction="fmin")
        self.finds(kernel, ["pair i=1 j=1", "break 14", "continue", "why sum"],
                   "sum = 0, written by run 1, loop initialization, line 1")

    def test_g_dead_code(self):
        kernel = self.kernel("  fsub xj xi d\n  fmul xi mj q\n  nop\n  fadd sum d sum\n")
        out = self.finds(kernel, ["pair i=1 j=0", "step iteration", "why sum 8"], "planted.vsm:13: fsub xj xi d")
        self.assertNotIn("planted.vsm:14", out)  # nothing of it is in the result

    def test_h_origin_of_an_infinity(self):
        kernel = self.kernel('  fmul xi fs"1e300" $lt\n  fmul $lti fs"1e300" $lt\n  fsub $lti $lt $lt\n  fadd sum $lti sum\n')
        out = self.finds(kernel, ["events", "pair i=3 j=0", "step iteration", "why sum"], "overflow of the multiplier")
        self.assertRegex(out, r"planted\.vsm:14: fmul \$lti fs\"1e300\" \$lt\n *its operands are finite: it begins here")
        self.assertEqual(out.count("it begins here"), 1)

    def test_wrong_sign(self):
        kernel = self.kernel("  fsub xi xj d\n  nop\n  fadd sum d sum\n")
        self.finds(kernel, ["pair i=3 j=7", "step", "print d - (xj - xi)", "why d"], "d - (xj - xi) = -8",
                   "planted.vsm:13: fsub xi xj d")

    def test_wrong_constant(self):
        kernel = self.kernel('  fsub xj xi $lt\n  fmul $lti fs"0.51" y\n  nop\n  fadd sum y sum\n')
        self.finds(kernel, ["pair i=3 j=7", "step 2", "print y / (xj - xi)", "why y"], "constant = 0.50999999",
                   "planted.vsm:14")


class Session(DebugTest):
    def test_a_script_ends_at_the_first_failure(self):
        kernel = self.kernel("  nop\n  fadd sum xj sum\n")
        self.session(kernel, "pair i=3 j=7", "assert xj == 7", "assert $i == 3 && $j == 7")
        outcome = self.session(kernel, "pair i=3 j=7", "assert xj == 8", "print xj", status=1)
        self.assertIn("script:2: assert: xj == 8 does not hold", outcome.err)
        self.assertNotIn("xj = 7", outcome.out)

    def test_standard_input_goes_on_after_an_error_and_shows_no_prompt(self):
        kernel = self.kernel("  nop\n  fadd sum xj sum\n")
        outcome = self.succeeds("debug", kernel, "--i", self.i, "--j", self.j, "--ignore-extra", stdin="nonsense\nlist 5\nstep -1\nstep 99999999999999999999\nprint $peid\nquit\nprint 1\n")
        for words in ("unknown command 'nonsense'", "unknown command 'list'", "'-1' is refused: it must be a whole number from 0 to ",
                      "'99999999999999999999' is refused: it must be a whole number from 0 to 18446744073709551615"):
            self.assertIn(words, outcome.err)
        self.assertEqual(outcome.out, "$peid = 0\n")

    def test_tables_and_histograms(self):
        kernel = self.kernel("  fsub xj xi d\n  nop\n  fadd sum d sum\n")
        out = self.session(kernel, "pair i=0 j=0", "step", "table d", "hist d", "print d @all", "print d as hex").out
        self.assertIn("   1:             -4             -5             -6             -7\n", out)
        self.assertIn("d: 128 words\n      -127 ..", out.replace("        -127 ..", "      -127 .."))
        self.assertIn(f"d: {4 * 16 * 128} words\n  least -127 at chip 0 block 0 PE 31 element 3\n  most 63 at chip 3 block 15 PE 0 element 0", out)
        self.assertIn("d = 000000000000000000  [000000000000000000 bff000000000000000 c00000000000000000 c00800000000000000]", out)

    def test_what_the_command_line_refuses(self):
        kernel = self.kernel("  nop\n  fadd sum xj sum\n")
        self.ends(2, ["--i is missing"], "debug", kernel, "--j", self.j)
        self.ends(2, ["--script"], "debug", kernel, "--i", self.i, "--j", self.j, "--script", "none")
        self.ends(2, ["no parameter 'x'"], "debug", kernel, "--i", self.i, "--j", self.j, "--param", "x=1")
        self.ends(2, ["--turns", "Type I"], "debug", kernel, "--i", self.i, "--j", self.j, "--turns", 3)
        self.ends(2, ["--machine"], "debug", kernel, "--i", self.i, "--j", self.j, "--machine", "none")

    def test_a_fault_is_where_it_stops(self):
        kernel = self.kernel("  nop\n  fadd sum xj sum\n  upassa il\"1000\" $lt\n  upassa $lmt0v $lr0v\n")
        out = self.session(kernel, "run", "where").out
        self.assertIn("fault: ", out)
        self.assertIn("outside 0..511", out)
        self.assertEqual(out.count("run 1, loop body, iteration 0, line 3"), 2)


class Macros(DebugTest):
    """Lines that use a macro: 21 uses `both` (lines 6 to 8, of which the last uses `twice`, line 3), 23 `twice`."""

    TEXT = """kernel uses
macro twice a
  fadd a a a
end
macro both a
  fmul a fs"3" a
  nop
  twice a
end
bvar long xj elt
bvar short mj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
reg d $lr8v
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi d
  nop
  both d
  nop
  twice d
  nop
  fadd sum d sum
  nop
"""

    def setUp(self):
        super().setUp()
        self.uses = self.file("uses.vsm", self.TEXT)

    def lines(self, *commands, kernel=None):
        out = self.session(kernel or self.uses, *commands).out
        return [int(line.rsplit("line ", 1)[1].split(" ")[0]) for line in out.splitlines() if line.startswith("run ")]

    def test_a_breakpoint_on_a_use_stops_at_its_first_line_alone(self):
        self.assertEqual(self.lines("break 21 if $j >= 0", "run", "step", "continue"), [2, 3, 2])
        out = self.session(self.uses, "break 21", "run").out
        self.assertIn("uses.vsm:6: fmul a fs\"3\" a\n      = fmul d fs\"3\" d\n    in ", out)
        self.assertIn("uses.vsm:21: both d\n", out)

    def test_a_breakpoint_on_a_use_inside_a_macro_stops_there(self):
        self.assertEqual(self.lines("break 8", "run"), [4])
        out = self.session(self.uses, "break 8", "run").out
        self.assertLess(out.index("uses.vsm:8: twice a"), out.index("uses.vsm:21: both d"))

    def test_steps_over_and_out_of_uses(self):
        self.assertEqual(self.lines("break 21", "run", "next", "next", "next", "next"), [2, 5, 6, 7, 8])
        self.assertEqual(self.lines("break 21", "run", "step", "next", "next"), [2, 3, 4, 5])
        self.assertEqual(self.lines("break 21", "run", "step", "out"), [2, 3, 5])
        self.assertEqual(self.lines("break 21", "run", "step 2", "out"), [2, 4, 5])
        self.assertEqual(self.lines("break 23", "run", "back over 2", "back over"), [6, 2, 1])
        self.assertEqual(self.lines("break 8", "run", "back out"), [4, 0])  # the begin of `twice`: an iteration
        self.assertEqual(self.lines("break 7", "run", "back out"), [3, 2])

    def test_values_are_the_same_however_one_gets_there(self):
        self.session(self.uses, "pair i=1 j=64", "step 2", "assert d == 63", "next", "step", "assert d == 378", "next", "step", "assert d == 756")

    def test_the_next_lines_with_code_are_named_with_those_that_use_macros(self):
        outcome = self.session(self.uses, "break 22", "break 20", "break 9", status=1)
        self.assertIn("the next lines with code: 8, 16", outcome.err)

    def test_a_scheduled_use_ends_with_its_last_operation(self):
        packed = cli_test.gdr("as", self.uses, "--schedule", "-o", self.scratch / "uses.gdro")
        self.assertEqual(packed.status, 0, packed.err)
        found = self.lines("break 21", "run", "next", "step", kernel=self.scratch / "uses.gdro")
        self.assertGreater(found[1], found[0] + 1)
        self.assertEqual(found[2], found[1] + 1)

    def test_a_repeat_shows_what_its_lines_stand_for(self):
        kernel = self.kernel("  fsub xj xi d\n  nop\n  repeat k = 0..1\n    fmul d mj $lr{8*k+16}v\n  end\n  fadd sum d sum\n")
        out = self.session(kernel, "break 16", "run", "continue").out
        self.assertIn("= fmul d mj $lr16v", out)
        self.assertIn("= fmul d mj $lr24v", out)


class Break(DebugTest):
    BODY = """  fsub xj xi d
  uadd $peid $bbid $t
  nop
  fmul d mj y
  nop
  fadd sum y sum
"""

    def dump(self, kernel, place, *more):
        return self.succeeds("run", kernel, "--i", self.i, "--j", self.j, "--break", place, *more).out

    def test_lines_that_the_scheduler_moved_have_breakpoints(self):
        kernel = self.kernel(self.BODY)
        packed = self.scratch / "packed.gdro"
        self.assertIn("loop lines", self.succeeds("as", kernel, "--schedule", "-o", packed).out)
        listing = self.succeeds("as", kernel, "--schedule", "--listing", "-").out
        self.assertIn("+ ", listing)
        for line in (13, 14, 16, 18):
            self.assertIn(f"planted.vsm:{line} execution 2, iteration 1:", self.dump(packed, f"planted.vsm:{line}", "--at", 2), line)
        self.ends(2, ["no code stands at planted.vsm:3", "the next lines with code: 10"],
                  "run", packed, "--i", self.i, "--j", self.j, "--break", "planted.vsm:3")

    def test_names_shapes_and_short_words(self):
        kernel = self.file("names.vsm", """kernel names
bvar long xj elt
bvar short mj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
var vector short w[2] in gpr
param two : short = 2
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fmul xi mj w[0]
  fmul xi fs"0.25" w[1]
  nop
  fadd sum xj sum
""")
        out = self.dump(kernel, "names.vsm:15", "--dump", "chip:1,block:2,pe:3")
        self.assertIn("names.vsm:15 execution 1, iteration 0: chip 1 block 2 PE 3, $jvalid true\n", out)
        self.assertIn("  xj 9  ", out)
        self.assertIn("  w[0] 24 26 28 30  ", out)
        self.assertIn("  w[1] 3 3.25 3.5 3.75  400800000 ", out)
        self.assertIn("  two 2  400000000\n", out)
        self.assertIn("  xi 12 13 14 15  ", out)
        self.assertNotIn("$lr", out)  # the words of w stand there once, by their name

    def test_the_run_keeps_its_engine_and_its_results(self):
        kernel = self.kernel(self.BODY)
        report = self.scratch / "report.json"
        dumped = self.dump(kernel, "planted.vsm:18", "--json", report)
        self.assertEqual(json.loads(report.read_text())["engine"], "simd")
        plain = self.succeeds("run", kernel, "--i", self.i, "--j", self.j).out
        self.assertTrue(dumped.endswith(plain))


class TypeTwo(DebugTest):
    KERNEL = """kernel own
bvar long y elt
bvar vector long total[2] rrn flt72to64 fadd
bvar vector long number rrn fix72to64 umax
var vector long x hlt
loop initialization
  transfer
  nop
loop body
  transfer
  fadd x y $lr0v
  nop
  bm $lr0v total[0] @0
  nop
  collect total[0]
  bm $lr0v total[1] @1
  nop
  collect total[1]
loop termination
  uadd $peid $bbid $lr8v
  nop
  bm $lr8v number @3
  nop
  collect number
"""

    def setUp(self):
        super().setUp()
        self.own = self.file("own.vsm", self.KERNEL)
        self.i = self.file("i.csv", "x\n" + "".join(f"{n}\n" for n in range(4 * 16 * 128)))
        self.j = self.file("j.csv", "y\n" + "".join(f"{1000 * n}\n" for n in range(64 * 10)))

    def test_run_gives_the_words_in_their_order(self):
        out = self.succeeds("run", self.own, "--i", self.i, "--j", self.j).out.splitlines()
        self.assertEqual(out[0], "turn,variable,entry,element,value")
        self.assertEqual(len(out), 1 + 10 * 8 + 4)
        for turn in (0, 9):
            for entry in (0, 1):
                for element in range(4):
                    i = sum(chip * 2048 + block * 128 + 4 * entry + element for chip in range(4) for block in range(16))
                    j = sum(1000 * (64 * turn + n) for n in range(64))
                    self.assertEqual(out[1 + turn * 8 + entry * 4 + element], f"{turn},0,{entry},{element},{float(i + j):.0f}")
        self.assertEqual(out[-1], "10,1,0,3,18")

    def test_json_has_the_time_that_the_engine_timing_gives(self):
        data = ("run", self.own, "--i", self.i, "--j", self.j, "--json", "-")
        report = json.loads(self.succeeds(*data).out)
        self.assertEqual((report["iterations"], report["nj"], report["emulated_gflops"]), (10, 640, None))
        self.assertIsNone(report["emulated_assumed"])  # the turns stream records
        timed = json.loads(self.succeeds(*data, "--engine", "timing").out)
        for key in ("emulated_seconds", "clocks", "clocks_by_part", "stall_clocks"):
            self.assertEqual(timed[key], report[key])
        self.assertGreater(report["emulated_seconds"], 0)
        self.assertEqual(report["clocks"], sum(report["clocks_by_part"].values()))

    def test_trace_and_profile_of_turns(self):
        trace, profile = self.scratch / "trace.json", self.scratch / "profile.json"
        self.succeeds("run", self.own, "--i", self.i, "--j", self.j, "--trace", trace, "--profile", profile)
        names = {event.get("name") for event in json.loads(trace.read_text())["traceEvents"]}
        self.assertLessEqual({"turn 0", "turn 9", "loop termination", "tree and ODP", "next record"}, names)
        self.assertGreater(json.loads(profile.read_text())["emulated_seconds"], 0)

    BLOCKS = """kernel blocks
bvar vector long out[32] rrn flt72to64
var vector long x hlt
loop body
  fadd x f"0.5" x
  nop
loop termination
  repeat p = 0..31
    bm x out[p] @{p}
  end
  nop
  collect out block each
"""

    def test_words_of_each_block_have_their_places(self):
        kernel = self.file("blocks.vsm", self.BLOCKS)
        run = ("run", kernel, "--i", self.i, "--turns", 3, "-W", "no-all")
        lines = self.succeeds(*run).out.splitlines()
        self.assertEqual(lines[0], "turn,variable,chip,block,pe,entry,element,value")
        self.assertEqual(len(lines), 1 + 4 * 2048)
        for row in (0, 5, 2047, 2048, 8191):
            place = f"3,0,{row // 2048},{row // 128 % 16},{row // 4 % 32},{row // 4 % 32},{row % 4}"
            self.assertEqual(lines[1 + row], f"{place},{row + 1.5:g}")
        report = json.loads(self.succeeds(*run, "--json", "-").out)
        self.assertIn("loop_stall", report["emulated_assumed"])
        two = self.succeeds(*run, "--boards", 2).out.splitlines()
        self.assertEqual(len(two), 1 + 8 * 2048)
        self.assertEqual(two[1:1 + 4 * 2048], lines[1:])

    def test_turns(self):
        self.assertEqual(len(self.succeeds("run", self.own, "--i", self.i, "--j", self.j, "--turns", 2).out.splitlines()), 1 + 20)
        self.ends(2, ["--turns", "records for 10"], "run", self.own, "--i", self.i, "--j", self.j, "--turns", 11)
        j = self.file("short.csv", "y\n" + "1\n" * 65)
        self.ends(2, ["65 j-records", "64 in each iteration"], "run", self.own, "--i", self.i, "--j", j)

    def test_debug_steps_through_turns(self):
        self.session(self.own, "pair i=2049 j=577", "assert x == 2049 && y == 577000", "assert $iteration == 9", "step 2",
                     "assert $lr0v[1] == 579049", "end", "why number 2")
        outcome = self.session(self.own, "pair i=0 j=1", status=1)
        self.assertIn("they never meet", outcome.err)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
