#!/usr/bin/env python3
"""No option changes the numbers of a report without a trace in it.

    traces_test.py GDR PROJECT
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()

# Commands that model times, with what they need, and their options with a value other than the default; None: a flag.
BOARD = {"--clock": "200", "--transfer": "ideal", "--boards": "2", "--machine": "model450"}
NETWORK = {"--clock": "200", "--transfer": "ideal", "--factors": "smpi-factors", "--free-network": None, "--grow-network": None,
           "--cluster": "grape-dr-64-hub"}
HPL = {"--nb": "1024", "--products": "record", "--small-depths": "own-rows", "--kernel": "dgemm_double"}
NODES = {"--grid": "1x4", "--lookahead": "0", "--overlap-u": None}
COMMANDS = {
    "cluster hpl --nodes 4 --n 4096": {**NETWORK, **HPL, "--multipath": None, **NODES, "--mxp": None},
    "cluster summa --nodes 4 --n 4096 --algorithm CA1": {
        **NETWORK, "--kernel": "dgemm_double", "--small-depths": "fixed-unit", "--in-turn": None, "--map": "map.csv"},
    "cluster nbody --nodes 4 --n 4096 --algorithm copy": {
        **NETWORK, "--kernel": "gravity_jerk_2009", "--t-end": "2", "--overlap": None, "--from-block-sizes": "sizes.csv",
        "--multipath": None},
    "cluster himeno --nodes 8 --size XS": {
        **NETWORK, "--split": "8x1x1", "--on": "host", "--overlap": None, "--map": "map.csv", "--multipath": None},
    "cluster advise --n 30 --cluster grape-dr-64": {
        "--clock": "200", "--transfer": "ideal", "--factors": "smpi-factors", "--efficiency": "0.9", "--kernel": "gravity_jerk_2009",
        "--multipath": None},
    "hpl --dat HPL.dat --timing-only": {"--clock": "200", "--transfer": "ideal", "--cluster": "grape-dr-64-hub"},
    "hpl --n 4096 --timing-only": {**HPL, **BOARD, "--host": "host.toml", "--mxp": None},
    "cluster hpl --nodes 4 --n 4096 --mxp": {"--steps": "5"},
    "hpl --n 4096 --timing-only --mxp": {"--steps": "5"},
    "dgemm -m 4096 -n 4096 -k 2048 --timing-only": {
        **BOARD, "--kernel": "dgemm_double", "--small-depths": "fixed-unit", "--overlap": "off", "--overlap-buffer": "4096",
        "--host": "host.toml"},
    "nbody --plummer 4096 --t-end 0.5 --timing-only": {
        **BOARD, "--kernel": "gravity_jerk_2009", "--measured-n": "64", "--eta": "0.05", "--eps": "0.1",
        "--from-block-sizes": "sizes.csv"},
    "force -n 64": {**BOARD, "--kernel": "gravity_jerk_2009", "--eps": "0.1", "--seed": "2", "--engine": "native", "--timing-only": None},
    "net summa --topology hub --n 512 --executor closed-form": {"--algorithm": "CA2"},
}
# Options that every one of these commands may have and that are not tried here: those that change no number, those that
# write, and those that need a run.
OTHERS = {"--help", "-h", "--csv", "--html", "--json", "--quiet", "--progress", "--threads", "--save-graph", "--trace", "--block", "--sweep", "-n",
          "--seed", "--with-host", "--engine", "--timing-only", "-m", "-k", "--block-sizes", "--transa", "--transb", "--dat", "--check-up-to", "--refinement"}
WALKED = ("cluster hpl", "cluster summa", "cluster nbody", "cluster himeno", "cluster advise", "dgemm", "hpl")
# What a report says of results; the rest says of what they are.
RESULTS = {"seconds", "gflops", "efficiency", "board_busy", "joules", "gflops_per_watt", "parts", "stages", "bound_by", "bytes",
           "bytes_per_block", "products_seconds", "compute", "emulated_seconds", "emulated_gflops", "host_seconds", "clocks",
           "clocks_by_part", "stall_clocks", "counters", "useful_flops", "executed_flops", "interactions", "steps", "block_steps",
           "error_bound", "clocks_per_unit", "fp_lanes"}


def without(value, keys):
    if isinstance(value, dict):
        return {key: without(of_key, keys) for key, of_key in value.items() if key not in keys}
    return [without(item, keys) for item in value] if isinstance(value, list) else value


class Traces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        host = (PROJECT / "machines" / "core-i7-920.toml").read_text(encoding="utf-8")
        with open(f"{self.folder}/host.toml", "w", encoding="utf-8") as slower:
            slower.write(re.sub(r"(?m)^(narrow_panel_rate *= \{ value = )[0-9.]+", r"\g<1>1", host))
        with open(f"{self.folder}/sizes.csv", "w", encoding="utf-8") as sizes:
            sizes.write("n,size,blocks\n1024,40,3000\n2048,70,3200\n")
        shutil.copy(PROJECT / "docs" / "examples" / "hpl" / "HPL.dat", self.folder)
        with open(f"{self.folder}/map.csv", "w", encoding="utf-8") as nodes:
            nodes.write("task,node\n" + "".join(f"{task},{9 * task % 64}\n" for task in range(8)))

    def report(self, command, option=None, value=None):
        words = command.split() + ([] if option is None else [option] if value is None else [option, value])
        done = subprocess.run([GDR, *words, "--json", "-"], capture_output=True, text=True, cwd=self.folder, check=False, timeout=120)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def test_an_option_that_changes_numbers_is_in_the_report(self):
        for command, options in COMMANDS.items():
            plain = self.report(command)
            self.assertIsInstance(plain, dict, plain)
            for option, value in options.items():
                with self.subTest(command=command, option=option):
                    given = self.report(command, option, value)
                    self.assertIsInstance(given, dict, given)
                    self.assertIn(option.removeprefix("--"), given["options"])
                    if without(plain, {"host_seconds", "options"}) != without(given, {"host_seconds", "options"}):
                        self.assertNotEqual(without(plain, RESULTS), without(given, RESULTS))

    def test_every_option_of_a_model_is_tried(self):
        script = subprocess.run([GDR, "completion", "bash"], capture_output=True, text=True, check=True).stdout
        for name in WALKED:
            words = re.search(f"(?m)^ *'gdr {name}'\\) words='([^']*)'", script)
            tried = {word for command, options in COMMANDS.items() if command.startswith(name + " ") for word in [*command.split(), *options]}
            self.assertEqual(set(words[1].split()) - tried - OTHERS - {"-" + word for word in tried}, set(), name)

    def test_options_come_in_the_form_of_their_values(self):
        given = self.report("cluster hpl --nodes 4,16 --n 4K --clock 0.2GHz --overlap-u --kernel dgemm_double")
        self.assertEqual(given["options"], {"nodes": [4, 16], "n": 4000, "clock": 200, "overlap-u": True, "kernel": "dgemm_double"})

    def test_sibling_commands_give_the_numbers_of_one_row(self):
        for command in ("hpl --nodes 4 --n 4096", "nbody --nodes 4 --n 4096", "summa --nodes 4 --n 4096 --algorithm CA1",
                        "himeno --nodes 8 --size XS"):
            report = self.report("cluster " + command)
            self.assertEqual(report["emulated_seconds"], report["rows"][0]["seconds"])
            self.assertEqual(report["emulated_gflops"], report["rows"][0]["gflops"])


if __name__ == "__main__":
    GDR, PROJECT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
