"""The generator refuses descriptions that contradict themselves, at the line of the record that does.

Each file in records/ is the description with a record behind it. `// refused: TEXT` above a record says what the
generator must report at the record's line, and it must report nothing else; `// does not compile: TEXT` what the
compiler must report there of the generated tables, which is how members of isa::Line are checked.

    records_test.py GDR_TABLEGEN SOURCE_DIRECTORY COMPILER
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TABLEGEN, SOURCE, COMPILER = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
RECORDS = SOURCE / "isa/td"
CASES = sorted(path.name for path in (SOURCE / "tests/isa/records").glob("*.td"))
EXPECTATION = re.compile(r"// (refused|does not compile): (.*)")


def expectations(path):
    """(kind, line of the record, text) of each expectation."""
    found, waiting = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = EXPECTATION.fullmatch(line)
        if match:
            waiting.append(match.groups())
        elif waiting:
            found += [(kind, number, text) for kind, text in waiting]
            waiting = []
    return found


def generate(path, option, output):
    return subprocess.run([TABLEGEN, option, "-I", RECORDS, path, "-o", output], capture_output=True, text=True)


def errors(path, stderr):
    """(line, message) of the errors in this file."""
    pattern = re.compile(re.escape(path.name) + r":(\d+):(?:\d+:)? (?:fatal )?error: (.*)")
    return [(int(line), message) for line, message in pattern.findall(stderr)]


class RecordsTest(unittest.TestCase):
    def expect_all(self, expected, reported):
        for kind, line, text in expected:
            self.assertTrue(any(line == at and text in message for at, message in reported),
                            f"'{text}' at line {line} is not among {reported}")

    def test_the_description_is_accepted(self):
        with tempfile.TemporaryDirectory() as work:
            result = generate(RECORDS / "gdr.td", "-gen-header", pathlib.Path(work) / "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def refuses(self, path, expected):
        with tempfile.TemporaryDirectory() as work:
            result = generate(path, "-gen-header", pathlib.Path(work) / "out")
        self.assertNotEqual(result.returncode, 0, "accepted")
        reported = errors(path, result.stderr)
        self.expect_all(expected, reported)
        for at, message in reported:
            self.assertTrue(any(line == at and text in message for kind, line, text in expected),
                            f"line {at}: '{message}' was not expected")

    def does_not_compile(self, path, expected):
        with tempfile.TemporaryDirectory() as work:
            (pathlib.Path(work) / "gdr/isa").mkdir(parents=True)
            for option, output in (("-gen-header", "gdr/isa/isa.h"), ("-gen-tables", "isa_tables.cpp")):
                result = generate(path, option, pathlib.Path(work) / output)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
            include = [f"-I{path}" for path in (work, SOURCE / "isa/include", SOURCE / "isa/src", SOURCE / "base/include")]
            compiled = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", *include, work + "/isa_tables.cpp"],
                                      capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
        self.assertNotEqual(compiled.returncode, 0, "compiles")
        self.expect_all(expected, errors(path, compiled.stderr))


def case(path):
    expected = expectations(path)

    def test(self):
        self.assertTrue(expected, "the file expects nothing")
        kinds = {kind for kind, _, _ in expected}
        (self.refuses if kinds == {"refused"} else self.does_not_compile)(path, expected)

    return test


for name in CASES:
    setattr(RecordsTest, "test_" + name.removesuffix(".td"), case(SOURCE / "tests/isa/records" / name))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
