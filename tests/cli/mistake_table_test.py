#!/usr/bin/env python3
"""Mistakes on the command line and in the files of a person's first hours, a row each: what is typed, the status, and
what the answer must say for the person to see the cause. The answer is on standard error; none may be silent, be a mere
list of what is missing where something is wrong, or come from a later stage than the mistake.

    mistake_table_test.py GDR PROJECT
"""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()

FILES = {
    "i.csv": "xi\n0\n1\n",
    "j.csv": "xj,mj\n1,0.5\n4,2\n-3,1\n",
    "index.csv": ",xi\n0,1\n1,2\n",
    "semicolons.csv": "xi;yi\n1;2\n",
    "tabs.csv": "xi\tyi\n1\t2\n",
    "comma.csv": "xi\n1,5\n",
    "twice.csv": "xi,xi\n1,2\n",
    "upper.csv": "XI\n1\n",
    "nohead.csv": "1\n2\n",
    "other.csv": "time\n1\n",
    "extra.csv": "xi,mi\n1,2\n",
    "cut.csv": "xi\n1",
    "empty.csv": "",
    "big.csv": "xi\n1e999\n",
    "word.csv": "xi\none\n",
    "nan.csv": "xi\nnan\n",
    "words.txt": "once upon a time\n",
    "readme.md": "# A page\n\nThere is text,\nwhich goes on.\n\nAnd on.\n",
    "lacks.csv": "id,m,x,y,z,vx,vy\n0,1,0,0,0,0,0\n",
    "two_x.txt": "m x y z vx vy vz x\n1 0 0 0 0 0 0 0\n",
    "lacks.txt": "# id m x y z vx vy\n0 1 0 0 0 0 0\n",
    "wrong.toml": "speed = 3\n",
}
RUN = "run tutorial --j j.csv --i "
DATA = "--i i.csv --j j.csv"
PLUMMER = "nbody --plummer 64 --t-end 0.25"

# (what is typed, status, what the answer says)
MISTAKES = [
    # Commands.
    ("nbdoy", 2, ["unknown command 'nbdoy'", "did you mean 'nbody'?"]),
    ("disasm x", 2, ["unknown command 'disasm'", "did you mean 'objdump'?"]),
    ("linpack", 2, ["did you mean 'hpl'?"]),
    ("routes", 2, ["did you mean 'net routes'?"]),
    ("machine shwo model1800", 2, ["unknown command 'shwo' of gdr machine", "did you mean 'show'?"]),
    ("cluster", 2, ["gdr cluster needs a command", "advise"]),
    ("help rnu", 2, ["unknown command 'rnu'", "did you mean 'run'?"]),
    ("frobnicate", 2, ["unknown command 'frobnicate'", "known are"]),
    # Options.
    ("nbody --plummer 8 --t-end 0 --json ''", 2, ["--json: '' is refused: a value is missing"]),
    ("nbody --plummer 8 --t-end 0 --in ''", 2, ["--in: '' is refused: a value is missing"]),
    ("nbody --plummer 8 --t-end 0 --start ''", 2, ["--start: '' is refused", "plummer"]),
    ("nbody --plummer 8 --t-end ''", 2, ["--t-end: '' is refused: it must be a number, such as"]),
    ("as k.vsm -o ''", 2, ["--output: '' is refused: a value is missing"]),
    ("run tutorial --param ''", 2, ["--param: '' is refused: a value is missing"]),
    ("as -D p=1 missing.vsm", 1, ["missing.vsm"]),
    ("explain ''", 2, ["code: '' is refused: a value is missing"]),
    ("judge ''", 2, ["exercise: '' is refused: a value is missing"]),
    ("validate --only ''", 2, ["--only: '' is refused: a value is missing"]),
    ("selftest --engine simd --engine simd", 2, ["--engine: 'simd' is given twice"]),
    ("nbody --plummer 64 --tend 0.25", 2, ["unknown option '--tend'", "did you mean '--t-end'?"]),
    ("nbody --plummer 64 --t_end 0.25", 2, ["did you mean '--t-end'?"]),
    ("nbody --plummer 64 --T-END 0.25", 2, ["did you mean '--t-end'?"]),
    ("nbody plummer 64", 2, ["unexpected argument 'plummer'", "did you mean '--plummer'?"]),
    ("hpl -N 256", 2, ["unknown option '-N'", "did you mean '--n'?"]),
    ("hpl n=256", 2, ["did you mean '--n=256'?"]),
    ("dgemm --M 64 --n 64 --k 64", 2, ["did you mean '--m'?"]),
    (f"run tutorial {DATA} --enigne simd", 2, ["unknown option '--enigne'", "did you mean '--engine'?"]),
    ("force -engine simd", 2, ["did you mean '--engine'?"]),
    ("force -n 16 \u2013seed 3", 2, ["begins with a long dash", "did you mean '--seed'?"]),
    ("force --frobnicate", 2, ["unknown option '--frobnicate'"]),
    ("--engine simd force -n 16", 2, ["unknown option '--engine'", "behind its name"]),
    ("cluster hpl --nodes 4 --seed 5", 2, ["unknown option '--seed'"]),
    ("net summa --size XL", 2, ["unknown option '--size'"]),
    # Values that are missing, twice or too many.
    ("force -n", 2, ["-n needs a value", "2 to 4194304"]),
    ("force -n 16 --json --quiet", 2, ["--json needs a value", "'--quiet' is the next option"]),
    ("force -n 16 -n 32", 2, ["-n is given twice"]),
    ("force 16", 2, ["unexpected argument '16'", "did you mean '--n 16'?"]),
    ("dgemm -m 64 -n 64 -k 64 --transa maybe", 2, ["unexpected argument 'maybe'", "--transa takes no value but on or off"]),
    ("lsp extra", 2, ["unexpected argument 'extra'"]),
    # What a command needs.
    ("nbody --plummer 64", 2, ["--t-end is required", "time to integrate to"]),
    ("nbody --t-end 1", 2, ["exactly one of", "--plummer"]),
    ("nbody --plummer 64 --in i.csv --t-end 1", 2, ["exactly one of", "--in"]),
    ("dgemm -m 64 -n 64", 2, ["--k is required"]),
    ("dgemm", 2, ["--m, --n and --k are required"]),
    ("hpl", 2, ["--n is required"]),
    ("run", 2, ["kernel is required", ".vsm"]),
    ("run tutorial --i i.csv", 2, ["--j is missing", "kernel tutorial"]),
    ("run tutorial --j j.csv", 2, ["--i is missing", "kernel tutorial"]),
    # Numbers and units.
    ("force -n 16 --clock 333MB", 2, ["333MB is refused", "MHz", "400MHz"]),
    ("force -n 16 --clock -5", 2, ["-5 is refused", "from 1 to 10000 MHz"]),
    ("force -n 1e99", 2, ["1e99 is refused", "from 2 to 4194304"]),
    ("force -n 16.5", 2, ["16.5 is refused", "whole number"]),
    ("force -n abc", 2, ["abc is refused", "whole number"]),
    ("force -n 16 --seed 0x10", 2, ["0x10 is refused"]),
    ("force -n 16 --seed 010", 2, ["010 is refused"]),
    ("force -n 16 --eps nan", 2, ["nan is refused"]),
    ("net pingpong --method pio --bytes 1X", 2, ["1X is refused", "64KiB"]),
    ("net pingpong --method dma-register --bytes 2.5", 2, ["2.5 is refused", "a whole number"]),
    ("nbody --plummer 64 --t-end -1", 2, ["--t-end: -1 is refused", "from 0 to 8192"]),
    (f"{PLUMMER} --eta 0", 2, ["--eta: 0 is refused"]),
    ("nbody --plummer 1 --t-end 1", 2, ["--plummer: 1 is refused", "from 2 to"]),
    (f"run tutorial {DATA} --boards 65", 2, ["65 is refused", "from 1 to 64"]),
    ("hpl --n 256 --nb 512", 2, ["--nb: 512 is refused", "at most n = 256"]),
    ("hpl --dat words.txt", 1, ["words.txt:2: the file ends before this line"]),
    ("hpl --dat readme.md", 1, ["readme.md:4: device out = 'which' is refused", "is this a file of HPL?"]),
    ("cluster hpl --nodes 4,4", 2, ["--nodes: 4 is given twice"]),
    ("cluster hpl --nodes 4 --n 1e4,5000,10000", 2, ["--n: 1", "is given twice"]),
    ("cluster nbody --algorithm copy,2d,copy", 2, ["--algorithm: copy is given twice"]),
    # Names.
    ("force -n 16 --engine smid", 2, ["did you mean 'simd'?"]),
    ("force -n 16 --engine SIMD", 2, ["did you mean 'simd'?"]),
    ("force -n 16 --machine modle1800", 2, ["did you mean 'model1800'?"]),
    ("machine show modle1800", 2, ["did you mean 'model1800'?"]),
    ("cluster hpl --nodes 4 --cluster grape-dr64", 2, ["did you mean 'grape-dr-64'?"]),
    (f"run tutorail {DATA}", 2, ["no kernel is called 'tutorail'", "did you mean 'tutorial'?"]),
    ("as kernels/gravity.vsm --schedule=ful", 2, ["did you mean 'full'?"]),
    ("as kernels/gravity.vsm -W error=unusde", 2, ["did you mean 'unused'?"]),
    ("explain fad", 2, ["did you mean 'fadd'?"]),
    ("explain unusde", 2, ["did you mean 'unused'?"]),
    ("explain E9999", 2, ["no diagnostic E9999", "E0101"]),
    ("net map --graph bruk --topology torus:2x2", 2, ["did you mean 'bruck'?"]),
    ("net routes --topology torsu", 2, ["did you mean 'torus'?"]),
    ("schema nbdoy", 2, ["did you mean 'nbody'?"]),
    ("judge moment.vsm", 2, ["'moment.vsm' is a file; the exercise comes first: gdr judge EXERCISE moment.vsm"]),
    ("judge mas kernels/tutorial.vsm", 2, ["exercise 'mas' is unknown", "did you mean 'mass'?"]),
    ("validate --only G99", 2, ["'G99' is refused", "G10"]),
    ("completion tcsh", 2, ["tcsh is refused", "fish"]),
    # What cannot be.
    ("cluster hpl --nodes 128", 2, ["128 nodes are refused", "has 64"]),
    ("cluster hpl --nodes 4 --grid 3x3", 2, ["'3x3' is refused", "P Q = 4 ranks"]),
    ("cluster himeno --size Q", 2, ["'Q' is refused", "XS, S, M, L, XL or AxBxC"]),
    ("cluster himeno --nodes 8 --split 2x8", 2, ["'2x8' is refused", "AxBxC"]),
    ("hpl -n 64 --timing-only --csv -", 2, ["--csv has no effect without --dat"]),
    ("force -n 64 --timing-only --seed 7", 2, ["--seed has no effect with --timing-only"]),
    (f"run tutorial {DATA} --turns 3", 2, ["--turns", "of Type I"]),
    (f"run tutorial {DATA} --param h=2", 2, ["has no parameter 'h'"]),
    (f"run tutorial {DATA} --param h", 2, ["'h' is refused", "NAME=NUMBER"]),
    (f"run tutorial {DATA} --break 3", 2, ["'3' is refused", "FILE:LINE"]),
    # Files.
    ("as missing.vsm", 1, ["missing.vsm: cannot be read: No such file"]),
    ("as kernels/gravty.vsm", 1, ["kernels/gravty.vsm: cannot be read"]),
    ("as folder", 2, ["folder: a folder is no kernel"]),
    ("as object.gdro", 1, ["object.gdro: this is an object file, no source", "gdr objdump"]),
    ("as object.vsm", 1, ["object.vsm: this is an object file, no source"]),
    ("cc kernels/gravity.vsm", 2, ["assembled by gdr as"]),
    ("objdump kernels/gravity.vsm", 2, ["ends in .gdro", "gdr as"]),
    ("run words.txt " + DATA, 2, ["words.txt: a kernel is a source"]),
    ("force -n 16 --machine wrong.toml", 1, ["wrong.toml"]),
    (RUN + "missing.csv", 1, ["missing.csv: cannot be read: No such file"]),
    (RUN + "folder", 1, ["folder: cannot be read: Is a directory"]),
    (RUN + "-" + " --j -", 2, ["--j is given twice"]),
    ("run tutorial --i - --j -", 2, ["both read standard input"]),
    (RUN + "empty.csv", 1, ["empty.csv: the file is empty"]),
    (RUN + "index.csv", 1, ["unknown column ''", "index=False"]),
    (RUN + "semicolons.csv", 1, ["'xi;yi' has semicolons"]),
    (RUN + "tabs.csv", 1, ["has tabs between its names"]),
    (RUN + "comma.csv", 1, ["2 fields where the header has 1", "a point before their fraction"]),
    (RUN + "twice.csv", 1, ["column 'xi' is there twice"]),
    (RUN + "upper.csv", 1, ["missing column xi", "it has 'XI': capitals matter"]),
    (RUN + "nohead.csv", 1, ["the first line must hold the names of the columns"]),
    (RUN + "other.csv", 1, ["missing column xi", "it has time"]),
    (RUN + "extra.csv", 1, ["unknown column 'mi'", "expected: xi"]),
    (RUN + "cut.csv", 1, ["the last line has no line feed"]),
    (RUN + "big.csv", 1, ["big.csv:2: column 'xi': '1e999' is outside the range of a double"]),
    (RUN + "word.csv", 1, ["word.csv:2: column 'xi': 'one' is no number"]),
    (RUN + "nan.csv", 1, ["nan.csv:2: column 'xi': 'nan' is not a number"]),
    (RUN + "binary.csv", 1, ["binary.csv:1: this is no text"]),
    ("run tutorial --i j.csv --j i.csv", 1, ["i.csv:1: missing columns xj, mj", "it has xi"]),
    ("nbody --in missing.csv --t-end 1", 1, ["missing.csv: cannot be read: No such file"]),
    ("nbody --in binary.csv --t-end 1", 1, ["this is no text"]),
    ("nbody --in words.txt --t-end 1", 1, ["words.txt:1: first line has 4 columns", "m x y z vx vy vz"]),
    ("nbody --in lacks.csv --t-end 1", 1, ["lacks.csv:1: column vz is missing: the columns are named id, m, x, y, z, vx, vy"]),
    ("nbody --in lacks.txt --t-end 1", 1, ["column vz is missing: the columns are named id, m, x, y, z, vx, vy"]),
    ("nbody --in two_x.txt --t-end 1", 1, ["column x is there twice: the columns are named m, x, y, z, vx, vy, vz, x"]),
    # Outputs.
    ("as kernels/gravity.vsm -o kernels/gravity.vsm", 2, ["for an output and for an input, which it would replace"]),
    (f"run tutorial {DATA} --output i.csv", 2, ["i.csv: named for an output and for an input"]),
    (f"run tutorial {DATA} --output folder", 1, ["folder: cannot be written: Is a directory"]),
    (f"run tutorial {DATA} --json - --output -", 2, ["both go to standard output"]),
    (f"{PLUMMER} --output nowhere/x", 1, ["nowhere/x: cannot be written: No such file"]),
]
# What had another cause in its answer when people first tried: at least so many rows are to be here.
LEAST = 88


class MistakeTable(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name, text in FILES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "binary.csv").write_bytes(bytes(range(1, 200)))
        (self.folder / "folder").mkdir()
        shutil.copytree(PROJECT / "kernels", self.folder / "kernels")
        subprocess.run([GDR, "as", "kernels/tutorial.vsm", "-o", "object.gdro"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy(self.folder / "object.gdro", self.folder / "object.vsm")

    def test_each_is_answered_with_its_cause(self):
        self.assertEqual(len(MISTAKES), len({typed for typed, _, _ in MISTAKES}))
        answered = 0
        for typed, status, said in MISTAKES:
            with self.subTest(typed):
                done = subprocess.run([GDR, *shlex.split(typed)], capture_output=True, text=True, check=False, timeout=60,
                                      cwd=self.folder, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
                for phrase in said:
                    self.assertIn(phrase, done.stderr)
                answered += 1
        print(f"{answered} of {len(MISTAKES)} mistakes are answered with their cause")
        self.assertGreaterEqual(answered, LEAST)


if __name__ == "__main__":
    GDR, PROJECT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
