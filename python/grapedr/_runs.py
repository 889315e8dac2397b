"""N-body runs with outputs, callbacks, files and restarts."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import integers, numbers, path, plain, real, text, whole
from ._core import Error
from ._device import options_of
from ._figures import picture_html, pyplot
from ._profile import Profile
from ._warnings import EnergyWarning, SnapshotWarning, tell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Particles = Mapping[str, ArrayLike]


_SEVEN = ("m", "x", "y", "z", "vx", "vy", "vz")
_EXPECTED = (
    "a dictionary, a structured array or an archive of NumPy with mass (n,), position (n, 3), velocity (n, 3), or with "
    f"{', '.join(_SEVEN)}; or rows of these seven numbers, of shape (n, 7)"
)


def _columns_of(particles: Any) -> Mapping[str, Any]:
    """Arrays by name, in the forms that `gdr nbody --in` reads from NumPy's files."""
    if isinstance(particles, Mapping):
        return particles
    if isinstance(particles, (str, os.PathLike)):
        raise Error(f"particles = {os.fspath(particles)!r} is refused: in_file takes the name of a file")
    array = plain("particles", particles)
    if array.dtype.names is not None:
        if array.ndim != 1:
            raise Error(f"particles are a structured array of shape {array.shape}: it must be (n,)")
        return {name: array[name] for name in array.dtype.names}
    if array.dtype.kind in "iufb" and array.ndim == 2 and array.shape[1] == len(_SEVEN):
        return {name: array[:, column] for column, name in enumerate(_SEVEN)}
    raise Error(f"particles have type {array.dtype} and shape {array.shape}: they must be {_EXPECTED}")


def _vectors_of(columns: Mapping[str, Any], name: str, axes: Sequence[str], n: int) -> NDArray:
    if name in columns:
        return numbers(f"particles['{name}']", columns[name], (n, 3))
    for axis in axes:
        if axis not in columns:
            raise Error(
                f"particles have no '{name}', nor {', '.join(axes)} (they have {', '.join(map(str, columns)) or 'nothing'}): "
                f"they must be {_EXPECTED}"
            )
    return np.stack([numbers(f"particles['{axis}']", columns[axis], (n,)) for axis in axes], axis=1)


def particle_arrays(particles: Particles | NDArray) -> dict[str, Any]:
    """Copies of `mass` (n,), `position` (n, 3), `velocity` (n, 3), and, if they are there, of `id` (n,), `time` and
    `step`."""
    columns = _columns_of(particles)
    of_mass = "mass" if "mass" in columns else "m"
    if of_mass not in columns:
        raise Error(
            f"particles have no 'mass' (they have {', '.join(map(str, columns)) or 'nothing'}): they must be {_EXPECTED}"
        )
    mass = numbers(f"particles['{of_mass}']", columns[of_mass], ("n",))
    arrays: dict[str, Any] = {"mass": mass}
    arrays["position"] = _vectors_of(columns, "position", _SEVEN[1:4], len(mass))
    arrays["velocity"] = _vectors_of(columns, "velocity", _SEVEN[4:], len(mass))
    if "id" in columns:
        arrays["id"] = integers("particles['id']", columns["id"], len(mass))
    if "time" in columns:
        arrays["time"] = real("particles['time']", columns["time"])
        if not np.isfinite(arrays["time"]):
            raise Error(f"particles['time'] = {arrays['time']} is refused: it must be finite")
    if "step" in columns:
        arrays["step"] = int(integers("particles['step']", np.reshape(plain("particles['step']", columns["step"]), -1), 1)[0])
    return arrays


@dataclasses.dataclass(frozen=True)
class Output:
    """State of a run at an output."""

    t: float
    values: dict[str, float]
    """Diagnostics by name, as in a line of the log: `energy`, `energy_error`, `virial_ratio`, `r_50`, `core_radius` and
    others (docs/nbody/nbody.md). A quantity that is undefined is NaN. G = 1, Henon's units for the start models."""
    particles: dict[str, NDArray]
    """Particles at `t`: `id` (n,), `mass` (n,), `position` (n, 3), `velocity` (n, 3), in the order of the start."""
    state_hash: str
    """SHA-256 of the particles' bits, equal to `state_hash` of `gdr nbody`."""

    @property
    def energy(self) -> float:
        return self.values["energy"]

    @property
    def energy_error(self) -> float:
        """Relative energy error (E - E0) / |E0|."""
        return self.values["energy_error"]


class NbodyRun:
    """A run as `gdr nbody` makes it, to the same bits, output by output:

        run = grapedr.NbodyRun(start="plummer", n=256, t_end=2, every=0.25, checkpoint="run.gdr")
        for output in run:
            print(output.t, output.energy_error)

    The particles come from exactly one of

    - `particles`: `mass` (n,), `position` (n, 3), `velocity` (n, 3) and perhaps `id` (n,), as start() gives them, or columns
      `m`, `x`, `y`, `z`, `vx`, `vy`, `vz`, by name or as the rows of an array (n, 7); copied. The run begins at their `time`,
      if they have one, as those of numpy.load() may
    - `start`, a model's name, with `n`, `seed`, `w0`, `separation`, `pericentre`, `eccentricity` as the model takes them
    - `in_file`: a snapshot, text or HDF5. What `gdr nbody` says of it at the start are SnapshotWarnings
    - `restart`: a checkpoint; results are bit for bit those of an uninterrupted run. Kernel, machine, clock and boards, and an
      engine that is not bit exact, are the checkpoint's unless they are given; another `eps`, `eta` or `kernel_name` counts
      from there on

    `units` of mass, length and speed, such as "msun,pc,km/s", are those of the run, and of `particles` or of what `in_file`
    states none for; without them the run has the units that `in_file` states, or numbers are taken to have G = 1.
    `scale="henon"` then scales to mass 1 and virial radius 1, at rest. The run is in these units.

    Outputs are made at every multiple of `every` and at `t_end`; with `every=0`, only at `t_end`. `out` (HDF5 if it ends in
    .h5, CSV, NumPy or NEMO if in .csv, .npy, .npz, .nemo, else text), `log` (CSV) and `checkpoint` are written at outputs. `on_block(t, steps)` is called after every block of steps;
    if it returns a value that is false and not None, or raises, the run ends with its checkpoint written, and Ctrl-C does the same. A run ends at an output,
    or between two, with a relative energy error above `max_energy_error`, by default 1; `float("inf")` is no limit.
    An error above 0.001 raises one EnergyWarning.
    Defaults are `eps=0.01`, `eta=0.1` and `kernel_name="gravity_jerk"`.
    With `binaries="regularised"` and `eps=0`, hard binaries are advanced by algorithmic regularisation.
    The places of the particles with the ids in `orbits` are kept at every output, for `plot_orbits()`; with `restart`, those that
    its checkpoint has come first.
    Further arguments are those of Device; `engine="direct"` computes the forces in doubles of the host, without a board.
    A second iteration continues the run from its end.
    """

    def __init__(
        self,
        particles: Particles | NDArray | None = None,
        *,
        t_end: float,
        every: float = 0.0,
        start: str | None = None,
        n: int | None = None,
        seed: int | None = None,
        w0: float | None = None,
        separation: float | None = None,
        pericentre: float | None = None,
        eccentricity: float | None = None,
        in_file: str | os.PathLike[str] | None = None,
        units: str | None = None,
        scale: str | None = None,
        restart: str | os.PathLike[str] | None = None,
        force_restart: bool = False,
        eps: float | None = None,
        eta: float | None = None,
        kernel_name: str | None = None,
        binaries: str = "plain",
        orbits: Sequence[int] = (),
        out: str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_minutes: float = 10.0,
        max_energy_error: float | None = None,
        on_block: Callable[[float, int], Any] | None = None,
        **device: Any,
    ) -> None:
        every = real("every", every)
        if not every >= 0:
            raise Error(f"every = {every} is refused: it must be at least 0")
        settings: dict[str, Any] = {"t_end": real("t_end", t_end), "every": every, "force_restart": bool(force_restart)}
        settings |= {name: real(name, value) for name, value in (("eps", eps), ("eta", eta)) if value is not None}
        if kernel_name is not None:
            settings["kernel"] = text("kernel_name", kernel_name)
        choices = {"kernel": kernel_name is not None, "clock": "clock_mhz" in device} | dict.fromkeys(device, True)
        settings["given"] = [choice for choice, is_given in choices.items() if is_given]
        if text("binaries", binaries) not in ("plain", "regularised"):
            raise Error(f"binaries = {binaries!r} is refused: it must be plain or regularised")
        if restart is not None and binaries != "plain":
            raise Error("binaries has no effect with restart: a checkpoint has it")
        settings["regularise"] = binaries == "regularised"
        for name, value in (("units", units), ("scale", scale)):
            if value is not None and particles is None and in_file is None:
                raise Error(f"{name} = {value!r} has no effect without particles or in_file")
        if scale is not None and text("scale", scale) != "henon":
            raise Error(f"scale = {scale!r} is refused: it must be henon")
        if units is not None and not text("units", units):
            raise Error(f"units = {units!r} is refused: it must be a text such as 'msun,pc,km/s'")
        settings |= {"units": units or "", "scale_to_henon": scale is not None}
        settings["checkpoint_minutes"] = real("checkpoint_minutes", checkpoint_minutes)
        n = None if n is None else whole("n", n, 1)
        seed = None if seed is None else whole("seed", seed, 0, 2**64 - 1)
        shape = {"w0": w0, "separation": separation, "pericentre": pericentre, "eccentricity": eccentricity}
        model = {"n": n, "seed": seed} | {name: None if value is None else real(name, value) for name, value in shape.items()}
        given = [name for name, value in model.items() if value is not None]
        if given and start is None:
            raise Error(f"{given[0]} = {model[given[0]]} has no effect without start")
        paths = {"in_file": in_file, "restart": restart, "out": out, "log": log, "checkpoint": checkpoint}
        settings |= {name: path(name, value) for name, value in paths.items() if value is not None}
        try:
            settings["orbits"] = [whole("orbits", one, -(2**63)) for one in orbits]
        except TypeError:
            raise Error(f"orbits = {orbits!r} is refused: it must be a list of ids") from None
        optional: dict[str, Any] = {"start": None if start is None else text("start", start)} | model
        optional["max_energy_error"] = None if max_energy_error is None else real("max_energy_error", max_energy_error)
        settings |= {name: value for name, value in optional.items() if value is not None}
        if particles is not None:
            settings |= particle_arrays(particles)
        self._core = _core.NbodyRun(settings, options_of(NbodyRun.__init__, device))
        self._on_block = on_block
        self._told_of_energy = False
        if in_file is not None:
            for told in self._core.start_warnings:
                tell(re.sub(r"--units (\S+)", r"units='\1'", told), SnapshotWarning)  # they name the program's option

    def __iter__(self) -> Iterator[Output]:
        more = True
        while more:
            before = self._core.last_output
            more = self._core.to_next_output(self._on_block)
            self._tell_of_energy()
            if (t := self._core.last_output) is not None and t != before:
                yield self._output(t)

    def _tell_of_energy(self) -> None:
        large = self._core.large_energy_error
        if large is None or (self._told_of_energy and self.end != "energy error"):
            return
        self._told_of_energy = True
        t, error = large
        text = f"at t = {t:g} the energy error is {'beyond any measure' if error is None else format(error, '+.2e')}"
        advice = "a smaller eta, a larger eps or kernel_name='gravity_jerk_long' may keep it"
        ends = "the run ends here; " if self.end == "energy error" else ""
        tell(f"{text}; {ends}{advice}", EnergyWarning)

    def run(self) -> NbodyRun:
        """Runs to the end and returns the run itself."""
        for _ in self:
            pass
        return self

    def _output(self, t: float) -> Output:
        names, rows = self._core.samples
        particles, digest = self._core.particles_at(t), self._core.state_hash_at(t)
        return Output(t, dict(zip(names, rows[-1])), particles, digest)

    @property
    def time(self) -> float:
        """Time of the last block."""
        return self._core.time

    @property
    def end(self) -> str | None:
        """End of the last iteration: "reached", "stopped" or "energy error". None while the end is not known: before the first
        iteration, during one, and after a `break` out of one."""
        return self._core.end

    @property
    def samples(self) -> NDArray:
        """Diagnostics of all outputs so far, as a structured array with a field for each column of the log."""
        names, rows = self._core.samples
        return np.array([tuple(row) for row in rows], dtype=[(name, np.float64) for name in names])

    @property
    def orbits(self) -> dict[int, NDArray]:
        """Places at the outputs so far, of shape (outputs, 3), by the ids in `orbits`."""
        return self._core.orbits

    @property
    def steps(self) -> int:
        """Number of individual particle steps taken so far."""
        return self._core.steps

    @property
    def blocks(self) -> int:
        return self._core.blocks

    @property
    def block_sizes(self) -> NDArray[np.int64]:
        """Number of blocks with 0, 1 and so on to n particles, of shape (n + 1,)."""
        return np.array(self._core.block_sizes, dtype=np.int64)

    @property
    def facts(self) -> dict[str, Any]:
        """Facts that are needed to repeat the run: start, eps, eta, kernel and its digest, machine, clock, boards, engine. Without a
        board: start, eps, eta and engine."""
        return self._core.facts

    @property
    def timing(self) -> dict[str, float]:
        """Emulated seconds by stage, and `interactions`."""
        return self._core.timing

    def profile(self) -> Profile:
        """Profile of this run, with the resource that limits the board."""
        return Profile(self._core.profile_json(), self._core.profile_page())

    def plot(self) -> Figure:
        """Energy error, Lagrangian radii and core radius over time; by matplotlib."""
        samples = self.samples
        figure, (left, right) = pyplot().subplots(1, 2, figsize=(9, 3.2), layout="constrained")
        left.plot(samples["t"], samples["energy_error"], ".-", color="#4878a8")
        left.set_xlabel("t")
        left.set_ylabel("(E - E$_0$) / |E$_0$|")
        self._draw_radii(right, ("r_10", "r_25", "r_50", "r_75", "r_90"))
        return figure

    def plot_radii(self) -> Figure:
        """Radii about the density centre over time that hold 1 % to 90 % of the mass, and the core radius; by
        matplotlib."""
        figure, axes = pyplot().subplots(figsize=(6, 4), layout="constrained")
        self._draw_radii(axes, ("r_01", "r_05", "r_10", "r_25", "r_50", "r_75", "r_90"))
        return figure

    def plot_positions(self, *, reach: float | None = None) -> Figure:
        """Positions at present about the density centre of the last output, in the x, y and the x, z plane, as far as `reach`, by
        default 1.5 times the radius of 90 % of the mass; by matplotlib. The particles in `orbits` have colours."""
        sample = self._last_sample()
        t = max(sample["t"], self._core.time)  # later, if the run was ended between two outputs
        particles = self._core.particles_at(t)
        whose = "core" if np.isfinite(sample["core_x"]) else "com"
        centre = np.array([sample[f"{whose}_{axis}"] for axis in "xyz"])
        if reach is None:
            # Particles that are all in one place have no radius.
            reach = 1.5 * sample["r_90"] if sample["r_90"] > 0 else 1.0
        elif not (real("reach", reach) > 0 and np.isfinite(reach)):
            raise Error(f"reach = {reach} is refused: it must be above 0")
        figure, panels = pyplot().subplots(1, 2, figsize=(9, 4.5), layout="constrained")
        place, ids = particles["position"], particles["id"]
        size = min(4.0, 60 / len(ids) ** 0.5)
        for axes, (across, up) in zip(panels, ((0, 1), (0, 2))):
            axes.plot(place[:, across], place[:, up], ".", markersize=size, color="#204060", rasterized=len(ids) > 10000)
            for one in self._core.orbits:
                axes.plot(*place[ids == one][0, [across, up]], "o", markersize=5, label=f"particle {one}")
            axes.set_xlim(centre[across] - reach, centre[across] + reach)
            axes.set_ylim(centre[up] - reach, centre[up] + reach)
            axes.set_aspect("equal")
            axes.set_xlabel("xyz"[across])
            axes.set_ylabel("xyz"[up])
        if self._core.orbits:
            panels[0].legend(frameon=False, fontsize=7)
        figure.suptitle(f"{len(ids)} particles at t = {t:g}", fontsize=11)
        return figure

    def plot_orbits(self) -> Figure:
        """Paths of the particles in `orbits`, a point at every output and a dot at the end, in the x, y and the x, z
        plane; by matplotlib."""
        orbits = self._core.orbits
        if not orbits:
            raise Error("plot_orbits: no orbits were kept: NbodyRun takes the particles' ids as orbits=[...]")
        self._last_sample()
        figure, panels = pyplot().subplots(1, 2, figsize=(9, 4.5), layout="constrained")
        for axes, (across, up) in zip(panels, ((0, 1), (0, 2))):
            for one, places in orbits.items():
                (line,) = axes.plot(places[:, across], places[:, up], "-", linewidth=0.9, label=f"particle {one}")
                axes.plot(places[-1, across], places[-1, up], "o", markersize=4, color=line.get_color())
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_xlabel("xyz"[across])
            axes.set_ylabel("xyz"[up])
        panels[0].legend(frameon=False, fontsize=7)
        return figure

    def _last_sample(self) -> dict[str, float]:
        """Diagnostics of the last output by name."""
        names, rows = self._core.samples
        if not rows:
            raise Error("there is nothing to draw before the first output: iterate over the run, or call run()")
        return dict(zip(names, rows[-1]))

    def _draw_radii(self, axes: Any, names: Sequence[str]) -> None:
        samples = self.samples
        for name in names:
            axes.plot(samples["t"], samples[name], "-", label=f"{int(name[2:])} % of the mass")
        if np.isfinite(samples["core_radius"]).any():
            axes.plot(samples["t"], samples["core_radius"], "k--", label="core")
        axes.set_yscale("log")
        axes.set_xlabel("t")
        axes.set_ylabel("radius about the density centre")
        axes.legend(frameon=False, fontsize=7)

    def __repr__(self) -> str:
        return f"<grapedr.NbodyRun of {self.facts['start']}: t = {self.time:g}, {self.steps} steps>"

    def _repr_html_(self) -> str:
        from . import _models  # takes time to load

        told = self.facts | {"t": self.time, "steps": self.steps, "block_steps": self.blocks}
        told["n"] = told.pop("particles")
        if "kernel" in told:  # there is a board
            told["emulated_seconds"] = self.timing["total"]
        return _models.report_html("nbody", told) + (picture_html(self.plot) if len(self.samples) > 1 else "")
