#!/usr/bin/env python3
"""Programs on libg6: steps and energies, the same bits however calls are cut, recovery, the report, wrong settings.

g6_clients_test.py HERMITE_CLIENT DATA_DIRECTORY
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CLIENT = sys.argv[1]
os.environ["GDR_DATA_DIR"] = sys.argv[2]


def run(*arguments, **settings):
    """Outcome, and what the client printed as a dictionary."""
    outcome = subprocess.run(
        [CLIENT, *map(str, arguments)], env=os.environ | settings, capture_output=True, text=True, timeout=120
    )
    words = outcome.stdout.split()
    return outcome, dict(zip(words[::2], words[1::2]))


class Clients(unittest.TestCase):
    def test_a_hermite_code_conserves_energy(self):
        outcome, printed = run(128, 32)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertLess(abs(float(printed["energy_error"])), 2e-7)
        self.assertEqual(printed["resent"], "0")

    def test_bits_depend_on_neither_pipes_nor_chips_nor_engine_nor_neighbours(self):
        bits = {
            name: run(100, 4, *mode, **settings)[1]["bits"]
            for name, mode, settings in [
                ("48 pipes", [], {}),
                ("7 pipes", [], {"GDR_G6_NPIPES": "7"}),
                ("128 pipes", [], {"GDR_G6_NPIPES": "128"}),
                ("one thread", [], {"GDR_THREADS": "1"}),
                ("nearest", ["nearest"], {}),
                ("lists", ["lists"], {}),
            ]
        }
        self.assertEqual(len(set(bits.values())), 1, bits)

    def test_the_reference_engine_gives_the_same_bits(self):
        self.assertEqual(run(20, 1)[1]["bits"], run(20, 1, GDR_ENGINE="reference")[1]["bits"])

    def test_a_code_recovers_from_a_board_that_fails_once(self):
        bits = run(60, 2, "lists")[1]["bits"]
        for fails, resent in [("lasthalf", "1"), ("list", "1"), ("both", "2")]:
            outcome, printed = run(60, 2, "lists", GDR_G6_FAIL_ONCE=fails)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertEqual((printed["bits"], printed["resent"]), (bits, resent))

    def test_the_report_says_what_was_computed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            outcome, _ = run(100, 2, GDR_REPORT=str(path))
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            report = json.loads(path.read_text())
        self.assertEqual(report["library"], "libg6")
        self.assertEqual(report["force_calls"], 3 * 4)  # 100 particles in calls of 48: three calls a force
        self.assertEqual(report["interactions"], 4 * 100 * 100)
        self.assertAlmostEqual(report["pipe_occupancy"], 100 / (3 * 128))
        self.assertGreater(report["emulated_seconds"], 0)
        self.assertEqual(report["failures"], {})

    def test_a_wrong_setting_is_named_once_and_nothing_is_computed(self):
        for name, value in [
            ("GDR_G6_NPIPES", "0"),
            ("GDR_G6_NEIGHBOURS", "hard"),
            ("GDR_BOARDS", "65"),
            ("GDR_MACHINE", "nothing"),
        ]:
            outcome, _ = run(10, 1, **{name: value})
            self.assertEqual(outcome.returncode, 1)
            self.assertIn(value, outcome.stderr)
            self.assertIn("the board does not recover", outcome.stderr)

    def test_a_list_longer_than_its_capacity_is_an_overflow(self):
        outcome, printed = run(60, 1, "lists", GDR_G6_LIST_CAPACITY="1")
        self.assertEqual(outcome.returncode, 1, printed)
        self.assertIn("does not recover", outcome.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
