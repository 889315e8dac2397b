#!/usr/bin/env python3
"""How far a command is, on standard error.

    progress_test.py GDR PROJECT
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

GDR = ""
PROJECT = pathlib.Path()
COLUMNS = 60
PATIENCE = 120  # seconds until the first sign of progress; it comes after one

# Runs that take long: each is ended once it has been seen.
NBODY = ["nbody", "--plummer", "512", "--t-end", "8000"]
FORCE = ["force", "-n", "32768"]


class ProgressTest(unittest.TestCase):
    def seen(self, source, process, enough):
        """What comes from `source` until `enough` is found in it."""
        text = ""
        while not re.search(enough, text):
            ready, _, _ = select.select([source], [], [], PATIENCE)
            self.assertTrue(ready, f"nothing more after {text!r}")
            more = os.read(source, 4096).decode()
            self.assertTrue(more, f"{process.args} ended after {text!r}")
            text += more
        return text

    def lines(self, *arguments):
        process = subprocess.Popen([GDR, *arguments, "--progress"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0)
        try:
            return self.seen(process.stderr.fileno(), process, "\n")
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def test_lines_where_they_are_asked_for(self):
        left = r"(, (\d+ s|\d+ min \d\d s|\d+ h \d\d min) left)?, "
        self.assertRegex(self.lines(*NBODY), r"\Aintegrating: 0 %" + left + r"t = \d+\.\d+, \d+ steps, [^\n]* particles a block, [^\n]*\n")
        self.assertRegex(self.lines(*FORCE), r"\Acomputing forces: \d+ %" + left + r"\d+ of 32768 particles\n")

    def test_the_forces_before_the_first_block_are_told_of(self):
        first = self.lines("nbody", "--plummer", "32768", "--t-end", "1")
        self.assertRegex(first, r"\Acomputing the first forces: \d+ %(, .* left)?, \d+ of 32768 particles\n")

    def test_a_run_of_a_kernel_tells_of_its_particles(self):
        with tempfile.TemporaryDirectory() as folder:
            i, j = pathlib.Path(folder, "i.csv"), pathlib.Path(folder, "j.csv")
            i.write_text("xi\n" + "1\n" * 200000, encoding="utf-8")
            j.write_text("xj,mj\n" + "2,1\n" * 100000, encoding="utf-8")
            first = self.lines("run", str(PROJECT / "kernels" / "tutorial.vsm"), "--i", str(i), "--j", str(j))
            self.assertRegex(first, r"\Arunning: \d+ %, .* left, \d+ of 200000 i-particles\n")

    def test_matrix_products_and_factorisations_tell_how_far_they_are(self):
        first = self.lines("dgemm", "-m", "8192", "-n", "64", "-k", "64", "--engine", "reference")
        self.assertRegex(first, r"\Amultiplying: \d+ %, .* left\n")
        first = self.lines("hpl", "--n", "4096", "--nb", "32", "--engine", "native")
        self.assertRegex(first, r"\Afactorising on the board: \d+ %, .* left\n")

    def test_simulated_networks_tell_how_far_they_are(self):
        if not self.simulates():
            self.skipTest("without libgdr_simgrid.so")
        for tool in (["summa", "--topology", "torus", "--nodes", "576", "--algorithm", "CA2", "--long"],
                     ["allgather", "--topology", "hub2d", "--nodes", "256", "--method", "posted"],
                     ["summa", "--topology", "hub2d", "--nodes", "256", "--algorithm", "CA4", "--executor", "smpi"]):
            with self.subTest(tool):
                self.assertRegex(self.lines("net", *tool), r"\Asimulating: \d+ %(, .* left)?\n")

    def test_models_of_clusters_tell_how_far_they_are_and_end_when_told(self):
        for run in (["himeno", "--nodes", "65536"], ["nbody", "--nodes", "65536", "--n", "1000000", "--sweep"], ["hpl", "--nodes", "1024"],
                    ["advise", "--n", "100000", "--multipath"]):
            grows = [] if run[0] == "advise" else ["--grow-network"]
            process = subprocess.Popen([GDR, "cluster", *run, *grows, "--progress"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, bufsize=0)
            with self.subTest(run), process:
                try:
                    self.assertRegex(self.seen(process.stderr.fileno(), process, "\n"), r"\Amodelling: \d+ %(, .* left)?\n")
                    process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
                finally:
                    process.kill()

    def simulates(self):
        return "libgdr_simgrid.so" not in subprocess.run([GDR, "net", "bcast", "--nodes", "2"], capture_output=True, text=True,
                                                       check=False).stderr

    def test_without_a_terminal_nothing_is_shown_unasked(self):
        done = subprocess.run([GDR, "force", "-n", "4096"], capture_output=True, text=True, check=True, timeout=600)
        self.assertEqual(done.stderr, "")

    def test_progress_and_quiet_contradict_each_other(self):
        self.assertEqual(subprocess.run([GDR, *FORCE, "--quiet", "--progress"], capture_output=True, check=False).returncode, 2)

    def test_a_terminal_shows_a_bar_of_its_width_and_is_left_clean(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        process = subprocess.Popen([GDR, *NBODY], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        try:
            drawn = self.seen(ours, process, r"(\r\x1b\[K[^\r]+){3}")
            process.send_signal(signal.SIGINT)
            drawn += self.seen(ours, process, "stopped at")
        finally:
            process.kill()
            process.wait()
            os.close(ours)
        bars = [bar for bar in re.findall(r"\r\x1b\[K([^\r\n]*)", drawn) if bar and "stopped" not in bar]
        for bar in bars:
            self.assertLess(len(bar), COLUMNS)
            self.assertRegex(bar, r"^integrating \[#*\.*\] +0 % ")
        self.assertRegex(drawn, r"\r\x1b\[Kgdr nbody: stopped")


if __name__ == "__main__":
    GDR, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
