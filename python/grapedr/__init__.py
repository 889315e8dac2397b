"""GRAPE-DR from Python: kernels, emulated boards, N-body runs and matrix products with NumPy arrays.

    import grapedr, numpy
    kernel = grapedr.assemble(open("tutorial.vsm").read())
    results = kernel.run(i={"xi": numpy.zeros(4)}, j={"xj": [1.0, 2.0], "mj": [1.0, 0.5]})
    acc, jerk, pot = grapedr.accel_jerk_pot(x, v, m, eps=0.01)
    for output in grapedr.NbodyRun(start="plummer", n=256, t_end=1, every=0.25): print(output.t, output.energy_error)

`grapedr.network` (networks, collectives, task mapping, clusters), `grapedr.pair` (kernels from Python functions),
`grapedr.validation` (published numbers) and `grapedr.tables` (files) are modules that are imported at their first
use. An input that gdr refuses raises an `Error` (a ValueError) that names value and allowed range; a source with errors raises
an `AssemblyError` with every diagnostic, its place and a caret. Results have the bits of the machine: the same on every
engine and for every number of threads.
"""

from __future__ import annotations

import dataclasses
import functools
import html
import importlib
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A wheel has kernels and descriptions inside.
if (_data := pathlib.Path(__file__).parent / "data").is_dir():
    os.environ.setdefault("GDR_DATA_DIR", str(_data))

from . import _core  # noqa: E402
from ._arrays import (
    as_doubles,
    column_array,
    constant,
    definitions_of,
    masked_at,
    numbers,
    path,
    real,
    text,
    unit_of,
    whole,
)
from ._core import AssemblyError, Error
from ._device import device_options, options_of
from ._profile import Profile
from ._warnings import AssemblyWarning, EnergyWarning, EventWarning, SnapshotWarning, tell_of_events
from ._runs import NbodyRun, Output, particle_arrays

__all__ = [
    "AssemblyError",
    "AssemblyWarning",
    "Device",
    "EnergyWarning",
    "Error",
    "EventWarning",
    "ExperimentKernel",
    "Experiments",
    "Kernel",
    "Nbody",
    "NbodyRun",
    "Output",
    "PairKernel",
    "Precision",
    "Profile",
    "SnapshotWarning",
    "accel_jerk_pot",
    "assemble",
    "compile_kernel",
    "dgemm",
    "experiment",
    "kernel",
    "network",
    "pair",
    "read_table",
    "start",
    "tables",
    "timing",
    "validate",
    "validation",
    "write_table",
]

if TYPE_CHECKING:  # __getattr__() loads them
    from . import network, pair, tables, validation
    from ._experiment import ExperimentKernel
    from ._precision import Precision
    from .tables import read_table, write_table
    from .validation import validate

_IN_MODULES = {
    "ExperimentKernel": "_experiment",
    "Precision": "_precision",
    "read_table": "tables",
    "write_table": "tables",
    "validate": "validation",
}


def __getattr__(name: str) -> Any:
    """Loads a slow module at its first use."""
    if name in ("network", "pair", "tables", "validation"):
        return importlib.import_module(f".{name}", __name__)
    if name in _IN_MODULES:
        return getattr(importlib.import_module(f".{_IN_MODULES[name]}", __name__), name)
    raise AttributeError(f"module 'grapedr' has no attribute '{name}'")


__version__: str = _core.version

for _type in (AssemblyError, Error):
    _type.__module__ = __name__

Columns = Mapping[str, Any]  # arrays, or what NumPy makes arrays of


class Device:
    """One board or several. `machine` is a name (`gdr machine list`) or a TOML file, `engine` one that
    `gdr run --help` names.

    A device keeps the kernel that ran last, and nothing else that a later call depends on. Calls of several threads on one
    device take turns.
    """

    def __init__(
        self,
        machine: str = "model1800",
        boards: int = 1,
        engine: str = "simd",
        threads: int = 0,
        clock_mhz: float | None = None,
    ) -> None:
        self._options = device_options(machine, boards, engine, threads, clock_mhz)
        self._core = _core.Device(self._options)

    @property
    def machine(self) -> str:
        return self._core.machine

    @property
    def chips(self) -> int:
        """Number of chips on all boards."""
        return self._core.chips

    @property
    def timing(self) -> dict[str, float]:
        """Emulated seconds by stage since the kernel was loaded, and `interactions`."""
        return self._core.timing

    @property
    def assumed(self) -> str:
        """Assumptions behind `timing` if something is not known; otherwise empty."""
        return self._core.assumed

    @property
    def events(self) -> dict[str, int]:
        """Floating-point events (`invalid`, `overflow`, `underflow`) since the kernel was loaded, without those whose
        values no result took."""
        return self._core.events

    def profile(self) -> Profile:
        """Profile of all runs since the kernel was loaded, with the resource that limits them."""
        return Profile(self._core.profile_json(), self._core.profile_page())

    def __repr__(self) -> str:
        kernel = f", kernel {self._core.kernel}" if self._core.kernel else ""
        return f"<grapedr.Device {self.machine}: {self.chips} chips{kernel}>"


def _required(device: object) -> Device:
    if not isinstance(getattr(device, "_core", None), _core.Device):
        raise Error(f"device = {device!r} is refused: it must be a grapedr.Device")
    return device  # type: ignore[return-value]


@functools.lru_cache(maxsize=1)
def _shared_device(process: int) -> Device:
    """Device of calls without `device`. A forked process has a separate one."""
    return Device()


@dataclasses.dataclass(frozen=True)
class Experiments:
    """Results of `Kernel.run_experiments`."""

    results: NDArray
    """A structured array with a row for each start: the kernel's results, `steps`, and `finished`, which is 0 if the
    experiment was not done after the most steps."""
    rounds: int
    round_steps: int
    places: int
    """Number of elements of PEs that had experiments."""
    occupancy: float
    """Steps of all experiments / steps for which the places had time, 0 to 1."""
    occupancy_of_queue: float
    """The same for rounds in which every place had an experiment; NaN if there were none."""
    unfinished: int


class Kernel:
    """An assembled kernel. `assemble` and `kernel` make one."""

    def __init__(self, program: _core.Program) -> None:
        if not isinstance(program, _core.Program):
            raise Error(f"{program!r} is refused: assemble() and kernel() make kernels")
        self._program = program
        self._of: dict[str, list[tuple[str, np.dtype, tuple[int, ...]]]] = {"hlt": [], "elt": [], "rrn": []}
        for name, transfer, floating, dimensions in program.variables:
            self._of[transfer].append((name, np.dtype(np.float64 if floating else np.int64), tuple(dimensions)))

    @property
    def name(self) -> str:
        return self._program.kernel

    @property
    def loop_lines(self) -> int:
        """Number of lines of the loop body; a line takes four clocks."""
        return self._program.loop_lines

    @property
    def listing(self) -> str:
        """Listing: every line with its word, clock and units, the layout of the data, and the resource that limits the loop."""
        return self._program.listing

    @property
    def parameters(self) -> list[str]:
        return self._program.parameters

    def dtype(self, transfer: str) -> np.dtype:
        """Structured type of an i-record ("hlt"), a j-record ("elt") or a result ("rrn")."""
        if text("transfer", transfer) not in self._of:
            raise Error(f"transfer = {transfer!r} is refused: it must be hlt, elt or rrn")
        return np.dtype(self._of[transfer])

    def run(
        self, i: Columns | NDArray, j: Columns | NDArray, device: Device | None = None,
        on_progress: Callable[[int, int], object] | None = None, **parameters: float,
    ) -> NDArray:
        """Runs all i-records against all j-records and returns the results, a structured array of shape (len(i),).

        `i` and `j` give an array for each variable, of shape (n,) or (n, *dimensions): a dictionary or a structured array.
        Variables that are left out or unknown are refused, as by `gdr run`; so are masked values and quantities with a unit.
        Calls without `device` share one. Parameters that are not given have their defaults, whatever an earlier call on the device gave.
        `on_progress(done, all)` is called after every 128 i-records; an exception from it ends the run, like Ctrl-C.
        Floating-point events whose values a result may have taken raise an EventWarning.
        """
        self._require_kind("pairs")
        i_records = self._records("hlt", "i", i)
        j_records = self._records("elt", "j", j)
        values = self._parameters(parameters)
        device = _required(device) if device is not None else _shared_device(os.getpid())
        fields, events = device._core.run(self._program, values, j_records, i_records, on_progress)
        tell_of_events(events)
        return fields.view(self.dtype("rrn")).reshape(len(fields))

    def run_turns(
        self,
        i: Columns | NDArray | None = None,
        j: Columns | NDArray | None = None,
        turns: int | None = None,
        device: Device | None = None,
        **parameters: float,
    ) -> NDArray:
        """Runs a kernel of Type II for so many turns and returns the words that its `collect` lines send to the host, a
        structured array with a row for each word, in their order.

        The fields are `turn` (a number after the last turn's means loop termination), `variable` (its number among the
        results), `entry`, `element` and `value`; if a `collect` names blocks, also `chip`, `block` (-1: combined) and,
        if it is known, `pe`. `i` and `j` are as for `run`: i-record n belongs to chip n / 2048 and block n / 128 mod 16, and
        a turn takes 16 j-records for each chip. `turns` is required if the kernel takes no j-data, else all of them are
        used. What an earlier call left in the machine is gone. Floating-point events raise an EventWarning as for `run`.
        """
        self._require_kind("turns")
        device = _required(device) if device is not None else Device()
        j_records = self._records("elt", "j", j) if j is not None else np.zeros((0, len(self._of["elt"])), np.uint64)
        i_records = self._records("hlt", "i", i) if i is not None else np.zeros((0, len(self._of["hlt"])), np.uint64)
        turns = self._program.turns(device.chips, len(j_records), None if turns is None else whole("turns", turns, 1))
        values = self._parameters(parameters)
        columns, events = device._core.run_turns(self._program, values, j_records, i_records, turns)
        tell_of_events(events)
        words = np.empty(len(columns["value"]), [(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            words[name] = column
        return words

    def run_experiments(
        self,
        starts: Columns | NDArray,
        steps: int,
        round: int | None = None,
        refill: bool = True,
        device: Device | None = None,
        on_round: Callable[[int, int], object] | None = None,
        **parameters: float,
    ) -> Experiments:
        """Runs an experiment of at most `steps` steps for each start of a kernel of experiments.

        `starts` is as `i` for `run`: an array for each variable declared with `hlt`. Results do not depend on `round`, the
        number of steps after which finished experiments leave their places (a divisor of `steps`, by default the one next
        to 200), nor on `refill`, without which the next ones begin when all places are free. `on_round(done, all)` is
        called after each round; an exception from it ends the run. Floating-point events raise an EventWarning as for `run`.
        """
        self._require_kind("experiments")
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            known = f" (known: {', '.join(self.parameters)})" if self.parameters else ""
            raise Error(f"kernel {self.name} has no parameter '{unknown[0]}'{known}")
        records = self._records("hlt", "starts", starts)
        values = self._parameters(parameters)
        device = _required(device) if device is not None else Device()
        columns, report, events = device._core.run_experiments(
            self._program,
            values,
            records,
            whole("steps", steps, 1),
            0 if round is None else whole("round", round, 1),
            bool(refill),
            on_round,
        )
        tell_of_events(events)
        results = np.empty(len(records), self.results_dtype())
        for name in results.dtype.names or ():
            if results[name].ndim == 1:
                results[name] = columns[name]
                continue
            flat = results[name].reshape(len(records), -1)
            for element in range(flat.shape[1]):
                flat[:, element] = columns[f"{name}[{element}]"]
        return Experiments(
            results,
            rounds=int(report["rounds"]),
            round_steps=int(report["round_steps"]),
            places=int(report["places"]),
            occupancy=report["occupancy"],
            occupancy_of_queue=report["occupancy_of_queue"],
            unfinished=int(report["unfinished"]),
        )

    def results_dtype(self) -> np.dtype:
        """Structured type of the rows that run_experiments() returns."""
        return np.dtype([*self._of["rrn"], ("steps", np.dtype(np.int64), ()), ("finished", np.dtype(np.int64), ())])

    def _records(self, transfer: str, what: str, columns: Columns | NDArray) -> NDArray[np.uint64]:
        """Records as rows of 8-byte fields."""
        if isinstance(columns, np.ndarray):
            if columns.dtype.names is None:
                raise Error(f"{what} has type {columns.dtype}: it must be a structured array, or a dictionary of arrays")
            columns = {name: columns[name] for name in columns.dtype.names}
        if not isinstance(columns, Mapping):
            raise Error(f"{what} is of type {type(columns).__name__}: it must be a structured array, or a dictionary of arrays")
        for name in columns:
            text(f"a name in {what}", name)
        real = {name: dtype.kind == "f" for name, dtype, _ in self._of[transfer]}
        arrays = {name: column_array(f"{what}['{name}']", column, real.get(name, True)) for name, column in columns.items()}
        given = [
            (name, array.dtype.kind, str(array.dtype), list(array.shape), unit_of(columns[name]), masked_at(columns[name]))
            for name, array in arrays.items()
        ]
        self._program.require_arrays(transfer, what, given)
        records = np.zeros(len(next(iter(arrays.values()))), self.dtype(transfer))
        for name, dtype, _ in self._of[transfer]:
            array = arrays[name]
            if array.dtype == np.uint64 and dtype.kind == "i" and array.size > 0 and int(array.max()) > np.iinfo(np.int64).max:
                raise Error(f"{what}['{name}'] holds {array.max()}: it must be at most {np.iinfo(np.int64).max}")
            records[name] = as_doubles(f"{what}['{name}']", array, columns[name]) if dtype.kind == "f" else array
        fields = records.view(np.uint64).reshape(len(records), records.dtype.itemsize // 8)
        self._program.require_numbers(transfer, what, fields)  # of the copy, which no other thread changes
        return fields

    def _require_kind(self, kind: str) -> None:
        runs = {"pairs": "run()", "turns": "run_turns()", "experiments": "run_experiments()"}
        are = {"pairs": "of Type I", "turns": "of Type II, which moves its data itself", "experiments": "one of experiments"}
        own = self._program.run_kind
        if own != kind:
            raise Error(f"kernel {self.name} is {are[own]}: {runs[own]} runs it")

    def _parameters(self, given: Mapping[str, float]) -> dict[str, float]:
        self._program.require_parameters([text("the name of a parameter", name) for name in given])
        return {name: real(f"parameter {name}", value) for name, value in given.items()}

    def __repr__(self) -> str:
        return f"<grapedr.Kernel {self.name}: {self.loop_lines} loop lines>"

    def __copy__(self) -> Kernel:
        return self  # nothing can change a kernel

    def __deepcopy__(self, _: object) -> Kernel:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self._program,)

    def schedule(self) -> list[dict[str, Any]]:
        """A dictionary for each line, in the order of execution: `section`, `line` (of the source), `text`, whether
        `adder`, `multiplier` and `alu` work in it, words of broadcast memory (`bm_words`), and its `clocks` in one run of
        one iteration, of which `stall` are waiting."""
        device = Device(engine="timing")
        device._core.load(self._program)
        if self._program.is_type2:
            device._core.time_run(1, 1)
        else:
            device._core.time_j(device.chips)
            device._core.time_run(1, device.chips)
        return Profile(device._core.profile_json(), "").lines

    def _repr_html_(self) -> str:
        """Schedule as HTML for notebooks: every line with the units that it uses, and the listing to unfold."""
        rows = []
        section = ""
        for line in self.schedule():
            if line["section"] != section:
                section = line["section"]
                rows.append(f"<tr><th colspan=5 style='text-align:left'>{html.escape(section)}</th></tr>")
            units = "".join(
                f"<td style='background:{colour if line[unit] else 'none'}'>{letter if line[unit] else ''}</td>"
                for unit, letter, colour in (("adder", "A", "#a8c8e8"), ("multiplier", "M", "#f0c890"), ("alu", "I", "#b8e0b0"))
            )
            text = f"<td style='text-align:left'><code>{html.escape(line['text'].strip())}</code></td>"
            rows.append(f"<tr><td>{line['line']}</td>{units}{text}</tr>")
        return (
            f"<p><b>{html.escape(self.name)}</b>, {self.loop_lines} loop lines (A adder, M multiplier, I integer unit)</p>"
            f"<table>{''.join(rows)}</table><details><summary>listing</summary><pre>{html.escape(self.listing)}</pre></details>"
        )


def assemble(
    source: str, name: str = "kernel.vsm", definitions: Mapping[str, object] | None = None, schedule: bool = False
) -> Kernel:
    """Assembles source text and proves it legal. Diagnostics show `name`; `definitions` are those of `gdr as -D`;
    `schedule` packs lines like `gdr as --schedule`. Warnings of the assembler raise one AssemblyWarning."""
    program = _core.assemble(text("source", source), text("name", name), definitions_of(definitions), bool(schedule))
    if program.warnings:
        warnings.warn(program.warnings, AssemblyWarning, stacklevel=2)
    return Kernel(program)


def compile_kernel(
    file: str | os.PathLike[str], effort: int = 2, definitions: Mapping[str, object] | None = None
) -> Kernel:
    """The kernel of a pair function in C++ (docs/kernels/compiler.md), of a file or by the name of one that comes with gdr:
    "eri.cc", "sph_force_c4.cc", ...

    `effort` is that of `gdr cc -O`, 1 to 3; 3 also works on two j-records at once. `definitions` are macros of the file, as
    -D of `gdr cc`. What the compiler refuses raises AssemblyError with file, line and caret; without clang 19 or LLVM's
    library C++ raises Error.
    """
    if isinstance(effort, bool) or effort not in (1, 2, 3):
        raise Error(f"effort = {effort!r} is refused: it must be 1 to 3")
    clang = [f"-D{key}={value}" for key, value in definitions_of(definitions).items()]
    return Kernel(_core.compile_file(path("file", file), effort, clang))


class PairKernel(Kernel):
    """A kernel compiled from a Python function by `@grapedr.kernel`. Called, it is that function on the host: with the
    values of one pair it returns the results, in doubles."""

    __wrapped__: Callable[..., Any]
    __qualname__: str

    def __init__(
        self, function: Callable[..., Any], effort: int = 2, constants: Mapping[str, float] | None = None
    ) -> None:
        """`effort` is the search effort of `gdr cc -O`, 1 to 3. `constants` replace defaults of parameters."""
        from ._translate import translate

        made = translate(function, effort, constants)
        super().__init__(made.program.compiled())
        self._translated = made
        self._effort = effort
        self._on_host: Any = None
        self._variants: dict[tuple[tuple[str, float], ...], PairKernel] = {}
        functools.update_wrapper(self, function)

    @property
    def source(self) -> str:
        """Assembly source of the compiled function."""
        return self._translated.source

    @property
    def lines(self) -> int:
        """Number of lines of the loop body."""
        return self.loop_lines

    @property
    def function(self) -> Callable[..., Any]:
        """The function as it was before `@grapedr.kernel`."""
        return self.__wrapped__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The results of one pair, in doubles on the host: one value, or a tuple in the order of the results. Arguments are
        those of the function without its results, numbers or arrays of shape (count,); parameters with a default may be
        left out."""
        return self._host_function()(*arguments, **named)

    def _host_function(self) -> Any:
        if self._on_host is None:
            from ._host import HostFunction

            self._on_host = HostFunction(self.function)
        return self._on_host

    def on_host(self, i: Columns | NDArray, j: Columns | NDArray, **parameters: float) -> NDArray:
        """The results of run() in doubles on the host: the function is called for each pair, which takes some 10 us."""
        i_records = self._records("hlt", "i", i).view(self.dtype("hlt")).reshape(-1)
        j_records = self._records("elt", "j", j).view(self.dtype("elt")).reshape(-1)
        results = np.zeros(len(i_records), self.dtype("rrn"))
        names = results.dtype.names or ()
        host = self._host_function()
        for of_i, row in zip(i_records, results):
            values = {name: of_i[name] for name in i_records.dtype.names or ()} | dict(parameters)
            sums: dict[str, Any] = host.before_pairs()
            for of_j in j_records:
                pair_of = values | {name: of_j[name] for name in j_records.dtype.names or ()}
                sums = dict(zip(host.results, host.pair(pair_of, sums)))
            for name in names:
                row[name] = sums[name]
        return results

    def run(
        self, i: Columns | NDArray, j: Columns | NDArray, device: Device | None = None,
        on_progress: Callable[[int, int], object] | None = None, **parameters: float,
    ) -> NDArray:
        """As of every Kernel. A parameter with a default is a constant of the kernel; another value for it compiles the
        function once more, at the first call with that value."""
        constants = self._translated.constants
        own = {name: constant(name, value) for name, value in parameters.items() if name in constants}
        changed = {name: value for name, value in own.items() if value != constants[name]}
        if changed:
            rest = {name: value for name, value in parameters.items() if name not in changed}
            return self._with(changed).run(i, j, device, on_progress, **rest)
        left = {name: value for name, value in parameters.items() if name not in constants}
        return super().run(i, j, device, on_progress, **left)

    def _with(self, constants: Mapping[str, float]) -> PairKernel:
        key = tuple(sorted(constants.items()))
        if key not in self._variants:
            self._variants[key] = PairKernel(self.function, self._effort, self._translated.constants | dict(constants))
        return self._variants[key]

    def precision(self, i: Columns | NDArray, j: Columns | NDArray, **parameters: float) -> Precision:
        """The loss of accuracy that short words cause on these data, operation by operation, as `gdr cc --precision`
        does: results of the kernel as it is written, and with each operation long, against the host's doubles."""
        from ._precision import precision_of

        i_records, j_records = self._records("hlt", "i", i), self._records("elt", "j", j)
        values = {name: constant(name, value) for name, value in parameters.items()}
        return precision_of(self.name, self._translated, self._effort, i_records, j_records, values)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name if the function's module has this kernel under it; else the compiled kernel without its function."""
        return by_name(self) or super().__reduce__()


def by_name(compiled: Any) -> tuple[Any, ...] | None:
    """The recipe of pickle for a kernel that its module has under the name of its function or class; None for others."""
    found: object = sys.modules.get(compiled.__module__)
    for name in compiled.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is compiled and compiled.__module__ != "__main__":
        return _attribute_of, (compiled.__module__, compiled.__qualname__)
    return None


def _attribute_of(module: str, path: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


@overload
def kernel(name: str, **definitions: object) -> Kernel: ...
@overload
def kernel(name: Callable[..., Any], *, effort: int = 2) -> PairKernel: ...
@overload
def kernel(name: None = None, *, effort: int = 2) -> Callable[[Callable[..., Any]], PairKernel]: ...
def kernel(name: str | Callable[..., Any] | None = None, **definitions: Any) -> Any:
    """Returns a kernel that comes with gdr, such as "gravity", "gravity_jerk" or "vdw". As a decorator, it compiles a function
    of a pair of particles; `grapedr.pair` has the type hints for its arguments. `@grapedr.kernel(effort=3)` searches
    longer for a short loop, as `gdr cc -O3`."""
    if isinstance(name, str):
        if not name.isidentifier():
            raise Error(f"no kernel is called {name!r}: assemble() takes the text of a source")
        return Kernel(_core.shipped(text("name", name), definitions_of(definitions)))
    effort = definitions.pop("effort", 2)
    if definitions:
        raise Error(f"{next(iter(definitions))} is refused: @grapedr.kernel takes effort only")
    return functools.partial(PairKernel, effort=effort) if name is None else PairKernel(name, effort)


@overload
def experiment(of: type, *, effort: int = 2) -> ExperimentKernel: ...
@overload
def experiment(of: None = None, *, effort: int = 2) -> Callable[[type], ExperimentKernel]: ...
def experiment(of: type | None = None, *, effort: int = 2) -> Any:
    """Decorator that compiles a class to a kernel of experiments: many small problems that do not depend on each other.

    Members of the class have hints of `grapedr.pair`: `Start`, `State`, `Result` or `Parameter`. Method `begin` makes the
    state of the start, `step` changes the state, `done` returns whether the experiment is done (it may be left out), and
    `end` makes the results of the state. They may call other methods and plain functions, which are compiled into them.
    `@grapedr.experiment(effort=3)` searches longer for a short step, as `gdr cc -O3`. A class without these methods or
    with other hints raises Error; what the compiler refuses raises AssemblyError with file, line and caret."""
    from ._experiment import ExperimentKernel

    return functools.partial(ExperimentKernel, effort=effort) if of is None else ExperimentKernel(of, effort)


_gravity: dict[str, Kernel] = {}


def accel_jerk_pot(
    x: ArrayLike,
    v: ArrayLike,
    m: ArrayLike,
    eps: float = 0.0,
    kernel_name: str = "gravity_jerk",
    device: Device | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Acceleration (n, 3), its time derivative (n, 3) and potential (n,) of particles on each other, G = 1, with Plummer
    softening `eps`. `x` and `v` have shape (n, 3), `m` (n,); any units with G = 1. Without `eps` there is no softening;
    `Nbody`, `NbodyRun`, `gdr nbody` and `gdr force` have 0.01."""
    x = numbers("x", x, ("n", 3))
    v = numbers("v", v, (len(x), 3))
    m = numbers("m", m, (len(x),))
    eps = real("eps", eps)
    if not 0 <= eps < np.inf:
        raise Error(f"eps = {eps} is refused: it must be at least 0 and finite")
    if text("kernel_name", kernel_name) not in _gravity:
        _gravity[kernel_name] = kernel(kernel_name)
    number = np.arange(len(x))
    gravity = _gravity[kernel_name]
    # Positions are predicted to the time 0, at which they are given: all other terms of GRAPE-6's records are 0.
    i = np.zeros(len(x), gravity.dtype("hlt"))
    i["xi"], i["vi"], i["eps2"], i["indexi"] = x, v, eps**2, number
    j = np.zeros(len(x), gravity.dtype("elt"))
    j["xj"], j["vj"], j["mj"], j["indexj"] = x, v, m, number
    results = gravity.run(i, j, device=device)
    return results["acc"].copy(), results["jerk"].copy(), results["pot"].copy()


def dgemm(a: ArrayLike, b: ArrayLike, precision: str = "paper", **device: Any) -> NDArray[np.float64]:
    """a @ b on the board. `precision` "paper" takes 50 bits of each operand, "double" all 53. Further arguments are those of
    Device."""
    a = numbers("a", a, ("m", "k"))
    return _core.dgemm(a, numbers("b", b, ("k", "n")), text("precision", precision), options_of(dgemm, device))


def timing(kernel: Kernel | str, ni: int, nj: int, **device: Any) -> dict[str, float]:
    """Emulated seconds by stage of sending `nj` j-particles and running `ni` i-particles against them, their `total`, and
    `interactions` and `gflops`; nothing is computed. Further arguments are those of Device, without `engine`."""
    own = globals()["kernel"](kernel) if isinstance(kernel, str) else kernel
    if not isinstance(own, Kernel):
        raise Error(f"kernel = {kernel!r} is refused: it must be a kernel or the name of one")
    board = Device(engine="timing", **device)
    board._core.load(own._program)
    board._core.time_j(whole("nj", nj, 0))
    board._core.time_run(whole("ni", ni, 0), nj)
    stages = board.timing
    flops = own._program.flops * stages["interactions"]
    return stages | {"gflops": flops / stages["total"] / 1e9 if stages["total"] > 0 else 0.0}


def start(kind: str, particles: int = 0, seed: int | None = None) -> dict[str, NDArray]:
    """A start model in Henon's units: "plummer", "king", "uniform", "cold", "merger", "binary", "pythagorean". Arrays `id`
    (n,), `mass` (n,), `position` (n, 3), `velocity` (n, 3). `seed` is 1 by default; the last two have none."""
    seed = None if seed is None else whole("seed", seed, 0, 2**64 - 1)
    return _core.start(text("kind", kind), whole("particles", particles, 0), seed)


class Nbody:
    """An N-body system on a board: fourth-order Hermite scheme with block time steps, as `gdr nbody`."""

    def __init__(
        self,
        particles: Mapping[str, ArrayLike] | NDArray,
        eps: float = 0.01,
        eta: float = 0.1,
        kernel_name: str = "gravity_jerk",
        **device: Any,
    ) -> None:
        """`particles` has the form that start() returns, or another that NbodyRun takes; further arguments are those of Device."""
        own = particle_arrays(particles)
        if own.get("time", 0.0) != 0:
            raise Error(f"particles['time'] = {own['time']} is refused: Nbody begins at 0, NbodyRun at the time of its particles")
        options = options_of(Nbody.__init__, device)
        vectors = own["mass"], own["position"], own["velocity"], own.get("id")
        self._core = _core.Nbody(*vectors, real("eps", eps), real("eta", eta), text("kernel_name", kernel_name), options)

    def evolve(self, t_end: float) -> None:
        """Integrates to `t_end`. Ctrl-C ends the call between two blocks; the system then is at the time of the last block."""
        self._core.evolve(real("t_end", t_end))

    def outputs(self, t_end: float, every: float) -> Iterator[Nbody]:
        """Integrates to `t_end` and yields the system at every multiple of `every`, and at `t_end`.

        A multiple that differs from `t_end` only by rounding is `t_end`. Raises Error unless `every` is 2^-20 to 8192.
        """
        t_end = real("t_end", t_end)
        while self.time < t_end:
            self.evolve(_core.next_output_time(real("every", every), t_end, self.time))
            yield self

    @property
    def time(self) -> float:
        return self._core.time

    @property
    def particles(self) -> dict[str, NDArray]:
        """Particles at `time`, in the form that start() returns, with the ids that they were given."""
        return self._core.particles

    @property
    def energy(self) -> float:
        """Kinetic and potential energy at `time`, in double on the host; O(n^2)."""
        return self._core.energy

    @property
    def steps(self) -> int:
        """Number of individual particle steps taken so far."""
        return self._core.steps

    @property
    def state_hash(self) -> str:
        """SHA-256 of the particles' bits at `time`, equal to `state_hash` of `gdr nbody`."""
        return self._core.state_hash

    @property
    def timing(self) -> dict[str, float]:
        """Emulated seconds by stage, without the integration on the host, and `interactions`."""
        return self._core.timing

    def profile(self) -> Profile:
        """Profile of this run, with the resource that limits the board."""
        return Profile(self._core.profile_json(), self._core.profile_page())

    def __repr__(self) -> str:
        return f"<grapedr.Nbody at t = {self.time:g}, {self.steps} steps>"
