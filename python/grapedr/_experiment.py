"""Kernels of experiments from Python classes: members with hints, and methods begin, step, done and end."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Columns, Device, Experiments, Kernel, _core, by_name, pair
from ._arrays import real, whole
from ._core import Error
from ._host import class_on_host, doubles
from ._translate import METHODS, Declared, Scope, Statements, Text, Translated, compiled, number_of_parameter

_ROLES = (pair.Start, pair.State, pair.Result, pair.Parameter)


class Members:
    """The members and methods of a class."""

    def __init__(self, of: type) -> None:
        self.name = of.__name__
        self.roles: dict[str, Any] = {}
        self.defaults: dict[str, float] = {}  # of parameters
        for each in reversed(of.__mro__):
            if each not in (object, pair.Experiment):
                self._take(each)
        own = inspect.getmembers(of, inspect.isfunction)
        self.methods: dict[str, Callable[..., Any]] = {name: method for name, method in own if not name.startswith("__")}
        static = (name for name in self.methods if isinstance(inspect.getattr_static(of, name), staticmethod))
        self.static = frozenset(static)
        if "__init__" in of.__dict__:
            raise Error(f"{self.name}.__init__ is refused: begin() makes the state, and calls give starts and parameters")
        for name in METHODS:
            if name not in self.methods and name != "done":
                raise Error(f"{self.name} is refused: it has no method {name}(self)")
            if name in self.static:
                raise Error(f"{self.name}.{name} is refused: self must be its only argument, but it is a static method")
            if name in self.methods and len(inspect.signature(self.methods[name]).parameters) != 1:
                raise Error(f"{self.name}.{name} is refused: self must be its only argument")

    def _take(self, of: type) -> None:
        try:
            hints = inspect.get_annotations(of, eval_str=True)
        except NameError as error:
            raise Error(f"{self.name} is refused: in its type hints, {error}") from None
        for name, hint in hints.items():
            if name in METHODS:
                raise Error(f"{self.name}.{name} is refused: it is the name of a method of experiments")
            role = hint() if hint in _ROLES else hint
            if not isinstance(role, _ROLES):
                raise Error(f"{self.name}.{name} needs another type hint: Start, State, Result or Parameter of grapedr.pair")
            if "__" in name:
                raise Error(f"{self.name}.{name} is refused: two underlines stand in the names of a kernel's own variables")
            if isinstance(role, pair.Parameter) and name in inspect.signature(Kernel.run_experiments).parameters:
                raise Error(f"{self.name}.{name} is refused: run_experiments() has another argument of this name")
            self.roles[name] = role
            if name not in of.__dict__:
                continue
            default = of.__dict__[name]
            number = number_of_parameter(role, default)
            if number is None:
                raise Error(f"{self.name}.{name} may not have the value {default!r}: only a Parameter has one, a number")
            self.defaults[name] = number


def fill(experiment: Any, members: Members, values: Mapping[str, Any]) -> None:
    """Gives an experiment on the host its starts and parameters, zeros for all other members, and the functions of kernels."""
    for name in values:
        if not isinstance(members.roles.get(name), (pair.Start, pair.Parameter)):
            raise Error(f"{members.name}() has no start and no parameter {name!r}")
    experiment.__class__ = class_on_host(type(experiment), members.methods, members.static)
    for name, role in members.roles.items():
        if isinstance(role, (pair.State, pair.Result)):
            value: Any = np.zeros(role.count) if role.count else np.float64(0)
        elif name in values or name in members.defaults:
            value = doubles(f"{members.name}(): {name}", values.get(name, members.defaults.get(name)), role.count)
        else:
            raise Error(f"{members.name}() misses {name!r}")
        setattr(experiment, name, value)


class _Translator(Statements):
    """The methods of a class in LSUMP's language."""

    def __init__(self, members: Members) -> None:
        super().__init__(Text(members.methods["step"]))
        self._roles = members.roles
        self._methods = {name: method for name, method in members.methods.items() if name not in METHODS}
        self._static = members.static
        self._class = members.name
        self._looks_only = False

    def run(self, methods: Mapping[str, Callable[..., Any]]) -> None:
        for name, role in self._roles.items():
            width = role.width or "long"
            self.lines.append(f"/{role.declares} {width} {name}{f'[{role.count}]' if role.count else ''};")
            self.places.append((Declared(self.text, f"{self._class}.{name}"), self.text.definition))
        self._section("/BEGIN;", methods["begin"])
        self._section("/STEP;", methods["step"])
        if "done" in methods:
            self._condition_of(methods["done"])
        self._section("/END;", methods["end"])

    def _enter(self, method: Callable[..., Any]) -> Text:
        text = Text(method)
        self._scope = Scope(text, {}, f"{method.__name__}__", next(iter(inspect.signature(method).parameters)))
        return text

    def _section(self, head: str, method: Callable[..., Any]) -> None:
        text = self._enter(method)
        self._add(text.definition, head)
        for statement in text.body:
            self._statement(statement)

    def _condition_of(self, method: Callable[..., Any]) -> None:
        text = self._enter(method)
        *statements, last = text.body or [ast.Pass()]
        self._looks_only = True
        for statement in statements:
            self._statement(statement)
        if not isinstance(last, ast.Return) or last.value is None:
            raise self.refuse(last, "done() must end with return and a condition")
        self._add(last, f"/DONE {self._expression(last.value)};")
        self._looks_only = False

    def _target(self, node: ast.expr) -> str:
        target = super()._target(node)
        if self._looks_only and target.split("[")[0] in self._roles:
            raise self.refuse(node, f"'{target}' cannot be assigned to in done(), which only says whether the experiment is done")
        return target

    def _keeps_value(self, target: str) -> bool:
        return target in self._known or target.split("[")[0] in self._roles


class ExperimentKernel(Kernel):
    """A kernel compiled from a class by `@grapedr.experiment`. Called, it makes an experiment on the host: an object of that
    class, whose methods compute in doubles."""

    __wrapped__: type
    __name__: str
    __qualname__: str

    def __init__(self, of: type, effort: int = 2) -> None:
        """`effort` is the search effort of `gdr cc -O`, 1 to 3."""
        if not isinstance(of, type):
            raise Error(f"{of!r} is refused: @grapedr.experiment stands before a class")
        if isinstance(effort, bool) or effort not in (1, 2, 3):
            raise Error(f"effort = {effort!r} is refused: it must be 1 to 3")
        self._members = Members(of)
        translator = _Translator(self._members)
        translator.run(self._members.methods)
        self._translated = compiled(translator, of.__name__, effort, {})
        super().__init__(self._translated.program.compiled())
        functools.update_wrapper(self, of, updated=())

    @property
    def source(self) -> str:
        """Assembly source of the compiled class."""
        return self._translated.source

    @property
    def lines(self) -> int:
        """Number of lines of a step."""
        return self.loop_lines

    @property
    def host_class(self) -> type:
        """The class as it was before `@grapedr.experiment`. Raises Error for a kernel that was pickled in another process
        and whose class is not in its module here."""
        if not hasattr(self, "__wrapped__"):
            raise Error(f"the class of {self.__qualname__} is not known here: {self.__module__} has no such experiment")
        return self.__wrapped__

    def __call__(self, **values: Any) -> Any:
        """An experiment on the host, in doubles, from a value for each `Start`, a number or an array of shape (count,).
        Parameters with a default may be left out. State and results are 0 until begin() and end() are called."""
        experiment: Any = object.__new__(self.host_class)
        fill(experiment, self._members, values)
        return experiment

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
        """As of every Kernel of experiments. Parameters that are not given have their defaults."""
        return super().run_experiments(starts, steps, round, refill, device, on_round, **(self._members.defaults | parameters))

    def on_host(self, starts: Columns | NDArray, steps: int, **parameters: float) -> NDArray:
        """The results of run_experiments() in doubles on the host, with `steps` and `finished`: begin() is called for each
        start, step() until done() or `steps` times, and end(). A call takes some microseconds."""
        records = self._records("hlt", "starts", starts).view(self.dtype("hlt")).reshape(-1)
        most = whole("steps", steps, 1)
        values = {name: real(f"parameter {name}", value) for name, value in parameters.items()}
        results = np.zeros(len(records), self.results_dtype())
        with np.errstate(all="ignore"):
            for record, row in zip(records, results):
                experiment: Any = self(**{name: record[name] for name in records.dtype.names or ()}, **values)
                self._take_steps(experiment, most, row)
        return results

    def _take_steps(self, experiment: Any, most: int, row: Any) -> None:
        experiment.begin()
        ends = not self._program.counts_steps
        done = not ends
        for number in range(1, most + 1):
            experiment.step()
            row["steps"] = number
            if ends and experiment.done():
                done = True
                break
        experiment.end()
        row["finished"] = int(done)
        for name in self.dtype("rrn").names or ():
            row[name] = getattr(experiment, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name if the class's module has this kernel under it; else the compiled kernel, whose class is known only if
        the module has the same kernel, too."""
        made = self._translated.program, self._translated.source, self._members.name, self._members.roles, self._members.defaults
        return by_name(self) or (restored, (self.__module__, self.__qualname__, self.__doc__, *made))


def restored(
    module: str,
    qualname: str,
    doc: str | None,
    program: _core.Program,
    source: str,
    name: str,
    roles: dict[str, Any],
    defaults: dict[str, float],
) -> ExperimentKernel:
    """A pickled kernel: the one that its module has, if that is the same, else a kernel without its class."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    if isinstance(found, ExperimentKernel) and found.source == source:
        return found
    made = ExperimentKernel.__new__(ExperimentKernel)
    Kernel.__init__(made, program)
    made._members = Members.__new__(Members)
    made._members.name, made._members.roles, made._members.defaults, made._members.methods = name, roles, defaults, {}
    made._translated = Translated(program, source, "", {}, [])
    made.__module__, made.__name__, made.__qualname__, made.__doc__ = module, name, qualname, doc
    return made
