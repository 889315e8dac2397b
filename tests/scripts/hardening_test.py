#!/usr/bin/env python3
"""What is shipped is linked and compiled so that mistakes in it are hard to use: addresses are not known beforehand, are
bound before the program starts and read-only from then on, and no library comes from the current folder. Shared libraries
run inside other people's programs: they do not read the environment of programs that run with rights their user has not.

    hardening_test.py fortified|plain BUILD LIBRARY... COMPONENT.a...

BUILD is the build folder, whose scripts for `cmake --install` say what is shipped. `plain` is a build without optimisation,
in which the C library's checks of buffers do not work.
"""

import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path()
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


def shipped():
    """The programs and shared libraries of the build folder that are installed or packed into the wheel, where built."""
    files = set()
    for script in BUILD.rglob("cmake_install.cmake"):
        for kind, names in re.findall(r"TYPE (EXECUTABLE|SHARED_LIBRARY|MODULE)\b([^)]*)\)", script.read_text(encoding="utf-8")):
            files |= {pathlib.Path(name) for name in re.findall(r'"(/[^"]+)"', names)}
    return sorted(file for file in files if file.exists())


class Shipped(unittest.TestCase):
    def setUp(self):
        self.files = shipped()
        self.assertIn("gdr", {file.name for file in self.files})
        self.assertTrue(any(file.suffix == ".so" for file in self.files))

    def test_no_library_comes_from_the_current_folder(self):
        for file in self.files:
            dynamic = output("readelf", "-dW", file)
            for folders in re.findall(r"(?:RPATH|RUNPATH).*\[(.*)\]", dynamic):
                for folder in folders.split(":"):  # an empty one is the current folder
                    with self.subTest(file=file, folders=folders):
                        self.assertTrue(folder.startswith(("/", "$ORIGIN/")))
                        self.assertFalse(pathlib.Path(folder).is_relative_to(BUILD))
            for library in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
                with self.subTest(file=file, library=library):
                    self.assertNotIn("/", library)

    def test_addresses_are_not_known_beforehand_and_bound_at_the_start_and_read_only(self):
        for file in self.files:
            with self.subTest(file=file):
                self.assertRegex(output("readelf", "-hW", file), r"Type:\s+DYN")
                self.assertIn("GNU_RELRO", output("readelf", "-lW", file))
                (flags,) = re.findall(r"\(FLAGS_1\).*", output("readelf", "-dW", file))
                self.assertRegex(flags, r"\bNOW\b")

    def test_the_stack_is_checked_and_not_executable(self):
        for file in self.files:
            with self.subTest(file=file):
                (stack,) = (line for line in output("readelf", "-lW", file).splitlines() if "GNU_STACK" in line)
                self.assertNotIn("E", stack.split("GNU_STACK")[1])
                if " T " in output("nm", "-D", "--defined-only", file):  # one without functions stands for other libraries
                    self.assertIn("__stack_chk_fail", output("nm", "-D", "--undefined-only", file))


class Hardening(unittest.TestCase):

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
    BUILD = pathlib.Path(sys.argv[2])
    COMPONENTS = [argument for argument in sys.argv[3:] if argument.endswith(".a")]
    LIBRARIES = [argument for argument in sys.argv[3:] if not argument.endswith(".a")]
    unittest.main(argv=sys.argv[:1])
