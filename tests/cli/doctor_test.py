#!/usr/bin/env python3
"""`gdr doctor` prints what a bug report needs, and its status says whether something is broken.

    doctor_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import stat
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402


class Doctor(cli_test.CliTest):
    def report(self, status=0, **environment):
        outcome = cli_test.gdr("doctor", "--json", "-", environment=environment)
        self.assertEqual(outcome.status, status, outcome.out + outcome.err)
        return json.loads(outcome.out)

    def test_a_sound_installation_is_described(self):
        cache = self.scratch / "cache"
        report = self.report(GDR_CACHE_DIR=str(cache), GDR_JIT="off")
        self.assertTrue(report["sound"])
        self.assertIn("portable", report["instruction_sets"])
        self.assertEqual(report["loop_cache"], {"folder": str(cache), "entries": 0, "refusal": ""})
        self.assertEqual(report["settings"]["GDR_JIT"], "off")
        self.assertTrue((pathlib.Path(report["data_folder"]) / "machines").is_dir())
        files = [plugin["file"] for plugin in report["plugins"]]
        self.assertEqual(len(files), len(set(files)))
        for plugin in report["plugins"]:
            self.assertEqual(plugin["refusal"], "")
        text = self.succeeds("doctor", environment={"GDR_CACHE_DIR": str(cache)}).out
        for words in ("data folder", "loop cache", "libgdr_jit.so", "devices of OpenCL", "settings in the environment"):
            self.assertIn(words, text)

    def test_a_cache_that_others_can_write_to_is_reported(self):
        cache = self.scratch / "cache"
        cache.mkdir()
        cache.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
        report = self.report(status=1, GDR_CACHE_DIR=str(cache))
        self.assertEqual(report["loop_cache"]["refusal"], "other users can write to it")
        self.assertFalse(report["sound"])

    def test_a_cache_that_is_a_file_is_reported(self):
        cache = self.file("cache", "")
        self.assertEqual(self.report(status=1, GDR_CACHE_DIR=str(cache))["loop_cache"]["refusal"], "it is not a folder")


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
