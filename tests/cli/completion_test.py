#!/usr/bin/env python3
"""What bash completes after gdr's own script: completion_test.py GDR"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GDR = sys.argv.pop(1)


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        script = subprocess.run([GDR, "completion", "bash"], capture_output=True, text=True, check=True).stdout
        (self.folder / "script").write_text(script, encoding="utf-8")

    def complete(self, *words):
        """What may stand in the place of the last of `words`."""
        quoted = " ".join(f"'{word}'" for word in words)
        line = f"source ./script; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _gdr; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_every_command_of_the_help(self):
        told = subprocess.run([GDR, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z]+) ", told.split("\nOptions:")[0], re.MULTILINE)
        self.assertGreater(len(commands), 10)
        offered = self.complete("gdr", "")
        for command in commands:
            self.assertIn(command, offered)

    def test_commands_of_a_group(self):
        self.assertEqual(self.complete("gdr", "net", "hi"), ["himeno"])

    def test_options_of_a_command_only(self):
        self.assertEqual(self.complete("gdr", "nbody", "--pl"), ["--plummer"])
        self.assertEqual(self.complete("gdr", "hpl", "--pl"), [])

    def test_values_that_can_be_listed(self):
        self.assertEqual(sorted(self.complete("gdr", "nbody", "--plummer", "64", "--transfer", "")), ["2009", "ideal"])
        self.assertEqual(self.complete("gdr", "completion", "z"), ["zsh"])

    def test_files_where_a_value_cannot_be_listed(self):
        (self.folder / "mine.vsm").touch()
        self.assertEqual(self.complete("gdr", "as", "mi"), ["mine.vsm"])
        self.assertEqual(self.complete("gdr", "run", "k.vsm", "--i", "mi"), ["mine.vsm"])

    def test_names_of_things_that_come_with_gdr(self):
        self.assertEqual(self.complete("gdr", "run", "k.vsm", "--machine", "model18"), ["model1800"])
        self.assertIn("gravity", self.complete("gdr", "as", "grav"))
        self.assertEqual(self.complete("gdr", "explain", "E0123"), ["E0123"])
        self.assertIn("grape-dr-64-hub", self.complete("gdr", "cluster", "nbody", "--cluster", "grape-dr-64-"))
        self.assertIn("G5", self.complete("gdr", "validate", "--only", "G5"))
        self.assertIn("moment", self.complete("gdr", "judge", "mom"))
        (self.folder / "model1800.toml").touch()
        self.assertEqual(sorted(self.complete("gdr", "run", "--machine", "model18")), ["model1800", "model1800.toml"])

    def test_fish_offers_the_same(self):
        script = subprocess.run([GDR, "completion", "fish"], capture_output=True, text=True, check=True).stdout
        (self.folder / "script.fish").write_text(script, encoding="utf-8")

        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source script.fish; complete -C '{line}'"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [word.split("\t")[0] for word in done.stdout.splitlines()]

        self.assertEqual(offered("gdr net hi"), ["himeno"])
        self.assertEqual(offered("gdr nbody --pl"), ["--plummer"])
        self.assertEqual(offered("gdr hpl --plu"), [])
        self.assertEqual(sorted(offered("gdr nbody --plummer 64 --transfer ")), ["2009", "ideal"])
        self.assertEqual(offered("gdr run k.vsm --machine model18"), ["model1800"])
        (self.folder / "mine.vsm").touch()
        self.assertEqual(offered("gdr as mi"), ["mine.vsm"])
        self.assertEqual(offered("gdr run k.vsm --i mi"), ["mine.vsm"])

    def test_another_shell_is_refused(self):
        done = subprocess.run([GDR, "completion", "tcsh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash, zsh, fish", done.stderr)


if __name__ == "__main__":
    unittest.main()
