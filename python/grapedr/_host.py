"""Pair functions on the host: the same text in doubles, for one pair at a time."""

from __future__ import annotations

import ast
import builtins
import copy
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import pair
from ._arrays import as_doubles, plain
from ._core import Error
from ._translate import MOST_DEPTH, Text, Translator, arguments_of

# The functions of kernels that are no names of Python.
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(pair, name) for name in pair.__all__ if name.islower()},
    "long": pair.Long,
    "short": pair.Short,
}


def on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the functions of kernels under those names that nothing around it has; so are the helpers that it
    calls. The function itself if it needs none of them. Other names mean what they mean now."""
    return _on_host(function, {}, 0)


def _on_host(function: Any, made: dict[Any, Any], depth: int) -> Any:
    if not isinstance(function, types.FunctionType) or function.__module__ == pair.__name__ or depth > MOST_DEPTH:
        return function
    if function in made:
        return made[function]
    made[function] = function  # of one that calls itself, which no kernel does
    around = function.__globals__
    names = {}
    for name in _names_of(function.__code__):
        if name in around:
            names[name] = _on_host(around[name], made, depth + 1)
        elif name in _FUNCTIONS and not hasattr(builtins, name):
            names[name] = _FUNCTIONS[name]
    cells = tuple(_cell_on_host(cell, made, depth + 1) for cell in function.__closure__ or ())
    if cells == (function.__closure__ or ()) and all(around.get(name) is value for name, value in names.items()):
        return function
    copied = types.FunctionType(function.__code__, {**around, **names}, function.__name__, function.__defaults__, cells)
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__qualname__, copied.__module__, copied.__doc__ = function.__qualname__, function.__module__, function.__doc__
    made[function] = copied
    return copied


def _names_of(code: types.CodeType) -> set[str]:
    """The names of globals and attributes in a function and in those inside of it."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_names_of, inner))


def _cell_on_host(cell: types.CellType, made: dict[Any, Any], depth: int) -> types.CellType:
    try:
        value = cell.cell_contents
    except ValueError:  # nothing is in it yet
        return cell
    hosted = _on_host(value, made, depth)
    return cell if hosted is value else types.CellType(hosted)


_classes: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


def class_on_host(of: type, methods: Mapping[str, Callable[..., Any]], static: frozenset[str]) -> type:
    """The class, or one derived from it whose methods have the functions of kernels."""
    if of not in _classes:
        hosted = {name: on_host(method) for name, method in methods.items()}
        changed: dict[str, Any] = {
            name: staticmethod(method) if name in static else method
            for name, method in hosted.items()
            if method is not methods[name]
        }
        names = {"__module__": of.__module__, "__qualname__": of.__qualname__, "__doc__": of.__doc__, "__slots__": ()}
        _classes[of] = type(of)(of.__name__, (of,), names | changed) if changed else of
    return _classes[of]


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
    array = as_doubles(what, given, value)
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
    names: dict[str, Any] = {**_FUNCTIONS, **{name: on_host(value) for name, value in text.names.items()}}
    exec(compile(module, text.file, "exec"), names)
    return names[definition.name]
