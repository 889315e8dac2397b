#!/usr/bin/env python3
"""Debian's test programs of BLAS, and HPL inside hpcc, with libgdrblas preloaded.

    blat_test.py LIBRARY fortran|c [--precision paper|double] [--numbers doubles|singles] [--host default|reference]
        [--ratios]
    blat_test.py LIBRARY hpcc --n N --nb NB [--grid PxQ] [--precision paper|double] [--without]

--host reference puts the reference BLAS behind the library instead of what Debian's alternatives choose. --ratios prints the
largest test ratio of every routine, which the programs themselves keep to themselves as long as it is below 16. --without
runs hpcc without the library, to compare.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
THRESHOLD = 16  # of the test programs, in units of 2^-52, or of 2^-23 for floats

HPL_INPUT = """HPLinpack benchmark input file

HPL.out
8
1
{n}
1
{nb}
0
1
{p}
{q}
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



def environment(arguments):
    variables = {key: value for key, value in os.environ.items() if not key.startswith("GDR_") or key == "GDR_DATA_DIR"}
    variables["GDR_BLAS_PRECISION"] = arguments.precision
    return variables


def blat(arguments):
    letter = "d" if arguments.numbers == "doubles" else "s"
    fortran = arguments.what == "fortran"
    program, data = (f"xblat3{letter}", f"{letter}blat3.in") if fortran else (f"x{letter}cblat3", f"{letter}in3")
    places = list(pathlib.Path("/usr/lib").glob(f"*/blas/{program}"))
    if not places:
        sys.exit(SKIPPED)
    folder = places[0].parent
    variables = environment(arguments)
    variables.update(LD_PRELOAD=str(arguments.library), GDR_BLAS_MIN_FLOPS="0")
    if arguments.host == "reference":
        variables["LD_LIBRARY_PATH"] = str(folder)
    text = (folder / data).read_text(encoding="utf-8")
    if arguments.ratios:  # whatever is above the threshold is printed
        text = re.sub(rf"^{THRESHOLD}\.0", "0.001", text, flags=re.MULTILINE)
    done = subprocess.run([places[0]], input=text, capture_output=True, text=True, env=variables, check=False)
    return done.stdout + done.stderr + "".join(path.read_text(encoding="utf-8") for path in pathlib.Path().glob("*.out"))


def print_ratios(text):
    largest = {}
    for routine, ratio in re.findall(r"(\w+)\s+COMPLETED .*\n.*MAXIMUM TEST RATIO\s+([0-9.]+)", text):
        largest[routine] = max(largest.get(routine, 0), float(ratio))
    for routine, ratio in largest.items():
        print(f"{routine} {ratio}")
    if not largest or max(largest.values()) >= THRESHOLD:
        sys.exit(text)


def hpcc(arguments):
    program = shutil.which("hpcc")
    if program is None or shutil.which("mpirun") is None:
        sys.exit(SKIPPED)
    p, q = arguments.grid
    pathlib.Path("hpccinf.txt").write_text(HPL_INPUT.format(n=arguments.n, nb=arguments.nb, p=p, q=q), encoding="utf-8")
    mpi = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(p * q)]
    if not arguments.without:
        # HPL's smallest products would stay on the host.
        settings = {"LD_PRELOAD": arguments.library, "GDR_REPORT": "report-%r.json", "GDR_BLAS_PRECISION": arguments.precision}
        if arguments.n <= 1024:
            settings["GDR_BLAS_MIN_FLOPS"] = "1e6"
        for name, value in settings.items():
            mpi += ["-x", f"{name}={value}"]
    start = time.monotonic()
    subprocess.run([*mpi, program], env=environment(arguments), capture_output=True, check=False)
    seconds = time.monotonic() - start
    if not arguments.without:
        for rank in range(p * q):
            report = pathlib.Path(f"report-{rank}.json").read_text(encoding="utf-8")
            print(report)
            if '"on_board": 0' in report:
                sys.exit(f"no call of rank {rank} reached its board: {report}")
    text = pathlib.Path("hpccoutf.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^WR.*|^\|\|Ax-b.*", text, flags=re.MULTILINE)
    print("\n".join(lines), f"\nhpcc took {seconds:.1f} s")
    return text


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("what", choices=["fortran", "c", "hpcc"])
    parser.add_argument("--precision", choices=["paper", "double"], default="paper")
    parser.add_argument("--numbers", choices=["doubles", "singles"], default="doubles")
    parser.add_argument("--host", choices=["default", "reference"], default="default")
    parser.add_argument("--ratios", action="store_true")
    parser.add_argument("--n", type=int, default=2048)
    parser.add_argument("--nb", type=int, default=256)
    parser.add_argument("--grid", type=lambda text: tuple(int(part) for part in text.split("x")), default=(1, 1))
    parser.add_argument("--without", action="store_true")
    return parser.parse_args()


OF_BOARDS = {"doubles": ("dgemm", "dsymm", "dtrmm", "dtrsm", "dsyrk", "dsyr2k"), "singles": ("sgemm", "ssyrk")}


def lines_of_success(arguments):
    if arguments.what == "hpcc":
        return [r"\|\|Ax-b\|\|_oo/\(eps\*.*PASSED"]
    if arguments.what == "fortran":
        name, tests = str.upper, ("COMPUTATIONAL", "TESTS OF ERROR")
    else:
        name, tests = "cblas_{}".format, ("TESTS OF ERROR", "ROW-MAJOR", "COLUMN-MAJOR")
    return [rf"{name(routine)} +PASSED THE {test}" for routine in OF_BOARDS[arguments.numbers] for test in tests]


def main():
    arguments = parse()
    start = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = hpcc(arguments) if arguments.what == "hpcc" else blat(arguments)
        os.chdir(start)
    if arguments.ratios:
        return print_ratios(text)
    for pattern in lines_of_success(arguments):
        if re.search(pattern, text) is None:
            sys.exit(f"{pattern} is missing in:\n{text}")
    if re.search(r"FAILED THE|SUSPECT|FATAL|^\|\|Ax-b.*FAILED", text, flags=re.MULTILINE):
        sys.exit(text)
    return None


if __name__ == "__main__":
    main()
