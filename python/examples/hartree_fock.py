#!/usr/bin/python3
"""Restricted Hartree-Fock of hydrogen and helium in STO-3G, with the electrostatic integrals from an emulated GRAPE-DR board.

    hartree_fock.py H2                                   # at 1.4 bohr, as in Szabo and Ostlund 1989, section 3.5.2
    hartree_fock.py HeH+ --distance 1.4632
    hartree_fock.py "H 0 0 0, H 0 0 1.8, H 0 0 3.6, H 0 0 5.4"
    hartree_fock.py H2 --curve 0.5 6 0.25                # energies over the distance

Lengths are in bohr, energies in hartree. The kernel `eri.cc` gives the potential of Gaussian charge clouds at other clouds.
Two-electron integrals (ss|ss) are such potentials, and so are the attraction of nuclei, clouds of width 0, and their repulsion.
Overlap, kinetic energy and the linear algebra are the host's.
"""

from __future__ import annotations

import argparse
import functools
import math
import sys

import numpy as np

import grapedr

# STO-3G of a 1s function with zeta = 1 [Szabo and Ostlund 1989, equation 3.221]: exponents in bohr^-2, coefficients.
STO3G = ((0.109818, 0.444635), (0.405771, 0.535328), (2.22766, 0.154329))
ATOMS = {"H": (1, 1.24), "He": (2, 2.0925)}  # nuclear charge and zeta, as in that book's examples
MOLECULES = {"H2": ("H", "H", 0, 1.4), "HeH+": ("He", "H", 1, 1.4632)}  # atoms, charge, distance in bohr
WIDTH = 7  # the kernel takes 7 / exponent


class Molecule:
    """Atoms with one 1s function each. `atoms` is a list of (symbol, position in bohr)."""

    def __init__(self, atoms: list[tuple[str, tuple[float, float, float]]], charge: int = 0) -> None:
        unknown = [symbol for symbol, _ in atoms if symbol not in ATOMS]
        if unknown or not atoms:
            raise ValueError(f"atom '{unknown[0]}' is refused: known are {', '.join(ATOMS)}" if unknown else "there are no atoms")
        self.position = np.array([position for _, position in atoms], float)
        if not np.isfinite(self.position).all():
            raise ValueError("a position is not finite")
        self.nuclear = np.array([ATOMS[symbol][0] for symbol, _ in atoms], float)
        zeta = np.array([ATOMS[symbol][1] for symbol, _ in atoms])
        self.electrons = int(self.nuclear.sum()) - charge
        if self.electrons % 2 or not 0 < self.electrons <= 2 * len(atoms):
            raise ValueError(
                f"{self.electrons} electrons are refused: they must be an even number from 2 to {2 * len(atoms)}, two an orbital"
            )
        # shape (atom, primitive); coefficients of normalised primitives
        self.exponent = zeta[:, None] ** 2 * np.array([exponent for exponent, _ in STO3G])
        self.coefficient = np.array([weight for _, weight in STO3G]) * (2 * self.exponent / math.pi) ** 0.75

    @functools.cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of functions, mu >= nu."""
        return [(mu, nu) for mu in range(len(self.nuclear)) for nu in range(mu + 1)]

    @functools.cached_property
    def clouds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Products of two primitives: centres (pair, 9, 3), exponents (pair, 9), charges (pair, 9)."""
        mu, nu = np.array(self.pairs).T
        a, b = self.exponent[mu][:, :, None], self.exponent[nu][:, None, :]
        total = a + b
        apart = ((self.position[mu] - self.position[nu]) ** 2).sum(-1)[:, None, None]
        weight = self.coefficient[mu][:, :, None] * self.coefficient[nu][:, None, :]
        charge = weight * np.exp(-a * b / total * apart) * (math.pi / total) ** 1.5
        centre = a[..., None] * self.position[mu][:, None, None] + b[..., None] * self.position[nu][:, None, None]
        shape = (len(mu), -1)
        return (centre / total[..., None]).reshape(*shape, 3), total.reshape(shape), charge.reshape(shape)

    def matrix(self, of_pairs: np.ndarray) -> np.ndarray:
        """A symmetric matrix from its entries mu >= nu, whose first index is the pair."""
        n = len(self.nuclear)
        full = np.empty((n, n, *of_pairs.shape[1:]))
        for (mu, nu), value in zip(self.pairs, of_pairs):
            full[mu, nu] = full[nu, mu] = value
        return full

    def overlap(self) -> np.ndarray:
        """The charges of the products; shape (n, n). The coefficients' six digits leave a function's own off 1 by 1.4e-6;
        as in the textbook's program it is set to 1, which moves the energy of HeH+ by 3e-6 hartree."""
        overlap = self.matrix(self.clouds[2].sum(1))
        np.fill_diagonal(overlap, 1)
        return overlap

    def kinetic(self) -> np.ndarray:
        """Kinetic energy, shape (n, n) [Szabo and Ostlund 1989, equation A.11]."""
        mu, nu = np.array(self.pairs).T
        a, b = self.exponent[mu][:, :, None], self.exponent[nu][:, None, :]
        reduced = a * b / (a + b)
        apart = ((self.position[mu] - self.position[nu]) ** 2).sum(-1)[:, None, None]
        each = reduced * (3 - 2 * reduced * apart) * self.clouds[2].reshape(len(mu), 3, 3)
        return self.matrix(each.sum((1, 2)))


class Board:
    """Potentials of charge clouds, by the kernel on a board."""

    def __init__(self, **device) -> None:
        """`device` holds arguments of grapedr.Device."""
        self.kernel = grapedr.compile_kernel("eri.cc")
        self.device = grapedr.Device(**device)

    def potential(self, x, width, source_x, source_width, charge) -> np.ndarray:
        """At clouds of centres x (n, 3) and width 1 / exponent (n,), of clouds (m, 3), (m,) and their charges (m,)."""
        i = {"xi": x, "widthi": WIDTH * width}
        j = {"xj": source_x, "widthj": WIDTH * source_width, "charge": charge}
        return self.kernel.run(i, j, device=self.device)["potential"]


class Host:
    """The same in the host's doubles, to compare with."""

    def potential(self, x, width, source_x, source_width, charge) -> np.ndarray:
        r = np.sqrt(((x[:, None] - source_x[None]) ** 2).sum(-1))
        width = width[:, None] + source_width[None]
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.vectorize(math.erf)(r / np.sqrt(width)) / r
            near = 2 / np.sqrt(math.pi * width)
        points = (width == 0) & (r == 0)  # at one place: nothing, as on the board
        return np.where(points, 0, np.where(r > 0, far, near)) @ charge


class Integrals:
    """All integrals of a molecule: overlap, core (n, n), repulsion (n, n, n, n) as (mu nu|lambda sigma), nuclei."""

    def __init__(self, molecule: Molecule, engine: Board | Host) -> None:
        centre, exponent, charge = molecule.clouds
        x, width = centre.reshape(-1, 3), 1 / exponent.reshape(-1)
        points = np.zeros(len(molecule.nuclear))

        def contracted(potential: np.ndarray) -> np.ndarray:
            return (charge * potential.reshape(charge.shape)).sum(1)

        attraction = engine.potential(x, width, molecule.position, points, -molecule.nuclear)
        self.overlap = molecule.overlap()
        self.core = molecule.kinetic() + molecule.matrix(contracted(attraction))
        of_pairs = [
            contracted(engine.potential(x, width, centre[pair], 1 / exponent[pair], charge[pair]))
            for pair in range(len(molecule.pairs))
        ]
        of_pairs = np.array(of_pairs)  # (lambda sigma, mu nu)
        self.repulsion = molecule.matrix(np.moveaxis(molecule.matrix(of_pairs), -1, 0))
        at_nuclei = engine.potential(molecule.position, points, molecule.position, points, molecule.nuclear)
        self.nuclei = float(molecule.nuclear @ at_nuclei) / 2


class Result:
    """`energy` (total), `electronic`, `orbitals` (energies), `density`, `iterations`."""

    def __init__(self, molecule: Molecule, integrals: Integrals, tolerance: float = 1e-12, most: int = 200) -> None:
        """Roothaan's equations, from the core's orbitals until the energy changes by less than `tolerance`."""
        value, vector = np.linalg.eigh(integrals.overlap)
        if value[0] < 1e-10:
            raise ValueError("two functions are the same: atoms stand at one place")
        root = vector / np.sqrt(value) @ vector.T
        occupied = molecule.electrons // 2
        fock, before = integrals.core, math.inf
        for self.iterations in range(1, most + 1):
            self.orbitals, vectors = np.linalg.eigh(root @ fock @ root)
            filled = (root @ vectors)[:, :occupied]
            self.density = 2 * filled @ filled.T
            coulomb = np.einsum("mnls,ls->mn", integrals.repulsion, self.density)
            exchange = np.einsum("mlns,ls->mn", integrals.repulsion, self.density)
            fock = integrals.core + coulomb - exchange / 2
            self.electronic = float((self.density * (integrals.core + fock)).sum() / 2)
            if abs(self.electronic - before) < tolerance:
                break
            before = self.electronic
        else:
            raise ValueError(f"the energy still changes after {most} iterations")
        self.energy = self.electronic + integrals.nuclei


def diatomic(name: str, distance: float | None = None) -> Molecule:
    """"H2" or "HeH+"; the distance in bohr, by default the textbook's."""
    first, second, charge, usual = MOLECULES[name]
    apart = usual if distance is None else distance
    if not 0 < apart < math.inf:
        raise ValueError(f"distance {apart:g} is refused: it must be above 0 bohr")
    return Molecule([(first, (0, 0, 0)), (second, (0, 0, apart))], charge)


def parsed(text: str, charge: int) -> Molecule:
    """Atoms as "H 0 0 0, He 0 0 1.4"."""
    atoms = []
    for part in text.split(","):
        words = part.split()
        if len(words) != 4:
            raise ValueError(f"'{part.strip()}' is no atom: a symbol and three coordinates in bohr, such as 'H 0 0 1.4'")
        atoms.append((words[0], tuple(float(word) for word in words[1:])))
    return Molecule(atoms, charge)


def report(molecule: Molecule, board: Board) -> None:
    integrals, exact = Integrals(molecule, board), Integrals(molecule, Host())
    result, host = Result(molecule, integrals), Result(molecule, exact)
    if len(molecule.nuclear) == 2:
        for mu, nu, la, si in ((0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 1, 0), (1, 1, 0, 0), (1, 1, 1, 0), (1, 1, 1, 1)):
            print(f"({mu + 1}{nu + 1}|{la + 1}{si + 1})  {integrals.repulsion[mu, nu, la, si]:10.6f}")
    error = np.abs(integrals.repulsion - exact.repulsion).max()
    print(f"orbital energies   {' '.join(f'{energy:.4f}' for energy in result.orbitals)} hartree")
    print(f"electronic energy  {result.electronic:.6f} hartree after {result.iterations} iterations")
    print(f"total energy       {result.energy:.6f} hartree")
    print(f"against the host's doubles: integrals within {error:.0e}, energy {result.energy - host.energy:+.0e} hartree")


def curve(name: str, distances: np.ndarray, board: Board) -> np.ndarray:
    """Total energies over the distance."""
    return np.array([Result(molecule, Integrals(molecule, board)).energy for molecule in (diatomic(name, r) for r in distances)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("molecule", help="H2, HeH+, or atoms such as 'H 0 0 0, H 0 0 1.4'")
    parser.add_argument("--distance", type=float, help="of H2 and HeH+, in bohr")
    parser.add_argument("--charge", type=int, default=0, help="of atoms that are listed, in elementary charges")
    parser.add_argument("--curve", type=float, nargs=3, metavar=("FROM", "TO", "STEP"), help="energies over the distance, in bohr")
    parser.add_argument("--engine", default="simd", help="of the board (gdr run --help)")
    options = parser.parse_args()
    is_diatomic = options.molecule in MOLECULES
    try:
        if not is_diatomic and (options.distance is not None or options.curve):
            raise ValueError("--distance and --curve are for H2 and HeH+")
        if is_diatomic and options.charge:
            raise ValueError("--charge is for atoms that are listed: H2 and HeH+ have theirs")
        board = Board(engine=options.engine)
        if options.curve:
            first, last, step = options.curve
            if not (0 < first <= last < math.inf and 0 < step < math.inf):
                raise ValueError("--curve needs 0 < FROM <= TO and STEP > 0")
            distances = np.arange(first, last + step / 2, step)
            print("distance/bohr  energy/hartree")
            for distance, energy in zip(distances, curve(options.molecule, distances, board)):
                print(f"{distance:13.4f}  {energy:14.6f}")
        else:
            report(diatomic(options.molecule, options.distance) if is_diatomic else parsed(options.molecule, options.charge), board)
    except ValueError as error:
        print(f"hartree_fock.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
