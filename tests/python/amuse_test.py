#!/usr/bin/python3
"""The example of a worker: what a script of AMUSE would ask of it.

amuse_test.py EXAMPLES
"""

import math
import sys
import unittest

sys.path.insert(0, sys.argv[1])

from amuse_worker import GrapedrGravity  # noqa: E402


class Worker(unittest.TestCase):
    def setUp(self):
        self.code = GrapedrGravity()
        self.assertEqual(self.code.initialize_code(), 0)
        self.assertEqual(self.code.set_timestep_parameter(0.02), 0)

    def add(self, *values):
        number, done = self.code.new_particle(*values)
        self.assertEqual(done, 0)
        return number

    def test_a_circular_orbit_returns(self):
        self.add(0.5, 0.5, 0, 0, 0, 0.5, 0, 0)
        self.add(0.5, -0.5, 0, 0, 0, -0.5, 0, 0)
        self.assertEqual(self.code.commit_particles(), 0)
        kinetic, potential = self.code.get_kinetic_energy()[0], self.code.get_potential_energy()[0]
        self.assertAlmostEqual(kinetic + potential, -0.125, delta=1e-7)
        self.assertEqual(self.code.evolve_model(2 * math.pi), 0)
        x, y, z, done = self.code.get_position(0)
        self.assertEqual(done, 0)
        self.assertLess(math.dist((x, y, z), (0.5, 0, 0)), 1e-5)
        energy = self.code.get_kinetic_energy()[0] + self.code.get_potential_energy()[0]
        self.assertAlmostEqual(energy, -0.125, delta=1e-6)

    def test_particles_come_and_go_between_steps(self):
        heavy = self.add(1.0, 0, 0, 0, 0, 0, 0)
        light = self.add(0.0, 1, 0, 0, 0, 1, 0)
        self.code.commit_particles()
        self.assertEqual(self.code.evolve_model(math.pi), 0)
        x, y, _, _ = self.code.get_position(light)
        self.assertLess(math.dist((x, y), (-1, 0)), 1e-4)
        far = self.add(0.0, 0, 2, 0, 0, 0, 0)
        self.assertEqual(self.code.recommit_particles(), 0)
        self.assertEqual(self.code.evolve_model(2 * math.pi), 0)
        x, y, _, _ = self.code.get_position(light)
        self.assertLess(math.dist((x, y), (1, 0)), 1e-4)
        self.assertLess(self.code.get_position(far)[1], 2)
        self.assertEqual(self.code.delete_particle(heavy), 0)
        self.assertEqual(self.code.get_number_of_particles(), (2, 0))
        before = self.code.get_velocity(light)
        self.assertEqual(self.code.evolve_model(7), 0)  # nothing pulls any more
        self.assertEqual(self.code.get_velocity(light), before)
        self.assertEqual(self.code.get_time(), (7.0, 0))

    def test_the_field_at_a_point_is_that_of_the_masses(self):
        self.add(2.0, 0, 0, 0, 0, 0, 0)
        self.code.commit_particles()
        ax, ay, az, done = self.code.get_gravity_at_point(0.0, 2.0, 0, 0)
        self.assertEqual(done, 0)
        self.assertAlmostEqual(ax, -0.5, delta=1e-6)
        self.assertEqual((ay, az), (0, 0))
        self.assertAlmostEqual(self.code.get_potential_at_point(0.0, 2.0, 0, 0)[0], -1, delta=1e-6)

    def test_what_is_wrong_is_a_status(self):
        self.assertEqual(self.code.new_particle(math.nan, 0, 0, 0, 0, 0, 0), (-1, -1))
        self.assertIn("finite", self.code.message)
        self.assertEqual(self.code.get_mass(17), (0.0, -1))
        self.assertEqual(self.code.delete_particle(17), -1)
        self.assertEqual(self.code.set_eps2(-1), -1)
        self.add(1.0, 0, 0, 0, 0, 0, 0)
        self.assertEqual(self.code.evolve_model(1), 0)
        self.assertEqual(self.code.evolve_model(0.5), -1)


unittest.main(argv=sys.argv[:1], verbosity=2)
