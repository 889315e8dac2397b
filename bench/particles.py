#!/usr/bin/env python3
"""Random particles for a kernel, as `gdr run` reads them.

    particles.py KERNEL FOLDER

writes FOLDER/i.csv, of 128 i-particles, and FOLDER/j.csv, of 1024 j-particles, for the assembly source KERNEL. The same
kernel gets the same ones.
"""

import pathlib
import random
import re
import sys

I_PARTICLES = 128
J_PARTICLES = 1024
SEED = 20


def write_particles(path, kernel, kind, count, numbers):
    """As many rows of a kernel's i- or j-data: numbers in [0, 1), and for integers 0, 1, 2, ..."""
    columns = []  # name, and whether it is an integer
    for name, size, conversion in re.findall(rf"^ *{kind}\s+(?:vector )?(?:long|short)\s+(\w+)(?:\[(\d+)\])?\s+[he]lt (\w+)",
                                             kernel, re.MULTILINE):
        names = [f"{name}[{number}]" for number in range(int(size))] if size else [name]
        columns += [(one, conversion.startswith("fix")) for one in names]
    rows = [",".join(str(row) if integer else f"{numbers.random():.17g}" for _, integer in columns) for row in range(count)]
    path.write_text("\n".join([",".join(name for name, _ in columns), *rows]) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    kernel = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    numbers = random.Random(SEED)
    write_particles(folder / "i.csv", kernel, "var", I_PARTICLES, numbers)
    write_particles(folder / "j.csv", kernel, "bvar", J_PARTICLES, numbers)


if __name__ == "__main__":
    main()
