#!/usr/bin/env python3
"""Debian's test programs of BLAS, and HPL inside hpcc, with libgdrblas preloaded.

    blat_test.py LIBRARY fortran|c|hpcc paper|double
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARY, WHAT, PRECISION = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
SKIPPED = 77

HPL_INPUT = """HPLinpack benchmark input file

HPL.out
8
1
{n}
1
{nb}
0
1
1
1
16.0
1
2
1
4
1
2
1
1
1
1
1
1
2
64
0
0
1
8
0
"""


def preloaded(command, stdin=None, **more):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
    environment.update(LD_PRELOAD=str(LIBRARY), GDR_BLAS_PRECISION=PRECISION, **more)
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, env=environment, check=False)
    return done.stdout + done.stderr


def blat(program, data):
    places = [p for p in pathlib.Path("/usr/lib").glob(f"*/blas/{program}")]
    if not places:
        sys.exit(SKIPPED)
    with (places[0].parent / data).open(encoding="utf-8") as stdin:
        text = preloaded([places[0]], stdin, GDR_BLAS_MIN_FLOPS="0")
    return text + "".join(path.read_text(encoding="utf-8") for path in pathlib.Path().glob("*.out"))


def hpcc(n, nb):
    program = shutil.which("hpcc")
    if program is None or shutil.which("mpirun") is None:
        sys.exit(SKIPPED)
    pathlib.Path("hpccinf.txt").write_text(HPL_INPUT.format(n=n, nb=nb), encoding="utf-8")
    mpi = ["mpirun", "--allow-run-as-root", "-np", "1", "-x", f"LD_PRELOAD={LIBRARY}", "-x", "GDR_REPORT=report.json", program]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
    subprocess.run(mpi, env=environment, capture_output=True, check=False)
    report = pathlib.Path("report.json").read_text(encoding="utf-8")
    if '"on_board": 0' in report:
        sys.exit("no call reached the board: " + report)
    return pathlib.Path("hpccoutf.txt").read_text(encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if WHAT == "fortran":
            text = blat("xblat3d", "dblat3.in")
            wanted = [r"DGEMM  PASSED THE COMPUTATIONAL", r"DTRSM  PASSED THE COMPUTATIONAL", r"DGEMM  PASSED THE TESTS OF ERROR"]
        elif WHAT == "c":
            text = blat("xdcblat3", "din3")
            wanted = [
                r"cblas_dgemm  PASSED THE TESTS OF ERROR",
                r"cblas_dtrsm  PASSED THE TESTS OF ERROR",
                r"cblas_dgemm  PASSED THE ROW-MAJOR",
                r"cblas_dtrsm  PASSED THE ROW-MAJOR",
                r"cblas_dgemm  PASSED THE COLUMN-MAJOR",
            ]
        else:
            text = hpcc(2048, 256)
            wanted = [r"\|\|Ax-b\|\|_oo/\(eps\*.*PASSED"]
        os.chdir("/")
    for pattern in wanted:
        if re.search(pattern, text) is None:
            sys.exit(f"{pattern} is missing in:\n{text}")
    if re.search(r"FAILED THE|SUSPECT|FATAL", text):
        sys.exit(text)


if __name__ == "__main__":
    main()
