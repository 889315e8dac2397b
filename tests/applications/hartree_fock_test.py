#!/usr/bin/python3
"""The example hartree_fock.py: integrals and energies of Szabo and Ostlund 1989, and what is refused.

hartree_fock_test.py EXAMPLES
"""

import subprocess
import sys
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])

import hartree_fock  # noqa: E402
from hartree_fock import Board, Host, Integrals, Molecule, Result, diatomic  # noqa: E402


class Textbook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = Board()

    def check(self, name, integrals, core, orbitals, electronic, total, digits):
        found = Integrals(diatomic(name), self.board)
        for (mu, nu, la, si), value in integrals.items():
            with self.subTest(integral=(mu, nu, la, si)):
                # Half of the last digit that is printed, and what short words may cost.
                self.assertAlmostEqual(found.repulsion[mu, nu, la, si], value, delta=0.5 * 10.0**-digits + 2e-7)
        np.testing.assert_allclose(found.core[np.tril_indices(2)], core, atol=6e-5)
        result = Result(diatomic(name), found)
        np.testing.assert_allclose(result.orbitals, orbitals, atol=6e-5)
        for value, expected in ((result.electronic, electronic), (result.energy, total)):
            places = len(str(expected).split(".")[1])
            self.assertAlmostEqual(value, expected, delta=0.5 * 10.0**-places + 5e-7)

    def test_h2_has_its_integrals_and_energy(self):
        # Section 3.5.2: R = 1.4 bohr; four digits.
        integrals = {(0, 0, 0, 0): 0.7746, (0, 0, 1, 1): 0.5697, (1, 0, 0, 0): 0.4441, (1, 0, 1, 0): 0.2970}
        self.check("H2", integrals, [-1.1204, -0.9584, -1.1204], [-0.5782, 0.6703], -1.8310, -1.1167, 4)

    def test_heh_has_its_integrals_and_energy(self):
        # Section 3.5.3 and appendix B: R = 1.4632 bohr; six digits.
        integrals = {
            (0, 0, 0, 0): 1.307152,
            (1, 0, 0, 0): 0.437279,
            (1, 0, 1, 0): 0.177267,
            (1, 1, 0, 0): 0.605703,
            (1, 1, 1, 0): 0.311795,
            (1, 1, 1, 1): 0.774608,
        }
        core = [-2.6527, -1.3472, -1.7318]
        self.check("HeH+", integrals, core, [-1.5975, -0.0617], -4.227529, -2.860662, 6)


class Energies(unittest.TestCase):
    def test_are_those_of_exact_integrals_to_what_short_words_cost(self):
        chain = Molecule([("H", (0.3 * n, -0.2 * n, 1.8 * n)) for n in range(4)])
        board, host = (Integrals(chain, engine) for engine in (Board(), Host()))
        np.testing.assert_allclose(board.repulsion, host.repulsion, rtol=4e-7, atol=1e-9)
        np.testing.assert_allclose(board.core, host.core, rtol=0, atol=2e-6)
        self.assertAlmostEqual(board.nuclei, host.nuclei, delta=2e-7 * host.nuclei)
        self.assertAlmostEqual(Result(chain, board).energy, Result(chain, host).energy, delta=2e-6)

    def test_do_not_change_when_a_molecule_is_moved_and_turned(self):
        turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
        atoms = [("He", (0, 0, 0)), ("H", (0, 0, 1.4632))]
        moved = [(symbol, tuple(turn @ position + (1, -2, 0.5))) for symbol, position in atoms]
        energies = [Result(m, Integrals(m, Host())).energy for m in (Molecule(atoms, 1), Molecule(moved, 1))]
        self.assertAlmostEqual(energies[0], energies[1], delta=1e-12)
        board = Board()
        on_board = [Result(m, Integrals(m, board)).energy for m in (Molecule(atoms, 1), Molecule(moved, 1))]
        self.assertAlmostEqual(on_board[0], on_board[1], delta=2e-6)

    def test_have_a_minimum_near_the_textbooks_bond_length(self):
        # Szabo and Ostlund 1989, table 3.11: 1.346 bohr for H2 in STO-3G.
        distances = np.arange(1.30, 1.40, 0.01)
        energies = hartree_fock.curve("H2", distances, Board())
        fit = np.polynomial.Polynomial.fit(distances, energies, 2)
        self.assertAlmostEqual(float(fit.deriv().roots()[0]), 1.346, delta=2e-3)


class Program(unittest.TestCase):
    def run_it(self, *arguments):
        command = [sys.executable, "-B", hartree_fock.__file__, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_refuses_what_it_cannot_compute(self):
        for arguments, message in (
            (["Li 0 0 0, H 0 0 1"], "atom 'Li' is refused: known are H, He"),
            (["H 0 0 0"], "1 electrons are refused: they must be an even number from 2 to 2, two an orbital"),
            (["H 0 0"], "'H 0 0' is no atom: a symbol and three coordinates in bohr, such as 'H 0 0 1.4'"),
            (["H 0 0 0, H 0 0 0"], "two functions are the same: atoms stand at one place"),
            (["H2", "--distance", "-1"], "distance -1 is refused: it must be above 0 bohr"),
            (["H2", "--charge", "1"], "--charge is for atoms that are listed: H2 and HeH+ have theirs"),
            (["H 0 0 0, H 0 0 1", "--distance", "1"], "--distance and --curve are for H2 and HeH+"),
            (["H2", "--curve", "2", "1", "1"], "--curve needs 0 < FROM <= TO and STEP > 0"),
        ):
            with self.subTest(arguments=arguments):
                run = self.run_it(*arguments)
                self.assertEqual((run.returncode, run.stderr), (2, f"hartree_fock.py: {message}\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
