#!/usr/bin/env python3
"""Commands that take a kernel: how a source is assembled for them, standard streams, what is shown of packed lines.

    kernel_files_test.py GDR PROJECT [TestCase...]
"""

import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

KERNEL = """kernel chosen
include "own.vsm"
bvar long xj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
reg a $lr8v
reg b $lr16v
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi a
  nop
  nop
  fmul a factor b
  nop
  nop
  repeat k = 0..times-1
  fadd sum $lr{16+k-k}v sum
  nop
  end
"""


class KernelFiles(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        folder = self.scratch / "own"
        folder.mkdir()
        (folder / "own.vsm").write_text("const factor_is = 1\n", encoding="utf-8")
        self.kernel = self.file("chosen.vsm", KERNEL.replace("factor", "fs\"2\""))
        self.i, self.j = self.file("i.csv", "xi\n1\n2\n"), self.file("j.csv", "xj\n5\n")
        self.data = ["--i", self.i, "--j", self.j]
        self.options = ["-I", folder, "-D", "times=2"]


class Assembling(KernelFiles):
    def test_every_command_takes_what_the_assembler_takes(self):
        self.ends(1, ["'own.vsm' is not found"], "run", self.kernel, *self.data)
        self.ends(1, ["'times' is no name of a whole number known here"], "run", self.kernel, *self.data, *self.options[:2])
        self.assertEqual(self.succeeds("run", self.kernel, *self.data, *self.options).out, "sum\n16\n12\n")
        for more in (["--schedule"], ["--schedule=full"], ["--schedule=full", "--pipeline"]):
            self.assertEqual(self.succeeds("run", self.kernel, *self.data, *self.options, *more).out, "sum\n16\n12\n", more)
        script = self.file("look", "end\nprint sum\n")
        self.assertIn("sum = 16", self.succeeds("debug", self.kernel, *self.data, *self.options, "--script", script).out)

        def lines(command, *more):
            report = json.loads(self.succeeds(command, self.kernel, *self.options, *more, "--json", "-").out)
            return report["lines"]["loop_body"] if command == "as" else report["lines"]
        for more in ([], ["--schedule"], ["--schedule=full"]):
            self.assertEqual(lines("analyse", *more), lines("as", *more))
        self.assertLess(lines("as", "--schedule=full"), lines("as"))

    def test_a_packed_kernel_is_stepped_through_line_by_line(self):
        script = self.file("look", "pair i=0 j=0\nstep 2\nwhere\n")
        shown = self.succeeds("debug", self.kernel, *self.data, *self.options, "--schedule", "--script", script).out
        self.assertIn("line 2", shown)
        self.assertIn("\n  (waits)\n", self.succeeds("debug", self.kernel, *self.data, *self.options, "--schedule", "--script",
                                                     self.file("look", "pair i=0 j=0\nstep 1\n")).out)

    def test_warnings_are_chosen(self):
        unused = self.file("unused.vsm", "kernel u\nbvar long xj elt\nbvar long spare elt\nvar vector long sum rrn flt72to64 fadd\n"
                           "loop initialization\n  uxor $lt $lt $lt\n  upassa $lti sum\nloop body\n  nop\n  fadd sum xj sum\n")
        j = self.file("both.csv", "xj,spare\n1,2\n")
        self.assertIn("-Wunused", self.succeeds("run", unused, "--j", j).err)
        self.assertNotIn("-Wunused", self.succeeds("run", unused, "--j", j, "-Wno-unused").err)
        for command in (["run", unused, "--j", j], ["debug", unused, "--j", j], ["analyse", unused]):
            self.ends(1, ["-Werror=unused", "not assembled"], *command, "-Werror=unused")

    def test_options_without_effect_are_refused(self):
        packed = self.scratch / "chosen.gdro"
        self.succeeds("as", self.kernel, *self.options, "-o", packed)
        for option in (["-D", "times=3"], ["-I", "."], ["-Wall"], ["--compat-il"], ["--schedule"]):
            name = option[0][:2] if option[0].startswith("-W") else option[0]
            for command in (["run", packed, *self.data], ["debug", packed, *self.data], ["analyse", packed]):
                self.ends(2, [f"{name}: has no effect on {packed}, which is assembled already"], *command, *option)
        for command in (["run", "tutorial", *self.data], ["debug", "tutorial", *self.data], ["analyse", "tutorial"]):
            self.ends(2, ["-I: has no effect on", "which includes no file"], *command, "-I", ".")
        source = self.file("pair.cc", "int none;\n")
        self.ends(2, ["--schedule: has no effect on", "whose compiler writes and packs the lines"], "run", source, "--schedule")

    def test_names_that_are_given_twice_are_refused(self):
        for command in (["run", self.kernel, *self.data], ["debug", self.kernel, *self.data], ["analyse", self.kernel],
                        ["as", self.kernel]):
            self.ends(2, ["-D: times is given twice, as times=2 and times=3"], *command, *self.options, "-D", "times=3")
        source = self.file("pair.cc", "int none;\n")
        self.ends(2, ["-D: a is given twice, as a and a=0"], "cc", source, "-D", "a", "-D", "a=0")
        self.ends(2, ["--param: ti is given twice, as ti=1 and ti=5"],
                  "run", "gravity_jerk", *self.data, "--param", "ti=1", "--param", "ti=5")

    def test_kernels_that_come_with_gdr_have_names(self):
        data = ["--i", self.i, "--j", self.file("jm.csv", "xj,mj\n5,1\n")]
        self.assertEqual(self.succeeds("run", "tutorial", *data).out, self.succeeds("run", cli_test.PROJECT / "kernels/tutorial.vsm", *data).out)
        self.assertIn("kernel tutorial:", self.succeeds("analyse", "tutorial").out)
        self.ends(2, ["'nosuch'", "tutorial"], "run", "nosuch", *data)
        for name in ("tutorial.vsm", "kernels/tutorial.vsm"):  # from anywhere, as examples of the help say
            self.assertEqual(self.succeeds("run", name, *data, cwd=self.scratch).out, self.succeeds("run", "tutorial", *data).out)
        self.succeeds("as", "tutorial", cwd=self.scratch)
        self.assertEqual(self.succeeds("force", "-n", "16", "--kernel", "gravity.vsm", "--quiet").out, "")
        self.ends(2, ["did you mean 'tutorial'?"], "run", "tutorail", *data)
        self.ends(1, ["did you mean 'tutorial'?"], "run", "tutorail.vsm", *data)


class Streams(KernelFiles):
    def test_tables_come_from_standard_input_and_go_to_standard_output(self):
        run = ["run", self.kernel, *self.options]
        wanted = self.succeeds(*run, *self.data).out
        self.assertEqual(self.succeeds(*run, "--i", self.i, "--j", "-", "--output", "-", stdin=self.j.read_text()).out, wanted)
        self.assertEqual(self.succeeds(*run, "--i", "-", "--j", self.j, stdin=self.i.read_text()).out, wanted)
        self.ends(2, ["--i and --j both read standard input"], *run, "--i", "-", "--j", "-")
        self.ends(2, ["--output and --json both go to standard output"], *run, *self.data, "--output", "-", "--json", "-")
        self.assertFalse(pathlib.Path("-").exists())

    def test_an_object_goes_to_standard_output(self):
        packed = self.scratch / "chosen.gdro"
        self.succeeds("as", self.kernel, *self.options, "-o", packed)
        done = subprocess.run([cli_test.GDR, "as", self.kernel, *map(str, self.options), "-o", "-"], capture_output=True, check=True)
        self.assertEqual(done.stdout, packed.read_bytes())

    def test_scripts_that_cannot_be_read_are_errors(self):
        done = self.gdr_on_data("debug", "--script", self.scratch)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"gdr: {self.scratch}:1: this line cannot be read", done.stderr)
        folder = os.open(self.scratch, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        done = self.gdr_on_data("debug", stdin=folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("gdr: standard input:1: this line cannot be read", done.stderr)

    def test_the_formats_that_the_help_names_are_written_and_read(self):
        text = " ".join(self.succeeds("run", "--help").out.split())
        formats = [re.search(rf"{what}([A-Z, ]+ or [A-Z]+) ", text)[1] for what in ("i-data: ", "j-data: ", "to this file, ")]
        self.assertEqual(formats, ["CSV, NPY or NPZ"] * 3)
        copy = self.file("copy.vsm", "kernel copy\nvar vector long sum hlt\nvar vector long same rrn\nloop initialization\n"
                                     "  upassa sum same\nloop body\n  nop\n")
        begins = {"CSV": b"sum", "NPY": b"\x93NUMPY", "NPZ": b"PK"}
        for name in re.findall("[A-Z]+", formats[0]):
            table = self.scratch / f"sums.{name.lower()}"
            self.succeeds("run", self.kernel, *self.data, *self.options, "--output", table, "--quiet")
            self.assertTrue(table.read_bytes().startswith(begins[name]), name)
            packed = self.scratch / f"{table.name}.gz"
            packed.write_bytes(gzip.compress(table.read_bytes()))
            for file in (table, packed):
                self.assertEqual(self.succeeds("run", copy, "--i", file).out, "same\n16\n12\n", file)

    def test_packed_tables_that_fill_the_memory_are_refused(self):
        bomb = self.scratch / "bomb.csv"
        bomb.write_bytes(gzip.compress(bytes(1 << 26)) * 17)
        self.ends(1, [f"{bomb}: {bomb.stat().st_size} packed bytes make more than {1 << 30}, as no table or snapshot does"], "run",
                  self.kernel, *self.options, "--i", self.i, "--j", bomb)

    def gdr_on_data(self, command, *arguments, **options):
        return subprocess.run([cli_test.GDR, command, *(str(one) for one in [self.kernel, *self.options, *self.data, *arguments])],
                              capture_output=True, text=True, check=False, **{"stdin": subprocess.DEVNULL, **options})

    def test_sources_without_an_end_are_refused(self):
        limit = "a source has no more than 16777216 bytes"
        self.ends(1, ["/dev/zero", limit], "as", "/dev/zero")
        large = self.scratch / "large.vsm"
        with large.open("wb") as file:
            file.truncate((16 << 20) + 1)
        self.ends(1, ["large.vsm", limit], "as", large)
        pipe = self.scratch / "pipe.vsm"
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", f"printf 'kernel k\\nloop body\\n  nop\\n' > '{pipe}'"]):
            self.assertIn("k: 1 loop line, ", self.succeeds("as", pipe).out)


class PackedLines(KernelFiles):
    def test_a_line_that_waits_shows_no_other_line_s_text(self):
        listing = self.succeeds("as", self.kernel, *self.options, "--schedule", "--listing", "-").out
        body = listing[listing.index("loop body"):]
        waiting = re.findall(r"^ +\d+ +\d+  \.\.\.\.  [0-9a-f]+  (.*)$", body, re.MULTILINE)
        self.assertGreater(len(waiting), 0)
        self.assertEqual(set(waiting), {"(waits)"})

    def test_lines_of_repeats_show_what_they_stand_for(self):
        self.assertIn("fadd sum $lr16v sum\n", self.succeeds("as", self.kernel, *self.options, "--listing", "-").out)
        profile, trace = self.scratch / "p.json", self.scratch / "t.json"
        self.succeeds("run", self.kernel, *self.data, *self.options, "--schedule", "--profile", profile, "--trace", trace)
        texts = [each["text"].strip() for each in json.loads(profile.read_text())["lines"]]
        self.assertIn("fadd sum $lr16v sum", texts)
        self.assertIn("(waits)", texts)
        names = {each["name"] for each in json.loads(trace.read_text())["traceEvents"]}
        self.assertIn("line chosen.vsm:19: fadd sum $lr16v sum", names)
        self.assertIn("line chosen.vsm:15: fmul a fs\"2\" b", names)


class Manual(cli_test.CliTest):
    def test_every_command_has_a_page_with_all_that_its_help_says(self):
        folder = self.scratch / "share/man/man1"  # is made
        self.succeeds("manual", folder)
        pages = {page.name for page in folder.iterdir()}
        for words in cli_test.subcommands():
            self.assertIn("-".join(["gdr", *words]) + ".1", pages)
            page = (folder / ("-".join(["gdr", *words]) + ".1")).read_text(encoding="utf-8").replace("\\-", "-")
            told = cli_test.gdr(*words, "--help").out
            options = re.findall(r"^  (-[^ ,\n]+(?:, -[^ ,\n]+)*)", told, re.MULTILINE)
            self.assertGreater(len(options), 0)
            for option in options:
                for name in re.sub(r"\[.*", "", option).split(", "):
                    self.assertIn(f"\\fB{name}\\fR", page)
            self.assertIn(told.split("Example:\n")[1].strip(), page.replace("\\e", "\\"))
        self.assertIn("gdr-net.1", pages)
        self.assertIn("\\fBgdr\\-net\\fR(1)", (folder / "gdr.1").read_text(encoding="utf-8"))
        self.assertIn("\\fB\\-\\-schedule\\fR[=\\fIlist|full\\fR]", (folder / "gdr-as.1").read_text(encoding="utf-8"))

    def test_a_folder_that_cannot_be_made_is_refused(self):
        (self.scratch / "file").write_text("")
        self.ends(1, ["file/man1: cannot be made: Not a directory"], "manual", self.scratch / "file/man1")

    def test_pages_have_the_date_of_their_sources(self):
        # 2026-11-27 12:00:00 UTC, by `date --utc --date=@SECONDS`.
        self.succeeds("manual", self.scratch, environment={"SOURCE_DATE_EPOCH": "1795780800"})
        for page in self.scratch.glob("*.1"):
            self.assertIn(' 1 "2026-11-27" "gdr ', page.read_text(encoding="utf-8").split("\n")[0])
        for refused in ("yesterday", "-1", "1.5", "253402300800"):
            self.ends(1, [f"SOURCE_DATE_EPOCH: '{refused}' is refused: it must be a whole number of seconds, 0 to 253402300799"],
                      "manual", self.scratch, environment={"SOURCE_DATE_EPOCH": refused})

    def test_pages_name_files_variables_and_the_pages_beside_them(self):
        self.succeeds("manual", self.scratch)
        program = (self.scratch / "gdr.1").read_text(encoding="utf-8")
        variables = re.findall(r"^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|", (cli_test.PROJECT / "docs/reference/cli.md").read_text(encoding="utf-8"), re.MULTILINE)
        named = set(re.findall(r"`([A-Z_]+)`", " ".join(variables)))
        self.assertIn("GDR_DATA_DIR", named)
        self.assertLess({name for name in re.findall(r"\\fB([A-Z_]{2,})\\fR", program)}, named)
        self.assertIn(".SH FILES\n", program)
        page = (self.scratch / "gdr-fp-eval.1").read_text(encoding="utf-8").replace("\\-", "-")
        self.assertIn(".SH SEE ALSO\n\\fBgdr\\fR(1), \\fBgdr-fp\\fR(1), \\fBgdr-fp-show\\fR(1)\n", page)

    def test_pages_are_clean(self):
        if subprocess.run(["sh", "-c", "command -v groff"], capture_output=True).returncode != 0:
            self.skipTest("needs groff")
        self.succeeds("manual", self.scratch)
        pages = sorted(self.scratch.glob("*.1"))
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", *pages], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
