#!/usr/bin/env python3
"""How long gdr cc takes, and how few lines it finds: a table of the kernels in kernels/cc as Markdown.

compile_report.py GDR [--rounds N] [--check]

Times are processor time of gdr and clang together, medians of rounds. The time of -O1 has all but the search for few
lines in it: clang, importer, assembler and the start of a process. Lines are those of the loop body: of the kernel by
hand where there is one, as compiled at -O2 and -O3, and with two records at once (-O3 to an object file). The bound is
that of `gdr analyse` for -O3: the longest chain with its registers, or the busiest unit. --check exits with 1 if -O2 takes
a second or more, or -O3 ten.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

KERNELS = ["gravity", "gravity_jerk", "vdw", "coulomb", "morse", "sph_density", "oseen", "debye", "repulsion",
           "eri", "sph_density_c4", "sph_force_c4", "mandelbrot"]
KERNELS_DIR = pathlib.Path(__file__).resolve().parent.parent / "kernels"
MOST_SECONDS = {2: 1.0, 3: 10.0}


def seconds_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def report_of(command):
    return json.loads(subprocess.run([*command, "--json", "-"], check=True, stdout=subprocess.PIPE).stdout)


def lines_of(command):
    return report_of([*command, "--quiet"])["lines"]["loop_body"]


def bound_of(command):
    return report_of(command)["bound"]["least_lines"]


class Kernel:
    def __init__(self, gdr, name, rounds, folder):
        source = KERNELS_DIR / "cc" / f"{name}.cc"
        self.name = name
        self.lines, self.seconds = {}, {}
        for effort in (1, 2, 3):
            command = [gdr, "cc", str(source), f"-O{effort}", "-o", str(folder / f"{name}.vsm")]
            self.lines[effort] = lines_of(command)
            self.seconds[effort] = statistics.median(seconds_of([*command, "--quiet"]) for _ in range(rounds))
        self.both = lines_of([gdr, "cc", str(source), "-O3", "-o", str(folder / f"{name}.gdro")])
        self.bound = bound_of([gdr, "analyse", str(folder / f"{name}.vsm")])
        hand = KERNELS_DIR / f"{name}.vsm"
        self.hand = lines_of([gdr, "as", str(hand), "-o", str(folder / "hand.gdro")]) if hand.exists() else None

    def row(self):
        times = " | ".join(f"{self.seconds[effort]:.2f} s" for effort in (1, 2, 3))
        over = (self.lines[3] - self.bound) / self.bound
        return (f"| `{self.name}` | {self.hand or ''} | {self.lines[2]} | {self.lines[3]} | {self.bound} | {over:.0%} | {self.both} "
                f"| {times} |")

    def too_slow(self):
        return [f"{self.name}: -O{effort} takes {self.seconds[effort]:.2f} s, bar {most:g} s"
                for effort, most in MOST_SECONDS.items() if self.seconds[effort] >= most]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gdr")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print("| kernel | by hand | `-O2` | `-O3` | bound | over it | two records | time `-O1` | `-O2` | `-O3` |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            kernel = Kernel(options.gdr, name, options.rounds, pathlib.Path(folder))
            print(kernel.row(), flush=True)
            complaints += kernel.too_slow()
    if options.check:
        print("\n".join(complaints), file=sys.stderr)
        return 1 if complaints else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
