#!/usr/bin/env python3
"""gdr cc as its users meet it: from a formula to results, and what short words cost on data.

    cc_test.py GDR PROJECT [TestCase...]
"""

import json
import os
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

# d loses the 2^-30 of y - x where x is 0, and keeps it where x is 1.
LSUMP = "/VARI x;\n/VARJ y, m;\n/VARF s;\nd = y - x;\ns += long(d) * m;\n"
Y = 1 + 2.0**-30


class Precision(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        self.kernel = self.file("pair.lsump", LSUMP)
        self.i, self.j = self.file("i.csv", "x\n0\n1\n"), self.file("j.csv", f"m,y\n1,{Y!r}\n")
        self.data = ["--i", self.i, "--j", self.j]

    def test_costs_are_told_operation_by_operation(self):
        lines = self.succeeds("cc", self.kernel, "--precision", *self.data).out.splitlines()
        self.assertEqual(lines[2], "results of 2 i-particles on 1 j-particle, against the host's doubles")
        self.assertEqual(lines[3].split(), ["lines", "result", "rms", "max"])
        self.assertEqual(lines[4].split()[-3:], ["s", "6.6e-10", "9.3e-10"])  # 2^-30 / sqrt(2), 2^-30
        self.assertEqual(lines[5].split()[-3:], ["s", "0.0e+00", "0.0e+00"])
        self.assertEqual(lines[7], "how results change when one short operation alone is long")
        self.assertEqual(lines[9].split(), ["4:5", "short", "sub", "d", "1", "s", "6.6e-10", "9.3e-10"])
        self.assertEqual({line.split()[1] for line in lines[10:]}, {"long"})

    def test_the_report_is_in_json(self):
        report = json.loads(self.succeeds("cc", self.kernel, "--precision", *self.data, "--json", "-").out)
        costs = report["precision_report"]
        self.assertEqual((costs["ni"], costs["nj"]), (2, 1))
        self.assertEqual(costs["as_written"]["lines"], report["lines"]["loop_body"])
        self.assertEqual(costs["as_written"]["errors"][0]["max"], 2.0**-30 / Y)
        self.assertEqual(costs["long_where_possible"]["lines"], costs["as_written"]["lines"] + 1)
        first = costs["operations"][0]
        self.assertEqual([first[key] for key in ("operation", "name", "line", "width", "lines_saved", "estimated")],
                         ["sub", "d", 4, "short", 1, False])
        self.assertEqual(first["errors"], costs["as_written"]["errors"])
        self.assertIsNone(json.loads(self.succeeds("cc", self.kernel, "--precision", "--json", "-").out)["precision_report"])

    def test_data_are_wanted_as_run_wants_them(self):
        self.ends(2, ["--i requires --precision"], "cc", self.kernel, *self.data)
        self.ends(2, ["--j is missing: kernel pair takes a file with such data"], "cc", self.kernel, "--precision", *self.data[:2])
        self.ends(2, ["--param and --ignore-extra take --i and --j"], "cc", self.kernel, "--precision", "--ignore-extra")
        self.ends(2, ["kernel pair has no parameter 'a'"], "cc", self.kernel, "--precision", *self.data, "--param", "a=1")
        wrong = self.file("wrong.csv", "m\n1\n")
        self.ends(1, [f"{wrong}:1: missing column y"], "cc", self.kernel, "--precision", "--i", self.i, "--j", wrong)


class WhereItIsUsed(cli_test.CliTest):
    """run, debug, profile and analyse compile a function as gdr cc does, by the same options."""

    def setUp(self):
        super().setUp()
        self.kernel = self.file("root.lsump", "/VARI x;\n/VARJ y;\n/VARF s;\ns += sqrt(short(x * y));\n")
        self.data = ["--i", self.file("i.csv", "x\n0\n4\n"), "--j", self.file("j.csv", "y\n1\n")]

    def test_every_choice_gives_the_results(self):
        run = ["run", self.kernel, *self.data, "--quiet", "--output", "-"]
        self.assertEqual(self.succeeds(*run).out, "s\n0\n2\n")
        for options in (["-O1"], ["-O3", "--seed", "5"], ["--function", "root"], ["--fast"]):
            self.assertEqual(self.succeeds(*run, *options).out, "s\n0\n2\n")

    def test_reports_tell_the_options(self):
        report = json.loads(self.succeeds("run", self.kernel, *self.data, "-O1", "--seed", "7", "--fast", "--json", "-").out)
        self.assertEqual(report["compiled"], {"effort": 1, "seed": 7, "fast": True})
        report = json.loads(self.succeeds("analyse", self.kernel, "--json", "-").out)
        self.assertEqual(report["compiled"], {"effort": 2, "seed": 1, "fast": False})
        self.assertIsNone(json.loads(self.succeeds("analyse", "gravity", "--json", "-").out)["compiled"])

    def test_lines_are_those_of_cc(self):
        kernel = self.file("quotient.lsump", "/VARI x;\n/VARJ y;\n/VARF s;\ns += exp(short(x)) / short(x * y);\n")
        found = []
        for options in ([], ["--fast"]):
            lines = json.loads(self.succeeds("cc", kernel, *options, "--json", "-").out)["lines"]["loop_body"]
            report = json.loads(self.succeeds("analyse", kernel, *options, "--json", "-").out)
            self.assertEqual(report["lines"], lines)
            found.append(lines)
        self.assertLess(found[1], found[0])

    def test_kernels_that_are_not_compiled_refuse_them(self):
        for option in (["-O3"], ["--seed", "2"], ["--fast"], ["--function", "f"]):
            given = option[0].rstrip("3")
            told = f"{given}: has no effect on gravity, which is not compiled; it goes with C++ and LSUMP"
            self.ends(2, [told], "analyse", "gravity", *option)
            self.ends(2, [told], "run", "gravity", *option)

    def test_the_judge_compiles_by_them(self):
        kernel = self.file("two.cc", "struct I { float x; };\nstruct J { float y; };\nstruct F { float s; };\n"
                           "void first(const I& i, const J& j, F& f) { f.s += i.x / j.y; }\n"
                           "void second(const I& i, const J& j, F& f) { f.s += i.x / j.y; }\n")
        lines = []
        for options in ([], ["--fast"], ["--fast", "-O1"]):
            told = self.ends(5, [], "judge", "moment", kernel, "--function", "second", *options).out
            lines.append(int(told.split("lines")[1].split()[0]))
        self.assertLess(lines[1], lines[0])
        self.assertLessEqual(lines[1], lines[2])
        source = self.file("empty.vsm", "")
        told = f"--fast: has no effect on {source}, which is not compiled; it goes with C++ and LSUMP"
        self.ends(2, [told], "judge", "moment", source, "--fast")


PAIR = """struct I { double x; int n; };
struct J { double x; float m; };
struct F { double sum; };
struct P { double scale; };
void pair(const I& i, const J& j, F& f, const P& p) {
  f.sum += (j.x - i.x) * j.m * p.scale + i.n;
}
"""


class NamesOfCmath(cli_test.CliTest):
    """clang first runs without the bodies of <cmath>'s special functions: names mean what they mean with them."""

    def setUp(self):
        super().setUp()
        outcome = cli_test.gdr("cc", self.file("pair.cc", PAIR))
        if "clang" in outcome.err or "gdr_import" in outcome.err:
            self.skipTest(outcome.err.strip())

    def sum_of(self, lines, i, j):
        source = self.file("names.cc", "#include <cmath>\n" + lines)
        return self.succeeds("run", source, "--i", self.file("i.csv", f"ni\n{i}\n"), "--j", self.file("j.csv", f"nj\n{j}\n")).out

    def pairs_of(self, number, value):
        return (f"struct I {{ {number} ni; }}; struct J {{ {number} nj; }}; struct F {{ double a = 0; }};\n"
                f"void f(const I& i, const J& j, F& f) {{ f.a += {value}; }}\n")

    def test_overloads_of_the_source_and_of_the_library_are_chosen_as_on_the_host(self):
        own = "using namespace std;\ninline double min(double a, double b) { return a < b ? a : b; }\n"
        self.assertEqual(self.sum_of(own + self.pairs_of("int", "min(i.ni, j.nj) / 2"), 3, 5).split(), ["a", "1"])

    def test_what_comes_with_them_is_there(self):
        self.assertEqual(self.sum_of(self.pairs_of("double", "std::max(i.ni, j.nj)"), 3, 5).split(), ["a", "5"])
        known = "#ifndef __cpp_lib_math_special_functions\n#error unknown\n#endif\n"
        self.assertEqual(self.sum_of(known + self.pairs_of("double", "i.ni * j.nj"), 3, 5).split(), ["a", "15"])

    def test_the_librarys_beta_hides_one_of_the_source_for_floats(self):
        own = "using namespace std;\ninline double beta(double a, double b) { return a / b; }\n"
        source = self.file("beta.cc", "#include <cmath>\n" + own + self.pairs_of("float", "beta(i.ni, j.nj)"))
        self.ends(1, ["the machine has no NaN"], "cc", source, "-o", self.scratch / "beta.vsm")
        self.assertEqual(self.sum_of(own + self.pairs_of("double", "beta(i.ni, j.nj)"), 3, 2).split(), ["a", "1.5"])

    def test_one_that_is_called_is_compiled_and_told_by_what_it_needs(self):
        legendre = self.file("legendre.cc", "#include <cmath>\n" + self.pairs_of("double", "std::legendre(1, i.ni) + j.nj"))
        self.ends(1, ["the machine has no NaN"], "cc", legendre, "-o", self.scratch / "legendre.vsm")


class FromAFormula(cli_test.CliTest):
    """`gdr run pair.cc --i i.csv --j j.csv`, the first time."""

    def setUp(self):
        super().setUp()
        self.kernel = self.file("pair.cc", PAIR)
        self.i, self.j = self.file("i.csv", "xi,n\n0,1\n"), self.file("j.csv", "xj,m\n1,2\n")
        self.scale = ["--param", "scale=3"]
        outcome = cli_test.gdr("cc", self.kernel)
        if "clang" in outcome.err or "gdr_import" in outcome.err:
            self.skipTest(outcome.err.strip())

    def run_with(self, i=None, j=None):
        i = self.i if i is None else self.file("wrong.csv", i)
        j = self.j if j is None else self.file("wrong.csv", j)
        return ["run", self.kernel, "--i", i, "--j", j, *self.scale]

    def test_results_come_in_one_command(self):
        self.assertEqual(self.succeeds(*self.run_with()).out, "sum\n7\n")

    def test_an_array_of_parameters_is_its_words(self):
        polynomial = PAIR.replace("double scale;", "double c[3]; float unused[2];").replace(
            "(j.x - i.x) * j.m * p.scale + i.n", "(p.c[0] + p.c[1] * i.n + p.c[2] * i.n * i.n) * j.m + (j.x - i.x)")
        self.kernel = self.file("polynomial.cc", polynomial)
        self.scale = [f"--param={one}" for one in ("c_0=5", "c_1=7", "c_2=11", "unused_0=0", "unused_1=0")]
        self.assertEqual(self.succeeds(*self.run_with(i="xi,n\n0,1\n0.5,3\n")).out,
                         f"sum\n{(5 + 7 + 11) * 2 + 1}\n{(5 + 21 + 99) * 2 + 0.5}\n")

    def test_wrong_tables_are_refused_at_their_place(self):
        wrong = self.scratch / "wrong.csv"
        for table, text, message in [
            ("j", "xj\n1\n", f"gdr: {wrong}:1: missing column m (expected: xj, m)\n"),
            ("j", "xj,m,q\n1,2,3\n", f"gdr: {wrong}:1: unknown column 'q' (expected: xj, m)\n"),
            ("j", "xj,m\n1,2\n1,nan\n", f"gdr: {wrong}:3: column 'm': 'nan' is not a number, which the machine does not have\n"),
            ("j", "xj,m\n1,abc\n", f"gdr: {wrong}:2: column 'm': 'abc' is no number\n"),
            ("j", "xj,m\n1\n", f"gdr: {wrong}:2: 1 fields where the header has 2\n"),
            ("i", "xi,n\n1,2.5\n", f"gdr: {wrong}:2: column 'n': '2.5' is no integer\n"),
            ("i", "xi,n\n1,99999999999\n",
             f"gdr: {wrong}:2: column 'n': '99999999999' is outside -2147483648 to 2147483647\n"),
            ("i", "", f"gdr: {wrong}: the file is empty: its first line must hold the names of the columns\n"),
        ]:
            self.assertEqual(self.ends(1, [], *self.run_with(**{table: text})).err, message)

    def test_wrong_command_lines_are_refused(self):
        for more, message in [
            (["--nosuch"], "gdr: unknown option '--nosuch'\nTry 'gdr run --help'.\n"),
            (["--param", "scle=2"], "gdr: --param: kernel pair has no parameter 'scle' (known: scale); did you mean 'scale'?\n"),
            (["--param", "scale=x"],
             "gdr: --param: 'scale=x' is refused: it must be NAME=NUMBER with a number in the range of a double\n"),
        ]:
            self.assertEqual(self.ends(2, [], *self.run_with(), *more).err, message)
        self.scale = []
        missing = "gdr: --param scale=NUMBER is missing: kernel pair takes that parameter\n"
        self.assertEqual(self.ends(2, [], *self.run_with()).err, missing)
        self.assertEqual(self.ends(2, [], "cc", self.kernel, "--precision", "--i", self.i, "--j", self.j).err, missing)
        self.assertEqual(self.ends(2, [], "run", self.kernel, "--param", "scale=1", "--i", self.i).err,
                         "gdr: --j is missing: kernel pair takes a file with such data\n")

    def test_wrong_functions_are_told_at_their_place(self):
        self.kernel = self.file("pair.cc", PAIR.replace("j.m", "j.mass"))
        told = self.ends(1, [], *self.run_with()).err
        self.assertTrue(told.startswith(f"{self.kernel}:6:28: error: no member named 'mass' in 'J'\n"), told)
        self.kernel = self.file("pair.cc", PAIR.replace("f.sum +=", "f.sum ="))
        told = self.ends(1, [], *self.run_with()).err
        self.assertTrue(told.startswith(f"{self.kernel}:6:9: error: a result must be accumulated: f.x += ..."), told)

    def test_places_are_told_in_full_from_a_folder_beside_the_source(self):
        self.kernel = self.file("pair.cc", PAIR.replace("f.sum +=", "f.sum ="))
        beside = self.scratch / "beside"
        beside.mkdir()
        told = self.ends(1, [], *self.run_with(), cwd=beside).err
        self.assertTrue(told.startswith(f"{self.kernel}:6:9: error: a result must be accumulated"), told)

    def test_a_name_like_an_option_is_a_file_all_the_same(self):
        expected = self.succeeds("cc", "pair.cc", cwd=self.scratch).out
        for name in ["-fplugin=pair.cc", "-pair.cc"]:
            with self.subTest(name=name):
                self.file(name, PAIR)
                self.assertEqual(self.succeeds("cc", "--", name, cwd=self.scratch).out.replace(f"./{name}", "pair.cc"), expected)
        (self.scratch / "@folder").mkdir()
        self.file("@folder/pair.cc", PAIR)
        self.succeeds("cc", "@folder/pair.cc", cwd=self.scratch)

    def test_a_name_like_a_file_of_arguments_is_refused(self):
        # clang would load a plug-in, and run it, that such a file names.
        self.file("@options.cc", f"-fplugin={self.scratch}/none.so pair.cc\n")
        for name in ["@options.cc", "./@options.cc", self.scratch / "@options.cc"]:
            for command in ["cc", "run", "analyse"]:
                with self.subTest(name=name, command=command):
                    told = self.ends(1, [], command, name, cwd=self.scratch).err
                    self.assertEqual(told, f"gdr: {name}: clang takes a name that begins with @ for a file of arguments: give the "
                                           "source another name\n")


LOOP = """void sums(int ni, int nj, const double *x, const double *m, double *s) {
#pragma goose parallel for loopcounter(i, j) precision("double") result(s[i])
  for (int i = 0; i < ni; i++) {
    s[i] = 0;
    for (int j = 0; j < nj; j++) s[i] += m[j] * (x[j] - x[i]);
  }
}
"""


class NamesOfGooseFiles(cli_test.CliTest):
    def test_like_arguments_are_files_all_the_same(self):
        self.file("loop.c", LOOP)
        outcome = cli_test.gdr("cc", "--goose", "loop.c", "-o", "loop.o", cwd=self.scratch)
        if outcome.status != 0:
            self.skipTest(outcome.err.strip())
        for name, made in [("@loop.c", "a.o"), ("-fplugin=loop.c", "b.o"), ("loop.c", "@c.o")]:
            with self.subTest(name=name, made=made):
                self.file(name, LOOP)
                if made == "@c.o":
                    self.file(made, "-fplugin=none.so")
                self.succeeds("cc", "--goose", "-o", made, "--", name, cwd=self.scratch)
                self.assertTrue((self.scratch / made).read_bytes().startswith(b"\x7fELF"))


class Pipes(cli_test.CliTest):
    """A pipe gives a source once; whoever opens it a second time waits for ever."""

    def pipe(self, name, text):
        path = self.scratch / name
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=(text,), daemon=True).start()
        return path

    def test_a_pair_function_comes_through_one(self):
        formula = (cli_test.PROJECT / "kernels/cc/gravity.cc").read_text(encoding="utf-8")
        name = self.file("gravity.cc", formula)
        from_file = self.succeeds("cc", name, "-o", "-").out
        os.remove(name)
        self.assertEqual(self.succeeds("cc", self.pipe("gravity.cc", formula), "-o", "-").out, from_file)

    def test_errors_have_the_name_and_the_lines_of_it(self):
        wrong = "#include <gdr/kernel.h>\nint f() {\n  return x;\n}\n"
        outcome = self.ends(1, [], "cc", self.pipe("wrong.cc", wrong))
        self.assertIn(f"{self.scratch}/wrong.cc:3:10: error: use of undeclared identifier 'x'", outcome.err)

    def test_programs_with_marked_loops_come_through_one(self):
        for option, source, head in [("--goose", LOOP, "gdr_goose_"),
                                     ("--xacc", (cli_test.PROJECT / "kernels/xacc/nbody.c").read_text(encoding="utf-8"), "gdr_xmp_")]:
            with self.subTest(option=option):
                self.assertIn(head, self.succeeds("cc", option, self.pipe(f"program{option}.c", source), "-o", "-").out)

    def test_what_compiles_twice_wants_a_file(self):
        data = self.file("data.csv", "x\n1\n")
        self.ends(2, ["gravity.cc' is refused: --precision with --i and --j compiles the source again"], "cc",
                  self.pipe("gravity.cc", ""), "--precision", "--i", data, "--j", data)


class Clang(cli_test.CliTest):
    def test_empty_names_are_refused(self):
        # The compiler would take the next argument for the name.
        source = cli_test.PROJECT / "kernels/cc/gravity.cc"
        self.ends(2, ["-D: '' is refused: it must be NAME=VALUE, or NAME for NAME=1"], "cc", source, "-D", "")
        self.ends(2, ["-I: '' is refused: it must be a directory"], "cc", source, "-I", "")

    def test_one_that_a_signal_ends_is_told_as_that(self):
        self.succeeds("cc", cli_test.PROJECT / "kernels/cc/gravity.cc")
        killed = self.file("killed", "#!/bin/sh\nkill -9 $$\n")
        killed.chmod(0o755)
        outcome = self.ends(1, [f"{killed} was ended by signal 9 (Killed)"], "cc", cli_test.PROJECT / "kernels/cc/gravity.cc",
                            environment={"GDR_CLANG": str(killed)})
        self.assertNotIn("does not compile", outcome.err)

    def test_definitions_behind_dashes_reach_the_loops(self):
        source = self.file("loop.c", LOOP.replace("m[j] *", "WEIGHT * m[j] *"))
        for words in [["-DWEIGHT=2"], ["-D", "WEIGHT=2"]]:
            self.succeeds("cc", "--goose", source, "-o", self.scratch / "loop.o", "--", *words)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
