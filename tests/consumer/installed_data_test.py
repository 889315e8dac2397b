#!/usr/bin/env python3
"""An installed tree that was moved finds all its data in itself, and nothing in the source tree.

    installed_data_test.py PREFIX PROJECT
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PREFIX = PROJECT = pathlib.Path()


class InstalledData(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name) / "moved"
        (self.tree / "bin").mkdir(parents=True)
        shutil.copy(PREFIX / "bin/gdr", self.tree / "bin")
        shutil.copytree(PREFIX / "share/gdr", self.tree / "share/gdr")

    def gdr(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
        return subprocess.run([self.tree / "bin/gdr", *arguments], capture_output=True, text=True, env=environment,
                              cwd=self.tree, check=False)

    def succeeds(self, *arguments):
        done = self.gdr(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def test_every_machine_and_kernel_of_the_project_is_there(self):
        listed = self.succeeds("machine", "list")
        for file in (PROJECT / "machines").glob("*.toml"):
            self.assertIn(file.stem, listed)
            self.succeeds("machine", "show", file.stem)
        for file in (PROJECT / "kernels").glob("*.vsm"):
            self.assertEqual((self.tree / "share/gdr/kernels" / file.name).read_bytes(), file.read_bytes())
        self.succeeds("force", "-n", "16")
        self.succeeds("dgemm", "-m", "8", "-n", "8", "-k", "8")

    def test_no_folder_is_empty(self):
        folders = [path for path in (PREFIX / "share/gdr").rglob("*") if path.is_dir()]
        self.assertEqual([folder for folder in folders if not any(folder.iterdir())], [])

    def test_published_numbers_and_what_they_are_compared_with_are_there(self):
        self.assertIn("G1.paper", self.succeeds("validate", "--only", "G1"))
        for row in ("G11.largest", "G6"):
            self.assertIn(" 0 not built", self.succeeds("validate", "--only", row))

    def test_what_is_missing_is_not_taken_from_elsewhere(self):
        for name, arguments in [("docs/hpl_residuals.csv", ("validate", "--only", "G11.largest")),
                                ("docs/validation.toml", ("validate", "--only", "G1")),
                                ("kernels/gravity_jerk.vsm", ("force", "-n", "16"))]:
            with self.subTest(name=name):
                (self.tree / "share/gdr" / name).unlink()
                done = self.gdr(*arguments)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(f"{name} is not found (looked for {self.tree / 'share/gdr' / name})", done.stderr)


if __name__ == "__main__":
    PREFIX, PROJECT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
