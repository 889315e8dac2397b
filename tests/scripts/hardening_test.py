#!/usr/bin/env python3
"""Shared libraries, which run inside other people's programs, are linked and compiled so that mistakes in them are hard to
use: addresses are bound before the program starts and read-only from then on, and the environment of programs that run with
rights their user has not is not read.

    hardening_test.py LIBRARY...
"""

import subprocess
import sys
import unittest

LIBRARIES = []


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


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


if __name__ == "__main__":
    LIBRARIES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
