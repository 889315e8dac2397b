"""Pair functions on the host: the same text in doubles, for one pair at a time."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import pair
from ._arrays import plain
from ._core import Error
from ._translate import Text, Translator, arguments_of

# The functions of kernels that are no names of Python. On NumPy's doubles, which divide by 0 as the machine does.
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "powm32": lambda x: 0.0 if x == 0 else x**-1.5,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "rint": np.rint,
    "copysign": math.copysign,
}


class _Plain(ast.NodeTransformer):
    """Assignments without widths."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)


class HostFunction:
    """A pair function that returns its results. Results are arguments of the function that callers leave out."""

    def __init__(self, function: Callable[..., Any]) -> None:
        text = Text(function)
        translator = Translator(function)
        translator._declare()
        self.roles = translator.roles()
        self.results = [name for name, role in self.roles.items() if isinstance(role, pair.Result)]
        self._defaults = {name: float(value) for name, value in translator.constants.items()}
        self._begin = {name: _beginning(text, name) for name in self.results}
        self._name = function.__name__
        self._compiled = _compiled(text, self.results)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        own = [name for name in self.roles if name not in self.results]
        if len(arguments) > len(own):
            raise TypeError(f"{self._name}() takes {len(own)} arguments besides its results: {', '.join(own)}")
        values = dict(zip(own, arguments))
        for name, value in named.items():
            if name not in own or name in values:
                raise TypeError(f"{self._name}() has {'two values for' if name in values else 'no argument'} '{name}'")
            values[name] = value
        values = self._defaults | values
        if missing := [name for name in own if name not in values]:
            raise TypeError(f"{self._name}() misses {', '.join(missing)}")
        results = self.pair(values, {})
        return results[0] if len(results) == 1 else tuple(results)

    def before_pairs(self) -> dict[str, Any]:
        """The results without a pair."""
        return {name: _filled(self._begin[name], self.roles[name].count) for name in self.results}

    def pair(self, values: Mapping[str, Any], results: Mapping[str, Any]) -> list[Any]:
        """The results of a pair, added to `results`; without one a result begins anew."""
        given = dict(self._defaults)
        for name, role in self.roles.items():
            if name in self.results:
                given[name] = results.get(name, _filled(self._begin[name], role.count))
            elif name in values:
                given[name] = doubles(f"{self._name}(): {name}", values[name], role.count)
        with np.errstate(all="ignore"):
            return list(self._compiled(**given))


def _filled(value: float, count: int) -> Any:
    return np.full(count, value) if count else np.float64(value)


def doubles(what: str, value: Any, count: int) -> Any:
    given = plain(what, value)
    if given.dtype.kind not in "iufb":
        raise Error(f"{what} has type {given.dtype}: it must hold real numbers")
    array = given.astype(np.float64)
    if array.shape != ((count,) if count else ()):
        raise Error(f"{what} has shape {array.shape}: it must be {f'({count},)' if count else 'a number'}")
    if np.isnan(array).any():
        raise Error(f"{what} is nan: it must be a number, which may be infinite")
    return array if count else np.float64(array)


def _beginning(text: Text, result: str) -> float:
    """The value of a result before the first pair: 0 of a sum, infinite of a least or greatest value."""
    for node in ast.walk(text.definition):
        match node:
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id="min" | "max" as name))):
                named = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(named, ast.Name) and named.id == result:
                    return np.inf if name == "min" else -np.inf
    return 0.0


def _compiled(text: Text, results: list[str]) -> Callable[..., Any]:
    definition = copy.deepcopy(text.definition)
    definition.decorator_list = []
    definition.returns = None
    definition.args.defaults, definition.args.kw_defaults = [], [None] * len(definition.args.kwonlyargs)
    for argument in arguments_of(definition):
        argument.annotation = None
    definition = _Plain().visit(definition)
    returned = ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in results], ast.Load()))
    definition.body.append(ast.copy_location(returned, definition.body[-1]))
    module = ast.fix_missing_locations(ast.Module([definition], []))
    ast.increment_lineno(module, text.first_line - 1)
    names: dict[str, Any] = {**_FUNCTIONS, "rsqrt": pair.rsqrt, "reciprocal": pair.reciprocal, **text.names}
    names = {name: np.float64 if value in (pair.Short, pair.Long) else value for name, value in names.items()}
    exec(compile(module, text.file, "exec"), names)
    return names[definition.name]
