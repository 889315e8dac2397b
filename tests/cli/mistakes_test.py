#!/usr/bin/env python3
"""Mistakes on the command line are answered with their cause and with what was meant.

    mistakes_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

PLUMMER = ["nbody", "--plummer", "64"]


class Mistakes(cli_test.CliTest):
    def meant(self, suggestion, *arguments):
        """Status 2, and a suggestion as the first thing that is said."""
        outcome = self.ends(2, [], *arguments)
        self.assertIn(f"did you mean '{suggestion}'?", outcome.err.splitlines()[0], arguments)
        self.assertNotIn("required", outcome.err)
        return outcome

    def test_options_are_suggested_before_what_is_missing(self):
        for wrong, right, arguments in [
            ("--tend", "--t-end", [*PLUMMER, "--tend", "0.25"]),
            ("--t_end", "--t-end", [*PLUMMER, "--t_end=0.25"]),
            ("--T-End", "--t-end", [*PLUMMER, "--T-End", "0.25"]),
            ("--enigne", "--engine", ["run", "tutorial", "--enigne", "simd"]),
            ("--boadrs", "--boards", ["force", "--boadrs", "2"]),
            ("--see", "--seed", ["dgemm", "--see", "1"]),
            ("-engine", "--engine", ["force", "-engine", "simd"]),
            ("--topolgy", "--topology", ["net", "map", "--topolgy", "torus:4x4"]),
            ("--ignoreextra", "--ignore-extra", ["run", "tutorial", "--ignoreextra"]),
        ]:
            outcome = self.meant(right, *arguments)
            self.assertIn(f"unknown option '{wrong}'", outcome.err)

    def test_words_that_lack_their_dashes(self):
        self.meant("--plummer", "nbody", "plummer", "64")
        self.meant("--seed=5", "force", "-n", "64", "seed=5")
        self.meant("--plummer", "nbody", "\u2013plummer", "64")

    def test_options_that_nothing_is_like(self):
        outcome = self.ends(2, ["unknown option '--frobnicate'", "Try 'gdr force --help'"], "force", "--frobnicate")
        self.assertNotIn("did you mean", outcome.err)

    def test_options_in_front_of_the_command(self):
        self.ends(2, ["unknown option '--engine'", "behind its name"], "--engine", "simd", "force", "-n", "16")

    def test_standard_output_where_only_files_are_written(self):
        for option in ("--output", "--log", "--checkpoint", "--report"):
            self.ends(2, [f"{option} - is refused: it does not write to standard output"],
                      *PLUMMER, "--t-end", "0.01", "--engine", "direct", option, "-")
        self.ends(2, ["--links - is refused"], "net", "allreduce", "--bytes", "8", "--links", "-")

    def test_values_that_are_missing_or_given_twice(self):
        self.ends(2, ["--t-end needs a value: NUMBER"], *PLUMMER, "--t-end")
        self.ends(2, ["--json needs a value", "'--quiet' is the next option"], *PLUMMER, "--json", "--quiet")
        self.ends(2, ["--engine needs a value"], *PLUMMER, "--engine=")
        self.ends(2, ["--seed is given twice"], *PLUMMER, "--seed", "1", "--seed", "2")

    def test_lists_that_lack_an_item(self):
        for option, value, arguments in [
            ("--orbits", "3,,9", [*PLUMMER, "--t-end", "0.1"]),
            ("--algorithm", "copy,,j", ["cluster", "nbody"]),
            ("--nodes", ",1", ["cluster", "nbody"]),
            ("-n", "100,", ["cluster", "nbody"]),
            ("--cluster", "tca,,", ["cluster", "nbody"]),
            ("--size", "S,,M", ["cluster", "himeno"]),
            ("--trace-chips", "0,,1", ["run", "tutorial"]),
        ]:
            for words in ([option, value], [f"{option}={value}" if option.startswith("--") else option + value]):
                self.ends(2, [f"{option}: '{value}' is refused: an item of the list is missing"], *arguments, *words)

    def test_what_judging_alone_takes(self):
        for option in ("--json", "--seed", "--hint", "--data"):
            self.ends(2, [f"{option} has no effect without an exercise"], "judge", option, "1")
        self.ends(2, ["--json has no effect without a kernel"], "judge", "mass", "--json", "-")
        self.ends(2, ["-O has no effect without a kernel"], "judge", "mass", "--hint", "1", "-O", "1")
        self.ends(2, ["--seed has no effect without a kernel or --data"], "judge", "mass", "--seed", "3")
        self.ends(2, ["--start has no effect with a kernel"], "judge", "mass", "k.vsm", "--start")
        self.ends(2, ["--hint", "--solution"], "judge", "mass", "--hint", "1", "--solution")

    def test_values_that_can_be_listed(self):
        for right, arguments in [
            ("simd", ["force", "-n", "16", "--engine", "smid"]),
            ("ideal", ["force", "-n", "16", "--transfer", "ideel"]),
            ("gravity_jerk_long", ["force", "-n", "16", "--kernel", "gravity_jerk_lnog"]),
            ("torus", ["net", "routes", "--topology", "tours"]),
            ("plummer", ["nbody", "--start", "plumer", "--t-end", "1"]),
            ("full", ["as", "kernels/gravity.vsm", "--schedule=ful"]),
        ]:
            self.meant(right, *arguments)

    def test_names_of_descriptions(self):
        for right, arguments in [
            ("model1800", ["force", "-n", "16", "--machine", "modle1800"]),
            ("model1800", ["machine", "show", "model180"]),
            ("grape-dr-64", ["cluster", "nbody", "--cluster", "grape-dr64"]),
            ("core-i7-920", ["hpl", "-n", "64", "--nb", "16", "--host", "core-i7-902"]),
            ("smpi-factors", ["net", "summa", "--factors", "smpi-factor"]),
        ]:
            self.meant(right, *arguments)

    def test_codes_and_graphs(self):
        self.meant("fadd", "explain", "fad")
        self.meant("unused", "explain", "unusde")
        self.assertEqual(self.succeeds("explain", "e0123").out, self.succeeds("explain", "E0123").out)
        self.meant("bruck", "net", "map", "--graph", "bruk", "--topology", "torus:2x2")

    def test_options_without_effect(self):
        for option, arguments in [
            ("--kernel", ["cluster", "hpl", "-n", "4096", "--nodes", "4", "--mxp", "--kernel", "dgemm_double"]),
            ("--with-host", ["hpl", "-n", "4096", "--timing-only", "--with-host"]),
            ("--seed", ["dgemm", "-m", "8", "-n", "8", "-k", "8", "--timing-only", "--seed", "7"]),
            ("--overlap-buffer", ["dgemm", "-m", "8", "-n", "8", "-k", "8", "--overlap", "off", "--overlap-buffer", "9"]),
            ("--seed", ["force", "-n", "64", "--timing-only", "--seed", "7"]),
            ("--effort", ["net", "map", "--graph", "cg", "--topology", "torus:4x4", "--method", "xyz", "--effort", "2"]),
            ("--class", ["net", "map", "--graph", "bruck", "--topology", "torus:4x4", "--class", "A"]),
            ("--model", ["net", "summa", "--executor", "closed-form", "--model", "lv08"]),
        ]:
            self.ends(2, [f"{option} has no effect with"], *arguments)

    def test_a_model_of_a_cluster_has_no_options_of_a_run(self):
        for option in ("--seed", "--engine", "--threads", "--boards"):
            self.ends(2, [f"unknown option '{option}'"], "cluster", "hpl", "-n", "4096", "--nodes", "4", option, "2")

    def test_old_names_are_taken_with_a_note(self):
        new = self.succeeds("force", "-n", "16", "--quiet")
        old = self.succeeds("force", "--particles", "16", "--quiet")
        self.assertEqual((old.out, new.err), (new.out, ""))
        self.assertIn("--particles is called --n now", old.err)

    def test_only_the_first_rank_prints_the_note(self):
        for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
            for rank, notes in (("0", 1), ("1", 0), ("12", 0)):
                with self.subTest(variable=variable, rank=rank):
                    told = self.succeeds("force", "--particles", "16", "--quiet", environment={variable: rank})
                    self.assertEqual(told.err.count("is called --n now"), notes)

    def test_what_was_the_engine_timing_is_a_mode_of_its_own(self):
        now = self.succeeds("force", "-n", "64", "--timing-only", "--json", "-")
        self.assertEqual(now.err, "")
        for old in (["--engine", "timing"], ["--engine=timing"]):
            before = self.succeeds("force", "-n", "64", *old, "--json", "-")
            self.assertIn("--engine timing is called --timing-only now", before.err)
            kept = [json.loads(run.out)["emulated_seconds"] for run in (before, now)]
            self.assertEqual(kept[0], kept[1])
        self.ends(2, ["--timing-only", "--engine"], "force", "-n", "64", "--timing-only", "--engine", "simd")

    def test_commands(self):
        for right, arguments in [
            ("nbody", ["nbdoy"]),
            ("objdump", ["disasm", "k.gdro"]),
            ("net routes", ["routes"]),
            ("map", ["net", "mpa"]),
        ]:
            self.meant(right, *arguments)
        self.ends(2, ["gdr net needs a command", "routes", "map"], "net")
        self.ends(2, ["unknown command 'frobnicate'", "nbody"], "frobnicate")

    def test_all_that_is_missing_is_told(self):
        self.ends(2, ["--m, --n and --k are required"], "dgemm")
        self.ends(2, ["--t-end is required: time to integrate to"], *PLUMMER)

    def test_requests_for_help_are_answered_whatever_else_is_wrong(self):
        self.assertIn("Usage: gdr nbody", self.succeeds("nbody", "--tend", "1", "--help").out)


class Words(cli_test.CliTest):
    """help, version, and a command line without words."""

    def test_help_and_version_are_commands(self):
        self.assertEqual(self.succeeds("help").out, self.succeeds("--help").out)
        self.assertEqual(self.succeeds("help", "run").out, self.succeeds("run", "--help").out)
        self.assertEqual(self.succeeds("help", "net", "map").out, self.succeeds("net", "map", "--help").out)
        self.assertEqual(self.succeeds("net", "help").out, self.succeeds("net", "--help").out)
        self.assertEqual(self.succeeds("version").out, self.succeeds("--version").out)
        self.ends(2, ["unknown command 'rnu'", "did you mean 'run'?"], "help", "rnu")

    def test_no_words_get_help(self):
        self.assertEqual(self.succeeds().out, self.succeeds("--help").out)

    def test_help_is_wrapped_to_the_width_of_the_terminal(self):
        for columns, longest in [("60", 60), ("100", 100), ("", 80)]:
            for command in cli_test.subcommands():
                text = self.succeeds(*command, "--help", environment={"COLUMNS": columns}).out
                for line in text.split("\nExample:")[0].splitlines():
                    if "|" not in line and line.startswith(" "):  # long lists of values are broken at their bars
                        self.assertLessEqual(len(line), longest, line)

    def test_no_colours_but_on_a_terminal(self):
        self.assertNotIn("\x1b", self.succeeds("force", "--help").out)
        self.assertNotIn("\x1b", self.ends(2, [], "force", "--nosuch").err)

    def test_a_terminal_has_colours_unless_told_otherwise(self):
        for environment, coloured in [("TERM=xterm", True), ("TERM=xterm NO_COLOR=1", False), ("TERM=dumb", False)]:
            command = f"{environment} {cli_test.GDR} force --help; {environment} {cli_test.GDR} force --nosuch"
            done = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True, check=False)
            self.assertEqual("\x1b[1mUsage:" in done.stdout, coloured, environment)
            self.assertEqual("\x1b[1;31mgdr:" in done.stdout, coloured, environment)

    def test_a_reader_that_goes_away_is_no_error(self):
        for arguments in [["net", "routes", "--topology", "torus"], ["--help-all"], ["validate", "--only", "G5"],
                          ["force", "-n", "64", "--json", "-"]]:
            process = subprocess.Popen([cli_test.GDR, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"", arguments)
            process.stderr.close()
            self.assertEqual(process.wait(), -13, arguments)  # SIGPIPE

    def test_quiet_commands_print_nothing(self):
        for arguments in [
            ["nbody", "--plummer", "16", "--t-end", "0.01"],
            ["force", "-n", "16"],
            ["dgemm", "-m", "8", "-n", "8", "-k", "8"],
            ["hpl", "-n", "64", "--nb", "16"],
            ["as", "kernels/gravity.vsm"],
            ["analyse", "gravity"],
            ["net", "cost"],
            ["net", "routes"],
            ["net", "pingpong", "--method", "pio", "--bytes", "64"],
            ["net", "map", "--graph", "bruck", "--topology", "torus:2x2"],
            ["cluster", "hpl", "-n", "4096"],
            ["cluster", "advise", "-n", "4096"],
            ["machine", "show", "model1800"],
            ["machine", "devices"],
            ["fp", "show", "1.5"],
            ["selftest", "--programs", "1"],
            ["validate", "--only", "G5"],
        ]:
            outcome = self.succeeds(*arguments, "--quiet", cwd=cli_test.PROJECT)
            self.assertEqual((outcome.out, outcome.err), ("", ""), arguments)


class Numbers(cli_test.CliTest):
    """Numbers are taken in the forms in which people write them."""

    def pingpong(self, text):
        return self.json("net", "pingpong", "--method", "pio", "--bytes", text)["bytes"]

    def json(self, *arguments):
        return json.loads(self.succeeds(*arguments, "--json", "-").out)

    def test_exponents_prefixes_and_units(self):
        for text, bytes_of in [("64", 64), ("64B", 64), ("1e4", 10000), ("64K", 64000), ("64Ki", 65536), ("64KiB", 65536),
                               ("1MB", 1e6), ("1.5MiB", 1.5 * 2**20), ("2 kB", 2000)]:
            self.assertEqual(self.pingpong(text), bytes_of, text)

    def test_whole_numbers_are_exact(self):
        for text, seed in [("1e4", 10000), ("1.5K", 1500), ("64Ki", 65536), ("18446744073709551615", 2**64 - 1),
                           ("9007199254740993", 2**53 + 1)]:
            self.assertEqual(self.errors("1.6e1", text), self.errors("16", str(seed)), text)

    def errors(self, n, seed):
        """Differ for any two spheres."""
        return self.json("force", "-n", n, "--seed", seed)["rms_error"]

    def test_clocks_have_units(self):
        for text in ("333", "333MHz", "0.333GHz", "333000kHz", "3.33e2", "333 MHz", "333M"):
            seconds = self.json("force", "-n", "64", "--engine", "timing", "--clock", text)["emulated_seconds"]
            self.assertEqual(seconds, self.json("force", "-n", "64", "--engine", "timing", "--clock", "333")["emulated_seconds"])

    def test_lists(self):
        rows = self.json("cluster", "hpl", "--nodes", "4", "-n", "4096,1e4")["rows"]
        self.assertEqual([row["n"] for row in rows], [4096, 10000])

    def test_refusals_name_range_and_forms(self):
        for expected, arguments in [
            (["--clock: 333MB is refused", "from 1 to 10000 MHz", "400MHz"], ["force", "-n", "16", "--clock", "333MB"]),
            (["--bytes: 1X", "bytes", "64KiB"], ["net", "pingpong", "--method", "pio", "--bytes", "1X"]),
            (["--plummer: 1.5 is refused", "whole number from 2 to 4194304"], ["nbody", "--plummer", "1.5", "--t-end", "1"]),
            (["--plummer: 10T is refused", "from 2 to 4194304"], ["nbody", "--plummer", "10T", "--t-end", "1"]),
            (["--seed: 010 is refused"], ["force", "-n", "16", "--seed", "010"]),
            (["--seed: 0x10 is refused"], ["force", "-n", "16", "--seed", "0x10"]),
            (["--time-limit: 5m", "2min"], ["net", "map", "--graph", "cg", "--topology", "torus:4x4", "--time-limit", "5m"]),
            (["--eps: nan is refused"], ["force", "-n", "16", "--eps", "nan"]),
        ]:
            self.ends(2, expected, *arguments)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
