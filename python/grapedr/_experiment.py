"""Kernels of experiments from Python classes: members with hints, and methods begin, step, done and end."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Columns, Device, Experiments, Kernel, by_name, pair
from ._arrays import real, whole
from ._core import Error
from ._host import doubles
from ._translate import Scope, Statements, Text, compiled

_ROLES = (pair.Start, pair.State, pair.Result, pair.Parameter)
_METHODS = ("begin", "step", "done", "end")


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
        if "__init__" in of.__dict__:
            raise Error(f"{self.name}.__init__ is refused: begin() makes the state, and calls give starts and parameters")
        for name in _METHODS:
            if name not in self.methods and name != "done":
                raise Error(f"{self.name} is refused: it has no method {name}(self)")
            if name in self.methods and len(inspect.signature(self.methods[name]).parameters) != 1:
                raise Error(f"{self.name}.{name} is refused: self must be its only argument")

    def _take(self, of: type) -> None:
        for name, hint in inspect.get_annotations(of, eval_str=True).items():
            role = hint() if hint in _ROLES else hint
            if not isinstance(role, _ROLES):
                raise Error(f"{self.name}.{name} needs another type hint: Start, State, Result or Parameter of grapedr.pair")
            if "__" in name:
                raise Error(f"{self.name}.{name} is refused: two underlines stand in the names of a kernel's own variables")
            self.roles[name] = role
            if name not in of.__dict__:
                continue
            default = of.__dict__[name]
            if not isinstance(role, pair.Parameter) or isinstance(default, bool) or not isinstance(default, (int, float)):
                raise Error(f"{self.name}.{name} may not have the value {default!r}: only a Parameter has one, a number")
            self.defaults[name] = float(default)


def fill(experiment: Any, members: Members, values: Mapping[str, Any]) -> None:
    """Gives an experiment on the host its starts and parameters, and zeros for all other members."""
    for name in values:
        if not isinstance(members.roles.get(name), (pair.Start, pair.Parameter)):
            raise Error(f"{members.name}() has no start and no parameter {name!r}")
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
        self._methods = {name: method for name, method in members.methods.items() if name not in _METHODS}
        self._looks_only = False

    def run(self, methods: Mapping[str, Callable[..., Any]]) -> None:
        for name, role in self._roles.items():
            width = role.width or "long"
            self._add(self.text.definition, f"/{role.declares} {width} {name}{f'[{role.count}]' if role.count else ''};")
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
        """The class as it was before `@grapedr.experiment`."""
        return self.__wrapped__

    def __call__(self, **values: Any) -> Any:
        """An experiment on the host, in doubles, from a value for each `Start`, a number or an array of shape (count,).
        Parameters with a default may be left out. State and results are 0 until begin() and end() are called."""
        experiment: Any = object.__new__(self.__wrapped__)
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
        ends = "done" in self._members.methods
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
        return by_name(self) or super().__reduce__()
