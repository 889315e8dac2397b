#!/usr/bin/env python3
"""gdr cc reads gdr/kernel.h once: what clang made of it is kept, and changes neither results nor messages.

    header_cache_test.py GDR PROJECT [TestCase...]
"""

import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

INCLUDE = "#include <gdr/kernel.h>\n"
RECORDS = "struct I { double x; };\nstruct J { double y; float m; };\nstruct F { double r; };\n"
PAIR = ("void pair(const I& i, const J& j, F& f) {\n  const float d = j.y - i.x;\n"
        "  f.r += j.m * gdr::rsqrt(d * d) * std::sqrt(d * d);\n}\n")
SOURCE = "// A pair.\n\n/* It has\n two comments. */\n" + INCLUDE + RECORDS + PAIR
HEAD = re.compile(rb"(gdr kernel header \d+\n)([0-9a-f]{64})(.*?\n\n)(.*)", re.DOTALL)


class HeaderCacheTest(cli_test.CliTest):
    """A clang that writes down how it is called, and a cache of headers."""

    def setUp(self):
        super().setUp()
        self.cache = self.scratch / "cache" / "gdr"
        self.log = self.scratch / "log"
        self.clang = self.file("clang", f'#!/bin/sh\necho "$*" >> "{self.log}"\nexec clang++-19 "$@"\n')
        self.clang.chmod(0o755)
        self.environment = {"GDR_CACHE_DIR": str(self.cache), "GDR_CLANG": str(self.clang)}
        if shutil.which("clang++-19") is None:
            self.skipTest("clang++-19 is not found")
        self.source = self.file("pair.cc", SOURCE)

    def compiled(self, source, *arguments, cached=True, **variables):
        """Status, output and messages of gdr cc, and how it called clang: 'made', 'with' the header, 'without'."""
        self.log.write_text("", encoding="utf-8")
        environment = {**self.environment, **variables}
        if not cached:
            environment["GDR_CACHE_DIR"] = "/dev/null/none"
        done = cli_test.gdr("cc", source, "-o", "-", *arguments, environment=environment)
        if done.lacks_a_library():
            self.skipTest(done.err.strip())
        calls = ["made" if "c++-header" in line else "with" if "-include-pch" in line else "without"
                 for line in self.log.read_text(encoding="utf-8").splitlines()]
        return (done.status, done.out, done.err), calls

    def entries(self):
        return [path for path in self.cache.iterdir() if path.suffix == ".header"]

    def entry(self):
        (path,) = self.entries()
        return path

    def good(self):
        outcome, calls = self.compiled(self.source, cached=False)
        self.assertEqual((outcome[0], calls), (0, ["without"]), outcome[2])
        return outcome

    def is_made_and_read(self, source, *arguments, **variables):
        """The header is made by one process and read by the next, which both give what is given without it."""
        plain, _ = self.compiled(source, *arguments, cached=False, **variables)
        self.assertEqual(self.compiled(source, *arguments, **variables), (plain, ["made", "with"]))
        self.assertEqual(self.compiled(source, *arguments, **variables), (plain, ["with"]))


class Reading(HeaderCacheTest):
    def test_the_second_compilation_reads_what_the_first_one_made(self):
        self.good()
        self.is_made_and_read(self.source)
        self.assertEqual(stat.S_IMODE(self.cache.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(self.entry().stat().st_mode), 0o600)

    def test_object_files_with_the_lines_of_the_source_are_equal(self):
        objects = [self.scratch / name / "pair.gdro" for name in ("with", "without")]
        for path, cache in zip(objects, (self.cache, "/dev/null/none")):
            path.parent.mkdir()
            for _ in range(2):
                self.succeeds("cc", self.source, "-o", path, environment={**self.environment, "GDR_CACHE_DIR": str(cache)})
        self.assertEqual(self.log.read_text(encoding="utf-8").count("-include-pch"), 2)
        self.assertEqual(objects[0].read_bytes(), objects[1].read_bytes())

    def test_it_is_read_if_nothing_can_change_what_it_says(self):
        self.compiled(self.source)
        define, other = "#define GDR_DEFINED 1\n", "#include <cmath>\n"
        for text, read in [
            (INCLUDE + RECORDS + PAIR, True),
            ("\t\r\n # \tinclude <gdr/kernel.h> // formulas\n" + RECORDS + PAIR, True),
            (define + SOURCE, False),
            (other + SOURCE, False),
            ("/* */ " + define + SOURCE, False),
            ("// a backslash \\\n#define GDR_DEFINED 1\n" + SOURCE, False),
            ("/* *\\\n/\n#define GDR_DEFINED 1\n/**/ " + SOURCE, False),
            ("#include <cmath>\n" + RECORDS + PAIR.replace("gdr::rsqrt", ""), False),
        ]:
            with self.subTest(text=text):
                source = self.file("other.cc", text)
                plain, _ = self.compiled(source, cached=False)
                self.assertEqual(self.compiled(source), (plain, ["with" if read else "without"]))

    def test_it_is_not_read_with_arguments_and_variables_for_clang(self):
        self.compiled(self.source)
        good = self.good()
        headers = self.scratch / "headers"
        headers.mkdir()
        for arguments, variables in [(["-D", "GDR_DEFINED=1"], {}), (["-I", headers], {}), ([], {"CPATH": str(headers)}),
                                     ([], {"CPLUS_INCLUDE_PATH": str(headers)}), ([], {"CCC_OVERRIDE_OPTIONS": "# O1"})]:
            with self.subTest(arguments=arguments, variables=variables):
                self.assertEqual(self.compiled(self.source, *arguments, **variables), (good, ["without"]))

    def test_messages_are_the_same(self):
        for text in [
            SOURCE.replace("j.y", "j.z"),
            SOURCE.replace("d * d) *", "d * d)) *"),
            SOURCE.replace("std::sqrt(d * d)", 'std::sqrt("d")'),  # notes are of lines of <cmath>
            SOURCE.replace("gdr::rsqrt", "gdr::rsqr"),
            SOURCE + "float gdr::rsqrt(float x) { return x; }\n",
            SOURCE + "#include <no_such_header.h>\n",
            SOURCE + "#warning beware\n",
            SOURCE.replace("  f.r", "  d == d;\n  f.r"),
            SOURCE.replace("f.r +=", "f.r ="),  # refused by gdr, at its place
            SOURCE.replace("std::sqrt(d * d)", "std::nextafter(d, d)"),
            SOURCE.replace("std::sqrt(d * d)", "std::riemann_zeta(d)"),  # one of the functions that are not read at first
        ]:
            with self.subTest(text=text):
                source = self.file("wrong.cc", text)
                plain, _ = self.compiled(source, cached=False)
                self.assertTrue(plain[2])
                outcome, calls = self.compiled(source)
                self.assertEqual(outcome, plain)
                self.assertIn("with", calls)
                self.assertEqual(len(self.entries()), 1)

    def test_headers_are_no_outputs(self):
        data = self.scratch / "data" / "kernels"
        shutil.copytree(cli_test.PROJECT / "kernels" / "cc", data / "cc")
        header = data / "cc" / "gdr" / "kernel.h"
        before = header.read_bytes()
        output = self.scratch / "output.vsm"
        header.rename(output)
        header.symlink_to(output)
        environment = {**self.environment, "GDR_DATA_DIR": str(data.parent)}
        for _ in range(2):
            self.ends(1, ["kernel.h"], "cc", self.source, "-o", output, environment=environment)
            self.assertEqual(header.read_bytes(), before)
            self.compiled(self.source, GDR_DATA_DIR=str(data.parent))


class Entries(HeaderCacheTest):
    def test_damaged_ones_are_made_anew(self):
        self.compiled(self.source)
        good = self.good()
        whole = self.entry().read_bytes()
        flipped = bytearray(whole)
        flipped[-len(whole) // 3] ^= 0x10
        for content in (b"", whole[:10], whole[: len(whole) // 2], whole[:-1], whole + b"x", bytes(flipped)):
            with self.subTest(size=len(content)):
                self.entry().write_bytes(content)
                self.assertEqual(self.compiled(self.source), (good, ["made", "with"]))
                self.assertEqual(self.compiled(self.source), (good, ["with"]))

    def test_what_clang_does_not_read_is_made_anew(self):
        self.compiled(self.source)
        good = self.good()
        whole = self.entry().read_bytes()
        magic, _, record, header = HEAD.fullmatch(whole).groups()
        for wrong in (header[: len(header) // 2], b"CPCH", b"no header"):
            with self.subTest(size=len(wrong)):
                body = record + wrong
                self.entry().write_bytes(magic + hashlib.sha256(body).hexdigest().encode() + body)
                self.assertEqual(self.compiled(self.source), (good, ["with", "without"]))
                self.assertEqual(self.compiled(self.source), (good, ["made", "with"]))

    def test_those_that_others_can_write_are_not_read(self):
        self.compiled(self.source)
        good = self.good()
        self.entry().chmod(0o666)
        self.assertEqual(self.compiled(self.source), (good, ["made", "with"]))
        self.cache.chmod(0o777)
        self.assertEqual(self.compiled(self.source), (good, ["without"]))

    def test_a_changed_header_and_a_changed_clang_are_read(self):
        data = self.scratch / "data"
        shutil.copytree(cli_test.PROJECT / "kernels" / "cc", data / "kernels" / "cc")
        variables = {"GDR_DATA_DIR": str(data)}
        self.is_made_and_read(self.source, **variables)
        header = data / "kernels" / "cc" / "gdr" / "kernel.h"
        text = header.read_text(encoding="utf-8")
        header.write_text(text.replace("inline float rsqrt(float x) {", "inline float rsqrt(float x) { x = 2 * x;"),
                          encoding="utf-8")
        os.utime(header, ns=(10**18, 10**18))
        before, _ = self.compiled(self.source)
        self.is_made_and_read(self.source, **variables)
        changed, _ = self.compiled(self.source, **variables)
        self.assertNotEqual(changed[1], before[1])
        os.utime(self.clang, ns=(10**18, 10**18))
        self.is_made_and_read(self.source, **variables)

    def test_a_header_that_clang_does_not_read_in_advance_is_tried_once(self):
        self.clang.write_text(f'#!/bin/sh\necho "$*" >> "{self.log}"\ncase "$*" in *c++-header*) exit 1;; esac\n'
                              'exec clang++-19 "$@"\n', encoding="utf-8")
        good = self.good()
        self.assertEqual(self.compiled(self.source), (good, ["made", "without"]))
        self.assertEqual(self.compiled(self.source), (good, ["without"]))

    def test_one_that_ends_clang_by_a_signal_is_none(self):
        self.clang.write_text(f'#!/bin/sh\necho "$*" >> "{self.log}"\ncase "$*" in *include-pch*) kill -9 $$;; esac\n'
                              'exec clang++-19 "$@"\n', encoding="utf-8")
        good = self.good()
        self.assertEqual(self.compiled(self.source), (good, ["made", "with", "without"]))
        self.assertEqual(self.compiled(self.source), (good, ["without"]))


class Folders(HeaderCacheTest):
    def test_those_that_cannot_be_used_are_survived(self):
        good = self.good()
        self.file("file", "")
        (self.scratch / "link").symlink_to(self.scratch)
        for folder in (self.scratch / "file", self.scratch / "file" / "below", self.scratch / "link", "/proc/none/gdr"):
            with self.subTest(folder=folder):
                self.assertEqual(self.compiled(self.source, GDR_CACHE_DIR=str(folder)), (good, ["without"]))
        nowhere = {"GDR_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": ""}
        self.assertEqual(self.compiled(self.source, **nowhere), (good, ["without"]))

    @unittest.skipIf(os.geteuid() == 0, "root can write everywhere")
    def test_those_that_are_read_only_are_read(self):
        good = self.good()
        self.cache.mkdir(parents=True)
        self.cache.chmod(0o500)
        self.assertEqual(self.compiled(self.source), (good, ["without"]))
        self.cache.chmod(0o700)
        self.compiled(self.source)
        self.cache.chmod(0o500)
        self.assertEqual(self.compiled(self.source), (good, ["with"]))
        self.cache.chmod(0o700)

    def test_an_entry_that_cannot_be_written_is_no_error(self):
        good = self.good()
        self.compiled(self.source)
        path = self.entry()
        path.unlink()
        path.mkdir()
        (path / "kept").touch()
        for _ in range(2):
            self.assertEqual(self.compiled(self.source), (good, ["made", "with"]))
        self.assertTrue((path / "kept").exists())

    def test_four_entries_stay_and_files_of_others(self):
        self.cache.mkdir(parents=True, mode=0o700)
        names = [digit * 64 + ".header" for digit in "01234"]
        others = ["notes.header", "0" * 64 + ".body", "g" * 64 + ".header"]
        for age, name in enumerate(names + others):
            (self.cache / name).write_text("old", encoding="utf-8")
            os.utime(self.cache / name, (10**9 - age, 10**9 - age))
        self.compiled(self.source)
        left = {path.name for path in self.cache.iterdir()}
        self.assertEqual(left & set(names), set(names[:3]))
        self.assertEqual(len(left), 4 + len(others))
        self.assertLessEqual(set(others), left)

    def test_processes_at_once_make_one_entry(self):
        good = self.good()
        environment = {**os.environ, **self.environment}
        running = [subprocess.Popen([cli_test.GDR, "cc", self.source, "-o", "-"], env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
        for process in running:
            self.assertEqual((process.communicate(), process.returncode), (good[1:], 0))
        self.assertEqual(len(list(self.cache.iterdir())), 1)
        self.assertEqual(self.compiled(self.source), (good, ["with"]))


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
