"""scattering.png: cross sections of a star and a binary star, by docs/examples/scattering.py; some minutes."""

import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
SPEEDS = (2, 4, 8, 16)  # in v_c
ENCOUNTERS = 25000  # of each speed
DARK, LIGHT, RED = "#1f4e79", "#9db8d2", "#aa3333"


def measured(program, folder):
    """A result for each speed; the encounters' outcomes and energy errors are left in `folder`."""
    example = PROJECT / "docs/examples/scattering.py"
    results = []
    for v in SPEEDS:
        command = [sys.executable, "-B", example, program, "--v", str(v), "--n", str(ENCOUNTERS), "--keep", folder]
        results.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
    return results


def picture(results, folder, target):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    fig, (sections, errors) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for kind, colour in (("ionisation", DARK), ("exchange", RED)):
        there = [one for one in results if one[kind]["counted"] > 0]
        if not there:
            continue
        sections.errorbar([one["v"] for one in there], [one[kind]["sigma"] for one in there],
                          [one[kind]["error"] for one in there], fmt="o", markersize=4, color=colour, label=kind)
    speeds = [2**(n / 8) for n in range(6, 36)]
    sections.loglog(speeds, [40 / 9 / v**2 for v in speeds], color=LIGHT, label=r"$40/9\,(v_c/v)^2$")
    sections.set(xlabel=r"$v/v_c$", ylabel=r"$\sigma/\pi a^2$", title="Cross sections, equal masses")
    sections.set_xticks(SPEEDS, [str(v) for v in SPEEDS])
    sections.minorticks_off()
    sections.legend(frameon=False)
    for one, shade in zip(results, (DARK, RED, "#4f7dab", LIGHT)):
        with open(pathlib.Path(folder) / f"encounters-{one['v']:g}.csv") as file:
            logs = [math.log10(max(float(row["energy_error"]), 1e-12)) for row in csv.DictReader(file)]
        errors.hist(logs, bins=[-9 + n / 4 for n in range(33)], histtype="step", color=shade, label=f"v = {one['v']:g}")
    errors.set(xlabel="log10 |E - E0|", ylabel="encounters", yscale="log", title="Error of the energy, each encounter")
    errors.legend(frameon=False, fontsize=8)
    fig.savefig(target, dpi=110)


def draw():
    from figures import gdr

    environment = os.environ | {"GDR_DATA_DIR": str(PROJECT)}
    # Debian's interpreter: it has Matplotlib from scripts/setup
    subprocess.run(["/usr/bin/python3", "-B", __file__, gdr.PROGRAM, gdr.PICTURES / "scattering.png"], env=environment, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        picture(measured(sys.argv[1], scratch), scratch, sys.argv[2])
