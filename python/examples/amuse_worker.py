"""A gravity code with the functions of AMUSE's GravitationalDynamicsInterface, on an emulated GRAPE-DR board.

AMUSE calls a function with the names of its interface. What a function gives goes into holders: `code.get_mass(
index_of_the_particle=0, mass=holder)` sets `holder.value`. It returns a status, 0, -1 for an
error or 1 behind the last particle, and raises nothing of its own: a worker process must not die. `message` says what the
last -1 was about, which is also written to standard error, AMUSE's log of the worker. Units are N-body units, G = 1.

To make it a worker, give the class to AMUSE's PythonImplementation with an interface that derives from
GravitationalDynamicsInterface (and from GravityFieldInterface, whose two functions are here, too):

    PythonImplementation(GrapedrGravity(), Interface).start_socket(port, host)

Nothing here imports AMUSE. Tested against its calling convention of December 2025 (tests/python/amuse_test.py).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import grapedr

_MASS, _POSITION, _VELOCITY, _RADIUS = 0, slice(1, 4), slice(4, 7), 7


class _Ended(Exception):
    """There is no next particle: status 1, which is no error."""


def gives(*names: str) -> Callable[[Callable[..., Any]], Callable[..., int]]:
    """A function of the interface whose value, or values, go into the holders of these names."""

    def decorated(function: Callable[..., Any]) -> Callable[..., int]:
        @functools.wraps(function)
        def called(self: GrapedrGravity, **given: Any) -> int:
            holders = [given.pop(name) for name in names]
            try:
                result = function(self, **given)
            except Exception as error:  # whatever it is, the worker lives on
                known = isinstance(error, (grapedr.Error, _Ended))
                self.message = str(error) if known else f"{type(error).__name__}: {error}"
                for holder in holders:
                    holder.value = 0
                if isinstance(error, _Ended):
                    return 1
                print(f"{function.__name__}: {self.message}", file=sys.stderr, flush=True)
                return -1
            for holder, value in zip(holders, result if isinstance(result, tuple) else (result,)):
                holder.value = value
            return 0

        return called

    return decorated


class GrapedrGravity:
    """Particles have ids of their own and may be added, changed and deleted between calls of evolve_model()."""

    def __init__(self) -> None:
        self.message = ""
        self._eps = 0.0
        self._eta = 0.1
        self._particles: dict[int, np.ndarray] = {}  # id -> mass, x, y, z, vx, vy, vz, radius
        self._next_id = 0
        self._begin = 0.0
        self._time = 0.0
        self._began = 0.0  # time 0 of the run
        self._run: grapedr.Nbody | None = None
        self._forces: dict[int, tuple[np.ndarray, float]] = {}  # at `_time`, of the particles as they are

    # -- parameters

    @gives()
    def initialize_code(self):
        pass

    @gives()
    def cleanup_code(self):
        self.__init__()

    @gives()
    def commit_parameters(self):
        self._time = self._begin

    @gives()
    def recommit_parameters(self):
        self._changed()

    @gives()
    def set_eps2(self, epsilon_squared):
        if _finite("epsilon_squared", epsilon_squared) < 0:
            raise grapedr.Error(f"epsilon_squared = {epsilon_squared} is refused: it must be at least 0")
        self._changed()
        self._eps = float(epsilon_squared) ** 0.5

    @gives("epsilon_squared")
    def get_eps2(self):
        return self._eps**2

    @gives()
    def set_timestep_parameter(self, timestep_parameter):
        """`eta` of the Hermite scheme; a parameter of this code, beside AMUSE's interface."""
        if _finite("timestep_parameter", timestep_parameter) <= 0:
            raise grapedr.Error(f"timestep_parameter = {timestep_parameter} is refused: it must be above 0")
        self._changed()
        self._eta = float(timestep_parameter)

    @gives("timestep_parameter")
    def get_timestep_parameter(self):
        return self._eta

    @gives()
    def set_begin_time(self, time):
        if self._particles:
            raise grapedr.Error("the begin time is set before there are particles")
        self._begin = self._time = float(_finite("the begin time", time))

    @gives("time")
    def get_begin_time(self):
        return self._begin

    # -- particles

    @gives("index_of_the_particle")
    def new_particle(self, mass, x, y, z, vx, vy, vz, radius=0.0):
        row = _particle("the particle", [mass, x, y, z, vx, vy, vz, radius])
        self._changed()
        number = self._next_id
        self._next_id += 1
        self._particles[number] = row
        return number

    @gives()
    def delete_particle(self, index_of_the_particle):
        self._row(index_of_the_particle)
        self._changed()
        del self._particles[index_of_the_particle]

    @gives()
    def commit_particles(self):
        self._start()

    @gives()
    def recommit_particles(self):
        self._changed()
        self._start()

    @gives("number_of_particles")
    def get_number_of_particles(self):
        return len(self._particles)

    @gives("index_of_the_particle")
    def get_index_of_first_particle(self):
        if not self._particles:
            raise _Ended("there are no particles")
        return next(iter(self._particles))

    @gives("index_of_the_next_particle")
    def get_index_of_next_particle(self, index_of_the_particle):
        self._row(index_of_the_particle)
        later = [number for number in self._particles if number > index_of_the_particle]
        if not later:
            raise _Ended(f"particle {index_of_the_particle} is the last one")
        return later[0]

    @gives("mass", "x", "y", "z", "vx", "vy", "vz", "radius")
    def get_state(self, index_of_the_particle):
        return _plain(self._row(index_of_the_particle))

    @gives()
    def set_state(self, index_of_the_particle, mass, x, y, z, vx, vy, vz, radius=0.0):
        self._change(index_of_the_particle, slice(0, 8), [mass, x, y, z, vx, vy, vz, radius])

    @gives("mass")
    def get_mass(self, index_of_the_particle):
        return float(self._row(index_of_the_particle)[_MASS])

    @gives()
    def set_mass(self, index_of_the_particle, mass):
        self._change(index_of_the_particle, _MASS, mass)

    @gives("radius")
    def get_radius(self, index_of_the_particle):
        return float(self._row(index_of_the_particle)[_RADIUS])

    @gives()
    def set_radius(self, index_of_the_particle, radius):
        self._change(index_of_the_particle, _RADIUS, radius)

    @gives("x", "y", "z")
    def get_position(self, index_of_the_particle):
        return _plain(self._row(index_of_the_particle)[_POSITION])

    @gives()
    def set_position(self, index_of_the_particle, x, y, z):
        self._change(index_of_the_particle, _POSITION, [x, y, z])

    @gives("vx", "vy", "vz")
    def get_velocity(self, index_of_the_particle):
        return _plain(self._row(index_of_the_particle)[_VELOCITY])

    @gives()
    def set_velocity(self, index_of_the_particle, vx, vy, vz):
        self._change(index_of_the_particle, _VELOCITY, [vx, vy, vz])

    @gives("ax", "ay", "az")
    def get_acceleration(self, index_of_the_particle):
        self._row(index_of_the_particle)
        return _plain(self._forces_now()[index_of_the_particle][0])

    @gives("potential")
    def get_potential(self, index_of_the_particle):
        """At the place of the particle, without its own."""
        self._row(index_of_the_particle)
        return self._forces_now()[index_of_the_particle][1]

    # -- evolution

    @gives()
    def evolve_model(self, time):
        time = float(_finite("time", time))
        if time < self._time:
            raise grapedr.Error(f"time {time} is refused: the model is at {self._time}")
        if self._run is None:
            self._start()
        if self._run is not None:
            self._run.evolve(time - self._began)
            self._forces.clear()
        self._time = float(time)

    @gives()
    def synchronize_model(self):
        self._synchronise()

    @gives("time")
    def get_time(self):
        return self._time

    @gives("time_step")
    def get_time_step(self):
        """The mean step of a particle since the run began, which is when particles or parameters were last changed; 0
        before the first step."""
        steps = 0 if self._run is None else self._run.steps
        return len(self._particles) * (self._time - self._began) / steps if steps > 0 else 0.0

    # -- the system

    @gives("kinetic_energy")
    def get_kinetic_energy(self):
        rows = self._rows()
        return float(0.5 * rows[:, _MASS] @ (rows[:, _VELOCITY] ** 2).sum(axis=1))

    @gives("potential_energy")
    def get_potential_energy(self):
        forces = self._forces_now()
        return 0.5 * sum(float(row[_MASS]) * forces[number][1] for number, row in self._particles.items())

    @gives("mass")
    def get_total_mass(self):
        return float(self._rows()[:, _MASS].sum())

    @gives("radius")
    def get_total_radius(self):
        """Distance of the outermost particle from the centre of mass."""
        rows = self._rows()
        if len(rows) == 0:
            return 0.0
        return float(np.linalg.norm(rows[:, _POSITION] - _mean(rows, _POSITION), axis=1).max())

    @gives("x", "y", "z")
    def get_center_of_mass_position(self):
        return _plain(_mean(self._rows(), _POSITION))

    @gives("vx", "vy", "vz")
    def get_center_of_mass_velocity(self):
        return _plain(_mean(self._rows(), _VELOCITY))

    # -- the field, of AMUSE's GravityFieldInterface: arrays of points

    @gives("ax", "ay", "az")
    def get_gravity_at_point(self, eps, x, y, z, npoints=1):
        acceleration = self._field(eps, x, y, z)["acc"]
        return acceleration[:, 0], acceleration[:, 1], acceleration[:, 2]

    @gives("phi")
    def get_potential_at_point(self, eps, x, y, z, npoints=1):
        return self._field(eps, x, y, z)["pot"]

    # -- inside

    def _field(self, eps, x, y, z):
        rows = self._rows()
        points = np.stack([_numbers(name, axis) for name, axis in (("x", x), ("y", y), ("z", z))], axis=1)
        eps2 = np.broadcast_to(_numbers("eps", eps) ** 2 + self._eps**2, len(points))
        return grapedr.kernel("gravity").run(i={"xi": points, "eps2": eps2}, j={"xj": rows[:, _POSITION], "mj": rows[:, _MASS]})

    def _row(self, number):
        if number not in self._particles:
            raise grapedr.Error(f"there is no particle {number}")
        self._synchronise()
        return self._particles[number]

    def _rows(self):
        self._synchronise()
        return np.array(list(self._particles.values())).reshape(-1, 8)

    def _forces_now(self):
        if not self._forces and self._particles:
            rows = self._rows()
            acceleration, _, potential = grapedr.accel_jerk_pot(rows[:, _POSITION], rows[:, _VELOCITY], rows[:, _MASS], eps=self._eps)
            self._forces = {number: (acceleration[n], float(potential[n])) for n, number in enumerate(self._particles)}
        return self._forces

    def _change(self, number, where, values):
        row = self._row(number).copy()
        row[where] = _finite(f"particle {number}", values)
        row = _particle(f"particle {number}", list(row))
        self._changed()
        self._particles[number] = row

    def _changed(self):
        """The next evolve_model() begins a run of the particles as they are now."""
        self._synchronise()
        self._run = None
        self._forces.clear()

    def _start(self):
        self._began = self._time
        self._run = None
        if not self._particles:
            return
        rows = self._rows()
        particles = {"mass": rows[:, _MASS], "position": rows[:, _POSITION], "velocity": rows[:, _VELOCITY]}
        self._run = grapedr.Nbody(particles, eps=self._eps, eta=self._eta)

    def _synchronise(self):
        """The run's particles into ours."""
        if self._run is None:
            return
        particles = self._run.particles
        for row, x, v in zip(self._particles.values(), particles["position"], particles["velocity"]):
            row[_POSITION] = x
            row[_VELOCITY] = v


def _particle(what, values):
    """Mass, place, velocity and radius, which a run must take later."""
    row = _finite(what, values)
    if row[_MASS] < 0:
        raise grapedr.Error(f"{what} is refused: its mass {row[_MASS]} must be at least 0")
    return row


def _finite(what, values):
    """The values in doubles. Refused are text, masked numbers and quantities with a unit, as by every call of grapedr."""
    row = np.asarray([_number(what, value) for value in values] if isinstance(values, list) else _number(what, values))
    if not np.isfinite(row).all():
        raise grapedr.Error(f"{what} is refused: {row} must be finite")
    return row


def _number(what, value):
    if np.ma.is_masked(value):
        raise grapedr.Error(f"{what} is refused: a number of it is masked")
    unit = getattr(value, "unit", getattr(value, "units", None))
    if unit is not None and str(unit) not in ("", "dimensionless"):
        raise grapedr.Error(f"{what} is refused: {value} has a unit, and a worker takes numbers alone")
    number = np.asarray(value)
    if number.dtype.kind not in "iuf" or number.size != 1:
        raise grapedr.Error(f"{what} is refused: {value!r} must be a real number")
    return float(number.item())


def _numbers(what, values):
    """Numbers of points, one or an array."""
    return np.array([_number(what, value) for value in np.atleast_1d(values)])


def _plain(values):
    return tuple(float(value) for value in values)


def _mean(rows, columns):
    """Weighted by mass; refused without any."""
    mass = rows[:, _MASS].sum()
    if mass == 0:
        raise grapedr.Error("the centre of mass is that of no mass")
    return rows[:, _MASS] @ rows[:, columns] / mass
