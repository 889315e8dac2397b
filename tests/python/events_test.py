#!/usr/bin/python3
"""Floating-point events of one run as every face reports them: none for a right program, although the engine counts some
in blocks without a j-record and on paths that no result takes; and the same number for a program with real ones.

events_test.py GDR PROJECT LIBRARY [test arguments]

LIBRARY is the folder of libgdr, or `none`: then there are no C programs.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import grapedr
import verdict_programs

GDR = str(pathlib.Path(sys.argv.pop(1)).resolve())
PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
LIBRARY = sys.argv.pop(1)
N = 5
COUNT = re.compile(r"(\d+) floating-point events?: (\d+) invalid, (\d+) overflow, (\d+) underflow")

FUNCTION = """#include <gdr/kernel.h>
struct I {{ double x; }}; struct J {{ double y; double q; }}; struct F {{ double f; }};
void {name}(const I& i, const J& j, F& f) {{
  const double d = j.y - i.x, r2 = d * d;
  {statement}
}}
"""
STATEMENTS = {
    # The particle itself is left out; without a record y = 0 meets x = 0, too.
    "guarded": "if (r2 == 0) return; f.f += j.q / std::sqrt(r2);",
    # Every pair overflows once. Without a record it does unless x = 0.
    "beyond": "f.f += (i.x + j.q + 0 * r2) * 1e200 * 1e200;",
}
# What another condition decides, later ones may ask of any value.
GUARDED = [
    "if (r2 == 0) return; const float ri = 1 / std::sqrt(r2); if (ri * r2 > 2 || ri * j.c < -1) return; f.t += j.m;",
    "if (r2 > 0) { const float ri = 1 / std::sqrt(r2); if (ri * j.c < 1 && ri * r2 < 3) f.t += j.m; }",
    "if (r2 > 0 && j.c / r2 * r2 < 1) f.t += j.m; else f.n++;",
    "if (r2 == 0) return; const float u = j.c / r2 * r2; if (u < 0.5f) f.t += 1; else if (u < 2) f.t += 3;",
    "bool ok = r2 != 0; ok = ok && j.c / r2 * r2 < 1; ok &= j.m > 0; if (ok) f.t += j.m;",
    "if (r2 == 0) { f.n++; return; } const float u = j.c / r2 * r2; if (u > 1) f.n += 2; else f.t += u;",
    "for (int k = 0; k < 3; ++k) { if (r2 == 0) break; const float u = (j.c + k) / r2 * r2; if (u > 2) break; f.t += u; }",
    "if (r2 == 0) return; const float u = j.c / r2 * r2; if (u < 0 || u > 1) return; const float v = j.m / r2 * r2;"
    " if (v < 0 || u + v > 1) return; f.n++; f.t += v;",
]
GUARDED_FUNCTION = """#include <gdr/kernel.h>
struct I {{ float x, y; }}; struct J {{ float xj, yj, m, c; }}; struct F {{ float t; int n; }};
void fun(const I& i, const J& j, F& f) {{
  const float dx = i.x - j.xj, dy = i.y - j.yj;
  const float r2 = dx * dx + dy * dy;
  {statement}
}}
"""
LOOPS = {
    "guarded": "{ double d = y[j] - x[i], r2 = d * d; if (r2 != 0) f[i] += q[j] / sqrt(r2); }",
    "beyond": "f[i] += (x[i] + q[j]) * 1e200 * 1e200;",
}
EXPECTED = {"guarded": (0, 0, 0), "beyond": (0, N * N, 0)}

GOOSE = """#include <math.h>
#include <stdio.h>
double x[N], y[N], q[N], f[N];
int main(void) {
  int i, j;
  for (i = 0; i < N; i++) { x[i] = y[i] = i; q[i] = 1; }
#pragma goose parallel for loopcounter(i, j) precision("double") result(f[i])
  for (i = 0; i < N; i++) {
    f[i] = 0;
    for (j = 0; j < N; j++) LOOP
  }
  printf("%g\\n", f[0]);
  return 0;
}
"""
STUB = """#include <stdio.h>
#include "NAME_grape.h"
int main(void) {
  static NAME_i_particle is[N];
  static NAME_j_particle js[N];
  static NAME_result results[N];
  int64_t counts[3];
  for (int n = 0; n < N; n++) { is[n].x = js[n].y = n; js[n].q = 1; }
  if (NAME_grape_init() || NAME_send_elt_data0(js, 0, N) || NAME_send_i_particle(is, N) || NAME_grape_run(N) ||
      NAME_get_result(results, N) || NAME_events(counts)) return 1;
  printf("%d %d %d\\n", (int)counts[0], (int)counts[1], (int)counts[2]);
  return NAME_grape_close();
}
"""


def counts_in(text):
    """Numbers by kind in what a face said; zeros if it said nothing."""
    found = COUNT.search(text)
    return tuple(int(number) for number in found.groups()[1:]) if found else (0, 0, 0)


class Events(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, columns in (("i", {"x": range(N)}), ("j", {"y": range(N), "q": [1] * N})):
            rows = ["".join(f"{number}," for number in row)[:-1] for row in zip(*columns.values(), strict=True)]
            (self.folder / f"{name}.csv").write_text("\n".join([",".join(columns), *rows, ""]), encoding="utf-8")

    def source(self, name):
        file = self.folder / f"{name}.cc"
        file.write_text(FUNCTION.format(name=name, statement=STATEMENTS[name]), encoding="utf-8")
        return file

    def program(self, *words):
        return subprocess.run([GDR, *map(str, words)], capture_output=True, text=True, check=True, cwd=self.folder)

    def test_the_program_reports_them(self):
        for name, expected in EXPECTED.items():
            done = self.program("run", self.source(name), "--i", "i.csv", "--j", "j.csv", "--json", "report.json")
            self.assertEqual(counts_in(done.stderr), expected, done.stderr)
            report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
            events, counted = report["events"], report["counters"]["fp_events"]
            kinds = ("invalid", "overflow", "underflow")
            self.assertEqual(tuple(events[kind] for kind in kinds), expected)
            self.assertEqual({kind: events[kind] + events["untaken"][kind] for kind in kinds}, counted)
            self.assertGreater(sum(events["untaken"].values()), 0)
            self.assertEqual(sum(events["unfollowed"].values()), 0)

    def test_conditions_that_others_decide_take_none(self):
        places = [(n % 4, n // 4) for n in range(12)]
        more = [(*place, 1 + n % 3, (-1, 0.5, 2)[n % 3]) for n, place in enumerate(places[::2] + places[:5])]
        meeting = sum(one == other[:2] for one in places for other in more)
        for name, columns, rows in (("pi", "x,y", places), ("pj", "xj,yj,m,c", more)):
            text = "\n".join([columns, *(",".join(map(str, row)) for row in rows), ""])
            (self.folder / f"{name}.csv").write_text(text, encoding="utf-8")
        unguarded = "const float u = j.c / r2 * r2; if (u < 1) f.t += u;"  # infinity x 0
        for statement, expected in [*((one, 0) for one in GUARDED), (unguarded, meeting)]:
            with self.subTest(statement):
                text = GUARDED_FUNCTION.format(statement=statement)
                (self.folder / "fun.cc").write_text(text, encoding="utf-8")
                done = self.program("run", "fun.cc", "--i", "pi.csv", "--j", "pj.csv", "--json", "report.json")
                self.assertEqual(counts_in(done.stderr), (expected, 0, 0), done.stderr)
                report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
                self.assertGreater(report["events"]["untaken"]["invalid"], 0)

    def test_roots_at_the_end_and_tests_for_infinity_have_none(self):
        # Neither have tests for infinity of numbers that are finite.
        (self.folder / "whole.cc").write_text("""#include <gdr/kernel.h>
struct I { double x; }; struct J { double y, q; }; struct F { int n; };
void whole(const I& i, const J& j, F& f) {
  const double a = i.x + 2.5 * j.q;
  f.n += std::ilogb(a) + static_cast<int>(std::logb(a)) + std::isinf(a) + (a < 1.7976931348623157e308);
}
""", encoding="utf-8")
        done = self.program("run", "whole.cc", "--i", "i.csv", "--j", "j.csv")
        self.assertEqual(counts_in(done.stderr), (0, 0, 0), done.stderr)
        self.assertEqual([float(line) for line in done.stdout.split()[1:]],
                         [N * (2 * (math.frexp(x + 2.5)[1] - 1) + 1) for x in range(N)])
        for number, end in (("float", "f.f = std::sqrt(f.f);"), ("double", "f.f = 2 * std::sqrt(f.f);")):
            with self.subTest(number):
                text = f"""#include <gdr/kernel.h>
struct I {{ {number} x; }}; struct J {{ {number} y, q; }}; struct F {{ {number} f; }};
void near(const I& i, const J& j, F& f) {{ const {number} d = j.y - i.x; f.f = std::fmin(f.f, d * d + j.q); }}
void near_finish(F& f) {{ {end} }}
"""
                (self.folder / "near.cc").write_text(text, encoding="utf-8")
                done = self.program("run", "near.cc", "--i", "i.csv", "--j", "j.csv")
                self.assertEqual(counts_in(done.stderr), (0, 0, 0), done.stderr)
                self.assertEqual([float(line) for line in done.stdout.split()[1:]], [2 if number == "double" else 1] * N)

    def test_the_module_warns_of_them(self):
        for name, expected in EXPECTED.items():
            kernel = grapedr.compile_kernel(self.source(name))
            device = grapedr.Device()
            x = np.arange(float(N))
            for run in (1, 2):
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always", grapedr.EventWarning)
                    kernel.run({"x": x}, {"y": x, "q": np.ones(N)}, device=device)
                texts = [str(each.message) for each in told if each.category is grapedr.EventWarning]
                self.assertEqual(counts_in("".join(texts)), expected)
                self.assertEqual(len(texts), int(any(expected)))
                self.assertEqual(tuple(device.events.values()), tuple(run * number for number in expected))

    def test_the_debugger_lists_them(self):
        (self.folder / "script").write_text("events\n", encoding="utf-8")
        for name, expected in EXPECTED.items():
            done = self.program("debug", self.source(name), "--i", "i.csv", "--j", "j.csv", "--script", "script")
            self.assertIn("{} invalid, {} overflow, {} underflow\n".format(*expected), done.stdout)

    @unittest.skipIf(LIBRARY == "none", "built without libgdr or without Goose")
    def test_c_programs_report_them(self):
        programs = verdict_programs.Programs(GDR, LIBRARY, [str(PROJECT / "hostlib" / "include")], self.folder)
        for name, expected in EXPECTED.items():
            with self.subTest("stub", kernel=name):
                self.program("cc", self.source(name), "-o", f"{name}.vsm")
                self.program("as", f"{name}.vsm", "--stubs", ".")
                (self.folder / "stub.c").write_text(STUB.replace("NAME", name), encoding="utf-8")
                built = programs.ended(["cc", f"-DN={N}", "stub.c", f"{name}_grape.c", "-o", "stub", "-lgdr"], self.folder)
                self.assertEqual(built.returncode, 0, built.stderr)
                done = programs.ended([self.folder / "stub"], self.folder, {"GDR_EVENTS": "tell"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(counts_in(done.stderr), expected, done.stderr)
                self.assertEqual(tuple(map(int, done.stdout.split())), expected)
            with self.subTest("Goose", kernel=name):
                text = GOOSE.replace("LOOP", LOOPS[name])
                (self.folder / "loop.c").write_text(text, encoding="utf-8")
                made = programs.ended([GDR, "cc", "--goose", "loop.c", "-o", "loop", "--", f"-DN={N}", "-lm"], self.folder)
                self.assertEqual(made.returncode, 0, made.stderr)
                done = programs.ended([self.folder / "loop"], self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(counts_in(done.stderr), expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
