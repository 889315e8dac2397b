#!/usr/bin/env python3
"""The programs of docs/guides/same-kernel.md compute the same.

    same_kernel_test.py PROJECT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path()


class SameKernelTest(unittest.TestCase):
    def setUp(self):
        self.programs = PROJECT / "docs/examples/same-kernel"
        shown = PROJECT / "course/exercises/gravity/shown"
        self.data = [shown / "i.csv", shown / "j.csv"]
        names, *rows = (shown / "results.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(names, "acc[0],acc[1],acc[2],pot")
        self.expected = [[f"{float(word):.5f}" for word in row.split(",")] for row in rows]
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def rows_of(self, *command):
        said = subprocess.run([*command, *self.data], capture_output=True, text=True, check=True).stdout
        return [row.split(",") for row in said.splitlines()]

    def test_numpy(self):
        self.assertEqual(self.rows_of("/usr/bin/python3", self.programs / "gravity.py"), self.expected)

    def test_opencl(self):
        if shutil.which("cc") is None or not pathlib.Path("/usr/include/CL/cl.h").exists():
            self.skipTest("there is no compiler, or no header of OpenCL")
        program = self.scratch / "gravity_cl"
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", self.programs / "gravity_cl.c", "-lOpenCL", "-o", program], check=True)
        self.assertEqual(self.rows_of(program), self.expected)

    def test_cuda_compiles(self):
        if shutil.which("nvcc") is None:
            self.skipTest("there is no nvcc")
        subprocess.run(["nvcc", self.programs / "gravity.cu", "-o", self.scratch / "gravity"], check=True, capture_output=True)

    def test_the_page_shows_the_functions_of_the_programs(self):
        page = (PROJECT / "docs/guides/same-kernel.md").read_text(encoding="utf-8")
        source = (self.programs / "gravity.cc").read_text(encoding="utf-8")
        self.assertIn(source[source.index("void gravity"):], page)


if __name__ == "__main__":
    PROJECT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
