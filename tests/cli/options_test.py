#!/usr/bin/env python3
"""One word has one meaning: the same option has the same help, unit, limits and choices in all commands that have it.

    options_test.py GDR
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GDR = ""

# Words with several senses: how many, and why. All senses of a word but those of OWN come from the table of options.
SENSES = {
    "--algorithm": (2, "products and forces have algorithms of their own"),
    "--bytes": (2, "of a collective each rank has a payload; a message between neighbours may be empty, and has no ranks"),
    "--kernel": (4, "the kernels that can do what the command does"),
    "--n": (4, "particles on a board, in its memory, and those of a model; order of square matrices; BLAS's columns"),
    "--nodes": (3, "of any network; of a cluster; of the machine whose links were measured"),
    "--overlap": (3, "what the algorithm can overlap with messages"),
    "--split": (2, "a grid has ranks along its dimensions, particles have none"),
    "--steps": (2, "of an experiment, and of a refinement"),
    "--t-end": (2, "a run may begin at a time below 0, a model begins at 0"),
}
# Words whose text is that of each command.
OWN = {
    "--engine": (4, "what computes: a board, a board or the host, one operation, one of those that are compared"),
    "--executor": (2, "a program that was recorded has no closed form"),
    "--from": (2, "a node of a path, and a memory of a node"),
    "--graph": (2, "a mapping may know the graph of a program by its name, as it knows the number of places"),
    "--method": (7, "what each algorithm is called"),
    "--output": (6, "what the command makes"),
    "--size": (3, "of a benchmark, as its authors call its problems"),
    "--start": (2, "what a run begins with, and what an exercise begins with"),
    "--to": (2, "as --from"),
    "--topology": (2, "one of four platforms, and any grid that is described by its name"),
}


def words_of(text):
    """A text of a manual page as it is read."""
    for mark, sign in ((r"\\f.", ""), (r"\\-", "-"), (r"\\&", ""), (r"\\\(aq", "'"), (r"\\e", r"\\")):
        text = re.sub(mark, sign, text)
    return text


def sense_of(text):
    """Without what may differ: the default, whether the option is required, what it goes with, and that it is a list."""
    text = text.replace("; several with commas between them", "")
    body, _, details = text.rpartition(" (") if text.endswith(")") else (text, "", "")
    kept = [one for one in details.rstrip(")").split("; ") if not re.match("default: |required|needs |not with ", one)]
    # A default may have a semicolon in it, a text parentheses at its end.
    return body if not details or not "".join(kept) else f"{body} ({'; '.join(kept)})"


def options_of_all_commands():
    """The senses of each option, with the commands that have them."""
    senses = collections.defaultdict(lambda: collections.defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([GDR, "manual", folder], check=True, capture_output=True)
        for page in sorted(pathlib.Path(folder).iterdir()):
            lines = words_of(page.read_text(encoding="utf-8")).splitlines()
            for at, line in enumerate(lines):
                if line != ".TP" or not lines[at + 1].startswith("-"):
                    continue
                names = re.findall(r"(?<![\w|])--?[A-Za-z][\w-]*", lines[at + 1].split("=")[0])
                name = next((one for one in names if one.startswith("--")), names[0])
                form = re.sub(r"\bNUMBER\b", "N", lines[at + 1])  # whether a fraction is possible is the limits' matter
                senses[name][form, sense_of(lines[at + 2])].append(page.stem)
    return senses


class Options(unittest.TestCase):
    def test_a_word_has_one_meaning(self):
        senses = options_of_all_commands()
        self.assertGreater(len(senses), 150)
        for name, of_name in senses.items():
            allowed, _ = {**SENSES, **OWN}.get(name, (1, ""))
            self.assertEqual(len(of_name), allowed, f"{name}: " + "\n".join(f"{sense}: {commands}" for sense, commands in of_name.items()))

    def test_shared_words_reach_many_commands(self):
        """The walk finds what it is to compare."""
        senses = options_of_all_commands()
        commands = [command for of_name in senses["--seed"].values() for command in of_name]
        self.assertGreater(len(commands), 10)
        self.assertEqual({form for form, _ in senses["--clock"]}, {"--clock N"})
        self.assertIn("1 to 10000 MHz", next(iter(senses["--clock"]))[1])

    def test_limits_are_the_same_where_a_list_is_taken(self):
        for words in (["cluster", "nbody", "--nodes", "0"], ["cluster", "hpl", "--nodes", "0"], ["cluster", "summa", "--nodes", "0"]):
            refused = subprocess.run([GDR, *words], capture_output=True, text=True, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("must be a whole number from 1 to 65536", refused.stderr)


if __name__ == "__main__":
    GDR = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
