#!/usr/bin/env python3
"""gdr in little memory: every command succeeds, or ends with status 1 and a sentence.

    memory_test.py GDR PROJECT [TestCase...]

Each command runs under limits of its address space from 60 to 400 MB.
"""

import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

MEGABYTE = 1000 * 1000
LIMITS = [limit * MEGABYTE for limit in range(60, 401, 40)]


class InLittleMemory(cli_test.CliTest):
    def run_within(self, limit, *arguments):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        command = [cli_test.GDR, *(str(argument) for argument in arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited, timeout=60,
                              stdin=subprocess.DEVNULL, cwd=self.scratch)

    def check(self, *arguments, limits=LIMITS):
        """Under each limit; at least the largest but one is enough for most of these commands, and the least for few."""
        for limit in limits:
            done = self.run_within(limit, *arguments)
            with self.subTest(command=arguments, megabytes=limit // MEGABYTE, status=done.returncode):
                if done.returncode != 0:
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(done.stderr, r"(?m)^(gdr( nbody)?|\S+): \w+")
                    self.assertTrue(done.stderr.endswith("\n"), done.stderr)

    def setUp(self):
        super().setUp()
        if self.run_within(LIMITS[-1], "--version").returncode != 0:
            self.skipTest("sanitizers need more memory")
        self.kernels = cli_test.PROJECT / "kernels"

    def test_a_script_with_a_line_that_is_longer_than_the_memory(self):
        data = ["--i", self.file("i.csv", "xi\n1\n"), "--j", self.file("j.csv", "xj,mj\n1,2\n")]
        script = self.scratch / "script"
        with script.open("wb") as file:
            file.truncate(LIMITS[-1])
        done = self.run_within(LIMITS[-1], "debug", self.kernels / "tutorial.vsm", *data, "--script", script)
        self.assertEqual((done.returncode, done.stderr), (1, f"gdr: {script}:1: this line cannot be read\n"))

    def test_kernels(self):
        self.file("i.csv", "xi\n1\n2\n")
        self.file("j.csv", "xj,mj\n1,2\n3,4\n")
        tutorial = self.kernels / "tutorial.vsm"
        self.check("run", tutorial, "--i", "i.csv", "--j", "j.csv", "--output", "-")
        self.check("as", tutorial, "-o", "k.gdro")
        self.check("analyse", tutorial, "--html", "k.html")
        self.check("cc", self.kernels / "lsump" / "gravity.lsump", "-o", "k.vsm")

    def test_forces(self):
        self.check("force", "--n", "64")
        self.check("dgemm", "-m", "64", "-n", "64", "-k", "64")
        self.check("hpl", "--n", "256", "--nb", "64")

    def test_models(self):
        self.check("cluster", "hpl")
        self.check("net", "bcast", "--network", "fat-tree-64", "--bytes", "1024")
        self.check("validate", "--only", "N15")

    def test_pictures(self):
        summa = ["net", "summa", "--network", "torus-64", "--n", "1024", "--executor", "closed-form", "--picture", "loads.png"]
        if cli_test.gdr(*summa, cwd=self.scratch).status != 0:
            self.skipTest("without librsvg")
        # In less memory PNG is refused with the options, as without librsvg.
        self.check(*summa, limits=LIMITS[2:])

    def test_runs(self):
        self.check("nbody", "--plummer", "64", "--t-end", "0.01", "--log", "log", "--checkpoint", "checkpoint", "--report", "page.html")


if __name__ == "__main__":
    import unittest

    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
