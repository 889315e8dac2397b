#!/usr/bin/env python3
"""Shared libraries, which run inside other people's programs, are linked and compiled so that mistakes in them are hard to
use: addresses are bound before the program starts and read-only from then on, and the environment of programs that run with
rights their user has not is not read.

    hardening_test.py fortified|plain LIBRARY... COMPONENT.a...

`plain` is a build without optimisation, in which the C library's checks of buffers do not work.
"""

import subprocess
import sys
import unittest

LIBRARIES = []
COMPONENTS = []
FORTIFIED = False
# Functions of the C library that are called in forms which know the size of a buffer. Calls for buffers of unknown size keep
# their names, so that memcpy and its like say nothing.
WITH_CHECKS = {"printf", "fprintf", "sprintf", "snprintf", "vsnprintf", "vfprintf"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def undefined_names(archive):
    """Of all objects of a component but the vector engine's kernels, which are compiled without checks."""
    names, kernel = set(), False
    for line in output("nm", "-u", archive).splitlines():
        if line.endswith(":"):
            kernel = line.startswith("kernels_")
        elif line and not kernel:
            names.add(line.split()[-1])
    return names


class Hardening(unittest.TestCase):
    def test_addresses_are_bound_at_the_start_and_read_only(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                self.assertIn("GNU_RELRO", output("readelf", "-lW", library))
                self.assertIn("NOW", output("readelf", "-dW", library))

    def test_the_stack_is_not_executable(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                (stack,) = (line for line in output("readelf", "-lW", library).splitlines() if "GNU_STACK" in line)
                self.assertNotIn("E", stack.split("GNU_STACK")[1])

    def test_the_environment_is_read_by_secure_getenv_alone(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                names = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", library).splitlines()}
                self.assertNotIn("getenv", names)

    def test_what_they_hold_of_the_components_checks_the_stack_and_buffers(self):
        for component in COMPONENTS:
            with self.subTest(component=component):
                names = undefined_names(component)
                self.assertIn("__stack_chk_fail", names)
                if FORTIFIED:
                    self.assertTrue(any(name.endswith("_chk") for name in names), names)
                    self.assertFalse(names & WITH_CHECKS)


if __name__ == "__main__":
    FORTIFIED = sys.argv[1] == "fortified"
    COMPONENTS = [argument for argument in sys.argv[2:] if argument.endswith(".a")]
    LIBRARIES = [argument for argument in sys.argv[2:] if not argument.endswith(".a")]
    unittest.main(argv=sys.argv[:1])
