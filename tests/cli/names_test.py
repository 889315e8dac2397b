#!/usr/bin/env python3
"""Names that come from files reach a terminal or a source without control characters.

    names_test.py GDR PROJECT [TestCase...]
"""

import pathlib
import shutil
import sys
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

NAME = "a\nvar long EVIL\n\x1b]0;title\x07.vsm"
SHOWN = r"a\nvar long EVIL\n\x1b]0;title\x07.vsm"


class NamesFromFiles(cli_test.CliTest):
    def test_the_text_of_an_object_file_has_no_lines_of_its_names(self):
        shutil.copy(cli_test.PROJECT / "kernels" / "tutorial.vsm", self.scratch / NAME)
        self.succeeds("as", NAME, "-o", "k.gdro", cwd=self.scratch)
        text = self.succeeds("objdump", "k.gdro", cwd=self.scratch).out
        self.assertNotIn("\x1b", text)
        self.assertNotIn("var long EVIL", text.splitlines())
        self.assertIn(f"from {SHOWN}:", text)

    def test_errors_have_no_escape_sequences(self):
        told = self.ends(2, [], "run", NAME + ".txt", cwd=self.scratch).err
        self.assertNotIn("\x1b", told)
        self.assertIn(r"\x1b]0;title\x07.vsm.txt", told)

    def test_messages_about_sources_have_no_control_characters(self):
        self.file(NAME, "kernel x\nloop body\n fadd\n")
        self.file("a.lsump", "\x1b]0;title\x07 \u009b1m\n")
        self.file("c1.vsm", "kernel \u009b1m\n")
        for arguments in [["as", NAME, "-o", "k.gdro"], ["analyse", NAME], ["debug", NAME], ["cc", "a.lsump"],
                          ["as", "c1.vsm", "-o", "k.gdro"]]:
            with self.subTest(arguments=arguments):
                told = self.ends(1, [], *arguments, cwd=self.scratch).err
                self.assertEqual([c for c in "\x1b\x07\u009b" if c in told], [])

    def test_names_that_are_listed_have_no_control_characters(self):
        self.file(NAME, "kernel x\nloop body\n nop\n")
        self.assertEqual(self.succeeds("fmt", NAME, cwd=self.scratch).out, SHOWN + "\n")
        told = cli_test.gdr("doctor", environment={"GDR_CACHE_DIR": str(self.scratch / NAME)}).out
        self.assertNotIn("\x1b", told)
        self.assertIn(SHOWN, told)

    def refuse_controls(self, *arguments, status=0):
        """No output of the command has a control character; returns standard output."""
        done = cli_test.gdr(*arguments, cwd=self.scratch)
        self.assertEqual(done.status, status, done.err)
        self.assertEqual([c for c in "\x1b\x07\u009b" if c in done.out + done.err], [], arguments)
        return done.out + done.err

    def test_descriptions_say_their_title_without_control_characters(self):
        text = (cli_test.PROJECT / "machines" / "torus-64.toml").read_text(encoding="utf-8")
        title = text.partition('title = "')[2].partition('"')[0]
        self.file("m.toml", text.replace(title, r"\u001b]0;title\u0007"))
        self.assertIn(r"\x1b]0;title\x07", self.refuse_controls("machine", "show", "m.toml"))

    def test_reports_have_no_control_characters(self):
        self.file("\x1b]0;title\x07.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n")
        self.refuse_controls("net", "replay", "\x1b]0;title\x07.goal", "--executor", "critical-path")
        shutil.copy(cli_test.PROJECT / "kernels" / "tutorial.vsm", self.scratch / "\x1b[31m.vsm")
        self.refuse_controls("analyse", "\x1b[31m.vsm")
        self.file("i.csv", "xi\n1\n")
        self.file("j.csv", "xj,mj\n1,2\n")
        told = self.refuse_controls("run", "\x1b[31m.vsm", "--i", "i.csv", "--j", "j.csv", "--trace", "\x1b[32m.json")
        self.assertIn(r"\x1b[32m.json", told)

    def test_notes_on_members_of_archives_have_no_control_characters(self):
        self.succeeds("nbody", "--plummer", "8", "--t-end", "0", "--output", "s.npz", "--quiet", cwd=self.scratch)
        with zipfile.ZipFile(self.scratch / "s.npz", "a") as archive:
            archive.writestr("\x1b]0;title\x07\nEVIL.npy", archive.read("mass.npy"))
        told = self.refuse_controls("nbody", "--in", "s.npz", "--t-end", "0")
        self.assertIn(r"left out: \x1b]0;title\x07\nEVIL", told)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
