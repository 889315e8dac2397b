"""The build for the browser has every algorithm of ranges that its components call: libc++ 13 has none, so that a call that
web/wasm/libcxx13.h lacks breaks that build, which only the nights make.

    library_test.py PROJECT
"""

import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(sys.argv[1]).resolve()
CALL = re.compile(r"std::(ranges|views)::([a-z_]+)")


def sources():
    """The sources and headers of the components that web/wasm/CMakeLists.txt compiles."""
    rules = (PROJECT / "web/wasm/CMakeLists.txt").read_text()
    components = re.search(r"foreach\(component ([a-z ]+)\)\n  add_subdirectory", rules).group(1).split()
    parts = dict(re.findall(r"gdr_only\((\w+) ([^)]*)\)", rules))
    for component in components:
        for path in (PROJECT / component).rglob("*"):
            inside = str(path.relative_to(PROJECT / component))
            if path.suffix == ".h" or path.suffix == ".cpp" and inside in parts.get(component, inside).split():
                # Generators run on the host, plug-ins are built with libraries that the browser has not.
                if not re.search(r"(^|/)(generator|plugin|jit|opencl)/", inside):
                    yield path


class Library(unittest.TestCase):
    def test_algorithms_of_ranges_are_there(self):
        there = set(re.findall(r"^constexpr [^\n=(]*?(\w+)\(", (PROJECT / "web/wasm/libcxx13.h").read_text(), re.MULTILINE))
        called = [(call, path) for path in sources() for call in CALL.findall(path.read_text())]
        self.assertGreater(len({call for call, path in called}), 10)
        missing = [f"{path.relative_to(PROJECT)}: std::{'::'.join(call)}" for call, path in called if call[1] not in there]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
