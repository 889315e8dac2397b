#!/usr/bin/python3
"""The example shock_tube.py: its exact solution, its sums over pairs, and the tube against the exact solution.

shock_tube_test.py EXAMPLES
"""

import math
import subprocess
import sys
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])

import shock_tube  # noqa: E402
from shock_tube import DENSITY, GRADIENT, SLOPE, Board, Host, Tube, exact  # noqa: E402


class Exact(unittest.TestCase):
    def test_is_that_of_toros_first_test(self):
        # Toro 2009, table 4.3, test 1: pressure and velocity between the waves, densities left and right of the contact.
        at = exact(np.array([0.1, 0.25]), 0.2)
        self.assertAlmostEqual(float(at["star"]), 0.30313, delta=5e-6)
        np.testing.assert_allclose(at["velocity"], 0.92745, atol=5e-6)
        np.testing.assert_allclose(at["density"], [0.42632, 0.26557], atol=5e-6)

    def test_conserves_mass_momentum_and_energy(self):
        t, edges = 0.2, np.linspace(-0.5, 0.5, 200_001)
        x = (edges[1:] + edges[:-1]) / 2
        before, after = exact(x, 0), exact(x, t)
        width = edges[1] - edges[0]
        self.assertAlmostEqual((after["density"] - before["density"]).sum() * width, 0, delta=1e-5)
        # Pressures 1 and 0.1 at the ends push for t.
        self.assertAlmostEqual((after["density"] * after["velocity"]).sum() * width, 0.9 * t, delta=1e-5)
        energy = [s["pressure"] / 0.4 + s["density"] * s["velocity"] ** 2 / 2 for s in (before, after)]
        self.assertAlmostEqual((energy[1] - energy[0]).sum() * width, 0, delta=1e-5)


class Units(unittest.TestCase):
    """The kernel that the host's units belong to is Wendland's: its integral is 1, and its derivative is its own."""

    def w(self, q):
        return 495 / (32 * math.pi) * (1 - q) ** 6 * (1 + 6 * q + 35 / 3 * q**2)

    def test_are_those_of_a_kernel_of_integral_1(self):
        q = (np.arange(100_000) + 0.5) / 100_000
        self.assertAlmostEqual(float((4 * math.pi * q**2 * self.w(q)).mean()), 1, delta=1e-8)
        np.testing.assert_allclose(DENSITY * (1 - q) ** 6 * (3 / 35 + q * (18 / 35 + q)), self.w(q), rtol=1e-12)
        slope = (self.w(q + 1e-6) - self.w(q - 1e-6)) / 2e-6
        np.testing.assert_allclose(GRADIENT * (1 - q) ** 5 * (0.2 + q) * q, -slope, atol=1e-7)
        np.testing.assert_allclose(SLOPE * (1 - q) ** 5 * (0.2 + q) * q**2, -q * slope, atol=1e-7)


def particles(n=300, seed=1):
    random = np.random.default_rng(seed)
    x, v = random.random((n, 3)), random.normal(size=(n, 3))
    h, p, c, density = random.uniform(0.3, 0.6, (4, n))
    return x, v, h, p, c, density, random.uniform(0.5, 1, n)


class Sums(unittest.TestCase):
    # Relative errors of a term: at most some 30 roundings to short words of 2^-25, and W and gradients below 4e-8 of their
    # scale that count as 0. The sums are of some ten to a hundred terms, whose sizes are added up.
    BOUND = 32 * 2.0**-25
    # Those of q: of r^2, of its reciprocal root, and two products.
    OF_Q = 6 * 2.0**-25

    @classmethod
    def setUpClass(cls):
        cls.board = Board()

    def test_of_densities_agree_with_the_hosts(self):
        x, _, h, _, _, _, m = particles()
        i, j = {"xi": x, "over_h": 1 / h}, {"xj": x, "m": m}
        found, expected = (engine.sums("density", i, j) for engine in (self.board, Host()))
        q = np.sqrt(((x[None] - x[:, None]) ** 2).sum(-1)) / h[:, None]

        def terms(q):
            left = np.maximum(1 - q, 0)
            return {"w": left**6 * (3 / 35 + q * (18 / 35 + q)), "slope": left**5 * q**2 * (0.2 + q)}

        for name, term in terms(q).items():
            # Near the edge a term changes by much more than q does.
            by_q = np.abs(terms(q * (1 + self.OF_Q))[name] - term) @ m
            off = np.abs(found[name] - expected[name])
            self.assertTrue((off <= self.BOUND * expected[name] + by_q).all(), name)

    def test_of_forces_agree_with_the_hosts(self):
        x, v, h, p, c, density, m = particles()
        i = {"xi": x, "vi": v, "over_hi": 1 / h, "gradienti": 1 / h**5, "pi": p, "ci": c, "densityi": density}
        j = {"xj": x, "vj": v, "over_hj": 1 / h, "gradientj": m / h**5, "pj": p, "cj": c, "densityj": density, "m": m}
        found, expected = (engine.sums("force", i, j, quarter_alpha=0.25) for engine in (self.board, Host()))
        # Terms of both signs: the size of a sum is that of its largest terms.
        for name in ("acc", "heating"):
            scale = np.abs(expected[name]).max()
            np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=self.BOUND * scale, err_msg=name)

    def test_of_forces_conserve_momentum_and_energy(self):
        # Pairs push each other equally, and heat as much as they slow down.
        x, v, h, p, c, density, m = particles()
        i = {"xi": x, "vi": v, "over_hi": 1 / h, "gradienti": 1 / h**5, "pi": p, "ci": c, "densityi": density}
        j = {"xj": x, "vj": v, "over_hj": 1 / h, "gradientj": m / h**5, "pj": p, "cj": c, "densityj": density, "m": m}
        for engine, bound in ((Host(), 1e-13), (self.board, self.BOUND)):
            found = engine.sums("force", i, j, quarter_alpha=0.25)
            push = m[:, None] * found["acc"]
            self.assertLess(np.abs(push.sum(0)).max(), bound * np.abs(push).sum())
            power, heat = (push * v).sum(), (m * found["heating"]).sum()
            self.assertLess(abs(power + heat), bound * (np.abs(push * v).sum() + np.abs(m * found["heating"]).sum()))


class InTheTube(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tube = Tube(40, Board())
        cls.before = cls.tube.total_energy
        cls.tube.advance(0.2)

    def test_energy_is_conserved(self):
        self.assertLess(abs(self.tube.total_energy / self.before - 1), 5e-4)

    def test_gas_flows_as_in_the_exact_solution(self):
        # Waves are smeared over some two supports, 0.09 on the left and 0.14 and 0.18 at contact and shock, in which half of a
        # jump is missing in the mean; jumps are 0.16 and 0.14 of the densities' range, 0.23 of the pressures', and 1 of the
        # velocities'. Over a tube of 0.9 that is at most:
        for name, bound in (("density", 0.035), ("pressure", 0.035), ("velocity", 0.1)):
            self.assertLess(self.tube.errors()[name], bound, name)

    def test_finer_lattices_come_nearer_to_it(self):
        coarse = Tube(20, self.tube.engine)
        coarse.advance(0.2)
        for name, error in coarse.errors().items():
            self.assertLess(self.tube.errors()[name], 0.75 * error, name)  # of first order, half where waves are resolved

    def test_the_gas_gains_the_momentum_that_the_pressures_at_its_ends_give(self):
        tube = self.tube
        momentum = tube.mass * tube.v[tube.free, 0].sum()
        self.assertAlmostEqual(momentum / (0.9 * 0.2 * tube.width**2), 1, delta=0.01)

    def test_the_shock_is_where_it_should_be(self):
        # Toro's 1.75216 times 0.2; a support is 0.18 there, over which it is smeared about its place.
        x, v = self.tube.x[:, 0], self.tube.v[:, 0]
        order = np.argsort(x)
        behind = order[np.flatnonzero(v[order] > 0.92745 / 2)[-1]]
        self.assertAlmostEqual(x[behind], 1.75216 * 0.2, delta=0.18 / 4)

    def test_gas_between_the_waves_moves_at_the_exact_velocity(self):
        # A support of the left side away from the rarefaction, half of one of the right away from the shock.
        at = (self.tube.x[:, 0] > 0.08) & (self.tube.x[:, 0] < 0.26)
        self.assertAlmostEqual(float(self.tube.v[at, 0].mean()), 0.92745, delta=0.02 * 0.92745)

    def test_supports_hold_the_wanted_mass(self):
        free = self.tube.free
        held = 4 * math.pi / 3 * self.tube.h**3 * self.tube.density / self.tube.mass
        np.testing.assert_allclose(held[free], shock_tube.NEIGHBOURS, rtol=2e-3)

    def test_nothing_moves_across(self):
        self.assertLess(np.abs(self.tube.v[:, 1:]).max(), 0.1 * np.abs(self.tube.v[:, 0]).max())


class OnTheHost(unittest.TestCase):
    def test_a_tube_is_the_same_to_what_short_words_cost(self):
        tubes = [Tube(10, engine) for engine in (Board(), Host())]
        for tube in tubes:
            tube.advance(0.02)
        for name in ("density", "energy", "v"):
            board, host = (getattr(tube, name)[tube.free] for tube in tubes)
            np.testing.assert_allclose(board, host, rtol=0, atol=1e-5 * np.abs(host).max(), err_msg=name)


class Program(unittest.TestCase):
    def test_refuses_what_it_cannot_compute(self):
        for arguments, message in (
            (["--cells", "5"], "cells = 5 is refused: it must be from 10 to 1000"),
            (["--t-end", "0.3"], "--t-end 0.3 is refused: it must be above 0 and at most 0.2, when waves come near the ends"),
        ):
            run = subprocess.run(
                [sys.executable, "-B", shock_tube.__file__, *arguments], capture_output=True, text=True, check=False
            )
            self.assertEqual((run.returncode, run.stderr), (2, f"shock_tube.py: {message}\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
