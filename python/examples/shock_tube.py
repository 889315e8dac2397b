#!/usr/bin/python3
"""Sod's shock tube in three dimensions by smoothed particle hydrodynamics, on an emulated GRAPE-DR board.

    shock_tube.py --cells 40                 # cells of the lattice per unit of length, left of the membrane
    shock_tube.py --cells 80 --out tube.csv  # particles and the exact solution at their places

A gas at rest, 8 times as dense and 10 times the pressure on the left, of gamma = 1.4 (Sod 1978), is let go at t = 0 and
compared with the exact solution at t = 0.2. The kernels `sph_density_c4.cc` and `sph_force_c4.cc` sum over pairs; the host
chooses which particles are near, finds the supports and integrates. All particles have one mass; the tube is periodic
across, and particles beyond its ends are held.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable

import numpy as np

import grapedr

GAMMA = 1.4
LEFT, RIGHT = (1.0, 1.0), (0.125, 0.1)  # density, pressure
ACROSS = 4  # cells of the lattice across the tube, on the left
ENDS = (-0.4, 0.5)  # of the tube; at t = 0.2 waves have come to -0.24 and 0.35
NEIGHBOURS = 100  # particles in the volume of the support, for Wendland's C4 [Dehnen and Aly 2012]
ALPHA = 1.0  # of the viscosity [Monaghan 1997]
COURANT = 0.12  # time step by support / speed of sound; a signal between two particles runs at twice that speed and more
HEATING = 0.25  # time step by energy / heating
GROUP = 256  # i-particles of a run
# Positions and velocities are multiples of 2^-23 for the board, 1e-5 of the finest spacing and less. Rounding errors of lattices,
# which are some 1e-17, would give squares more than 50 binary places below those they are added to. To the board that is one,
# but the emulator is ten times as fast without.
GRID = 2.0**-23
# Units of the kernels' results: DENSITY / h^3 and SLOPE / h^3 of sums of m W and -m q dW/dq, GRADIENT / h^5 of -dW/dr / r
DENSITY = 495 / (32 * math.pi) * 35 / 3
SLOPE = GRADIENT = 495 / (32 * math.pi) * 280 / 3


def exact(x: np.ndarray, t: float, left=LEFT, right=RIGHT, gamma: float = GAMMA) -> dict[str, np.ndarray]:
    """Density, pressure, velocity of gases at rest that meet at x = 0, at time t: a rarefaction runs left and a shock right
    [Toro 2009, sections 4.2 to 4.5]. Needs the higher pressure on the left. Also "star", the pressure between the waves."""
    (rho_l, p_l), (rho_r, p_r) = left, right
    c_l, c_r = math.sqrt(gamma * p_l / rho_l), math.sqrt(gamma * p_r / rho_r)
    below, above = gamma - 1, gamma + 1

    def velocities(p: float) -> tuple[float, float]:
        """Behind the rarefaction and behind the shock."""
        rarefied = 2 * c_l / below * (1 - (p / p_l) ** (below / (2 * gamma)))
        return rarefied, (p - p_r) * math.sqrt(2 / above / rho_r / (p + below / above * p_r))

    low, high = p_r, p_l
    for _ in range(200):  # halves of an interval: ends at two neighbouring doubles
        p = (low + high) / 2
        low, high = (p, high) if velocities(p)[0] > velocities(p)[1] else (low, p)
    u = velocities(p)[0]
    shock = c_r * math.sqrt(above / (2 * gamma) * p / p_r + below / (2 * gamma))
    head, tail = -c_l, u - c_l * (p / p_l) ** (below / (2 * gamma))
    s = x / t if t > 0 else np.copysign(np.inf, x)
    fan = np.clip(2 / above - below / above / c_l * np.clip(s, head, tail), 0, 1)  # speed of sound by c_l
    behind = rho_r * (p / p_r + below / above) / (below / above * p / p_r + 1)
    places = [s < head, s < tail, s < u, s < shock]
    return {
        "density": np.select(places, [rho_l, rho_l * fan ** (2 / below), rho_l * (p / p_l) ** (1 / gamma), behind], rho_r),
        "pressure": np.select(places, [p_l, p_l * fan ** (2 * gamma / below), p, p], p_r),
        "velocity": np.select(places, [0, 2 / above * (c_l + s), u, u], 0),
        "star": np.array(p),
    }


class Board:
    """The sums over pairs, by the kernels on a board."""

    def __init__(self, **device) -> None:
        """`device` holds arguments of grapedr.Device."""
        self.kernels = {name: grapedr.compile_kernel(f"sph_{name}_c4.cc") for name in ("density", "force")}
        self.devices = {name: grapedr.Device(**device) for name in self.kernels}

    def sums(self, name: str, i: dict, j: dict, **parameters: float) -> np.ndarray:
        return self.kernels[name].run(i, j, device=self.devices[name], **parameters)

    @property
    def interactions(self) -> float:
        return sum(device.timing["interactions"] for device in self.devices.values())


class Host:
    """The same sums in the host's doubles, to compare with."""

    def sums(self, name: str, i: dict, j: dict, **parameters: float) -> np.ndarray:
        d = j["xj"][None] - i["xi"][:, None]
        r = np.sqrt((d**2).sum(-1))
        over = i["over_h" if name == "density" else "over_hi"]
        q = r * over[:, None]
        left = np.maximum(1 - q, 0)
        if name == "density":
            result = np.zeros(len(r), [("w", float), ("slope", float)])
            result["w"] = left**6 * (3 / 35 + q * (18 / 35 + q)) @ j["m"]
            result["slope"] = left**5 * q**2 * (0.2 + q) @ j["m"]
            return result
        result = np.zeros(len(r), [("acc", float, 3), ("heating", float)])
        qj = r * j["over_hj"]
        gi = left**5 * (0.2 + q) * i["gradienti"][:, None] * j["m"]
        gj = np.maximum(1 - qj, 0) ** 5 * (0.2 + qj) * j["gradientj"]
        along = ((j["vj"][None] - i["vi"][:, None]) * d).sum(-1)
        approach = np.divide(np.minimum(along, 0), r, out=np.zeros_like(r), where=r > 0)
        signal = i["ci"][:, None] + j["cj"] - 3 * approach
        mutual = approach * signal / (i["densityi"][:, None] + j["densityj"]) * (gi + gj) * parameters["quarter_alpha"]
        own = i["pi"][:, None] * gi - mutual
        result["acc"] = -((own + j["pj"] * gj - mutual)[..., None] * d).sum(1)
        result["heating"] = -(own * along).sum(1)
        return result


def lattice(first: float, last: float, cell: float, width: float) -> np.ndarray:
    """A face-centred cubic lattice from x = first to last, whole cells, with half a layer's distance at either end."""
    corners = np.array([(0.25, 0.25, 0.25), (0.25, 0.75, 0.75), (0.75, 0.25, 0.75), (0.75, 0.75, 0.25)])
    along, across = round((last - first) / cell), round(width / cell)
    cells = np.stack(np.meshgrid(np.arange(along), np.arange(across), np.arange(across), indexing="ij"), -1).reshape(-1, 1, 3)
    return ((cells + corners) * cell).reshape(-1, 3) + (first, 0, 0)


def on_grid(numbers: np.ndarray) -> np.ndarray:
    return np.round(numbers / GRID) * GRID


class Tube:
    """Gas in the tube: arrays x, v (n, 3), energy (per mass), h (supports), density (n,); `held`: beyond the ends."""

    def __init__(self, cells: int, engine: Board | Host) -> None:
        if not 10 <= cells <= 1000:
            raise ValueError(f"cells = {cells} is refused: it must be from 10 to 1000")
        cell = 1 / cells
        self.engine, self.t, self.steps, self.width = engine, 0.0, 0, ACROSS * cell
        beyond = math.ceil(2 * ACROSS * ENDS[1]) / ENDS[1] / 2 * cell  # more than a support: whole cells of either side
        left = lattice(-self._whole(ENDS[0], 2 * cell) - 2 * beyond, 0, cell, self.width)
        right = lattice(0, self._whole(ENDS[1], 2 * cell) + 2 * beyond, 2 * cell, self.width)
        self.x = np.concatenate([left, right])
        on_left = self.x[:, 0] < 0
        self.mass = LEFT[0] * cell**3 / 4
        self.v = np.zeros_like(self.x)
        density, pressure = np.where(on_left, LEFT[0], RIGHT[0]), np.where(on_left, LEFT[1], RIGHT[1])
        self.energy = pressure / density / (GAMMA - 1)
        self.h = (3 * NEIGHBOURS * self.mass / (4 * math.pi * density)) ** (1 / 3)
        self.density = density
        self.held = (self.x[:, 0] < ENDS[0]) | (self.x[:, 0] > ENDS[1])
        self._evaluate(self.v, self.energy)

    @staticmethod
    def _whole(end: float, cell: float) -> float:
        return math.ceil(abs(end) / cell) * cell

    @property
    def free(self) -> np.ndarray:
        return ~self.held

    def _near(self, group: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the particles, and their images' shifts across the tube, that may be as near to a group as the reach
        of each, shape (n,), says."""
        low, high = self.x[group, 0].min(), self.x[group, 0].max()
        slab = np.flatnonzero((self.x[:, 0] >= low - reach) & (self.x[:, 0] <= high + reach))
        most = math.ceil(reach[slab].max() / self.width)
        numbers, shifts = [], []
        for a in range(-most, most + 1):
            for b in range(-most, most + 1):
                moved = self.x[slab, 1:] + np.array([a, b]) * self.width
                far = reach[slab, None]
                near = ((moved > -far) & (moved < self.width + far)).all(1)
                numbers.append(slab[near])
                shifts.append(np.broadcast_to(np.array([0, a, b]) * self.width, (near.sum(), 3)))
        return np.concatenate(numbers), np.concatenate(shifts)

    def _in_groups(self, particles: np.ndarray, reach: Callable, sums: Callable) -> list:
        """`sums(group, numbers, shifts)` of groups of particles that are neighbours along the tube."""
        order = particles[np.argsort(self.x[particles, 0], kind="stable")]
        groups = [order[n : n + GROUP] for n in range(0, len(order), GROUP)]
        return [(group, sums(group, *self._near(group, reach(group)))) for group in groups]

    def _find_supports(self) -> None:
        """Supports h with density h^3 = 3 NEIGHBOURS mass / (4 pi), by Newton's method, and densities and Omega."""
        wanted = 3 * NEIGHBOURS * self.mass / (4 * math.pi)
        particles = np.flatnonzero(self.free)
        for _ in range(20):
            def sums(group, numbers, shifts):
                i = {"xi": on_grid(self.x[group]), "over_h": 1 / self.h[group]}
                j = {"xj": on_grid(self.x[numbers] + shifts), "m": np.full(len(numbers), self.mass)}
                return self.engine.sums("density", i, j)

            off = []
            for group, found in self._in_groups(particles, lambda group: np.full_like(self.h, self.h[group].max()), sums):
                h = self.h[group]
                self.density[group] = DENSITY / h**3 * found["w"]
                self.omega[group] = SLOPE / h**3 * found["slope"] / (3 * self.density[group])
                miss = self.density[group] * h**3 / wanted - 1
                # d(density h^3) / dh = 3 density h^2 Omega
                step = np.clip(1 - miss * wanted / (3 * self.density[group] * h**3 * self.omega[group]), 0.8, 1.25)
                again = np.abs(miss) > 1e-3
                self.h[group[again]] *= step[again]
                off.append(group[again])
            particles = np.concatenate(off)
            if len(particles) == 0:
                return
        raise RuntimeError(f"no support found for particle {particles[0]}")

    def _evaluate(self, v: np.ndarray, energy: np.ndarray) -> None:
        """Accelerations, heating and the time step for given velocities and energies, where the particles are."""
        if self.steps == 0 and self.t == 0:
            self.omega = np.ones_like(self.h)
        self._find_supports()
        pressure = (GAMMA - 1) * self.density * energy
        p = pressure / (self.omega * self.density**2)
        c = np.sqrt(GAMMA * pressure / self.density)
        v = on_grid(v)
        gradient = GRADIENT / self.h**5

        def sums(group, numbers, shifts):
            i = {"xi": on_grid(self.x[group]), "vi": v[group], "over_hi": 1 / self.h[group], "gradienti": gradient[group], "pi": p[group]}
            i |= {"ci": c[group], "densityi": self.density[group]}
            j = {"xj": on_grid(self.x[numbers] + shifts), "vj": v[numbers], "over_hj": 1 / self.h[numbers], "pj": p[numbers]}
            j |= {"gradientj": self.mass * gradient[numbers], "cj": c[numbers], "densityj": self.density[numbers]}
            return self.engine.sums("force", i, j | {"m": np.full(len(numbers), self.mass)}, quarter_alpha=ALPHA / 4)

        self.acceleration, self.heating = np.zeros_like(self.x), np.zeros_like(self.h)
        for group, found in self._in_groups(np.flatnonzero(self.free), lambda group: np.maximum(self.h, self.h[group].max()), sums):
            self.acceleration[group], self.heating[group] = found["acc"], found["heating"]
        heating = np.maximum(np.abs(self.heating), np.finfo(float).tiny)
        self.step = float(min((COURANT * self.h / c)[self.free].min(), (HEATING * energy / heating)[self.free].min()))

    def advance(self, t_end: float) -> None:
        """Leapfrog, kick-drift-kick, with one step for all; velocities at a step's end are predicted for the viscosity."""
        while self.t < t_end:
            dt = (t_end - self.t) / math.ceil((t_end - self.t) / self.step)
            v = self.v + self.acceleration * (dt / 2)
            energy = self.energy + self.heating * (dt / 2)
            self.x += v * dt
            self.x[:, 1:] %= self.width
            self.t = t_end if self.t + 1.5 * dt > t_end and self.t + dt > t_end - dt / 2 else self.t + dt
            self.steps += 1
            self._evaluate(v + self.acceleration * (dt / 2), energy + self.heating * (dt / 2))
            self.v, self.energy = v + self.acceleration * (dt / 2), energy + self.heating * (dt / 2)

    @property
    def pressure(self) -> np.ndarray:
        return (GAMMA - 1) * self.density * self.energy

    @property
    def total_energy(self) -> float:
        """Of the free particles."""
        each = self.energy + (self.v**2).sum(-1) / 2
        return float(self.mass * each[self.free].sum())

    def errors(self) -> dict[str, float]:
        """Mean deviations from the exact solution over the volume of the free particles, by its range."""
        solution = exact(self.x[:, 0], self.t)
        volume = self.free / self.density
        found = {"density": self.density, "pressure": self.pressure, "velocity": self.v[:, 0]}
        span = {"density": LEFT[0] - RIGHT[0], "pressure": LEFT[1] - RIGHT[1], "velocity": solution["velocity"].max()}
        return {name: float((volume * np.abs(found[name] - solution[name])).sum() / volume.sum() / span[name]) for name in found}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=40, help="cells per unit of length on the left, 10 to 1000 (40)")
    parser.add_argument("--t-end", type=float, default=0.2, help="time to compare at, above 0 to 0.2 (0.2)")
    parser.add_argument("--out", help="CSV file for particles and the exact solution")
    parser.add_argument("--engine", default="simd", help="of the board (gdr run --help)")
    options = parser.parse_args()
    try:
        if not 0 < options.t_end <= 0.2:
            raise ValueError(f"--t-end {options.t_end:g} is refused: it must be above 0 and at most 0.2, when waves come near the ends")
        board = Board(engine=options.engine)
        tube = Tube(options.cells, board)
        before = tube.total_energy
        tube.advance(options.t_end)
    except ValueError as error:
        print(f"shock_tube.py: {error}", file=sys.stderr)
        return 2
    print(f"{tube.free.sum()} particles to t = {tube.t:g} in {tube.steps} steps, {board.interactions:.3g} pairs")
    print(f"  energy error   {tube.total_energy / before - 1:+.1e}")
    for name, error in tube.errors().items():
        print(f"  {name:14} off by {100 * error:.2f} % of its range, in the mean")
    if options.out:
        solution = exact(tube.x[:, 0], tube.t)
        columns = {"x": tube.x[:, 0], "density": tube.density, "pressure": tube.pressure, "velocity": tube.v[:, 0]}
        columns |= {f"exact_{name}": solution[name] for name in ("density", "pressure", "velocity")}
        grapedr.write_table(options.out, {name: column[tube.free] for name, column in columns.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
