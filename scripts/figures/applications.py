"""hartree-fock.png and shock-tube.png: two whole applications, by the programs of python/examples."""

import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = PROJECT / "docs/pictures"
CELLS = 60  # of the lattice per unit of length
DARK, LIGHT, RED = "#1f4e79", "#9db8d2", "#aa3333"


def hartree_fock(plt, np):
    import hartree_fock as example

    board = example.Board()
    fig, (energies, errors) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for name, colour in (("H2", DARK), ("HeH+", RED)):
        distances = np.linspace(0.7, 5, 44)
        found = example.curve(name, distances, board)
        energies.plot(distances, found - found.min(), color=colour, label=f"{name}, least {found.min():.4f}")
    energies.set(xlabel="distance / bohr", ylabel="energy above the least / hartree", ylim=(0, 0.4), title="Hartree-Fock, STO-3G")
    energies.legend(frameon=False)
    random = np.random.default_rng(1)
    distance = np.exp2(random.uniform(-8, 8, 3000))
    x = np.zeros((3000, 3))
    x[:, 0] = np.float32(distance)
    width = np.float32(np.exp2(random.uniform(-3, 3, 3000))).astype(float)
    one = (np.zeros((1, 3)), np.full(1, 0.5), np.ones(1))
    found, exact = (engine.potential(x, width, *one) for engine in (board, example.Host()))
    errors.semilogx(x[:, 0] / np.sqrt(width + 0.5), (found / exact - 1) * 1e7, ".", markersize=2, color=DARK)
    errors.set(xlabel=r"$\sqrt{\rho}\,R$", ylabel="relative error x $10^7$", title="Two-electron integrals on the board")
    fig.savefig(PICTURES / "hartree-fock.png", dpi=110)


def shock_tube(plt, np):
    import shock_tube as example

    tube = example.Tube(CELLS, example.Board())
    tube.advance(0.2)
    x = np.linspace(*example.ENDS, 2000)
    solution = example.exact(x, tube.t)
    fig, panels = plt.subplots(1, 3, figsize=(9, 2.9), layout="constrained")
    for axes, (name, found) in zip(panels, (("density", tube.density), ("pressure", tube.pressure), ("velocity", tube.v[:, 0]))):
        axes.plot(tube.x[tube.free, 0], found[tube.free], ".", markersize=2, color=LIGHT, label="particles")
        axes.plot(x, solution[name], color=DARK, linewidth=1, label="exact")
        axes.set(title=name, xlabel="x")
    panels[0].legend(frameon=False)
    fig.savefig(PICTURES / "shock-tube.png", dpi=110)


def draw():
    from figures import gdr

    build = gdr.PROGRAM.parent.parent
    environment = os.environ | {"PYTHONPATH": f"{build}/lib/python:{PROJECT}/python/examples", "GDR_DATA_DIR": str(PROJECT),
                                "GDR_JIT": "on", "MPLBACKEND": "agg"}
    # Debian's interpreter: it has Matplotlib from scripts/setup
    subprocess.run(["/usr/bin/python3", "-B", __file__], env=environment, check=True)


def main():
    import numpy as np
    from matplotlib import pyplot as plt

    hartree_fock(plt, np)
    shock_tube(plt, np)


if __name__ == "__main__":
    sys.exit(main())
