"""A gravity code as AMUSE's GravitationalDynamics interface asks for one, on an emulated GRAPE-DR board.

Every function returns a status, 0 or -1, behind what else it gives, and raises nothing: a worker process must not die.
Units are N-body units, G = 1. To make it a worker of AMUSE, list the functions in an interface class that derives from
PythonCodeInterface with `implementation_factory=GrapedrGravity`; nothing here imports AMUSE.
"""

from __future__ import annotations

import functools

import numpy as np

import grapedr


def status(*otherwise):
    """A refusal becomes `otherwise` and -1."""

    def decorated(function):
        @functools.wraps(function)
        def wrapped(self, *arguments):
            try:
                result = function(self, *arguments)
            except (grapedr.Error, KeyError) as error:
                self.message = str(error)
                return (*otherwise, -1) if otherwise else -1
            return (*result, 0) if otherwise else 0

        return wrapped

    return decorated


class GrapedrGravity:
    """Particles have ids of their own and may be added, changed and deleted between calls of evolve_model()."""

    def __init__(self) -> None:
        self.message = ""
        self._eps = 0.0
        self._eta = 0.1
        self._particles: dict[int, np.ndarray] = {}  # id -> mass, x, y, z, vx, vy, vz, radius
        self._next_id = 0
        self._time = 0.0
        self._began = 0.0  # time 0 of the run
        self._run: grapedr.Nbody | None = None

    # -- parameters

    def initialize_code(self):
        return 0

    def cleanup_code(self):
        self.__init__()
        return 0

    def commit_parameters(self):
        return 0

    def recommit_parameters(self):
        self._run = None
        return 0

    @status()
    def set_eps2(self, eps2):
        if not 0 <= eps2 < np.inf:
            raise grapedr.Error(f"eps2 = {eps2} is refused: it must be at least 0 and finite")
        self._eps = float(eps2) ** 0.5
        self._run = None

    def get_eps2(self):
        return self._eps**2, 0

    @status()
    def set_timestep_parameter(self, eta):
        if not 0 < eta < np.inf:
            raise grapedr.Error(f"eta = {eta} is refused: it must be above 0 and finite")
        self._eta = float(eta)
        self._run = None

    def get_timestep_parameter(self):
        return self._eta, 0

    # -- particles

    @status(-1)
    def new_particle(self, mass, x, y, z, vx, vy, vz, radius=0.0):
        self._synchronise()
        row = np.array([mass, x, y, z, vx, vy, vz, radius], dtype=float)
        if not np.isfinite(row).all():
            raise grapedr.Error(f"particle {row} is refused: it must be finite")
        number = self._next_id
        self._next_id += 1
        self._particles[number] = row
        self._run = None
        return (number,)

    @status()
    def delete_particle(self, number):
        self._synchronise()
        del self._particles[number]
        self._run = None

    def commit_particles(self):
        return self.recommit_particles()

    @status()
    def recommit_particles(self):
        self._synchronise()
        self._start()

    def get_number_of_particles(self):
        return len(self._particles), 0

    @status(*[0.0] * 8)
    def get_state(self, number):
        self._synchronise()
        return tuple(float(value) for value in self._particles[number])

    @status()
    def set_state(self, number, mass, x, y, z, vx, vy, vz, radius=0.0):
        self._change(number, slice(0, 8), [mass, x, y, z, vx, vy, vz, radius])

    @status(0.0)
    def get_mass(self, number):
        return (float(self._particles[number][0]),)

    @status()
    def set_mass(self, number, mass):
        self._change(number, 0, mass)

    @status(0.0, 0.0, 0.0)
    def get_position(self, number):
        self._synchronise()
        return tuple(float(value) for value in self._particles[number][1:4])

    @status()
    def set_position(self, number, x, y, z):
        self._change(number, slice(1, 4), [x, y, z])

    @status(0.0, 0.0, 0.0)
    def get_velocity(self, number):
        self._synchronise()
        return tuple(float(value) for value in self._particles[number][4:7])

    @status()
    def set_velocity(self, number, vx, vy, vz):
        self._change(number, slice(4, 7), [vx, vy, vz])

    # -- evolution

    @status()
    def evolve_model(self, time):
        if time < self._time:
            raise grapedr.Error(f"time {time} is refused: the model is at {self._time}")
        if self._run is None:
            self._start()
        if self._run is not None:
            self._run.evolve(time - self._began)
        self._time = float(time)

    def synchronize_model(self):
        self._synchronise()
        return 0

    def get_time(self):
        return self._time, 0

    def get_begin_time(self):
        return 0.0, 0

    @status(0.0)
    def get_kinetic_energy(self):
        self._synchronise()
        return (sum(0.5 * row[0] * float(row[4:7] @ row[4:7]) for row in self._particles.values()),)

    @status(0.0)
    def get_potential_energy(self):
        self._synchronise()
        rows = np.array(list(self._particles.values()))
        if len(rows) < 2:
            return (0.0,)
        _, _, potential = grapedr.accel_jerk_pot(rows[:, 1:4], rows[:, 4:7], rows[:, 0], eps=self._eps)
        return (0.5 * float(rows[:, 0] @ potential),)

    @status(0.0)
    def get_total_mass(self):
        return (float(sum(row[0] for row in self._particles.values())),)

    @status(0.0, 0.0, 0.0)
    def get_center_of_mass_position(self):
        self._synchronise()
        rows = np.array(list(self._particles.values()))
        return tuple(float(value) for value in rows[:, 0] @ rows[:, 1:4] / rows[:, 0].sum())

    @status(0.0, 0.0, 0.0, 0.0)
    def field_at_point(self, eps, x, y, z):
        """Acceleration and potential there."""
        self._synchronise()
        rows = np.array(list(self._particles.values()))
        result = grapedr.kernel("gravity").run(
            i={"xi": [[x, y, z]], "eps2": [float(eps) ** 2 + self._eps**2]}, j={"xj": rows[:, 1:4], "mj": rows[:, 0]}
        )[0]
        return *(float(value) for value in result["acc"]), float(result["pot"])

    def get_gravity_at_point(self, eps, x, y, z):
        ax, ay, az, _, done = self.field_at_point(eps, x, y, z)
        return ax, ay, az, done

    def get_potential_at_point(self, eps, x, y, z):
        *_, potential, done = self.field_at_point(eps, x, y, z)
        return potential, done

    # -- inside

    def _change(self, number, where, values):
        self._synchronise()
        row = self._particles[number].copy()
        row[where] = values
        if not np.isfinite(row).all():
            raise grapedr.Error(f"particle {number} is refused: it must be finite")
        self._particles[number] = row
        self._run = None

    def _start(self):
        self._began = self._time
        self._run = None
        if not self._particles:
            return
        rows = np.array(list(self._particles.values()))
        particles = {"mass": rows[:, 0], "position": rows[:, 1:4], "velocity": rows[:, 4:7]}
        self._run = grapedr.Nbody(particles, eps=self._eps, eta=self._eta)

    def _synchronise(self):
        """The run's particles into ours."""
        if self._run is None:
            return
        particles = self._run.particles
        for row, x, v in zip(self._particles.values(), particles["position"], particles["velocity"]):
            row[1:4] = x
            row[4:7] = v
