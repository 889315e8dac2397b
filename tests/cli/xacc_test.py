#!/usr/bin/env python3
"""gdr cc --xacc: programs with directives of XcalableMP and OpenACC under MPI, against the same programs without them.

    xacc_test.py GDR PROJECT [TestCase...]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "ASAN_OPTIONS": "detect_leaks=0"}
NETWORKS = ["ha-pacs-tca", "infiniband-ddr-64", "torus-64"]


class XaccTest(cli_test.CliTest):
    def compiled(self, source, *options):
        output = self.scratch / "program"
        self.succeeds("cc", "--xacc", source, "-o", output, *options)
        return output

    def outcome(self, program, ranks, *arguments, **variables):
        """What the ranks print is in their order: mpirun itself may print a part of one rank's line within another's."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")} | ENVIRONMENT | variables
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["mpirun", "--oversubscribe", "--output-filename", folder, "-np", str(ranks), program, *arguments],
                                  capture_output=True, text=True, env=environment, check=False, timeout=300)
            written = sorted(pathlib.Path(folder).glob("*/rank.*/stdout"))
            done.stdout = "".join(file.read_text(encoding="utf-8") for file in written)
        return done

    def runs(self, program, ranks, *arguments, **variables):
        done = self.outcome(program, ranks, *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def serial(self, source, *options):
        """What the program prints without its directives."""
        program = self.scratch / "serial"
        subprocess.run(["cc", "-O2", "-w", source, "-o", program, *options], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()

    def compares_splits(self, source, names, splits, number):
        """Arrays have the serial program's bits, sums have one value for all splits, or the serial program's digits."""
        serial = self.serial(source)
        exact = set()
        for split in splits:
            program = self.compiled(source, *(f"-D{name}={value}" for name, value in zip(names, split, strict=True)))
            ranks = split[0] * split[1]
            lines = self.runs(program, ranks)
            self.assertEqual(len(lines), 1)
            self.assertEqual(lines[0].split("bits")[1], serial[0].split("bits")[1], split)
            exact.add(lines[0])
            self.assertEqual(self.runs(program, ranks, "--reductions", "serial"), serial, split)
        self.assertEqual(len(exact), 1)
        # The sum that is rounded once differs from the serial program's by roundings alone.
        of_exact, of_serial = (float(re.search(number, line).group(1)) for line in (exact.pop(), serial[0]))
        self.assertAlmostEqual(of_exact / of_serial, 1, delta=1e-4)


class Laplace(XaccTest):
    def test_all_splits_give_the_serial_programs_array_and_one_sum(self):
        source = cli_test.PROJECT / "kernels/xacc/laplace.c"
        self.compares_splits(source, ["PI", "PJ"], [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (4, 4)], r"change (\S+),")

    def test_halos_take_the_planners_time(self):
        source = cli_test.PROJECT / "kernels/xacc/laplace.c"
        program = self.compiled(source, "-DPI=2", "-DPJ=2")
        first, time = self.runs(program, 4, "--cluster", "ha-pacs-tca")
        self.assertIn("bits of u", first)
        halos = float(re.search(r"halos (\S+) \(10 exchanges\)", time).group(1))
        plan = json.loads(self.succeeds("net", "halo", "--extent", "60,84", "--split", "2,2", "--element", "8", "--json", "-").out)
        self.assertAlmostEqual(halos / 10, 1e6 * plan["emulated_seconds"], delta=1e-3)


class Himeno(XaccTest):
    def test_all_splits_give_the_serial_programs_array_and_one_residual(self):
        source = cli_test.PROJECT / "kernels/xacc/himeno.c"
        self.compares_splits(source, ["PX", "PY"], [(1, 1), (2, 1), (2, 2), (4, 4)], r"gosa (\S+),")

    def test_the_clock_tells_the_time_on_three_networks(self):
        source = cli_test.PROJECT / "kernels/xacc/himeno.c"
        program = self.compiled(source, "-DPX=2", "-DPY=2")
        halos = {}
        for network in NETWORKS:
            lines = self.runs(program, 4, "--cluster", network)
            self.assertEqual(lines, self.runs(program, 4, "--cluster", network))  # the same time in every run
            self.assertTrue(lines[1].startswith(f"4 ranks on {network}: "))
            # 9 of 17 planes and rows, 8 of them inside; 64 bytes a point at 125 GB/s; 3 steps.
            self.assertIn(f"loops {3 * 8 * 8 * 31 * 64 / 125e3:.3f},", lines[1])
            halos[network] = re.search(r"halos (\S+) ", lines[1]).group(1)
        self.assertEqual(len(set(halos.values())), 3)
        self.assertIn("1 rank on torus-64: ", self.runs(self.compiled(source), 1, "--cluster", "torus-64")[1])


# Arrays as parameters, of functions that exchange halos, that are called with arrays in turn, and that pass them on.
PARAMETERS = """#include <stdio.h>
#include <string.h>
#define NI 61
#define NJ 83
double u[NI][NJ], w[NI][NJ];
#pragma xmp nodes p(PJ, PI)
#pragma xmp template t(0:NJ-1, 0:NI-1)
#pragma xmp distribute t(block, block) onto p
#pragma xmp align u[i][j] with t(j, i)
#pragma xmp align w[i][j] with t(j, i)
#pragma xmp shadow u[1][1]
#pragma xmp shadow w[1][1]
double relaxed(double from[NI][NJ], double to[NI][NJ], double weight);
void fill(double x[NI][NJ]) {
#pragma xmp align x[i][j] with t(j, i)
#pragma xmp shadow x[1][1]
#pragma xmp loop (j, i) on t(j, i)
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) x[i][j] = (i * 31 + j * 17) % 23 / 7.0;
}
static void both(double first[NI][NJ], double u[NI][NJ]) {
#pragma xmp align first[i][j] with t(j, i)
#pragma xmp shadow first[1][1]
#pragma xmp align u[i][j] with t(j, i)
#pragma xmp shadow u[1][1]
  fill(first);
  fill(u);
}
double relaxed(double from[NI][NJ], double to[NI][NJ], double weight) {
#pragma xmp align from[i][j] with t(j, i)
#pragma xmp align to[i][j] with t(j, i)
#pragma xmp shadow from[1][1]
#pragma xmp shadow to[1][1]
  double change = 0;
#pragma xmp reflect (from)
#pragma xmp loop (j, i) on t(j, i) reduction(max: change)
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < NI - 1; i++)
    for (int j = 1; j < NJ - 1; j++) {
      to[i][j] = from[i][j] + weight * (from[i - 1][j - 1] + from[i + 1][j + 1] + from[i][j - 1] - 3 * from[i][j]);
      double d = to[i][j] - from[i][j];
      if (d * d > change) change = d * d;
    }
  return change;
}
int main(void) {
  double change = 0;
  both(u, w);
  for (int n = 0; n < 5; n++) {
    change = relaxed(u, w, 0.1);
    change += relaxed(w, u, 0.05);
  }
  unsigned long bits = 0;
#pragma xmp loop (j, i) on t(j, i) reduction(^: bits)
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      double x = u[i][j] * (1 + i) + j;
      unsigned long b;
      memcpy(&b, &x, 8);
      bits ^= b * (2 * i + 1) + j;
    }
#pragma xmp task on p(1, 1)
  printf("%.17g %016lx\\n", change, bits);
  return 0;
}
"""


class Parameters(XaccTest):
    def test_functions_compute_what_the_serial_program_does(self):
        source = self.file("parameters.c", PARAMETERS)
        serial = self.serial(source)
        halos = set()
        for rows, columns in [(1, 1), (2, 1), (2, 2), (1, 3)]:
            program = self.compiled(source, f"-DPI={rows}", f"-DPJ={columns}")
            self.assertEqual(self.runs(program, rows * columns), serial)
            lines = self.runs(program, rows * columns, "--cluster", "ha-pacs-tca")
            self.assertEqual(lines[:1], serial)
            halos.add(re.search(r"halos (\S+) \(10 exchanges\)", lines[1]).group(1))
        self.assertEqual(len(halos), 4)


# Forces of some i, with a sum over all pairs and the largest number; FROM and TO bound the loop.
PAIRS = """#include <stdio.h>
#ifndef TO
#define FROM 0
#define TO N
#endif
double x[N], f[2][N];
int near[N];
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align x[i] with t(i)
#pragma xmp align f[*][i] with t(i)
#pragma xmp align near[i] with t(i)
#pragma xmp shadow x[*]
int main(int argc, char** argv) {
  double sum = argc, softening = 0.01;
  int i, j, most = 0;
#pragma xmp loop (i) on t(i)
  for (i = 0; i < N; i++) x[i] = (i * 37 % 101) / 7.0;
#pragma xmp reflect (x)
#pragma xmp loop (i) on t(i) reduction(+:sum) reduction(max:most)
#pragma goose parallel for loopcounter(i, j) result(f[0..1][i], near[i], sum, most)
  for (i = FROM; i < TO; i++) {
    f[0][i] = f[1][i] = near[i] = 0;
    for (j = 0; j < N; j++) {
      double d = x[j] - x[i], r2 = d * d + softening;
      if (i == j) continue;
      f[0][i] += d / r2;
      f[1][i] += 1 / r2;
      if (r2 < 1) near[i] += 1;
      sum += d * d;
    }
    if (near[i] > most) most = near[i];
  }
  for (i = 0; i < N; i++) {
#pragma xmp task on t(i)
    printf("%d %a %a %d\\n", i, f[0][i], f[1][i], near[i]);
  }
#pragma xmp task on p(1)
  printf("sum %.17g, most %d\\n", sum, most);
  return 0;
}
"""


# A loop that reads elements beside its own, one that all nodes compute, and one in a task.
PLACES = """#include <stdio.h>
#define N 20
double x[N], f[N], w[N];
static double plain[N], all[N];
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align x[i] with t(i)
#pragma xmp align w[i] with t(i)
#pragma xmp align f[i] with t(i)
#pragma xmp shadow x[*]
#pragma xmp shadow w[1]
int main(void) {
  int i, j;
#pragma xmp loop (i) on t(i)
  for (i = 0; i < N; i++) x[i] = w[i] = i * i % 7;
#pragma xmp reflect (x, w)
  for (i = 0; i < N; i++) plain[i] = i * 0.5;
#pragma acc data copy(x)
  {
#pragma xmp loop (i) on t(i)
#pragma goose parallel for loopcounter(i, j) result(f[i])
  for (i = 1; i < N - 1; i++) {
    f[i] = 0;
    for (j = 0; j < N; j++) f[i] += (x[j] - w[i + 1]) * plain[j] * w[i - 1];
  }
  }
#pragma goose parallel for loopcounter(i, j) result(all[i])
  for (i = 0; i < N; i++) {
    all[i] = 0;
    for (j = 0; j < N; j++) all[i] += x[j] - x[i];
  }
  double s = 0, t = 0;
#pragma xmp loop (i) on t(i) reduction(+:s)
  for (i = 0; i < N; i++) s += f[i] * (i + 1);
  for (i = 0; i < N; i++) t += all[i] * i;
#pragma xmp task on p(1)
  {
#pragma goose parallel for loopcounter(i, j)
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) plain[i] += 1;
    printf("%.17g %.17g %g\\n", s, t, plain[3]);
  }
  return 0;
}
"""


class Board(XaccTest):
    """Loops that #pragma goose marks, on the emulated board of each rank."""

    def goose(self, source, *options, profile=False):
        """What the program prints as Goose's compiler makes it, without the other directives."""
        program = self.scratch / "goose"
        self.succeeds("cc", "--goose", source, "-o", program, *options)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
        if profile:
            environment["GDR_PROFILE"] = str(self.scratch / "profile.json")
        return subprocess.run([program], capture_output=True, text=True, env=environment, check=True).stdout.splitlines()

    def microseconds(self):
        """The emulated time that the latest run of goose() with a profile tells."""
        return 1e6 * json.loads((self.scratch / "profile.json").read_text())["emulated_seconds"]

    def test_forces_have_the_serial_programs_bits_on_any_number_of_ranks(self):
        source = cli_test.PROJECT / "kernels/xacc/nbody.c"
        serial = self.goose(source, profile=True)
        program = self.compiled(source)
        for ranks in (1, 2, 3, 4):
            lines = self.runs(program, ranks, "--cluster", "torus-64")
            self.assertEqual(lines[0], serial[0])
            if ranks == 1:
                self.assertIn(f"boards {self.microseconds():.3f}, ", lines[1])
            parts = [float(part) for part in re.findall(r" (\d+\.\d+)", lines[1])]
            self.assertAlmostEqual(parts[0], sum(parts[1:]), delta=0.004)
            self.assertEqual(lines, self.runs(program, ranks, "--cluster", "torus-64"))

    def test_blocks_of_any_size_sums_and_largest_numbers(self):
        source = self.file("pairs.c", PAIRS)
        for size, ranks in [(150, (1, 2, 4)), (5, (4,))]:  # four nodes have 2, 2, 1 and 0 of five elements
            program = self.compiled(source, f"-DN={size}")
            serial = self.goose(source, f"-DN={size}")
            sums = set()
            for number in ranks:
                lines = self.runs(program, number, "--reductions", "serial")
                self.assertEqual(sorted(lines), sorted(serial))
                sums.update(line for line in self.runs(program, number) if line.startswith("sum"))
            self.assertEqual(len(sums), 1)

    def test_loops_with_shadows_of_all_nodes_and_in_tasks(self):
        source = self.file("places.c", PLACES)
        serial = self.goose(source)
        program = self.compiled(source)
        for ranks in (1, 2, 4):
            self.assertEqual(self.runs(program, ranks), serial)

    def test_a_rank_takes_the_time_of_its_own_particles(self):
        source = self.file("pairs.c", PAIRS)
        program = self.compiled(source, "-DN=300")
        self.goose(source, "-DN=300", "-DFROM=0", "-DTO=150", profile=True)
        for network in NETWORKS:
            lines = self.runs(program, 2, "--cluster", network)  # those of two ranks, in any order
            clock = [line for line in lines if line.startswith(f"2 ranks on {network}: ")]
            self.assertEqual(len(clock), 1)
            self.assertIn(f"boards {self.microseconds():.3f}, ", clock[0])

    def test_computed_on_the_host_it_is_the_serial_program(self):
        source = self.file("pairs.c", PAIRS)
        program = self.compiled(source, "-DN=40")
        lines = self.runs(program, 2, "--reductions", "serial", GDR_GOOSE="host")
        self.assertEqual(sorted(lines), sorted(self.serial(source, "-DN=40")))

    def test_each_rank_has_its_own_profile(self):
        program = self.compiled(self.file("pairs.c", PAIRS), "-DN=40")
        self.runs(program, 2, GDR_PROFILE=str(self.scratch / "p.json"))
        self.assertEqual(sorted(path.name for path in self.scratch.glob("p*.json")), ["p-rank0.json", "p-rank1.json"])
        self.runs(program, 1, GDR_PROFILE=str(self.scratch / "one.json"))
        self.assertEqual([path.name for path in self.scratch.glob("one*")], ["one.json"])

    def test_kernels_are_reported_and_searched_for(self):
        source = cli_test.PROJECT / "kernels/xacc/nbody.c"
        line = source.read_text().split("#pragma goose")[0].count("\n") + 1
        output = self.scratch / "nbody.o"
        outcome = self.succeeds("cc", "--xacc", source, "-o", output, "-O1", "--seed", "7")
        self.assertRegex(outcome.out, rf"nbody.c:{line}: \d+ loop lines\n")
        report = json.loads(self.succeeds("cc", "--xacc", source, "-o", output, "-O1", "--seed", "7", "--json", "-").out)
        self.assertEqual((report["seed"], report["effort"]), (7, 1))
        self.assertEqual([one["line"] for one in report["loops"]], [line])


class Command(XaccTest):
    def test_functions_count_nodes_from_1_or_from_0(self):
        source = self.file("nodes.c", """#include <stdio.h>
#include <xmp.h>
#pragma xmp nodes p(*)
int main(void) {
  printf("%d %d %d %d %d %d\\n", xmp_node_num(), xmpc_node_num(), xmp_all_node_num(), xmpc_all_node_num(), xmp_num_nodes(),
         xmp_all_num_nodes());
  return xmp_wtime() < 0 || xmp_wtick() <= 0;
}
""")
        self.assertEqual(self.runs(self.compiled(source), 2), ["1 0 1 0 2 2", "2 1 2 1 2 2"])

    def test_options_of_other_compilations_are_refused(self):
        source = cli_test.PROJECT / "kernels/xacc/laplace.c"
        for option, told in [(["--goose"], "--goose and --xacc"), (["--emit", "vsm"], "--emit"), (["-O3"], "-O"),
                             (["--seed", "7"], "--seed"), (["--precision"], "--precision"), (["--function", "f"], "--function")]:
            self.ends(2, [told], "cc", "--xacc", source, *option)
        self.ends(1, ["is no C file"], "cc", "--xacc", self.file("program.cc", "int main() {}\n"))

    def test_errors_are_in_json_and_the_program_in_its_file(self):
        wrong = self.file("wrong.c", "int main(void) {\n#pragma xmp array\n  return 0;\n}\n")
        outcome = self.ends(1, [f"{wrong}:2:13: error: the directive xmp array is not taken"], "cc", "--xacc", wrong)
        self.assertEqual(outcome.out, "")
        output = self.scratch / "laplace.c"
        report = json.loads(self.succeeds("cc", "--xacc", cli_test.PROJECT / "kernels/xacc/laplace.c", "-o", output, "--json", "-").out)
        self.assertEqual((report["output"], report["diagnostics"]), (str(output), []))
        self.assertIn("gdr_xmp_reflect_do(1, ", output.read_text(encoding="utf-8"))


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
