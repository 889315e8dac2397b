#!/usr/bin/env python3
"""gdr judge as students and lecturers meet it, and the references in NumPy.

    course_test.py GDR PROJECT [TestCase...]
"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test  # noqa: E402

NAMES = ("mass", "moment", "inertia", "nearest", "neighbours", "product", "histogram", "total", "potential", "pairs", "gravity",
         "jerk")
MOMENT = """kernel moment
bvar long  xj elt
bvar short mj elt
var vector long xi     hlt
var vector long moment rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt moment
loop body
  fsub xj xi $lt
  fmul $lti mj $lt
  fadd moment $lti moment
"""


def exercises():
    return cli_test.PROJECT / "course" / "exercises"


class Verdicts(cli_test.CliTest):
    def judged(self, status, exercise, source, *more, name="kernel.vsm"):
        """The report, and the first line that is printed."""
        report = self.scratch / "report.json"
        done = cli_test.gdr("judge", exercise, self.file(name, source), "--json", report, *more)
        self.assertEqual(done.status, status, done.out + done.err)
        return json.loads(report.read_text()), done.out.splitlines()[0]

    def test_accepted_is_status_0(self):
        report, line = self.judged(0, "moment", MOMENT)
        self.assertEqual(line, "ACCEPTED moment")
        self.assertEqual((report["verdict"], report["accepted"], report["lines"], report["least_lines"],
                          report["clocks_per_iteration"], report["par"]),
                         ("ACCEPTED", True, 3, 3, 32, 3))
        self.assertRegex(report["hash"], "^[0-9a-f]{64}$")
        self.assertEqual((report["tool"], report["exact"], report["bound"]), ("gdr judge", True, "idp"))
        self.assertEqual(self.succeeds("judge", "moment", self.scratch / "kernel.vsm", "--quiet").out, "")

    def test_wrong_answer_is_status_3_with_the_place_of_the_largest_error(self):
        report, line = self.judged(3, "moment", MOMENT.replace("fsub xj xi", "fsub xi xj"))
        self.assertRegex(line, r"^WRONG ANSWER moment: moment of i-particle \d+ in (the shown data|hidden case \d) .*is .* instead of ")
        self.assertEqual(report["worst"]["column"], "moment")
        self.assertAlmostEqual(report["worst"]["got"], -report["worst"]["wanted"], places=4)

    def test_compile_error_is_status_4_with_messages(self):
        report, line = self.judged(4, "moment", MOMENT.replace("fmul", "fmull"))
        self.assertEqual(line, "COMPILE ERROR moment: the source has errors")
        self.assertIn("kernel.vsm:11:14: error:", report["messages"])
        self.assertIsNone(report["lines"])

    def test_run_error_is_status_5(self):
        report, line = self.judged(5, "mass", MOMENT)
        self.assertEqual(line, "RUN ERROR mass: in the shown data: the kernel has no result 'mass'")
        self.assertIsNone(report["worst"])

    def test_limit_is_status_6(self):
        solution = (exercises() / "gravity" / "solution.vsm").read_text()
        _, line = self.judged(6, "gravity", solution.replace("loop body\n", "loop body\n  nop\n"))
        self.assertEqual(line, "LIMIT gravity: all results are right, but the kernel has 28 lines; 27 are allowed")

    def test_a_kernel_in_cxx_is_judged_too(self):
        source = """#include <gdr/kernel.h>
struct I { double xi; };
struct J { double xj; float mj; };
struct Result { double moment; };
void moment(const I& i, const J& j, Result& result) { result.moment += (j.xj - i.xi) * j.mj; }
"""
        done = cli_test.gdr("judge", "moment", self.file("k.cc", source))
        if done.lacks_a_library() or "clang++" in done.err:
            self.skipTest(done.err.strip())
        self.assertEqual(done.status, 0, done.out + done.err)
        self.assertIn("3 in the loop body", done.out)
        report, line = self.judged(4, "moment", source.replace("j.xj", "j.yj"), name="wrong.cc")
        self.assertEqual(line, "COMPILE ERROR moment: the source has errors")

    def test_the_seed_changes_the_hidden_data_and_the_hash(self):
        one, _ = self.judged(0, "moment", MOMENT)
        same, _ = self.judged(0, "2", MOMENT)
        two, _ = self.judged(0, "moment", MOMENT, "--seed", "2")
        self.assertEqual(one["hash"], same["hash"])
        self.assertNotEqual(one["hash"], two["hash"])
        self.assertNotEqual(one["results_sha256"], two["results_sha256"])

    def test_mistakes_of_the_command_line_are_no_verdicts(self):
        kernel = self.file("k.vsm", MOMENT)
        self.ends(2, ["exercise 'moments' is unknown: it must be a number from 1 to 12, or one of mass, moment,"], "judge", "moments",
                  kernel)
        self.ends(2, ["a kernel is a source"], "judge", "moment", self.file("k.txt", MOMENT))
        self.ends(1, ["none.vsm"], "judge", "moment", self.scratch / "none.vsm")
        self.ends(2, ["--case: 6 is refused: exercise moment has cases 0 to 5"], "judge", "moment", "--data", self.scratch / "d",
                  "--case", "6")
        self.ends(2, ["--hint: 4 is refused: exercise moment has 3 hints"], "judge", "moment", "--hint", "4")


class Teaching(cli_test.CliTest):
    def test_exercises_are_listed_in_order(self):
        lines = self.succeeds("judge").out.splitlines()
        self.assertEqual([line.split()[1] for line in lines[1:]], list(NAMES))

    def test_task_hints_and_solution_are_shown(self):
        self.assertEqual(self.succeeds("judge", "3").out, (exercises() / "inertia" / "task.md").read_text())
        self.assertIn("T:", self.succeeds("judge", "moment", "--hint", "3").out)
        self.assertEqual(self.succeeds("judge", "moment", "--solution").out, (exercises() / "moment" / "solution.vsm").read_text())

    def test_data_of_a_case_run_with_gdr_run(self):
        self.succeeds("judge", "moment", "--data", self.scratch / "d")
        shown = exercises() / "moment" / "shown"
        for name in ("i.csv", "j.csv", "results.csv"):
            self.assertEqual((self.scratch / "d" / name).read_text(), (shown / name).read_text())
        done = self.succeeds("run", self.file("k.vsm", MOMENT), "--i", shown / "i.csv", "--j", shown / "j.csv")
        got = [float(line) for line in done.out.splitlines()[1:]]
        wanted = [float(line) for line in (shown / "results.csv").read_text().splitlines()[1:]]
        self.assertEqual(len(got), len(wanted))
        for a, b in zip(got, wanted):
            self.assertAlmostEqual(a, b, delta=1e-6)


class NumPy(cli_test.CliTest):
    """The references in NumPy against those in C++, on every case."""

    def test_both_references_agree(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")

        def read(path):
            if not path.exists():
                return {}
            names = path.read_text().splitlines()[0].split(",")
            rows = numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2).reshape(-1, len(names))
            return {name: rows[:, n] for n, name in enumerate(names)}

        for name in NAMES:
            spec = importlib.util.spec_from_file_location(name, exercises() / name / "reference.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            text = (exercises() / name / "exercise.toml").read_text()
            cases = re.findall(r"\{ ni = (\d+), nj = (\d+)(?:, eps2 = ([\d.]+))? \}", text)
            self.assertGreaterEqual(len(cases), 3, name)
            for number, (_, nj, eps2) in enumerate(cases):
                if nj == "0" and name != "total":
                    continue  # an empty file has no numbers for loadtxt
                folder = self.scratch / f"{name}{number}"
                self.succeeds("judge", name, "--data", folder, "--case", number)
                got = module.reference(read(folder / "i.csv"), read(folder / "j.csv"), {"eps2": float(eps2)} if eps2 else {})
                wanted = read(folder / "results.csv")
                self.assertEqual(sorted(got), sorted(wanted), name)
                for column, values in wanted.items():
                    numpy.testing.assert_allclose(got[column], values, rtol=1e-10, atol=1e-11, err_msg=f"{name} {number} {column}")


class Autograder(cli_test.CliTest):
    """docs/examples/autograder as a lecturer uses it."""

    def graded(self, *files):
        folder = self.scratch / "work"
        shutil.copytree(cli_test.PROJECT / "docs" / "examples" / "autograder", folder)
        for name, text in files:
            (folder / "submissions" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "submissions" / name).write_text(text)
        return subprocess.run(["sh", folder / "grade.sh"], cwd=folder, capture_output=True, text=True, check=False,
                              env={"PATH": f"{pathlib.Path(cli_test.GDR).parent}:/usr/bin:/bin"}), folder

    def test_right_kernels_pass_and_are_scored(self):
        done, folder = self.graded(("moment.vsm", MOMENT))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((folder / "grades.csv").read_text().splitlines(), ["exercise,verdict,lines,par", "moment,ACCEPTED,3,3"])

    def test_one_wrong_kernel_fails_the_job(self):
        done, folder = self.graded(("mass.vsm", MOMENT))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("mass,RUN ERROR,3,2", (folder / "grades.csv").read_text())


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
