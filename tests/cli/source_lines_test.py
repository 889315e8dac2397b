#!/usr/bin/env python3
"""Lines of a pair function in C++, LSUMP and Python as every tool shows them: breakpoints, events, profile, analysis.

    source_lines_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

FUNCTION = """#include <gdr/kernel.h>
struct I { double x[3]; };
struct J { double y[3]; float q; };
struct F { double f[3]; double pot; };
struct P { float k; float rc; };
void yukawa(const I& i, const J& j, F& f, const P& p) {
  float d[3]; double r2 = 0;
  for (int k = 0; k < 3; ++k) { d[k] = j.y[k] - i.x[k]; r2 += static_cast<double>(d[k]) * d[k]; }
  const float y = gdr::rsqrt(r2), r = static_cast<float>(r2) * y;
  if (r > p.rc) return;
  const float e = std::exp(-p.k * r) * j.q * y;
  f.pot += e;
  const float g = e * (1 + p.k * r) * (y * y);
  for (int k = 0; k < 3; ++k) f.f[k] += static_cast<double>(g) * d[k];
}
"""

GUARDED = """#include <gdr/kernel.h>
struct I { float x; }; struct J { float y; float q; }; struct F { double pot; };
void guarded(const I& i, const J& j, F& f) {
  const float r2 = (j.y - i.x) * (j.y - i.x);
  f.pot += j.q / std::sqrt(r2);
}
"""
# Its result takes the infinity; without a record q is 0.
OVERFLOWING = GUARDED.replace("j.q / std::sqrt(r2)", "(r2 * 0 + j.q) * 1e200 * 1e200")


class SourceLines(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        self.source = self.file("yuk.cc", FUNCTION)
        self.data = ["--i", self.file("i.csv", "x[0],x[1],x[2]\n0,0,0\n1,0,0\n"),
                     "--j", self.file("j.csv", "y[0],y[1],y[2],q\n0.5,0,0,1\n0,2,1,2\n"), "--param", "k=1.5", "--param", "rc=3"]

    def debugged(self, source, script, data=None):
        return self.succeeds("debug", source, *(data or self.data), "--script", self.file("script", script)).out

    def test_a_breakpoint_stops_at_a_line_in_cplusplus(self):
        shown = self.debugged(self.source, "break yuk.cc:11\nrun\nwhere\nbreak 14\ncontinue\n")
        self.assertRegex(shown, r"breakpoint 1 yuk.cc:11 \(\d+ lines of code\)\nbreakpoint 1\n")
        self.assertIn("yuk.cc:11: const float e = std::exp(-p.k * r) * j.q * y;\n", shown)
        self.assertRegex(shown, r"\n      = f(add|sub|mul) ")
        self.assertNotIn(".vsm:", shown)
        self.ends(1, ["no code stands at yuk.cc:2", "the next lines with code: 6"], "debug", self.source, *self.data, "--script",
                  self.file("script", "break yuk.cc:2\n"))

    def test_a_line_names_all_lines_whose_operations_it_holds(self):
        shown = self.debugged(self.source, "break 10\nrun\n")
        self.assertRegex(shown, r"  (\+ )?\S*yuk.cc:10: if \(r > p.rc\) return;")
        self.assertRegex(shown, r"  \+ \S*yuk.cc:\d+: ")

    def test_a_pass_through_a_line_counts_and_logs_once(self):
        # Line 8 has lines of the kernel for each of its turns. One record lies on a chip, so the second pass has none.
        shown = self.debugged(self.source, "break 8 log pass\nbreak 8 hits 2\nrun\nprint $iteration\ncontinue\n",
                              self.data[:2] + ["--j", self.file("many.csv", "y[0],y[1],y[2],q\n" + "0.5,0,0,1\n" * 300)] + self.data[4:])
        self.assertIn("breakpoint 2", shown)
        self.assertRegex(shown, r"(?m)^1$|iteration = 1\b")
        self.assertEqual(shown.split("breakpoint 2\n")[0].count("pass\n"), 2)

    def test_source_shows_the_function(self):
        shown = self.debugged(self.source, "break 12\nrun\nsource 2\n")
        self.assertRegex(shown, r"->\s+1[12]  ")
        self.assertIn("f.pot += e;", shown)

    def test_the_object_file_keeps_the_lines(self):
        packed = self.scratch / "yuk.gdro"
        self.succeeds("cc", self.source, "-o", packed)
        self.assertIn("yuk.cc:11", self.debugged(packed, "break yuk.cc:11\nrun\n"))
        self.assertIn("object version 1", self.succeeds("objdump", packed).out)

    def test_events_are_told_at_the_line(self):
        guarded = self.file("guarded.cc", OVERFLOWING)
        data = ["--i", self.file("gi.csv", "x\n0\n1\n"), "--j", self.file("gj.csv", "y,q\n1,1\n")]
        told = self.succeeds("run", guarded, *data).err
        self.assertRegex(told, r"guarded.cc:5:\d+: (overflow|invalid)")
        self.assertNotIn(".vsm:", told)
        report = json.loads(self.succeeds("run", guarded, *data, "--json", "-").out)
        for event in report["events"]["first"]:
            self.assertIn("guarded.cc:5:", event["source"])
            self.assertEqual(event["block"], 0)  # the others have no record

    def test_blocks_without_a_record_count_no_events(self):
        guarded = self.file("guarded.cc", GUARDED)
        data = ["--i", self.file("gi.csv", "x\n0\n"), "--j", self.file("gj.csv", "y,q\n1,1\n")]  # the others get y = 0
        for engine in ("simd", "reference"):
            self.assertEqual(self.succeeds("run", guarded, *data, "--engine", engine).err, "")

    def test_events_whose_values_no_result_takes_are_apart(self):
        guarded = self.file("guarded.cc", GUARDED.replace("  f.pot", "  if (r2 == 0) return;\n  f.pot"))
        data = ["--i", self.file("gi.csv", "x\n0\n1\n"), "--j", self.file("gj.csv", "y,q\n1,1\n")]
        self.assertEqual(self.succeeds("run", guarded, *data).err, "")
        events = json.loads(self.succeeds("run", guarded, *data, "--json", "-").out)["events"]
        self.assertEqual([events[kind] for kind in ("invalid", "overflow", "underflow")], [0, 0, 0])
        self.assertGreater(sum(events["untaken"].values()), 0)
        self.assertEqual(events["first"], [])
        taken = json.loads(self.succeeds("run", self.file("all.cc", OVERFLOWING), *data, "--json", "-").out)["events"]
        self.assertEqual([taken[kind] for kind in ("invalid", "overflow", "underflow")], [0, 2, 0])
        self.assertEqual(len(taken["first"]), 2)

    def test_roots_of_far_pairs_have_no_events(self):
        guarded = self.file("guarded.cc", GUARDED)
        data = ["--i", self.file("gi.csv", "x\n0\n"), "--j", self.file("gj.csv", "y,q\n5000,1\n1e12,1\n1e-12,1\n1e150,1\n")]
        for function in (guarded, self.file("wide.cc", GUARDED.replace("float", "double"))):
            self.assertEqual(self.succeeds("run", function, *data).err, "")

    def test_large_runs_have_the_same_events(self):
        guarded = self.file("guarded.cc", GUARDED.replace("  f.pot", "  if (r2 == 0) return;\n  f.pot"))
        rows = range(1000)
        data = ["--i", self.file("gi.csv", "x\n" + "".join(f"{n}\n" for n in rows)),
                "--j", self.file("gj.csv", "y,q\n" + "".join(f"{n},1\n" for n in rows))]
        outcome = self.succeeds("run", guarded, *data, "--json", "-")
        self.assertEqual(outcome.err, "")
        events = json.loads(outcome.out)["events"]
        self.assertGreater(sum(events["untaken"].values()), 0)
        self.assertEqual(sum(events["unfollowed"].values()), 0)

    def test_profile_and_analysis_name_the_line(self):
        profile = self.scratch / "profile.json"
        self.succeeds("run", self.source, *self.data, "--profile", profile)
        lines = [line for line in json.loads(profile.read_text(encoding="utf-8"))["lines"] if line["section"] == "loop body"]
        self.assertTrue({8, 9, 10, 11, 12, 13, 14} <= {line["line"] for line in lines})
        shown = self.succeeds("analyse", self.source).out
        self.assertIn("yuk.cc:11: ", shown)
        self.assertNotIn(".vsm:", shown)
        page = self.scratch / "page.html"
        self.succeeds("analyse", self.source, "--html", page)
        text = page.read_text(encoding="utf-8")
        self.assertIn("const float e = std::exp(-p.k * r) * j.q * y;", text)
        at = re.search(r'data-at="(\d+:11)"><td class=n>11</td>', text).group(1)
        self.assertGreater(len(re.findall(rf'<tr class="code[^"]*" data-line=\d+ data-at="[^"]*\b{at}\b', text)), 10)

    def test_a_pipelined_kernel_keeps_the_lines(self):
        packed = self.scratch / "yuk.gdro"
        self.succeeds("cc", self.source, "-O", "3", "-o", packed)
        shown = self.debugged(packed, "break yuk.cc:13\nrun\n")
        self.assertIn("yuk.cc:13: const float g", shown)

    def test_lsump_has_its_lines(self):
        source = self.file("pull.lsump", "VARI x;\nVARJ y, m;\nVARF f;\nd = y - x;\nf += m * d;\n")
        data = ["--i", self.file("i.csv", "x\n0\n"), "--j", self.file("j.csv", "y,m\n1,2\n")]
        shown = self.debugged(source, "break pull.lsump:5\nrun\n", data)
        self.assertIn("pull.lsump:5: f += m * d;", shown)


LOCALS = """struct I { float x; int a; };
struct J { float x; int b; };
struct F { double s; int c; };
void chain(const I& i, const J& j, F& f) {
  const float d = i.x - j.x;
  const float e = d * d;
  float w = e + 3;
  if (e > 4)
    w = w * 2;
  const int n = i.a - j.b;
  const int m = n * 5;
  float v[2] = {w * 0.5f, w + d};
  f.s += w * v[1] + static_cast<double>(v[0]) * d;
  f.c += m & n;
}
"""


class LocalVariables(cli_test.CliTest):
    """A variable has its value from the line that computes it on, as long as a word holds it."""

    VALUES = {"d": {-3}, "e": {9}, "w": {12, 24}, "n": {-9}, "m": {-45}, "v[0]": {12}, "v[1]": {21}}

    def setUp(self):
        super().setUp()
        self.source = self.file("chain.cc", LOCALS)
        self.data = ["--i", self.file("i.csv", "xi,a\n1,-2\n"), "--j", self.file("j.csv", "xj,b\n4,7\n")]

    def told(self, name):
        """What is printed of a variable before each line of the first pass through the loop, and what is refused."""
        compiled = self.succeeds("cc", self.source, "-o", self.scratch / "chain.vsm")
        loop = int(re.search(r"(\d+) loop lines", compiled.out + compiled.err).group(1))
        each = "".join(f"print {name}\nstep line\n" for _ in range(loop))
        ended = self.succeeds("debug", self.source, *self.data, stdin=f"pair i=0 j=0\n{each}")
        values = re.findall(r"^" + name.translate({ord("["): None, ord("]"): None}) + r" = (\S+)", ended.out, re.M)
        return [float(value) for value in values], ended.err.splitlines(), loop

    def test_are_right_or_say_why_they_are_not_there(self):
        for name, allowed in self.VALUES.items():
            with self.subTest(name):
                values, refused, loop = self.told(name)
                self.assertTrue(values)
                self.assertLessEqual(set(values), allowed)
                self.assertEqual(len(values) + len(refused), loop, refused)
                for line in refused:
                    self.assertRegex(line, rf"{re.escape(name)} (is in no word before \S*chain.cc:\S+ computes it|is gone: \S*chain.cc:\S+ |is not known here)")

    def test_are_there_in_every_turn_if_no_record_changes_them(self):
        source = self.file("fixed.cc", """struct I { float x; }; struct J { float y; }; struct F { float s; };
void fixed(const I& i, const J& j, F& f) {
  const float twice = i.x * i.x + 3;
  const float d = twice - j.y;
  f.s += d * d * twice;
}
""")
        data = ["--i", self.file("fixed_i.csv", "x\n2\n"), "--j", self.file("fixed_j.csv", "y\n1\n")]
        shown = self.succeeds("debug", source, *data, stdin="print twice\npair i=0 j=0\n" + "print twice\nstep\n" * 3)
        self.assertIn("twice is in no word before", shown.out + shown.err)
        self.assertEqual(re.findall(r"(?m)^twice = (\S+)", shown.out), ["7"] * 3)

    def test_of_branches_that_are_not_taken_are_not_shown(self):
        source = self.file("ways.cc", """struct I { float r; int order; };
struct J { float q; };
struct F { float e, y; };
void ways(const I& i, const J& j, F& f) {
  float x = j.q;
  if (i.order > 1) x = j.q * i.r;
  float y = x + 1;
  if (y > 2) {
    x = y * y;
    y -= x;
  } else if (y > 1) {
    x = y * i.r;
  }
  float sum = 1;
  for (int k = 1; k <= 4; ++k) {
    if (k > i.order) break;
    sum += i.r * k;
  }
  const float q = sum * y;
  f.e += q * x;
}
""")
        data = ["--i", self.file("ways_i.csv", "r,order\n1,2\n"), "--j", self.file("ways_j.csv", "q\n1\n")]
        allowed = {"x": {1, 2}, "y": {2}, "sum": {1, 2, 4}, "q": {8}}
        for name, values in allowed.items():
            script = "pair i=0 j=0\n" + f"print {name}\nstep\n" * 40
            ended = self.succeeds("debug", source, *data, stdin=script)
            shown = {float(value) for value in re.findall(rf"(?m)^{name} = (\S+)", ended.out)}
            self.assertLessEqual(shown, values, name)
            self.assertTrue(shown or name == "sum", name)
        self.assertRegex(self.succeeds("debug", source, *data, stdin="pair i=0 j=0\nprint j.q\n").out, r"(?m)^j\.q = 1$")

    def test_of_turns_that_break_has_ended_are_not_shown(self):
        source = self.file("turns.cc", """struct I { int n; }; struct J { int v[4]; }; struct F { int s, k; };
void turns(const I& i, const J& j, F& f) {
  int x = 100, m = 0;
  for (int k = 0; k < 4; ++k) {
    m = j.v[k] * 7;
    if (m > i.n) break;
    x += m;
  }
  f.s += x;
  f.k ^= m & 1023;
}
""")
        data = ["--i", self.file("turns_i.csv", "n\n60\n"), "--j", self.file("turns_j.csv", "v[0],v[1],v[2],v[3]\n1,20,300,4000\n")]
        for name, values in (("x", {100, 107}), ("m", {7, 140})):
            script = "pair i=0 j=0\n" + f"print {name}\nstep\n" * 60
            ended = self.succeeds("debug", source, *data, stdin=script)
            self.assertLessEqual({int(value) for value in re.findall(rf"(?m)^{name} = (\S+)", ended.out)}, values)
            self.assertRegex(ended.err, f"{name} (is not known here|.* control chooses among its values)")

    def test_have_members_of_their_own(self):
        source = self.file("rotated.cc", """struct I { float w, x; }; struct J { float v; unsigned u; }; struct F { float s; unsigned c; };
struct Q { float w, x; float dot(const Q& o) const { return w * o.w + x * o.x; } };
void rotated(const I& i, const J& j, F& f) {
  Q q{i.w, i.x};
  q.w /= 4;
  q.x *= j.v;
  const unsigned hash = j.u * 2654435761u;
  f.s += Q{j.v, 2}.dot(q);
  f.c ^= hash;
}
""")
        data = ["--i", self.file("rotated_i.csv", "w,x\n8,5\n"), "--j", self.file("rotated_j.csv", "v,u\n3,12345\n")]
        for name, values in (("q.w", {2}), ("q.x", {15}), ("hash", {12345 * 2654435761 % 2**32}), ("o.w", set())):
            script = "pair i=0 j=0\n" + f"print {name}\nstep\n" * 40
            ended = self.succeeds("debug", source, *data, stdin=script)
            self.assertEqual({float(value) for value in re.findall(rf"(?m)^{re.escape(name)} = (\S+)", ended.out)}, values)
        self.assertIn("o.w is in no word that can be shown", ended.err)
        self.assertRegex(self.succeeds("debug", source, *data, stdin="print i.w\n").out, r"(?m)^i\.w = 8")

    def test_conditions_hold_only_where_they_have_a_value(self):
        source = self.file("twice.cc", """struct I { float x; }; struct J { int day; float y; }; struct F { float s; };
void twice(const I& i, const J& j, F& f) {
  f.s += (i.x * i.x + 3) * (j.y + j.day);
}
""")
        data = ["--i", self.file("twice_i.csv", "x\n2\n"), "--j", self.file("twice_j.csv", "day,y\n" + "".join(f"{n},1\n" for n in range(70)))]
        ended = self.succeeds("debug", source, *data, stdin="break 3 if j.day == 64\nrun\nprint j.day\n")
        self.assertIn("j.day = 64", ended.out)
        self.assertEqual(ended.err, "")

    def test_stand_beside_members_of_records(self):
        for name, value in (("i.x", 1), ("j.x", 4), ("f.s", 0), ("i.a", -2), ("j.b", 7)):
            shown = self.succeeds("debug", self.source, *self.data, stdin=f"pair i=0 j=0\nprint {name}\n").out
            self.assertRegex(shown, rf"(?m)^\S+ = {value}\b", name)

    def test_are_in_conditions_and_among_all_variables(self):
        shown = self.succeeds("debug", self.source, *self.data, stdin="break 13 if n == -9 && e > 8\ncontinue\nvars\n").out
        self.assertIn("breakpoint 1\n", shown)
        self.assertRegex(shown, r"(?m)^n = -9\b")
        ended = self.succeeds("debug", self.source, *self.data, stdin="break 5 if v[1] > 0\ncontinue\n")
        self.assertIn("v[1] is in no word before", ended.out + ended.err)
        self.ends(1, ["unknown name 'z'"], "debug", self.source, *self.data, "--script", self.file("script", "break 13 if z > 0\n"))

class OwnFunctions(cli_test.CliTest):
    """What a function of the user does stands in it, in its own file or a header; what one of a library does, at its call."""

    SOURCE = """#include <gdr/kernel.h>
#include "bits/tools.h"
struct I { double a; }; struct J { double b; }; struct F { double r; };
static double switching(double r) {
  const double t = r - 1;
  const double s = t * t + 3;
  return halved(t) * s;
}
void go(const I& i, const J& j, F& f) {
  f.r += i.a * switching(j.b) + std::exp(j.b);
}
"""
    TOOLS = """inline double halved(double t) {
  return t / 2;
}
"""

    def setUp(self):
        super().setUp()
        (self.scratch / "bits").mkdir()
        self.tools = self.file("bits/tools.h", self.TOOLS)
        self.source = self.file("go.cc", self.SOURCE)
        self.data = ["--i", self.file("i.csv", "a\n1\n2\n"), "--j", self.file("j.csv", "b\n0.5\n3\n")]

    def debugged(self, script):
        return self.succeeds("debug", self.source, *self.data, "--script", self.file("script", script)).out

    def test_breakpoints_stop_in_it_and_at_its_call(self):
        for place, text in (("go.cc:6", "const double s = t * t + 3;"), ("go.cc:7", "return halved(t) * s;"), ("tools.h:2", "return t / 2;")):
            self.assertIn(f"{place}: {text}", self.debugged(f"break {place}\nrun\n"))
        self.assertIn("go.cc:10: f.r += ", self.debugged("break go.cc:10\nrun\n"))

    def test_its_calls_are_told_with_the_functions(self):
        shown = self.debugged("break tools.h:2\nrun\n")
        self.assertRegex(shown, r"in halved, called by switching at \S*go.cc:7: return halved\(t\) \* s;\n"
                                r"    in switching, called by go at \S*go.cc:10: f.r \+= ")
        packed = self.scratch / "go.gdro"
        self.succeeds("cc", self.source, "-o", packed)
        self.source = packed
        self.assertIn("in halved, called by switching at ", self.debugged("break tools.h:2\nrun\n"))
        self.assertIn("object version 1", self.succeeds("objdump", packed).out)

    def test_the_analysis_and_the_profile_name_functions(self):
        self.assertRegex(self.succeeds("analyse", self.source).out, r"in switching, called by go at \S*go.cc:10: f.r")
        body = json.loads(self.succeeds("analyse", self.source, "--json", "-").out)["body"]
        sources = [source for line in body for source in line["sources"]]
        self.assertIn(("halved", [("switching", 7), ("go", 10)]),
                      [(each["function"], [(call["function"], call["line"]) for call in each["calls"]]) for each in sources])
        self.assertEqual({each["function"] for each in sources if each["line"] == 10 and each["file"].endswith("go.cc")}, {"go"})
        profile = self.scratch / "profile.json"
        self.succeeds("run", self.source, *self.data, "--profile", profile)
        lines = json.loads(profile.read_text(encoding="utf-8"))["lines"]
        functions = {(source["function"], source["line"]) for line in lines for source in line["sources"]}
        self.assertTrue({("halved", 2), ("switching", 6), ("go", 10)} <= functions)

    def test_the_analysis_names_its_lines_and_no_line_of_a_library(self):
        shown = self.succeeds("analyse", self.source).out
        self.assertIn("go.cc:6: ", shown)
        self.assertIn("go.cc:10: ", shown)
        self.assertNotRegex(shown, r"(kernel\.h|cmath|math\.h):\d")

    def test_an_error_in_it_has_the_calls_as_notes(self):
        tools = pathlib.Path(self.tools)
        tools.write_text("extern double outside;\n" + self.TOOLS.replace("t / 2", "t * outside"), encoding="utf-8")
        outcome = self.ends(1, [], "cc", self.source, "-o", self.scratch / "go.gdro", "--json", "-")
        told = outcome.err
        places = re.findall(r"(\w+\.\w+:\d+):\d+: (error|note): ([^\n]*)", told)
        self.assertEqual([(place, kind) for place, kind, _ in places],
                         [("tools.h:3", "error"), ("go.cc:7", "note"), ("go.cc:10", "note")])
        self.assertIn("outside", places[0][2])
        self.assertEqual([text for _, _, text in places[1:]], ["function 'halved' is called here", "function 'switching' is called here"])
        self.assertEqual([(one["severity"], one["line"]) for one in json.loads(outcome.out)["diagnostics"]],
                         [("error", 3), ("note", 7), ("note", 10)])


class Branches(cli_test.CliTest):
    """Both sides of a branch are computed: their operations stand at their own statements, not at the condition."""

    SOURCE = """#include <gdr/kernel.h>
struct I { double x; float w; };
struct J { double y; float q; };
struct F { double f; double g; long n; };
void branch(const I& i, const J& j, F& f) {
  const float d = j.y - i.x;
  float v;
  if (d > 1) {
    v = d * 3;
  } else if (d > -1) {
    v = d + j.q;
  } else {
    v = 0.5f;
  }
  float k = i.w;
  if (j.q > 2)
    k = j.q;
  else
    k = -i.w;
  const float t = d < 0
      ? v - k
      : v * k;
  if (t > 100 && k < 5)
    f.n += 1;
  if (t < 0)
    return;
  f.f += t;
  switch (static_cast<int>(d)) {
    case 0:
      f.g += k;
      break;
    case 1:
      f.g += v * 2;
      break;
    case 2:
      return;
    default:
      f.g += 7;
  }
  f.g += d;
}
"""

    def places_of(self, source):
        """From the lines of the source to the texts of the loop body's lines."""
        found = {}
        for line in json.loads(self.succeeds("analyse", source, "--json", "-").out)["body"]:
            text = next((place["expanded"] for place in line["sources"] if place["expanded"]), "")
            for place in line["sources"]:
                found.setdefault(place["line"], []).append(text)
        return found

    def test_each_statement_has_its_line(self):
        source = self.file("branch.cc", self.SOURCE)
        data = ["--i", self.file("i.csv", "x,w\n0,1\n1,2\n"), "--j", self.file("j.csv", "y,q\n3,1\n-1,4\n")]
        # The condition in line 20 is the sign of the difference in line 6.
        with_code = [6, 8, 9, 10, 11, 13, 16, 17, 19, 21, 22, 23, 24, 25, 27, 28, 30, 33, 38, 40]
        script = "".join(f"break {line}\n" for line in with_code)
        shown = self.succeeds("debug", source, *data, "--script", self.file("script", script)).out
        self.assertEqual([int(line) for line in re.findall(r"(?m)^breakpoint \d+ (\d+)(?: \(\d+ lines of code\))?$", shown)], with_code)
        places = self.places_of(source)
        for line, operation in ((9, r"fmul d fs\"3\""), (11, r"fadd (q d|d q)"), (13, r"upassa fs\"0.5\""), (17, r"(bm|passa) .*q"),
                                (19, r"fpassa -w"), (21, r"fsub \S+ k"), (22, r"fmul (\S+ k|k \S+)"), (24, r"uadd n"), (27, r"fadd f "),
                                (30, r"fadd g k"), (38, r"fadd g \S+ g"), (40, r"fadd g d")):
            self.assertTrue(any(re.search(operation, text) for text in places[line]), (line, operation, places[line]))
        for text in places[10] + places[8]:  # conditions set flags and choose nothing of the statements below
            self.assertTrue(re.search(r"\$ok", text), text)

    def test_an_event_stands_at_the_operation_that_has_it(self):
        source = self.file("far.cc", """#include <gdr/kernel.h>
struct I { double x; }; struct J { double y; }; struct F { double a; double b; };
void far(const I& i, const J& j, F& f) {
  const double d = j.y - i.x;
  if (d > 0) {
    f.a += d * 1e200 * 1e200;
  } else {
    f.b += d + 1;
  }
}
""")
        data = ["--i", self.file("i.csv", "x\n0\n"), "--j", self.file("j.csv", "y\n3\n")]
        for engine in ("simd", "reference"):
            told = self.succeeds("run", source, *data, "--engine", engine).err
            self.assertEqual(set(re.findall(r"far.cc:(\d+):\d+: overflow of the multiplier", told)), {"6"}, told)


class Carets(cli_test.CliTest):
    """A caret stands below its character: those before it may take several bytes, and one column or two."""

    def caret_column(self, told, text):
        for line, below in zip(told.splitlines(), told.splitlines()[1:]):
            if text in line and set(below) <= set(" \t^~") and "^" in below:
                wide = line[:line.index(text)]
                return below.index("^"), sum(2 if ord(c) > 0x1F000 else 1 for c in wide), below.count("~")
        self.fail(told)

    def test_in_assembly(self):
        source = self.file("k.vsm", 'kernel k\nloop body\n  nop ; fadd "😀é" fsbu9 $t\n')
        at, wanted, _ = self.caret_column(self.ends(1, [], "as", source).err, '"😀é"')
        self.assertEqual(at, wanted)
        source = self.file("l.vsm", 'kernel k\nbvar long x elt "é😀é\n')
        at, wanted, more = self.caret_column(self.ends(1, [], "as", source).err, '"é😀é')
        self.assertEqual(at, wanted)

    def test_in_cplusplus(self):
        source = self.file("u.cc", FUNCTION.replace("  f.pot += e;", "  /* 😀é */ f.pot = e;"))
        at, wanted, _ = self.caret_column(self.ends(1, [], "cc", source).err, "= e;")
        self.assertEqual(at, wanted)
        source = self.file("t.cc", FUNCTION.replace("  f.pot += e;", "\t/* é */ f.pot = e;"))
        told = self.ends(1, [], "cc", source).err
        self.assertIn("    \t/* é */ f.pot = e;\n    \t" + " " * 14 + "^\n", told)


class Unused(cli_test.CliTest):
    def test_members_and_results_without_use_are_told(self):
        source = self.file("u.cc", """#include <gdr/kernel.h>
struct I { float x; float spare; }; struct J { float y; double q; float pad; }; struct F { float f; float lo; };
struct P { float k; };
void u(const I& i, const J& j, F& f, const P&) { f.f += j.y - i.x; }
""")
        told = self.succeeds("cc", source, "-o", self.scratch / "u.gdro").err
        for part in ("u.cc:2:1: warning: member 'spare' of the i-particle: no pair reads it",
                     "member 'q' of the j-particle: no pair reads it, and it takes 16 clocks of the input port in every iteration",
                     "result 'lo': no path changes it, so it comes out as 0", "u.cc:3:1: warning: parameter 'k': nothing reads it"):
            self.assertIn(part, told)
        self.assertNotIn("'pad'", told)
        experiment = self.file("e.cc", """#include <gdr/kernel.h>
struct Start { double x; double spare; };
struct State { double x; };
struct F { double f; };
void begin(const Start& s, State& t) { t.x = s.x; }
void step(State& t) { t.x = t.x * 0.5; }
bool done(const State& t) { return t.x < 1; }
void end(const State& t, F& f) { f.f = t.x; }
""")
        self.assertIn("e.cc:2:1: warning: member 'spare' of the start: nothing reads it", self.succeeds("cc", experiment, "-o", self.scratch / "e.gdro").err)
        report = json.loads(self.succeeds("cc", source, "--json", "-").out)
        self.assertEqual([one["severity"] for one in report["diagnostics"]], ["warning"] * 4)


class Formatter(cli_test.CliTest):
    def test_files_are_rewritten_or_named(self):
        source = self.file("k.vsm", "kernel k\nloop body\nnop;nop\n")
        tidy = "kernel k\nloop body\n  nop ; nop\n"
        outcome = cli_test.gdr("fmt", "--check", source)
        self.assertEqual((outcome.status, outcome.out), (1, f"{source}\n"))
        self.assertEqual(self.succeeds("fmt", source).out, f"{source}\n")
        self.assertEqual(pathlib.Path(source).read_text(encoding="utf-8"), tidy)
        self.assertEqual(self.succeeds("fmt", "--check", source).out, "")
        self.ends(2, ["assembly sources are formatted"], "fmt", self.file("k.cc", ""))


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
