#!/usr/bin/env python3
"""The program gdr as its users meet it: exit statuses, messages, JSON, files.

    cli_test.py GDR PROJECT [TestCase...]

GDR is the built program, PROJECT the folder with kernels/, machines/ and docs/. Each TestCase is a test of CTest.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()


class Outcome:
    """Exit status, standard output and standard error of a command."""

    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def lacks_a_library(self):
        """Was gdr built without a library that the command needs?"""
        return "gdr was built without" in self.err or "is not found or does not load" in self.err


def gdr(*arguments, stdin="", data=None, environment=(), cwd=None):
    """Runs gdr in the folder `cwd`, with none of the caller's variables GDR_..., but with those of `environment`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")} | dict(environment)
    if data is not None:
        environment["GDR_DATA_DIR"] = str(data)
    command = [GDR, *(str(argument) for argument in arguments)]
    return Outcome(subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, cwd=cwd, check=False))


class CliTest(unittest.TestCase):
    """A scratch directory of its own, and what tests expect of a command."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def file(self, name, text):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def succeeds(self, *arguments, **options):
        outcome = gdr(*arguments, **options)
        if outcome.lacks_a_library():
            self.skipTest(outcome.err.strip())
        self.assertEqual(outcome.status, 0, f"{arguments}: {outcome.err}")
        return outcome

    def ends(self, status, expected, *arguments, **options):
        """The command ends with `status`, says each text of `expected` on standard error, and leaves no crash behind."""
        outcome = gdr(*arguments, **options)
        self.assertEqual(outcome.status, status, f"{arguments}: {outcome.out}{outcome.err}")
        for text in expected:
            self.assertIn(text, outcome.err, arguments)
        return outcome


def commands_in(help_text):
    """The commands that a help lists; none for that of a command that has none within it."""
    usage, _, rest = help_text.partition("Usage:")[2].partition("\n")
    if not usage.endswith(" COMMAND"):
        return []
    return re.findall(r"^  ([a-z]\S*) ", rest.split("\nOptions:")[0], re.MULTILINE)


def subcommands():
    """Every subcommand, as the program's own help lists them."""
    names = []
    for name in commands_in(gdr("--help").out):
        if name in ("help", "version"):  # they stand for options of the program
            continue
        inner = commands_in(gdr(name, "--help").out)
        names += [[name, sub] for sub in inner] or [[name]]
    return names


class ExitStatus(CliTest):
    def test_help_says_what_an_option_takes(self):
        text = self.succeeds("net", "pingpong", "--help").out
        for told in (
            "--count N descriptors in the chain (1 to 1048576; default: 1) --",
            "--from cpu|gpu memory to read from (default: cpu) --",
            "--bytes NUMBER size of a message, of a descriptor if there are several (0 to 1000000000000 bytes; required) --",
        ):
            self.assertIn(" " + told, " ".join(text.split()))
        text = self.succeeds("nbody", "--help", environment={"COLUMNS": "120"}).out
        text = re.sub(r"\n +", " ", text) + "\n"
        self.assertIn("(1e-06 to 10; default: 0.1; not with --from-block-sizes) ", text)
        self.assertIn("Henon units (required) ", text)
        self.assertIn("seed of everything random; the same seed gives the same result (default: 1; not with --in; not with --restart; not with --from-block-sizes) ", text)

    def test_help_of_every_subcommand_has_an_example_that_begins_with_it(self):
        names = subcommands()
        self.assertIn(["fp", "eval"], names)
        self.assertIn(["validate"], names)
        for name in names:
            text = self.succeeds(*name, "--help").out
            self.assertIn("Example:", text, name)
            self.assertIn("gdr " + " ".join(name), text.split("Example:")[1], name)

    def test_the_page_of_commands_has_a_row_for_every_subcommand(self):
        rows = [line for line in (PROJECT / "docs/reference/cli.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `gdr ")]
        for name in subcommands():
            self.assertTrue(any(f"`gdr {' '.join(name)}`" in row for row in rows), f"docs/reference/cli.md: no row for gdr {' '.join(name)}")

    def test_every_subcommand_that_is_declared_is_in_the_help(self):
        sources = {path: path.read_text(encoding="utf-8") for path in (PROJECT / "cli/src").rglob("*.*")}
        for path, text in sources.items():
            for adds in re.findall(r"^void (add_\w+)\(Command (?:program|[a-z]+)(?:, const std::string& name)?\);", text, re.M):
                uses = [other for other, lines in sources.items()
                        if re.search(rf"(?<!void ){adds}\b(?!\(Command )", lines) and other.suffix == ".cpp"]
                self.assertTrue(uses, f"{path}: {adds}() is in no list of commands")

    def test_version_is_told(self):
        self.assertRegex(self.succeeds("--version").out, r"^gdr \d+\.\d+\.\d+$")

    def test_wrong_command_lines_end_with_2_and_a_hint(self):
        for arguments, hint in [
            (["nosuch"], "Try 'gdr --help'"),
            (["fp"], "Try 'gdr fp --help'"),
            (["fp", "nosuch"], "Try 'gdr fp --help'"),
            (["force"], "Try 'gdr force --help'"),
            (["force", "-n", "16", "--nosuch"], "--nosuch"),
            (["force", "-n", "16", "extra"], "extra"),
            (["machine", "show"], "name"),
        ]:
            self.ends(2, [hint], *arguments)

    def test_refused_values_name_option_value_and_what_is_allowed(self):
        for arguments, expected in [
            (["force", "-n", "16", "--engine", "fast"], ["--engine", "fast", "reference", "simd"]),
            (["force", "-n", "16", "--boards", "0"], ["--boards", "0", "from 1 to 64"]),
            (["force", "-n", "16", "--boards", "65"], ["--boards", "65", "from 1 to 64"]),
            (["force", "-n", "16", "--clock", "-3"], ["--clock", "-3", "from 1 to 10000"]),
            (["force", "-n", "16", "--transfer", "2010"], ["--transfer", "2010", "2009", "ideal"]),
            (["force", "-n", "0"], ["--n", "0", "from 2 to 4194304"]),
            (["force", "-n", "1"], ["--n", "1", "from 2 to 4194304"]),
            (["force", "-n", "many"], ["--n", "many", "from 2 to 4194304"]),
            (["force", "-n", "3.5"], ["--n", "3.5", "whole number from 2 to 4194304"]),
            (["force", "-n", "16", "--threads", "1.5"], ["--threads", "1.5", "whole number from 0 to 1024"]),
            (["force", "-n", "16", "--seed", "-1"], ["--seed", "-1", "whole number from 0 to 18446744073709551615"]),
            (["force", "-n", "16", "--seed", "abc"], ["--seed", "abc", "whole number from 0 to"]),
            (["force", "-n", "16", "--seed", "010"], ["--seed", "010", "whole number from 0 to"]),
            (["force", "-n", "16", "--seed", str(2**64)], ["--seed", str(2**64), "whole number from 0 to"]),
            (["nbody", "--plummer", "8", "--t-end", "0", "--seed", "-1"], ["--seed", "-1", "whole number"]),
            (["dgemm", "-m", "8", "-n", "8", "-k", "8", "--seed", "-1"], ["--seed", "-1", "whole number"]),
            (["dgemm", "-m", "8", "-n", "8", "-k", "8", "--seed", "010"], ["--seed", "010", "whole number"]),
            (["hpl", "--n", "64", "--nb", "16", "--seed", "-1"], ["--seed", "-1", "whole number"]),
            (["hpl", "--n", "64", "--nb", "16", "--seed", "010"], ["--seed", "010", "whole number"]),
            (["net", "summa", "--nodes", "8"], ["8 is refused: it must be a square"]),
            (["net", "summa", "--algorithm", "CA4", "--layout", "2.5d"], ["--algorithm CA4 --layout 2.5d"]),
            (["net", "bcast", "--nodes", "0"], ["--nodes", "0 is refused", "1 to"]),
            (["net", "bcast", "--topology", "torus", "--routing", "source"], ["routing: source is refused"]),
            (["net", "himeno", "--split", "3,8,1"], ["--split", "3 of dimension 0", "64 elements"]),
            (["net", "himeno", "--nodes", "4", "--method", "mv2gdr"], ["--nodes", "--method"]),
            (["net", "laplace", "--nodes", "4", "--method", "tca"], ["--nodes", "--method"]),
            (["net", "halo", "--extent", "10,10", "--split", "3,1"], ["--split", "3 of dimension 0", "10 elements"]),
            (["run", "kernel.vsm", "-o", "results.h5"], ["--output", "results.h5 is refused", "CSV, not as .h5"]),
            (["run", "kernel.vsm", "--break", "k.vsm:1", "--at", "1.5"], ["--at", "1.5", "whole number from 1 to"]),
            (["force", "-n", "16", "--kernel", "nosuch"], ["--kernel", "nosuch", "gravity_jerk"]),
            (["fp", "eval", "--engine", "native"], ["--engine", "native", "reference", "simd"]),
            (["fp", "show", "1.5x"], ["1.5x"]),
            (["fp", "show", "nan"], ["nan"]),
            (["validate", "--only", "X9"], ["--only", "X9", "G1", "N15"]),
            (["explain", "E9999"], ["E9999"]),
            (["run", "kernel.txt"], ["kernel.txt", ".vsm"]),
        ]:
            self.ends(2, expected, *arguments)

    def test_threads_that_the_host_does_not_start_are_named(self):
        def with_little_memory(*arguments):
            limit = 400 * 1024 * 1024  # less than the stacks of 100 threads
            return subprocess.run([GDR, *arguments], capture_output=True, text=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        if with_little_memory("--version").returncode != 0:
            self.skipTest("sanitizers need more memory")
        done = with_little_memory("force", "-n", "64", "--threads", "100")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"gdr: 100 host threads are refused: this process can have \d+: ")

    def test_networks_that_a_command_cannot_use_are_not_offered(self):
        for arguments, offered, others in [
            (["net", "bcast", "--network", "nosuch"], ["torus-64", "optical-hub-64"], ["peach2", "mvapich2", "smpi-factors"]),
            (["net", "cost", "--network", "nosuch"], ["optical-hub-cost-1d"], ["torus-64"]),
            (["net", "bcast", "--factors", "nosuch"], ["smpi-factors"], ["torus-64"]),
            (["net", "pingpong", "--method", "pio", "--bytes", "8", "--machine", "nosuch"], ["peach2", "ha-pacs-tca"], ["torus-64"]),
        ]:
            outcome = gdr(*arguments)
            if outcome.lacks_a_library():
                continue
            self.assertEqual(outcome.status, 2, outcome.err)
            for name in offered:
                self.assertIn(name, outcome.err)
            for name in others:
                self.assertNotIn(name, outcome.err)

    def test_outputs_are_tried_before_anything_is_computed(self):
        i = self.file("i.csv", "xi\n" + "1\n" * 200000)
        j = self.file("j.csv", "xj,mj\n" + "2,1\n" * 200000)
        source = PROJECT / "kernels/tutorial.vsm"
        run = ["run", source, "--i", i, "--j", j]  # each of these takes minutes or hours
        force = ["force", "-n", 4194304]
        for command, options in [
            (run, ["--output", "--json", "--trace", "--profile"]),
            (force, ["--json", "--trace", "--profile"]),
            (["dgemm", "-m", 40000, "-n", 40000, "-k", 2048], ["--json"]),
            (["hpl", "--n", 30000, "--nb", 64], ["--json"]),
            (["selftest", "--programs", 100000000], ["--json"]),
            (["net", "map", "--graph", "bruck", "--topology", "torus:32x32x32", "--method", "refined", "--effort", 100],
             ["--json", "--picture", "--rankfile", "--save-map", "--save-graph"]),
            (["as", source], ["-o", "--listing", "--json"]),
            (["analyse", source], ["--html", "--json"]),
        ]:
            for option in options:
                with self.subTest(command=command, option=option):
                    nowhere = self.scratch / "no" / ("x.svg" if option == "--picture" else "x.json")
                    outcome = self.ends(1, [f"{nowhere}: cannot be written: No such file"], *command, option, nowhere)
                    self.assertEqual(outcome.out, "")
        before = sorted(self.scratch.iterdir())
        same = self.scratch / "same.json"
        for command, one, other in [(run, "--output", "--json"), (force, "--trace", "--profile"), (["as", source], "-o", "--listing")]:
            self.ends(2, [f"{same}: named for two outputs"], *command, one, same, other, self.scratch / "." / "same.json")
        self.ends(2, ["--json and --html both go to standard output"], "analyse", source, "--html", "-", "--json", "-")
        self.assertEqual(sorted(self.scratch.iterdir()), before)

    def test_input_that_cannot_be_read_is_no_empty_input(self):
        for opened in (str(self.scratch), None):  # a folder, and nothing at all
            with self.subTest(stdin=opened):
                descriptor = os.open(opened, os.O_RDONLY) if opened else None
                done = subprocess.run([GDR, "fp", "eval"], stdin=descriptor, capture_output=True, text=True, check=False,
                                      preexec_fn=None if opened else lambda: os.close(0))
                if descriptor is not None:
                    os.close(descriptor)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("standard input cannot be read", done.stderr)
        self.assertEqual(self.succeeds("fp", "eval", stdin="").out, "")

    def test_block_sizes_are_refused_unless_finite_and_ascending(self):
        def refused(rows, expected):
            table = self.file("blocks.csv", "n,size,blocks\n" + rows)
            self.ends(1, [f"{table}:", expected], "nbody", "--engine", "timing", "--plummer", "4096", "--t-end", "1",
                      "--from-block-sizes", table)
        for number in ("inf", "nan", "1e999", "-1", "0"):
            refused(f"1024,{number},2\n2048,5,2\n", "finite and above 0")
        refused("2048,10,2\n1024,5,2\n", "n = 1024 is refused: it must be at least the 2048")
        refused("1024,10,2\n2048,5,2\n1024,5,2\n", "n = 1024 is refused")

    def test_unknown_machine_is_refused_with_the_names_known(self):
        for arguments in [
            ["machine", "show", "model9"],
            ["force", "-n", "16", "--machine", "model9"],
            ["nbody", "--plummer", "8", "--t-end", "0", "--machine", "model9"],
            ["run", PROJECT / "kernels/tutorial.vsm", "--machine", "model9"],
        ]:
            self.ends(2, ["'model9'", "model1800", "model450", ".toml"], *arguments)
            self.ends(2, ["'' is refused: a value is missing"], *arguments[:-1], "")

    def test_unknown_commands_are_named_with_the_one_that_was_meant(self):
        for arguments, unknown, nearest in [
            (["forse"], "forse", "force"),
            (["nbdy", "--plummer", "8"], "nbdy", "nbody"),
            (["fp", "shwo"], "shwo", "show"),
            (["machine", "lst"], "lst", "list"),
        ]:
            self.ends(2, [f"unknown command '{unknown}'", f"did you mean '{nearest}'?"], *arguments)

    def test_options_without_effect_are_refused(self):
        restart = ["nbody", "--restart", "missing.check", "--t-end", "1"]
        plummer = ["nbody", "--plummer", "8", "--t-end", "0"]
        for arguments, expected in [
            ([*restart, "--seed", "2"], ["--restart", "--seed"]),
            (["nbody", "--in", "missing.dat", "--t-end", "1", "--seed", "2"], ["--in", "--seed"]),
            ([*plummer, "--out-every", "0.5"], ["--out-every", "--output", "--log", "--checkpoint"]),
            (["run", "kernel.vsm", "--dump", "pe:1"], ["--dump", "--break"]),
            (["run", "kernel.vsm", "--at", "2"], ["--at", "--break"]),
        ]:
            self.ends(2, expected, *arguments)

    def test_output_that_cannot_be_written_ends_with_1(self):
        for arguments in (["--help"], ["--version"], ["machine", "list"], ["fp", "show", "1.5", "--json", "-"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([GDR, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("gdr: ", done.stderr, arguments)

    def test_missing_files_end_with_1_and_are_named(self):
        for arguments in [
            ["as", "missing.vsm"],
            ["run", "missing.vsm"],
            ["run", "missing.gdro"],
            ["objdump", "missing.gdro"],
            ["machine", "show", "missing.toml"],
            ["nbody", "--in", "missing.dat", "--t-end", "1"],
        ]:
            self.ends(1, [arguments[-1] if "--in" not in arguments else "missing.dat"], *arguments)


class Rounding(CliTest):
    def test_what_a_loaded_library_leaves_the_processor_rounding_does_not_matter(self):
        run = ("nbody", "--plummer", "32", "--t-end", "0.125", "--quiet", "--json", "-")
        own = json.loads(self.succeeds(*run).out)
        other = json.loads(self.succeeds(*run, environment={"LD_PRELOAD": os.environ["GDR_TEST_ROUNDING"]}).out)
        for field in ("state_hash", "steps", "energy_error"):
            self.assertEqual(own[field], other[field], field)


class JsonReport(CliTest):
    FIELDS = ("tool", "version", "machine", "engine", "exact", "emulated_seconds", "emulated_gflops", "host_seconds",
              "clocks", "counters")

    def test_standard_output_holds_the_object_alone(self):
        i = self.file("i.csv", "xi\n0\n")
        j = self.file("j.csv", "xj,mj\n1,2\n")
        for arguments in [
            ["force", "-n", "16", "--engine", "reference"],
            ["nbody", "--plummer", "8", "--t-end", "0.0625", "--engine", "reference"],
            ["run", PROJECT / "kernels/tutorial.vsm", "--i", i, "--j", j, "--engine", "reference"],
            ["validate", "--only", "G14"],
            ["as", PROJECT / "kernels/tutorial.vsm"],
            ["analyse", PROJECT / "kernels/tutorial.vsm"],
        ]:
            report = json.loads(self.succeeds(*arguments, "--json", "-").out)
            for field in self.FIELDS:
                self.assertIn(field, report, arguments)
            self.assertEqual(report["tool"], f"gdr {arguments[0]}")
        for arguments in [["fp", "show", "1.5"], ["machine", "show", "model450"]]:
            self.assertIsInstance(json.loads(self.succeeds(*arguments, "--json", "-").out), dict)

    def test_mendings_of_a_source_are_edits(self):
        kernel = self.file("k.vsm", "kernel k\nvar vector long x hlt\nloop body\n  fadx x x $lt\n  fadd x $lt\n")
        outcome = gdr("as", kernel, "--json", "-")
        self.assertEqual(outcome.status, 1)
        first, second = json.loads(outcome.out)["diagnostics"]
        (fix,) = first["fixes"]
        self.assertEqual((fix["title"], fix["edits"]), ("write 'fadd'", [{"file": str(kernel), "line": 4, "column": 3, "length": 4,
                                                                       "whole_line": False, "text": "fadd"}]))
        self.assertEqual(second["fixes"], [])

    def test_a_source_is_read_from_standard_input(self):
        source = (PROJECT / "kernels/tutorial.vsm").read_text(encoding="utf-8")
        outcome = gdr("as", "-", "--json", "-", stdin=source)
        self.assertEqual((outcome.status, json.loads(outcome.out)["kernel"]), (0, "tutorial"))
        self.assertIn("<stdin>:1:1: error", gdr("as", "-", stdin="nothing\n").err)

    def test_an_analysis_tells_what_macros_became_and_what_reads_what(self):
        kernel = self.file("k.vsm", "kernel k\nbvar long xj elt\nvar vector long sum rrn fadd\nmacro twice a\n  fadd a a $lt\nend\n"
                           "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\nloop body\n  twice xj\n  fadd sum $lt sum\n  nop\n")
        report = json.loads(self.succeeds("analyse", kernel, "--json", "-").out)
        self.assertEqual(report["body"][0]["sources"], [{"file": str(kernel), "line": 5, "function": None, "calls": [],
                                                         "expanded": "fadd xj xj $lt",
                                                         "uses": [{"macro": "twice", "file": str(kernel), "line": 11}]}])
        self.assertEqual(report["body"][1]["sources"][0]["uses"], [])
        self.assertEqual(report["dependences"], [{"from": {"line": 0, "unit": "adder"}, "to": {"line": 1, "unit": "adder"}, "waits": 1,
                                                  "what": "T"}])
        self.succeeds("as", kernel, "-o", self.scratch / "k.gdro")
        again = json.loads(self.succeeds("analyse", self.scratch / "k.gdro", "--json", "-").out)
        self.assertEqual(again["body"], report["body"])

    def test_pipelining_goes_with_full_scheduling(self):
        kernel = PROJECT / "kernels/tutorial.vsm"
        for more in ([], ["--schedule"], ["--schedule=list"]):
            outcome = gdr("as", kernel, "--pipeline", *more)
            self.assertEqual((outcome.status, "--pipeline goes with --schedule=full" in outcome.err), (2, True), more)
        self.succeeds("as", kernel, "--pipeline", "--schedule=full")

    def test_kernels_and_machines_of_one_name_are_told_apart(self):
        data = self.scratch / "data"
        for folder in ("kernels", "machines"):
            shutil.copytree(PROJECT / folder, data / folder)
        for name in ("gravity", "dgemm"):
            with open(data / "kernels" / f"{name}.vsm", "a", encoding="utf-8") as kernel:
                kernel.write("  nop\n")
        machine = data / "machines" / "model1800.toml"
        text = machine.read_text(encoding="utf-8")
        slower = re.sub(r"(?m)^(run_start +=.*value = )21.96,", r"\g<1>77,", text)
        self.assertNotEqual(slower, text, "no other machine")
        machine.write_text(slower, encoding="utf-8")
        for arguments in (["force", "-n", 16, "--kernel", "gravity"],
                          ["dgemm", "-m", 8, "-n", 8, "-k", 8, "--engine", "timing"],
                          ["hpl", "--n", 64, "--nb", 32, "--engine", "timing"]):
            one = json.loads(self.succeeds(*arguments, "--json", "-").out)
            other = json.loads(self.succeeds(*arguments, "--json", "-", data=data).out)
            for key in ("kernel_sha256", "machine_sha256"):
                self.assertRegex(one[key], "^[0-9a-f]{64}$", arguments)
                self.assertNotEqual(one[key], other[key], arguments)
            self.assertEqual(one["machine"], other["machine"])

    def test_assembling_leaves_what_a_run_would_tell_null(self):
        report = json.loads(self.succeeds("as", PROJECT / "kernels/tutorial.vsm", "--json", "-").out)
        for field in set(self.FIELDS) - {"tool", "version", "host_seconds"}:
            self.assertIsNone(report[field], field)
        self.assertGreaterEqual(report["host_seconds"], 0)
        self.assertEqual((report["kernel"], report["diagnostics"]), ("tutorial", []))
        self.ends(1, ["missing.vsm"], "as", "missing.vsm", "--json", "-")

    def test_warnings_are_named_chosen_and_made_errors(self):
        kernel = self.file("spare.vsm", "kernel k\nbvar long xj elt\nbvar long spare elt\nvar vector long sum rrn fadd\n"
                           "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n  nop\nloop body\n"
                           "  fadd sum xj sum\n  nop\n")
        told = json.loads(self.succeeds("as", kernel, "--json", "-").out)["diagnostics"]
        self.assertEqual([(one["number"], one["name"], one["severity"], one["line"], one["column"], one["length"])
                          for one in told], [("E0206", "unused", "warning", 3, 11, 5)])
        self.assertEqual(json.loads(self.succeeds("as", kernel, "-Wno-unused", "--json", "-").out)["diagnostics"], [])
        self.ends(1, ["[E0206 -Werror=unused]"], "as", kernel, "-Werror")
        self.ends(2, ["'unsed'", "did you mean 'unused'?"], "as", kernel, "-Wno-unsed")
        self.assertIn("-Wno-unused", self.succeeds("explain", "unused").out)

    def test_every_diagnostic_is_listed_and_stands_on_the_page(self):
        listed = self.succeeds("explain").out
        self.assertIn("E0123: not enough memory for the variables\n", listed)
        self.assertIn(" unused ", listed)
        self.assertIn(" fadd ", listed)
        page = (PROJECT / "docs/kernels/diagnostics.md").read_text(encoding="utf-8")
        self.assertEqual(self.succeeds("explain", "--markdown").out, page, "gdr explain --markdown makes the page")
        numbers = [line.split(":")[0] for line in listed.splitlines() if line.startswith("E0")]
        self.assertEqual([line.split(":")[0] for line in page.splitlines() if line.startswith("## ")],
                         [f"## {number}" for number in numbers])
        self.ends(2, ["--markdown"], "explain", "--markdown", "E0123")

    def test_an_analysis_names_ports_chain_bound_and_words_in_use(self):
        report = json.loads(self.succeeds("analyse", PROJECT / "kernels/dgemm.vsm", "--json", "-").out)
        ports = {port["name"]: port for port in report["ports"]}
        self.assertEqual((ports["adder"]["busy"], ports["adder"]["share"]), (256, 1))
        self.assertEqual((report["lines"], len(report["body"])), (256, 256))
        self.assertEqual((report["bound"]["by"], report["bound"]["least_lines"]), ("bm", 256))
        self.assertLessEqual(report["live"]["gpr"], 64)
        self.assertEqual(report["body"][3]["clock"], 12)
        page = self.scratch / "page.html"
        self.succeeds("as", PROJECT / "kernels/gravity_jerk_2009.vsm", "--schedule", "-o", self.scratch / "packed.gdro")
        self.succeeds("analyse", self.scratch / "packed.gdro", "--html", page)
        self.assertIn("<title>gravity_jerk_2009: analysis</title>", page.read_text(encoding="utf-8"))

    def test_files_are_included_from_named_folders(self):
        folder = self.scratch / "own"
        folder.mkdir()
        (folder / "common.vsm").write_text("const n = 1\n", encoding="utf-8")
        kernel = self.file("k.vsm", "include \"common.vsm\"\nkernel k\nloop body\n  if defined(wide) && n\n    nop\n"
                           "  end\n  nop\n")
        self.ends(1, ["'common.vsm' is not found"], "as", kernel)
        report = json.loads(self.succeeds("as", kernel, "-I", folder, "-D", "wide", "--json", "-").out)
        self.assertEqual(report["lines"]["loop_body"], 2)

    def test_a_listing_goes_to_standard_output_but_not_beside_json(self):
        kernel = PROJECT / "kernels/tutorial.vsm"
        listing = self.scratch / "tutorial.lst"
        self.succeeds("as", kernel, "--listing", listing)
        self.assertIn(listing.read_text(encoding="utf-8"), self.succeeds("as", kernel, "--listing", "-").out)
        self.ends(2, ["--listing", "--json"], "as", kernel, "--listing", "-", "--json", "-")

    def test_names_of_files_that_are_no_utf8_are_written_with_replacements(self):
        i = self.file("i.csv", "xi\n0\n")
        j = self.file("j.csv", "xj,mj\n1,2\n")
        out = self.scratch / os.fsdecode(b"o\xff.csv")
        report = json.loads(self.succeeds("run", PROJECT / "kernels/tutorial.vsm", "--i", i, "--j", j, "--output", out,
                                          "--json", "-").out)
        self.assertTrue(report["results"].endswith("/o\ufffd.csv"), report["results"])
        self.assertTrue(out.exists())

    def test_report_goes_to_a_file_beside_the_text(self):
        path = self.scratch / "report.json"
        outcome = self.succeeds("fp", "show", "1.5", "--json", path)
        self.assertIn("3ff800000", outcome.out)
        self.assertEqual(json.loads(path.read_text())["short"]["word"], "3ff800000")

    def test_report_that_cannot_be_written_ends_with_1(self):
        path = self.scratch / "missing" / "report.json"
        self.ends(1, [str(path)], "fp", "show", "1.5", "--json", path)
        self.assertEqual(list(self.scratch.iterdir()), [])


class Machine(CliTest):
    def setUp(self):
        super().setUp()
        self.good = (PROJECT / "machines/model450.toml").read_text(encoding="utf-8")

    def line_of(self, text, wanted):
        return next(n for n, line in enumerate(text.splitlines(), 1) if wanted in line)

    def refused(self, text, wanted, expected):
        """A machine file is refused at the line that holds `wanted`, by `machine show` as by a run."""
        path = self.file("mine.toml", text)
        place = f"{path}:{self.line_of(text, wanted)}:"
        self.ends(1, [place, *expected], "machine", "show", path)
        self.ends(1, [place, *expected], "force", "-n", "16", "--machine", path)

    def test_every_description_is_listed_with_its_title(self):
        text = self.succeeds("machine", "list").out
        self.assertIn("GRAPE-DR Model 1800", text)
        self.assertIn("GRAPE-DR Model 450", text)

    def test_show_gives_value_unit_and_origin_of_every_parameter(self):
        report = json.loads(self.succeeds("machine", "show", "model1800", "--json", "-").out)
        text = self.succeeds("machine", "show", "model1800").out
        self.assertEqual(report["parameters"]["chips"]["value"], 4)
        for key, parameter in report["parameters"].items():
            self.assertRegex(parameter["origin"], r"^[RDO]: ")
            for part in (key, parameter["unit"], parameter["origin"]):
                self.assertIn(part, text)

    def test_show_gives_the_routing_that_a_network_chooses(self):
        text = (PROJECT / "machines" / "torus-64.toml").read_text(encoding="utf-8")
        path = self.file("hashed.toml", text.replace('kind = "torus"', 'kind = "torus"\nrouting = "hash"'))
        self.assertRegex(self.succeeds("machine", "show", path).out, r"(?m)^  routing +hash$")
        self.assertEqual(json.loads(self.succeeds("machine", "show", path, "--json", "-").out)["choices"], {"routing": "hash"})
        self.assertNotIn("choices", json.loads(self.succeeds("machine", "show", "torus-64", "--json", "-").out))

    def test_a_file_of_ones_own_is_taken(self):
        path = self.file("mine.toml", self.good.replace('"model450"', '"mine"'))
        self.assertEqual(json.loads(self.succeeds("machine", "show", path, "--json", "-").out)["machine"], "mine")

    def test_unknown_key_is_refused_with_those_known(self):
        text = self.good + 'turbo = { value = 1, unit = "1", origin = "O: none" }\n'
        self.refused(text, "turbo", ["turbo", "tree_latency"])
        self.refused("colour = 'red'\n" + self.good, "colour", ["colour", "title"])

    def test_silly_value_is_refused_with_its_range(self):
        self.refused(self.good.replace("value = 16, unit", "value = -1, unit"), "tree_latency",
                     ["tree_latency = -1", "from 0 to 1024"])
        self.refused(self.good.replace("chips             = { value = 1,", "chips = { value = 1.5,"), "chips",
                     ["chips = 1.5", "whole number", "from 1 to 16"])
        self.refused(re.sub(r"(?m)^clock( *)= { value = \d+", r"clock = { value = 'fast'", self.good), "'fast'",
                     ["clock.value", "must be a number"])

    def test_missing_parameter_is_named(self):
        path = self.file("mine.toml", re.sub(r"(?m)^odp_clocks.*\n", "", self.good))
        self.ends(1, [f"{path}:", "odp_clocks", "missing"], "machine", "show", path)

    def test_what_is_no_toml_is_refused_at_its_line(self):
        path = self.file("mine.toml", "name = \"mine\"\nthis is no TOML\n")
        self.ends(1, [f"{path}:2:"], "machine", "show", path)


class Run(CliTest):
    I = "xi\n0\n1.5\n-2\n"
    J = "mj,xj\n0.5,1\n2,-4\n0.25,3\n"

    def setUp(self):
        super().setUp()
        self.kernel = PROJECT / "kernels/tutorial.vsm"

    def run_on(self, i, j, *more):
        return [
            "run", self.kernel, "--i", self.file("i.csv", i), "--j", self.file("j.csv", j), "--engine", "reference", *more
        ]

    def refused(self, expected, i=I, j=J):
        self.ends(1, expected, *self.run_on(i, j, "--output", self.scratch / "out.csv"))
        self.assertFalse((self.scratch / "out.csv").exists())

    def test_results_are_those_of_the_formula(self):
        out = self.scratch / "out.csv"
        report = json.loads(self.succeeds(*self.run_on(self.I, self.J, "--output", out, "--json", "-")).out)
        self.assertEqual((report["ni"], report["nj"], report["results"]), (3, 3, str(out)))
        header, *rows = out.read_text().splitlines()
        self.assertEqual(header, "sum")
        masses, places = (0.5, 2, 0.25), (1, -4, 3)
        expected = [sum(m * (x - xi) for m, x in zip(masses, places)) for xi in (0, 1.5, -2)]  # exact in doubles
        self.assertEqual([float(row) for row in rows], expected)

    def test_npy_results_hold_the_same_numbers_as_csv(self):
        csv, npy = self.scratch / "out.csv", self.scratch / "out.npy"
        self.succeeds(*self.run_on(self.I, self.J, "--output", csv))
        self.succeeds(*self.run_on(self.I, self.J, "--output", npy))
        data = npy.read_bytes()[-24:]
        self.assertEqual(list(struct.unpack("<3d", data)), [float(row) for row in csv.read_text().splitlines()[1:]])

    def test_wrong_columns_are_named_with_file_and_line(self):
        self.refused(["j.csv:1:", "missing", "mj", "expected", "xj"], j="xj\n1\n")
        self.refused(["j.csv:2:", "unknown column 'colour'"], j="# made up\nxj,mj,colour\n1,1,1\n")
        self.refused(["i.csv:1:", "'xi' is there twice"], i="xi,xi\n1,1\n")

    def test_extra_columns_can_be_ignored(self):
        self.succeeds(*self.run_on(self.I, "xj,who,mj\n1,sun,1\n", "--ignore-extra"))

    def test_wrong_rows_are_named_with_file_line_and_column(self):
        self.refused(["j.csv:3:", "'xj'", "nan"], j="xj,mj\n1,1\nnan,1\n")
        self.refused(["j.csv:2:", "'mj'", "heavy"], j="xj,mj\n1,heavy\n")
        self.refused(["i.csv:3:", "2 fields", "1"], i="xi\n1\n2,3\n")
        self.refused(["i.csv:", "names of the columns"], i="")

    def test_missing_table_is_named(self):
        missing = self.scratch / "missing.csv"
        self.ends(1, [str(missing)], "run", self.kernel, "--i", missing, "--j", missing)

    def test_too_many_rows_say_by_how_much(self):
        small = (PROJECT / "machines/model450.toml").read_text(encoding="utf-8")
        machine = self.file("small.toml", re.sub(r"(?m)^em_words( *)= { value = \d+", "em_words = { value = 1024", small))
        rows = "xj,mj\n" + "1,1\n" * 515  # of two words each
        self.ends(1, ["j.csv:514:", "515 rows are 3 too many", "external memory holds 512"],
                  *self.run_on(self.I, rows, "--machine", machine))

    def test_wrong_parameters_are_command_line_mistakes(self):
        for parameter in ("nosuch=1", "ti", "=1", "ti=fast"):
            self.ends(2, ["--param"], *self.run_on(self.I, self.J, "--param", parameter))
        self.kernel = PROJECT / "kernels/gravity_jerk.vsm"  # has the parameter ti
        for value in ("", "1e999", "-1e999", "1e-400", "1x"):
            self.ends(2, ["--param", f"ti={value}", "range of a double"],
                      *self.run_on(self.I, self.J, "--param", f"ti={value}"))

    def test_iterations_are_those_of_the_slowest_chip_over_all_runs(self):
        chips = 4  # of model1800
        for ni, nj in [(1, 3), (300, 3), (1, 3000), (128, 64), (129, 65)]:
            i = "xi\n" + "0\n" * ni
            j = "xj,mj\n" + "1,1\n" * nj
            report = json.loads(self.succeeds(*self.run_on(i, j, "--json", "-")).out)
            most_on_a_chip = len(range(0, nj, chips))
            expected = len(range(0, ni, 128)) * len(range(0, most_on_a_chip, 16))
            self.assertEqual(report["iterations"], expected, (ni, nj))
            self.assertEqual((report["ni"], report["nj"]), (ni, nj))

    def test_all_rows_are_printed_where_no_terminal_reads(self):
        out = self.succeeds(*self.run_on("xi\n" + "0\n" * 50, self.J)).out
        self.assertEqual(len(out.splitlines()), 1 + 50)

    def breaks(self, place, *more):
        return self.run_on(self.I, self.J, "--break", place, *more)

    def test_a_line_of_a_repeat_is_executed_once_per_round(self):
        text = self.kernel.read_text(encoding="utf-8")
        once = "  upassa $lt sum "
        self.assertEqual(text.count(once), 1)
        self.kernel = self.file("rounds.vsm", text.replace(once, "  repeat k = 0..2\n" + once).replace(
            "loop body", "  end\nloop body"))
        line = next(n for n, code in enumerate(self.kernel.read_text().splitlines(), 1) if code.startswith(once))
        for at in (1, 2, 3):
            self.assertIn(f"execution {at},", self.succeeds(*self.breaks(f"rounds.vsm:{line}", "--at", at)).out)
        self.ends(1, ["executed 3 times, never 4"], *self.breaks(f"rounds.vsm:{line}", "--at", 4))

    def test_a_dump_leaves_standard_output_to_the_report(self):
        line = next(n for n, code in enumerate(self.kernel.read_text().splitlines(), 1) if code.startswith("  fsub"))
        outcome = self.succeeds(*self.breaks(f"tutorial.vsm:{line}", "--json", "-"))
        self.assertEqual(json.loads(outcome.out)["kernel"], "tutorial")
        self.assertIn("execution 1", outcome.err)

    def test_floating_point_events_are_told_with_their_places(self):
        line = next(n for n, code in enumerate(self.kernel.read_text().splitlines(), 1) if code.startswith("  fsub"))
        for engine in ("reference", "simd"):
            i, j = self.file("i.csv", "xi\n0\n-1.7e308\n"), self.file("j.csv", "mj,xj\n0.5,1.7e308\n")
            outcome = self.succeeds("run", self.kernel, "--i", i, "--j", j, "--engine", engine, "--json", "-")
            events = json.loads(outcome.out)["events"]
            # The second particle, but not its repetitions in the last two elements of the PE.
            self.assertEqual((events["invalid"], events["overflow"], events["underflow"]), (0, 1, 0))
            self.assertEqual(events["untaken"], {"invalid": 0, "overflow": 2, "underflow": 0})
            self.assertEqual([event["element"] for event in events["first"]], [1])
            first = events["first"][0]
            self.assertEqual((first["event"], first["unit"], first["section"]), ("overflow", "adder", "loop_body"))
            self.assertTrue(first["source"].endswith(f"tutorial.vsm:{line}:3"), first)
            self.assertEqual([first[key] for key in ("run", "iteration", "chip", "block", "pe")], [1, 0, 0, 0, 0])
            self.assertIsNone(events["fault"])
            self.assertIn("1 floating-point event: 0 invalid, 1 overflow, 0 underflow", outcome.err)
            self.assertIn("overflow of the adder at chip 0, block 0, PE 0, element 1, loop body, iteration 0", outcome.err)

    SUMS = """kernel sums
flops 1
bvar long x elt flt64to72
bvar long k elt fix64to72
var vector long i hlt        # allow unused
var vector long r rrn flt72to64 fadd
var vector long n rrn fix72to64 uadd
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lti r
  upassa $lt n
loop body
  vlen 4
  nop
  fadd r x r
  uadd n k n
"""

    def of_sums(self, rows, *options):
        """Results, report and standard error of a kernel that adds up one number and one integer of each row."""
        kernel, i = self.file("sums.vsm", self.SUMS), self.file("i.csv", "i\n0\n")
        j = self.file("j.csv", "x,k\n" + "".join(f"{x},{k}\n" for x, k in rows))
        report = self.scratch / "sums.json"
        outcome = self.succeeds("run", kernel, "--i", i, "--j", j, "--json", report, *options)
        return outcome.out.splitlines()[1], json.loads(report.read_text()), outcome.err

    def test_sums_beyond_the_chip_keep_its_rules(self):
        # The second row is on the second chip. With two boards the fifth is on the second board.
        rows = [("inf", 2**63 - 1), ("-inf", 2**63 - 1), ("0", 0), ("0", 0)]
        on_boards = [rows[0], *rows[2:], ("0", 0), rows[1]]
        for machine, table, options, junction, chip, text in (
                ("model450", rows, (), "tree", 0, "in the tree of chip 0, blocks 0 to 1"),
                ("model1800", rows, (), "host", 1, "in the host's sum, at chip 1"),
                ("model1800", on_boards, ("--boards", 2), "board", 4, "in the host's sum over boards, at the board of chip 4")):
            results, report, err = self.of_sums(table, "--machine", machine, *options)
            self.assertEqual(results, "inf,9223372036854775807", machine)
            self.assertEqual(report["counters"]["fp_events"], {"invalid": 1, "overflow": 0, "underflow": 0})
            self.assertEqual(report["counters"]["conversion_events"], {"overflow": 0, "underflow": 0, "saturated": 1})
            first = report["events"]["first_junctions"][0]
            self.assertEqual([first[key] for key in ("event", "junction", "chip", "variable", "result")],
                             ["invalid", junction, chip, "r", 0])
            self.assertIn(f"  invalid {text}: result 0 of r\n", err)
            self.assertIn("gdr run: 1 event of conversions: 0 overflow, 0 underflow, 1 saturated\n", err)

    def test_integers_of_several_chips_pass_beyond_64_bits_on_their_way(self):
        # With one board as with two, the first two chips have sums beyond 64 bits.
        rows = 2 * [(0, k) for k in (2**63 - 1, -2**63, *6 * [0])]
        for options in (("--machine", "model450"), (), ("--boards", 2)):
            results, report, err = self.of_sums(rows, *options)
            self.assertEqual(results, "0,-2")
            self.assertEqual(report["counters"]["conversion_events"]["saturated"], 0)
            self.assertNotIn("conversions", err)

    def test_a_fault_is_told_with_its_place(self):
        self.kernel = self.file("pointer.vsm", """kernel pointer
bvar long j elt flt64to72
var vector long x hlt flt64to72
var vector long y rrn flt72to64 fadd
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt y
loop body
  vlen 4
  bm j $lt
  nop
  upassa $lmt0 y
""")
        report = self.scratch / "report.json"
        outcome = gdr("run", self.kernel, "--i", self.file("i.csv", "x\n0\n"), "--j", self.file("j.csv", "j\n0\n0\n5\n"),
                      "--json", report)
        self.assertEqual(outcome.status, 1)
        self.assertIn("fault: local memory address", outcome.err)
        self.assertIn("(chip 2, block 0, PE 0, element 0, loop body, iteration 0)", outcome.err)
        fault = json.loads(report.read_text())["events"]["fault"]
        self.assertEqual([fault[key] for key in ("chip", "block", "pe", "element", "iteration")], [2, 0, 0, 0, 0])
        self.assertIn("pointer.vsm:13:3", fault["source"])

    def test_data_that_the_kernel_takes_must_be_given(self):
        self.ends(2, ["--j"], "run", self.kernel, "--i", self.file("i.csv", self.I))


if __name__ == "__main__":
    GDR, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
