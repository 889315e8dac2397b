#!/usr/bin/python3
"""The example of a worker under the calling convention of AMUSE, as its PythonImplementation.handle_message has it: one
call for each index of an array, every parameter by its name in the interface, holders for what a function gives, and the
status as the value. The names and directions are those of AMUSE's community/interface/gd.py and common.py (8dd292c0,
December 2025). GDR_TEST_AMUSE names the folder src of a clone of AMUSE; then its own class drives the worker, too.

amuse_test.py EXAMPLES
"""

import contextlib
import io
import math
import os
import sys
import types
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])

from amuse_worker import GrapedrGravity  # noqa: E402

STATE = "mass x y z vx vy vz radius"
# Function: parameters that go in, and that come out, in the order of the interface.
INTERFACE = {
    "initialize_code": ("", ""),
    "cleanup_code": ("", ""),
    "commit_parameters": ("", ""),
    "recommit_parameters": ("", ""),
    "new_particle": (STATE, "index_of_the_particle"),
    "delete_particle": ("index_of_the_particle", ""),
    "get_state": ("index_of_the_particle", STATE),
    "set_state": (f"index_of_the_particle {STATE}", ""),
    "get_mass": ("index_of_the_particle", "mass"),
    "set_mass": ("index_of_the_particle mass", ""),
    "get_radius": ("index_of_the_particle", "radius"),
    "set_radius": ("index_of_the_particle radius", ""),
    "get_position": ("index_of_the_particle", "x y z"),
    "set_position": ("index_of_the_particle x y z", ""),
    "get_velocity": ("index_of_the_particle", "vx vy vz"),
    "set_velocity": ("index_of_the_particle vx vy vz", ""),
    "get_acceleration": ("index_of_the_particle", "ax ay az"),
    "get_potential": ("index_of_the_particle", "potential"),
    "evolve_model": ("time", ""),
    "commit_particles": ("", ""),
    "synchronize_model": ("", ""),
    "recommit_particles": ("", ""),
    "get_eps2": ("", "epsilon_squared"),
    "set_eps2": ("epsilon_squared", ""),
    "get_kinetic_energy": ("", "kinetic_energy"),
    "get_potential_energy": ("", "potential_energy"),
    "get_time": ("", "time"),
    "get_begin_time": ("", "time"),
    "set_begin_time": ("time", ""),
    "get_time_step": ("", "time_step"),
    "get_total_mass": ("", "mass"),
    "get_center_of_mass_position": ("", "x y z"),
    "get_center_of_mass_velocity": ("", "vx vy vz"),
    "get_total_radius": ("", "radius"),
    "get_number_of_particles": ("", "number_of_particles"),
    "get_index_of_first_particle": ("", "index_of_the_particle"),
    "get_index_of_next_particle": ("index_of_the_particle", "index_of_the_next_particle"),
}


class Holder:
    """As AMUSE's ValueHolder."""

    def __init__(self):
        self.value = None


class Driver:
    """Calls functions of a code as AMUSE does. Without arrays the values come as they are; with arrays, as arrays."""

    def __init__(self, code):
        self.code = code

    def call(self, name, **given):
        inwards, outwards = (names.split() for names in INTERFACE[name])
        assert sorted(given) == sorted(inwards), f"{name}: {sorted(given)}"
        count = max((np.size(value) for value in given.values()), default=1)
        statuses, results = [], {key: [] for key in outwards}
        for index in range(count):
            # NumPy's numbers out of messages, as AMUSE gives them.
            keywords = {key: np.atleast_1d(value)[index if np.size(value) > 1 else 0] for key, value in given.items()}
            holders = {key: Holder() for key in outwards}
            statuses.append(getattr(self.code, name)(**keywords, **holders))
            for key, holder in holders.items():
                assert isinstance(holder.value, (int, float)), f"{name}: {key} is {holder.value!r}"
                results[key].append(holder.value)
        if count > 1:
            return statuses, {key: np.array(values) for key, values in results.items()}
        return statuses[0], {key: values[0] for key, values in results.items()}


class Worker(unittest.TestCase):
    def setUp(self):
        self.code = GrapedrGravity()
        self.driver = Driver(self.code)
        self.does("initialize_code")
        self.assertEqual(self.code.set_timestep_parameter(timestep_parameter=0.02), 0)
        self.does("commit_parameters")

    def does(self, name, **given):
        """The results of a call that succeeds: the only one, or a tuple."""
        status, results = self.driver.call(name, **given)
        self.assertTrue(np.all(np.equal(status, 0)), f"{name}: {self.code.message}")
        values = tuple(results.values())
        return values[0] if len(values) == 1 else values

    def fails(self, name, *words, status=-1, **given):
        told, _ = self.driver.call(name, **given)
        self.assertEqual(told, status)
        for word in words:
            self.assertIn(word, self.code.message)

    def add(self, mass, x, y, z, vx, vy, vz, radius=0.0):
        return self.does("new_particle", mass=mass, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz, radius=radius)

    def pair(self):
        self.add([0.5, 0.5], [0.5, -0.5], [0, 0], [0, 0], [0, 0], [0.5, -0.5], [0, 0], [0.1, 0.2])
        self.does("commit_particles")

    def test_every_function_of_the_interface_is_called_and_succeeds(self):
        self.does("set_begin_time", time=1.0)
        self.assertEqual(self.does("get_begin_time"), 1.0)
        self.does("commit_parameters")
        self.pair()
        values = {key: 0.25 for key in STATE.split()} | {"index_of_the_particle": 1, "time": 1.5, "epsilon_squared": 0.01}
        for name in ("evolve_model", *(n for n in INTERFACE if n.startswith("get_")), *INTERFACE):
            if name in ("set_begin_time", "get_index_of_next_particle", "cleanup_code", "delete_particle", "initialize_code"):
                continue
            with self.subTest(name):
                self.does(name, **{key: values[key] for key in INTERFACE[name][0].split()})
        self.assertEqual(self.does("get_index_of_next_particle", index_of_the_particle=0), 1)
        self.does("delete_particle", index_of_the_particle=1)
        self.does("cleanup_code")
        self.assertEqual(self.does("get_number_of_particles"), 0)
        self.assertEqual(len(INTERFACE), 37)

    def test_a_circular_orbit_returns(self):
        self.pair()
        energy = self.does("get_kinetic_energy") + self.does("get_potential_energy")
        self.assertAlmostEqual(energy, -0.125, delta=1e-7)
        self.does("evolve_model", time=2 * math.pi)
        self.assertLess(math.dist(self.does("get_position", index_of_the_particle=0), (0.5, 0, 0)), 1e-5)
        self.assertAlmostEqual(self.does("get_kinetic_energy") + self.does("get_potential_energy"), -0.125, delta=1e-6)
        self.assertAlmostEqual(self.does("get_time"), 2 * math.pi)
        self.assertTrue(0 < self.does("get_time_step") < 0.5)

    def test_arrays_are_a_call_for_each_index(self):
        self.pair()
        mass, x, *_, radius = self.does("get_state", index_of_the_particle=[0, 1])
        self.assertEqual((list(mass), list(x), list(radius)), ([0.5, 0.5], [0.5, -0.5], [0.1, 0.2]))
        self.does("set_mass", index_of_the_particle=[0, 1], mass=[1.0, 3.0])
        self.assertEqual(self.does("get_total_mass"), 4)
        self.assertEqual(self.does("get_center_of_mass_position"), (-0.25, 0, 0))
        self.assertEqual(self.does("get_center_of_mass_velocity"), (0, -0.25, 0))
        self.assertEqual(self.does("get_total_radius"), 0.75)

    def test_acceleration_and_potential_are_those_of_the_other_particles(self):
        self.pair()
        ax, ay, az = self.does("get_acceleration", index_of_the_particle=0)
        self.assertAlmostEqual(ax, -0.5, delta=1e-6)
        self.assertEqual((ay, az), (0, 0))
        self.assertAlmostEqual(self.does("get_potential", index_of_the_particle=0), -0.5, delta=1e-6)
        self.does("set_position", index_of_the_particle=1, x=-1.5, y=0, z=0)
        self.assertAlmostEqual(self.does("get_potential", index_of_the_particle=0), -0.25, delta=1e-6)

    def test_particles_come_and_go_between_steps(self):
        heavy = self.add(1.0, 0, 0, 0, 0, 0, 0)
        light = self.add(0.0, 1, 0, 0, 0, 1, 0)
        self.does("commit_particles")
        self.does("evolve_model", time=math.pi)
        x, y, _ = self.does("get_position", index_of_the_particle=light)
        self.assertLess(math.dist((x, y), (-1, 0)), 1e-4)
        far = self.add(0.0, 0, 2, 0, 0, 0, 0)
        self.does("recommit_particles")
        self.does("evolve_model", time=2 * math.pi)
        x, y, _ = self.does("get_position", index_of_the_particle=light)
        self.assertLess(math.dist((x, y), (1, 0)), 1e-4)
        self.assertLess(self.does("get_position", index_of_the_particle=far)[1], 2)
        self.does("delete_particle", index_of_the_particle=heavy)
        self.assertEqual(self.does("get_number_of_particles"), 2)
        before = self.does("get_velocity", index_of_the_particle=light)
        self.does("evolve_model", time=7)  # nothing pulls any more
        self.assertEqual(self.does("get_velocity", index_of_the_particle=light), before)

    def test_ids_are_walked_and_the_end_is_no_error(self):
        self.pair()
        self.add(0.0, 1, 0, 0, 0, 1, 0)
        self.does("delete_particle", index_of_the_particle=1)
        self.assertEqual(self.does("get_index_of_first_particle"), 0)
        self.assertEqual(self.does("get_index_of_next_particle", index_of_the_particle=0), 2)
        self.fails("get_index_of_next_particle", status=1, index_of_the_particle=2)

    def test_the_field_takes_arrays_of_points(self):
        self.add(2.0, 0, 0, 0, 0, 0, 0)
        self.does("commit_particles")
        ax, ay, az, phi = (Holder() for _ in range(4))
        points = {"eps": np.zeros(2), "x": np.array([2.0, -1.0]), "y": np.zeros(2), "z": np.zeros(2), "npoints": 2}
        self.assertEqual(self.code.get_gravity_at_point(**points, ax=ax, ay=ay, az=az), 0)
        np.testing.assert_allclose(ax.value, [-0.5, 2.0], rtol=1e-6)
        self.assertEqual(list(ay.value), [0, 0])
        self.assertEqual(self.code.get_potential_at_point(**points, phi=phi), 0)
        np.testing.assert_allclose(phi.value, [-1.0, -2.0], rtol=1e-6)

    def test_what_is_wrong_is_a_status(self):
        self.fails("new_particle", "finite", **{key: math.nan for key in STATE.split()})
        self.fails("get_mass", "no particle 17", index_of_the_particle=17)
        self.fails("delete_particle", "no particle 17", index_of_the_particle=17)
        self.fails("set_eps2", "epsilon_squared = -1", epsilon_squared=-1)
        self.fails("get_index_of_first_particle", status=1)
        self.fails("get_center_of_mass_position", "no mass")
        self.add(1.0, 0, 0, 0, 0, 0, 0)
        self.does("evolve_model", time=1)
        self.fails("evolve_model", "the model is at 1", time=0.5)
        self.fails("set_begin_time", "before there are particles", time=3)

    def test_a_mass_below_0_is_refused_at_the_call_and_in_the_log(self):
        self.pair()
        state = dict.fromkeys(STATE.split(), 0.5)
        for name, given in {
            "new_particle": state | {"mass": -3.0},
            "set_mass": {"index_of_the_particle": 1, "mass": -1.0},
            "set_state": state | {"index_of_the_particle": 1, "mass": -1e-300},
        }.items():
            with self.subTest(name), contextlib.redirect_stderr(io.StringIO()) as log:
                self.fails(name, f"mass {given['mass']} must be at least 0", **given)
                self.assertEqual(log.getvalue(), f"{name}: {self.code.message}\n")
        self.assertEqual((self.does("get_number_of_particles"), self.does("get_total_mass")), (2, 1.0))
        self.does("recommit_particles")
        self.does("evolve_model", time=0.125)
        self.does("set_mass", index_of_the_particle=1, mass=0.0)

    def test_points_of_the_field_are_numbers(self):
        self.pair()
        holders = {key: Holder() for key in ("ax", "ay", "az")}
        points = {"eps": np.zeros(2), "x": np.array([2.0, -1.0]), "y": np.zeros(2), "z": np.zeros(2), "npoints": 2}
        for wrong in (np.ma.masked_array([1.0, 2.0], [False, True]), ["1", "2"]):
            with self.subTest(repr(wrong)), contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(self.code.get_gravity_at_point(**points | {"x": wrong}, **holders), -1)
                self.assertIn("x is refused", self.code.message)


@unittest.skipUnless("GDR_TEST_AMUSE" in os.environ, "GDR_TEST_AMUSE names no clone of AMUSE")
class Implementation(unittest.TestCase):
    """AMUSE's own class, without its processes: messages are handed to handle_message()."""

    def test_drives_every_function(self):
        sys.path.insert(0, os.environ["GDR_TEST_AMUSE"])
        sys.modules.setdefault("mpi4py", types.ModuleType("mpi4py")).MPI = types.ModuleType("MPI")
        import amuse.rfi.python_code as python_code
        from amuse.community.interface.gd import GravitationalDynamicsInterface

        python_code.unpack_array = lambda array, count, kind: [[value] for value in array]
        python_code.pack_array = lambda array, count, kind: array
        code = GrapedrGravity()
        code.initialize_code()
        driven = python_code.PythonImplementation(code, GravitationalDynamicsInterface)
        functions = [f for f in driven.interface_functions if not f.specification.name.startswith("internal__")]
        names = [f.specification.name for f in functions]
        self.assertEqual(sorted(names), sorted(INTERFACE))
        Driver(code).call("new_particle", **dict.fromkeys(STATE.split(), 1.0))
        for function in sorted(functions, key=lambda f: f.specification.name == "cleanup_code"):
            specification = function.specification
            inwards = [p.name for p in specification.input_parameters]
            self.assertEqual(sorted(inwards), sorted(INTERFACE[specification.name][0].split()))
            messages = [types.SimpleNamespace(function_id=specification.id, call_count=1, encoded_units=[], ints=[], doubles=[],
                                              floats=[], strings=[], booleans=[], longs=[]) for _ in range(2)]
            for parameter in specification.input_parameters:
                getattr(messages[0], driven.dtype_to_message_attribute[parameter.datatype]).append(0)
            with self.subTest(specification.name), self.assertNoLogs():
                driven.handle_message(*messages)
                self.assertIn(messages[1].ints[0][0], (0, 1, -1))


unittest.main(argv=sys.argv[:1], verbosity=2)
