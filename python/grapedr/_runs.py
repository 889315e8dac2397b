"""N-body runs with outputs, callbacks, files and restarts."""

from __future__ import annotations

import dataclasses
import html
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import numbers, real, whole
from ._core import Error
from ._device import device_options
from ._figures import picture_html, pyplot
from ._profile import Profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Particles = Mapping[str, ArrayLike]


def particle_arrays(particles: Particles) -> dict[str, NDArray]:
    """Copies of `mass` (n,), `position` (n, 3), `velocity` (n, 3), and `id` (n,) if it is there."""
    missing = [name for name in ("mass", "position", "velocity") if name not in particles]
    if missing:
        raise Error(f"particles have no '{missing[0]}': they need mass (n,), position (n, 3), velocity (n, 3)")
    mass = numbers("particles['mass']", particles["mass"], ("n",))
    arrays = {"mass": mass}
    for name in ("position", "velocity"):
        arrays[name] = numbers(f"particles['{name}']", particles[name], (len(mass), 3))
    if "id" in particles:
        ids = np.asarray(particles["id"])
        if ids.dtype.kind not in "iu" or ids.shape != mass.shape:
            raise Error(f"particles['id'] has type {ids.dtype} and shape {ids.shape}: it must hold {len(mass)} integers")
        arrays["id"] = ids.astype(np.int64)
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

    - `particles`: `mass` (n,), `position` (n, 3), `velocity` (n, 3) and perhaps `id` (n,), as start() gives them; copied
    - `start`, a model's name, with `n`, `seed`, `w0`, `separation`, `pericentre`, `eccentricity` as the model takes them
    - `in_file`: a snapshot, text or HDF5
    - `restart`: a checkpoint; results are bit for bit those of an uninterrupted run

    Outputs are made at every multiple of `every` and at `t_end`; with `every=0`, only at `t_end`. `out` (text, or HDF5 if it ends in
    .h5), `log` (CSV) and `checkpoint` are written at outputs. `on_block(t, steps)` is called after every block of steps;
    if it returns False or raises, the run ends with its checkpoint written, and Ctrl-C does the same. A run ends at an output
    with a relative energy error above `max_energy_error`.
    With `binaries="regularised"` and `eps=0`, hard binaries are advanced by algorithmic regularisation.
    Further arguments are those of Device; `engine="direct"` computes the forces in doubles of the host, without a board.
    A second iteration continues the run from its end.
    """

    def __init__(
        self,
        particles: Particles | None = None,
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
        restart: str | os.PathLike[str] | None = None,
        force_restart: bool = False,
        eps: float = 0.01,
        eta: float = 0.1,
        kernel_name: str = "gravity_jerk",
        binaries: str = "plain",
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
        settings: dict[str, Any] = {"t_end": real("t_end", t_end), "every": every, "kernel": kernel_name}
        settings |= {"eps": real("eps", eps), "eta": real("eta", eta), "force_restart": force_restart}
        if binaries not in ("plain", "regularised"):
            raise Error(f"binaries = {binaries!r} is refused: it must be plain or regularised")
        if restart is not None and binaries != "plain":
            raise Error("binaries has no effect with restart: a checkpoint has it")
        settings["regularise"] = binaries == "regularised"
        settings["checkpoint_minutes"] = real("checkpoint_minutes", checkpoint_minutes)
        n = None if n is None else whole("n", n, 1)
        seed = None if seed is None else whole("seed", seed, 0)
        model = {"n": n, "seed": seed, "w0": w0, "separation": separation, "pericentre": pericentre}
        model["eccentricity"] = eccentricity
        given = [name for name, value in model.items() if value is not None]
        if given and start is None:
            raise Error(f"{given[0]} = {model[given[0]]} has no effect without start")
        paths = {"in_file": in_file, "restart": restart, "out": out, "log": log, "checkpoint": checkpoint}
        settings |= {name: os.fspath(path) for name, path in paths.items() if path is not None}
        optional = {"start": start, "max_energy_error": max_energy_error} | model
        settings |= {name: value for name, value in optional.items() if value is not None}
        if particles is not None:
            settings |= particle_arrays(particles)
        self._core = _core.NbodyRun(settings, device_options(**device))
        self._on_block = on_block

    def __iter__(self) -> Iterator[Output]:
        more = True
        while more:
            before = self._core.last_output
            more = self._core.to_next_output(self._on_block)
            if (t := self._core.last_output) is not None and t != before:
                yield self._output(t)

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
    def end(self) -> str:
        """End of the last iteration: "reached", "stopped" or "energy error"."""
        return self._core.end

    @property
    def samples(self) -> NDArray:
        """Diagnostics of all outputs so far, as a structured array with a field for each column of the log."""
        names, rows = self._core.samples
        return np.array([tuple(row) for row in rows], dtype=[(name, np.float64) for name in names])

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
        for name in ("r_10", "r_25", "r_50", "r_75", "r_90"):
            right.plot(samples["t"], samples[name], "-", label=f"{name[2:]} % of the mass")
        right.plot(samples["t"], samples["core_radius"], "k--", label="core")
        right.set_yscale("log")
        right.set_xlabel("t")
        right.set_ylabel("radius about the density centre")
        right.legend(frameon=False, fontsize=7)
        return figure

    def __repr__(self) -> str:
        return f"<grapedr.NbodyRun of {self.facts['start']}: t = {self.time:g}, {self.steps} steps>"

    def _repr_html_(self) -> str:
        told = self.facts | {"t": f"{self.time:g}", "steps": self.steps, "blocks": self.blocks}
        told["emulated seconds"] = f"{self.timing['total']:.4g}"
        rows = "".join(f"<tr><td>{html.escape(str(k))}</td><td>{html.escape(str(v))}</td></tr>" for k, v in told.items())
        return f"<table>{rows}</table>" + (picture_html(self.plot) if len(self.samples) > 1 else "")
