#!/usr/bin/env python3
"""Instructions that an interaction takes on an instruction set, counted by QEMU's user emulation.

    bench/instructions.py [ISA[,compiled]=PROGRAM ...]

ISA is the vector engine's instruction set, as GDR_HOST_ISA names it, and PROGRAM a `gdr` for its architecture; with
`compiled` its loop body is compiled, else interpreted. Without arguments: avx2 of build/release/bin/gdr, neon and
portable of build/aarch64/bin/gdr, and the first two compiled. Each runs kernels/gravity_jerk.vsm with one thread for the
i-particles of one chip and of four, over two numbers of j-particles. What the longer runs execute more, for four chips
more than for one, belongs to additional interactions: nothing of it reads particles from files, which are the same for all
chips. A run before these compiles the loop body, which they find in the cache. Ratios are to the first that is compiled,
or is not, as well. Needs qemu-user and a C compiler.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

from particles import write_particles

PROJECT = pathlib.Path(__file__).resolve().parent.parent
USUAL = ["avx2=build/release/bin/gdr", "neon=build/aarch64/bin/gdr", "portable=build/aarch64/bin/gdr",
         "avx2,compiled=build/release/bin/gdr", "neon,compiled=build/aarch64/bin/gdr"]
I_PARTICLES = (128, 512)  # 128 fill the PEs of a chip's blocks
J_PARTICLES = (4096, 8192)  # so many that each run meets ties, for which a form of the loop body is written
SEED = 20091109
# Of the machine of an ELF file: QEMU's program for it, and a processor of its that has the instructions.
EMULATORS = {62: ["qemu-x86_64", "-cpu", "max"], 183: ["qemu-aarch64"]}


def emulator_for(program):
    with open(program, "rb") as file:
        header = file.read(20)
    machine = int.from_bytes(header[18:20], "little")
    if header[:4] != b"\x7fELF" or machine not in EMULATORS:
        sys.exit(f"bench/instructions.py: {program} is no program for x86-64 or 64-bit ARM")
    return EMULATORS[machine]


class Counter:
    def __init__(self, folder):
        self.folder = folder
        self.plugin = folder / "count_instructions.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", self.plugin,
                        PROJECT / "bench/count_instructions.c"], check=True)
        kernel = (PROJECT / "kernels/gravity_jerk.vsm").read_text(encoding="utf-8")
        numbers = random.Random(SEED)
        for count in I_PARTICLES:
            write_particles(folder / f"i{count}.csv", kernel, "var", count, numbers)
        for count in J_PARTICLES:
            write_particles(folder / f"j{count}.csv", kernel, "bvar", count, numbers)

    def executed(self, isa, compiled, program, i_particles, j_particles):
        out = self.folder / "executed"
        out.unlink(missing_ok=True)
        subprocess.run([*emulator_for(program), "-plugin", f"file={self.plugin},out={out}", program, "run",
                        PROJECT / "kernels/gravity_jerk.vsm", "--i", self.folder / f"i{i_particles}.csv",
                        "--j", self.folder / f"j{j_particles}.csv", "--ignore-extra", "--threads", "1"],
                       check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"GDR_HOST_ISA": isa, "GDR_JIT": "on" if compiled else "off",
                                         "GDR_CACHE_DIR": str(self.folder / "cache"), "GDR_THREADS": "1"})
        return int(out.read_text(encoding="utf-8"))

    def of_an_interaction(self, isa, compiled, program):
        if compiled:
            self.executed(isa, compiled, program, I_PARTICLES[1], J_PARTICLES[1])
        longer = [0, 0]
        for n, i_particles in enumerate(I_PARTICLES):
            few, many = (self.executed(isa, compiled, program, i_particles, count) for count in J_PARTICLES)
            longer[n] = many - few
        interactions = (I_PARTICLES[1] - I_PARTICLES[0]) * (J_PARTICLES[1] - J_PARTICLES[0])
        return (longer[1] - longer[0]) / interactions


def main():
    wanted = [argument.split("=", 1) for argument in sys.argv[1:] or USUAL]
    if any(len(one) != 2 for one in wanted):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(pathlib.Path(folder))
        first = {}  # by whether it is compiled
        for what, name in wanted:
            isa, _, how = what.partition(",")
            if how not in ("", "compiled"):
                sys.exit(__doc__)
            compiled = how == "compiled"
            program = PROJECT / name
            if not program.exists():
                sys.exit(f"bench/instructions.py: {program} is not there")
            count = counter.of_an_interaction(isa, compiled, program)
            ratio = count / first.setdefault(compiled, count)
            print(f"{what:<14} {count:8.1f} instructions an interaction, {ratio:6.2f} of the first", flush=True)


if __name__ == "__main__":
    main()
