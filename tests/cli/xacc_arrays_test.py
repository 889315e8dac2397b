#!/usr/bin/env python3
"""Distributed arrays of gdr cc --xacc: moves, sections, tasks, uneven blocks, sums, shadows, against serial programs.

    xacc_arrays_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import re
import sys
import unittest

import cli_test
from xacc_test import NETWORKS, XaccTest

# 61 x 83 elements on 3 x 2 nodes: short blocks, shadows that differ, corners, and a torus.
UNEVEN = """#include <stdio.h>
#define NI 61
#define NJ 83
long u[NI][NJ], w[NI][NJ];
#pragma xmp nodes p(PJ, PI)
#pragma xmp template t(0:NJ-1, 0:NI-1)
#pragma xmp distribute t(block, block) onto p
#pragma xmp align u[i][j] with t(j, i)
#pragma xmp align w[i][j] with t(j, i)
#pragma xmp shadow u[2:1][1:2]
long at(int i, int j) { return 1000 * ((i + NI) % NI) + (j + NJ) % NJ; }
int main(int argc, char** argv) {
  int wrong = 0, count = 0, least = 1000, last = argc;
#pragma xmp loop (j, i) on t(j, i)
  for (int i = 0; i <= NI - 1; ++i)
    for (int j = 0; j < NJ; j += 1) u[i][j] = at(i, j);
#pragma xmp reflect (u) width(/periodic/2:1, /periodic/1:2)
#pragma xmp loop (j, i) on t(j, i) reduction(+:wrong, count) reduction(min:least)
  for (int i = 0; i < NI; ++i)
    for (int j = 1; j < NJ; j += 3) {
      count += 1;
      if (i + j < least) least = i + j;
      wrong += u[i - 2][j - 1] != at(i - 2, j - 1);
      wrong += u[i - 2][j + 2] != at(i - 2, j + 2);
      wrong += u[i + 1][j + 2] != at(i + 1, j + 2);
      wrong += u[i + 1][j] != at(i + 1, j);
    }
#pragma xmp task on p(PJ, PI)
  last = 77;
#pragma xmp bcast (last) from p(PJ, PI)
#pragma xmp task on t(NJ - 1, 0)
  u[0][NJ - 1] = -1;
#pragma xmp task on t(0, 0)
  { printf("%d %d %d %d %d\\n", wrong, count, least, last, argc); }
  if (argc > 1) u[30][40] = 1;
  return 0;
}
"""


# Assignments between arrays that are distributed by rows and by columns, sections beside each other, and of every rank.
MOVES = """#include <stdio.h>
#define N 23
#define M 17
double a[N][M], b[N][M], c[M];
long count[N];
#pragma xmp nodes p(R)
#pragma xmp template t(0:N-1)
#pragma xmp template s(0:M-1)
#pragma xmp distribute t(block) onto p
#pragma xmp distribute s(block) onto p
#pragma xmp align a[i][*] with t(i)
#pragma xmp align b[*][j] with s(j)
#pragma xmp align c[j] with s(j)
#pragma xmp align count[i] with t(i)
#pragma xmp shadow a[1][0]
double line[M], whole[N][M];
static void turn(double to[N][M], double from[N][M]) {
#pragma xmp align to[*][j] with s(j)
#pragma xmp align from[i][*] with t(i)
#pragma xmp shadow from[1][0]
#ifdef _XCALABLEMP
#pragma xmp gmove
  to[:][:] = from[:][:];
#else
  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) to[i][j] = from[i][j];
#endif
}
int main(void) {
  double x = 0;
  int k = 3;
#pragma xmp loop (i) on t(i)
  for (int i = 0; i < N; i++) {
    count[i] = 0;
    for (int j = 0; j < M; j++) a[i][j] = i * 100 + j;
  }
  turn(b, a);
#ifdef _XCALABLEMP
#pragma xmp gmove
  a[1:N-2][2:5] = b[2:N-2]
                   [k:5];
#pragma xmp gmove in
  line[:] = a[k + 1][:];
#pragma xmp gmove
  x = b[N - 1][M - 1];
#pragma xmp gmove out
  c[1:] = line[0:M-1];
#pragma xmp gmove
  a[5:10][0] = a[4:10][0];
#pragma xmp gmove
  whole[:][:] = a[:][:];
#else
  for (int i = 0; i < N - 2; i++) for (int j = 0; j < 5; j++) a[1 + i][2 + j] = b[2 + i][k + j];
  for (int j = 0; j < M; j++) line[j] = a[k + 1][j];
  x = b[N - 1][M - 1];
  for (int j = 0; j < M - 1; j++) c[1 + j] = line[j];
  for (int i = 9; i >= 0; i--) a[5 + i][0] = a[4 + i][0];
  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) whole[i][j] = a[i][j];
#endif
  double sum = 0, of_c = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += whole[i][j] * (i * M + j);
#pragma xmp loop (j) on s(j) reduction(+: of_c)
  for (int j = 0; j < M; j++) of_c += c[j] * j;
#pragma xmp task on p(1)
  printf("%.17g %.17g %.17g %.17g\\n", sum, of_c, x, line[7]);
  return 0;
}
"""

SHIFT = """#define N 8192
double a[N];
#pragma xmp nodes p(2)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align a[i] with t(i)
int main(int argc, char** argv) {
  int half = N / 2 + argc - 1;
#pragma xmp gmove
  a[half:N / 2] = a[0:N / 2];
  return 0;
}
"""


class Moves(XaccTest):
    def test_assignments_bring_what_the_serial_program_has(self):
        source = self.file("moves.c", MOVES)
        for ranks in (1, 2, 4, 7):
            program = self.compiled(source, f"-DR={ranks}")
            serial = self.serial(source)
            self.assertEqual(self.runs(program, ranks), serial)
            for network in NETWORKS[:2]:
                lines = self.runs(program, ranks, "--cluster", network)
                self.assertEqual(lines[0], serial[0])
                self.assertEqual(lines, self.runs(program, ranks, "--cluster", network))

    def test_one_message_takes_its_latency_and_its_bytes(self):
        program = self.compiled(self.file("shift.c", SHIFT))
        line = self.runs(program, 2, "--cluster", "infiniband-ddr-64")[-1]
        self.assertAlmostEqual(float(re.search(r"other (\S+)$", line).group(1)), 2 * 1.0 + 4096 * 8 / 1.5e3, delta=0.001)

    def test_sections_beyond_the_array_end_the_program(self):
        done = self.outcome(self.compiled(self.file("shift.c", SHIFT)), 2, "another")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("shift.c:9: rank 0: the directive xmp gmove: 4097 to 8192 in dimension 0 of its left side is refused: the "
                      "array has 0 to 8191", done.stderr)


class Lengths(XaccTest):
    def test_sections_of_negative_lengths_end_the_program(self):
        # A length of -1 was taken for a single place.
        for arguments, length in [([], -1), (["more"], -2)]:
            source = self.file("lengths.c", SHIFT.replace("a[half:N / 2] = a[0:N / 2]", "a[half:-argc] = a[0:-argc]"))
            done = self.outcome(self.compiled(source), 2, *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"lengths.c:9: rank 0: the directive xmp gmove: a length of {length} in dimension 0 of its left side is "
                          "refused: it is at least 0", done.stderr)

    def test_sections_may_be_empty(self):
        source = self.file("empty.c", SHIFT.replace("a[half:N / 2] = a[0:N / 2]", "a[half:argc - 1] = a[0:argc - 1]"))
        self.assertEqual(self.runs(self.compiled(source), 2), [])

    def test_empty_sections_may_begin_behind_the_last_element(self):
        # Refused as "8192 to 8192 ... the array has 0 to 8191".
        source = self.file("behind.c", SHIFT.replace("a[half:N / 2] = a[0:N / 2]", "a[N:argc - 1] = a[2 * half:argc - 1]"))
        self.assertEqual(self.runs(self.compiled(source), 2), [])
        self.assertIn("8192 to 8192 in dimension 0", self.outcome(self.compiled(source), 2, "another").stderr)
        beyond = self.file("beyond.c", SHIFT.replace("a[half:N / 2] = a[0:N / 2]", "a[N + argc:argc - 1] = a[0:argc - 1]"))
        self.assertIn("8193 to 8193 in dimension 0", self.outcome(self.compiled(beyond), 2).stderr)


# Tasks on the node or element `at`, of three nodes and ten elements.
TASKS = """#include <stdio.h>
#include <stdlib.h>
#pragma xmp nodes p(3)
#pragma xmp template t(0:9)
#pragma xmp distribute t(block) onto p
int main(int argc, char** argv) {
  int at = atoi(argv[1]);
#pragma xmp task on ON
  printf("here\\n");
  return 0;
}
"""


class Tasks(XaccTest):
    def test_nodes_and_elements_that_do_not_exist_end_the_program(self):
        nodes, elements = "dimension 0 of the nodes 'p'", "dimension 0 of the template 't'"
        for on, least, most, of in [("p(at)", 1, 3, nodes), ("p[at]", 0, 2, nodes), ("t(at)", 0, 9, elements)]:
            program = self.compiled(self.file("tasks.c", TASKS.replace("ON", on)))
            for at in (least, most):
                self.assertEqual(self.runs(program, 3, str(at)), ["here"])
            for at in (least - 1, most + 1):
                done = self.outcome(program, 3, str(at))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"tasks.c:8: rank 0: {at} in {of} is refused: there are {least} to {most}", done.stderr)

    def test_parts_must_lie_in_the_nodes(self):
        program = self.compiled(self.file("tasks.c", TASKS.replace("ON", "p(at:3)")))
        self.assertEqual(self.runs(program, 3, "2"), ["here"] * 2)
        self.assertIn("4:3 in dimension 0 of the nodes 'p' is refused: there are 1 to 3", self.outcome(program, 3, "4").stderr)


class Uneven(XaccTest):
    def test_blocks_shadows_corners_and_circles_of_any_size(self):
        source = self.file("uneven.c", UNEVEN)
        for rows, columns in [(1, 1), (3, 2), (2, 3), (4, 1)]:
            program = self.compiled(source, f"-DPI={rows}", f"-DPJ={columns}")
            self.assertEqual(self.runs(program, rows * columns), [f"0 {61 * 28} 1 77 1"])

    def test_elements_of_other_nodes_end_the_program(self):
        source = self.file("uneven.c", UNEVEN)
        program = self.compiled(source, "-DPI=2", "-DPJ=1")
        done = self.outcome(program, 2, "another")
        self.assertNotEqual(done.returncode, 0)
        line = UNEVEN[: UNEVEN.index("u[30][40]")].count("\n") + 1
        self.assertIn(f"{source}:{line}: rank 1: 'u' is written with subscript 30 in dimension 0: a node writes its own elements "
                      "only, here 31 to 60; those of its shadow, 29 to 61 with them, are only read", done.stderr)

    def test_what_does_not_fit_the_ranks_is_told_once(self):
        program = self.compiled(self.file("uneven.c", UNEVEN), "-DPI=2", "-DPJ=1")
        for arguments, ranks, told in [
            ([], 3, "3 ranks are refused: the nodes 'p' are 2"),
            (["--cluster", "nowhere"], 2, "nowhere"),
            (["--cluster", "model1800"], 2, "model1800"),
            (["--reductions", "quick"], 2, "--reductions quick is refused: it is exact or serial"),
            (["--cluster"], 2, "--cluster is refused: its value is missing"),
        ]:
            done = self.outcome(program, ranks, *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("rank 0: "), 1, done.stderr)
            self.assertIn(told, done.stderr)


# Sums without a clause, over two loops, which a directive of its own brings together.
SUMS = """#include <stdio.h>
#define N 97
float u[N][N];
#pragma xmp nodes p(*, PI)
#pragma xmp template t(0:N-1, 0:N-1)
#pragma xmp distribute t(block, block) onto p
#pragma xmp align u[i][j] with t(j, i)
int main(void) {
  float x = 0, most = -1;
  double y = 0;
#pragma xmp loop (j, i) on t(j, i)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) u[i][j] = 1.0f / (1 + i + 31 * j % 17);
#pragma xmp loop (i) on t(*, i)
  for (int i = 0; i < N; i++) {
#pragma xmp loop (j) on t(j, *)
    for (int j = 0; j < N; j++) {
      x = x + u[i][j] * 3;
      y -= u[i][j];
    }
  }
#pragma xmp loop (j, i) on t(j, i)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      x += u[i][j];
      if (u[i][j] * j > most) most = u[i][j] * j;
    }
#pragma xmp reduction (+: x, y) on p
#pragma xmp barrier on t
#pragma xmp reduction (max: most)
#pragma xmp task on p(1, 1)
  printf("%.9e %.17e %.9e\\n", x, y, most);
  return 0;
}
"""


class Sums(XaccTest):
    def test_sums_without_a_clause_over_two_loops_have_one_value(self):
        # What each node has before its loops is added, so it is 0 here.
        source = self.file("sums.c", SUMS)
        serial = self.serial(source)
        exact = set()
        for rows, ranks in [(1, 1), (1, 3), (2, 6), (5, 5)]:
            program = self.compiled(source, f"-DPI={rows}")
            exact.update(self.runs(program, ranks))
            self.assertEqual(self.runs(program, ranks, "--reductions", "serial"), serial)
        self.assertEqual(len(exact), 1)
        for of_exact, of_serial in zip(exact.pop().split(), serial[0].split(), strict=True):
            self.assertAlmostEqual(float(of_exact) / float(of_serial), 1, delta=1e-4)


# Sums of rows and of all elements, in loops within loops that are split over one dimension of the nodes each.
ROWS = """#include <stdio.h>
#define N 11
double a[N][N], row[N];
long c[N][N], count[N];
#pragma xmp nodes p(PJ, PI)
#pragma xmp template t(0:N-1, 0:N-1)
#pragma xmp distribute t(block, block) onto p
#pragma xmp align a[i][j] with t(j, i)
#pragma xmp align c[i][j] with t(j, i)
#pragma xmp align row[i] with t(*, i)
#pragma xmp align count[i] with t(*, i)
int main(void) {
  double all = 0.5, rows = 0;
  long whole = 3, most = 0;
#pragma xmp loop (j, i) on t(j, i)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = (c[i][j] = i * 10 + j) / 7.0;
#pragma xmp loop (i) on t(*, i)
DEVICE
  for (int i = 0; i < N; i++) {
    double s = i;
    long q = 1;
#pragma xmp loop (j) on t(j, *) reduction(+:s) reduction(+:q)
    for (int j = 0; j < N; j++) {
      s += a[i][j];
      q += c[i][j];
    }
    row[i] = s;
    count[i] = q;
  }
#pragma xmp loop (i) on t(*, i) reduction(+:all, whole) reduction(max:most)
  for (int i = 0; i < N; i++) {
    if (count[i] > most) most = count[i];
#pragma xmp loop (j) on t(j, *) INNER
    for (int j = 0; j < N; j++) {
      all += a[i][j] * (i + 1);
      whole += c[i][j] * (j + 1);
    }
  }
#pragma xmp loop (i) on t(*, i) reduction(+:rows)
  for (int i = 0; i < N; i++) rows += row[i] * (i + 1);
#pragma xmp task on p(1, 1)
  printf("%.12g %ld %ld %.12g\\n", all, whole, most, rows);
  return 0;
}
"""


class Rows(XaccTest):
    def test_sums_are_those_of_the_nodes_that_have_parts_of_them(self):
        for device in ("", "#pragma acc parallel loop"):
            for inner in ("", "reduction(+:all, whole)"):
                source = self.file("rows.c", ROWS.replace("DEVICE", device).replace("INNER", inner))
                serial = self.serial(source)
                for rows, columns in [(1, 1), (1, 2), (2, 1), (3, 2), (4, 3)]:
                    program = self.compiled(source, f"-DPI={rows}", f"-DPJ={columns}")
                    ranks = rows * columns
                    self.assertEqual(self.runs(program, ranks), serial)
                    self.assertEqual(self.runs(program, ranks, "--reductions", "serial"), serial)
                    if rows == 3:
                        for network in NETWORKS:
                            lines = self.runs(program, ranks, "--cluster", network)
                            self.assertEqual(lines[:1], serial)
                            self.assertEqual(lines, self.runs(program, ranks, "--cluster", network))


# A template that is longer than its array at both ends, so that the first and the last nodes may have no elements.
LONGER = """#include <stdio.h>
#define N 10
long a[N];
#pragma xmp nodes p(*)
#pragma xmp template t(-9:N+1)
#pragma xmp distribute t(block) onto p
#pragma xmp align a[i] with t(i)
#pragma xmp shadow a[1]
int main(void) {
  long s = 0, wrong = 0;
#pragma xmp loop (i) on t(i)
  for (int i = 0; i < N; i++) a[i] = i + 1;
#pragma xmp reflect (a)
#pragma xmp loop (i) on t(i) reduction(+:s)
  for (int i = 1; i < N - 1; i++) s += a[i - 1] + 100 * a[i + 1];
#ifdef _XCALABLEMP
#pragma xmp reflect (a) width(/periodic/1)
#pragma xmp loop (i) on t(i) reduction(+:wrong)
  for (int i = 0; i < N; i++) wrong += (a[i - 1] != (i + N - 1) % N + 1) + (a[i + 1] != (i + 1) % N + 1);
#endif
#pragma xmp task on p(1)
  printf("%ld %ld\\n", s, wrong);
  return 0;
}
"""


class Longer(XaccTest):
    def test_nodes_without_elements_stand_in_no_ones_way(self):
        source = self.file("longer.c", LONGER)
        program = self.compiled(source)
        for ranks in (1, 2, 3, 4, 5, 7):
            self.assertEqual(self.runs(program, ranks), self.serial(source), ranks)


# Blocks of 2, 2 and 1 element on three nodes.
NARROW = """#define N 5
long a[N];
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align a[i] with t(i)
#pragma xmp shadow a[2]
int main(void) {
#pragma xmp reflect (a)
  return 0;
}
"""


class Narrow(XaccTest):
    def test_a_width_beyond_a_nodes_elements_is_refused_with_their_number(self):
        program = self.compiled(self.file("narrow.c", NARROW))
        self.assertIn("a width of 2:2 in dimension 0 of 'a' is refused: a node has 1 element there; use fewer nodes",
                      self.outcome(program, 3).stderr)


# A full shadow in the faster of two dimensions, whose blocks differ.
GATHER = """#include <stdio.h>
long x[3][N];
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align x[*][i] with t(i)
#pragma xmp shadow x[0][*]
int main(void) {
  long wrong = 0;
  int i;
#pragma xmp loop (i) on t(i)
  for (i = 0; i < N; i++) x[0][i] = x[1][i] = x[2][i] = i;
#pragma xmp reflect (x)
  for (i = 0; i < N; i++) wrong += (x[0][i] != i) + (x[1][i] != i) + (x[2][i] != i);
#pragma xmp reduction (+: wrong)
#pragma xmp task on p(1)
  printf("%ld wrong\\n", wrong);
  return 0;
}
"""


class FullShadow(XaccTest):
    def test_all_nodes_have_all_elements(self):
        source = self.file("gather.c", GATHER)
        for size in (1, 7, 12):
            program = self.compiled(source, f"-DN={size}")
            for ranks in (1, 3, 4):
                self.assertEqual(self.runs(program, ranks), ["0 wrong"])

    def test_elements_of_others_may_not_be_written(self):
        source = self.file("gather.c", GATHER.replace("wrong = 0;", "wrong = 0; x[1][5] = 1;"))
        done = self.outcome(self.compiled(source, "-DN=8"), 2)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 0: 'x' is written with subscript 5 in dimension 1: a node writes its own elements only, here 0 to 3; "
                      "those of its shadow, 0 to 7 with them, are only read", done.stderr)

    def test_all_gathers_take_the_time_of_the_network(self):
        # Few bytes go in two steps, many of them round a ring.
        for size in (304, 16384):
            program = self.compiled(self.file("gather.c", GATHER), f"-DN={size}")
            line = self.runs(program, 4, "--cluster", "infiniband-ddr-64")[-1]
            halos = float(re.search(r"halos (\S+) \(1 exchanges\)", line).group(1))
            report = json.loads(self.succeeds("net", "allgather", "--network", "infiniband-ddr-64", "--nodes", "4", "--bytes",
                                              str(3 * size // 4 * 8), "--executor", "closed-form", "--json", "-").out)
            self.assertAlmostEqual(halos, 1e6 * report["emulated_seconds"], delta=0.001)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
