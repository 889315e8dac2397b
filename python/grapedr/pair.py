"""Kernels from Python functions: `@grapedr.kernel` on a function with a type hint for each argument.

    from grapedr.pair import I, J, Long, Result, Short, rsqrt

    @grapedr.kernel
    def gravity(xi: I[3], eps2: I, xj: J[3], mj: J[Short], acc: Result[3], pot: Result):
        ...

The function is never run: its text becomes a kernel (docs/python.md).
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from . import _core
from ._core import AssemblyError, Error

__all__ = ["I", "J", "Long", "Parameter", "Result", "Short", "reciprocal", "rsqrt", "translate"]


class Short(float):
    """A short word: 25 significant bits. As a function, rounds to one."""


class Long(float):
    """A long word: 61 significant bits, 50 of them in products. As a function, makes operations long."""


def _only_in_kernels(name: str) -> Callable[..., float]:
    def refuse(*_: object) -> float:
        raise Error(f"{name}() is known inside a @grapedr.kernel function alone")

    refuse.__name__ = name
    return refuse


rsqrt = _only_in_kernels("rsqrt")
reciprocal = _only_in_kernels("reciprocal")


class _Role:
    """Type hint of an argument: `I`, `I[3]`, `I[Short]`, `I[Short, 3]`."""

    declares: ClassVar[str]
    width: str = ""
    count: int = 0

    def __class_getitem__(cls, of: Any) -> _Role:
        role = cls()
        for each in of if isinstance(of, tuple) else (of,):
            if each is Short or each is Long:
                role.width = each.__name__.lower()
            elif isinstance(each, int) and not isinstance(each, bool) and 1 <= each <= 64:
                role.count = each
            else:
                raise Error(f"{cls.__name__}[{each!r}] is refused: it must be Short, Long or a count from 1 to 64")
        return role


class I(_Role):  # noqa: E742
    """An i-particle's variable."""

    declares = "VARI"


class J(_Role):
    """A j-particle's variable."""

    declares = "VARJ"


class Result(_Role):
    """A sum over the j-particles, or a least or greatest value of them."""

    declares = "VARF"


class Parameter(_Role):
    """One number for all pairs. With a default it is a constant."""

    declares = "VARC"


_OPERATORS: Mapping[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.USub: "-",
    ast.Not: "!",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&&",
    ast.Or: "||",
}


class _Translator:
    """A function's text in LSUMP's language, statement by statement, with the place that each line comes from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            lines, self._first_line = inspect.getsourcelines(function)
            self.file = inspect.getsourcefile(function) or "<python>"
        except (OSError, TypeError) as error:
            raise Error(f"the source of {function!r} is not known: it must stand in a file or a notebook") from error
        self._source = textwrap.dedent("".join(lines)).splitlines()
        self._indent = len(lines[0]) - len(lines[0].lstrip())
        self._function = function
        self._numbers: dict[str, int] = {}  # of loops
        self._widths: dict[str, str] = {}  # of variables
        self.lines: list[str] = []
        self.places: list[ast.AST] = []

    def place_of(self, node: ast.AST) -> tuple[int, int]:
        """The node's line and column in the file, from 1."""
        line = getattr(node, "lineno", 1)
        return self._first_line + line - 1, self._indent + getattr(node, "col_offset", 0) + 1

    def refuse(self, node: ast.AST, why: str) -> AssemblyError:
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        place = ":".join(str(number) for number in self.place_of(node))
        return AssemblyError(
            f"{self.file}:{place}: error: {why}\n"
            f"{self._source[line - 1]}\n{' ' * column}^"
        )

    def run(self) -> str:
        definition = next(
            (node for node in ast.walk(ast.parse("\n".join(self._source))) if isinstance(node, ast.FunctionDef)), None
        )
        if definition is None:
            raise Error(f"{self._function!r} is refused: it must be a function made by def")
        self._declare(definition)
        body = definition.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            body = body[1:]  # the docstring
        for statement in body:
            self._statement(statement)
        return "\n".join(self.lines) + "\n"

    def _add(self, node: ast.AST, text: str) -> None:
        self.lines.append(text)
        self.places.append(node)

    def _declare(self, definition: ast.FunctionDef) -> None:
        arguments = definition.args
        for other in (arguments.vararg, arguments.kwarg):
            if other is not None:
                raise self.refuse(other, f"'{other.arg}' is refused: a kernel has a fixed number of variables")
        hints = inspect.get_annotations(self._function, eval_str=True)
        defaults = inspect.signature(self._function).parameters
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            hint = hints.get(argument.arg)
            if isinstance(hint, type) and issubclass(hint, _Role) and hint is not _Role:
                hint = hint()
            if not isinstance(hint, _Role):
                raise self.refuse(argument, f"'{argument.arg}' needs a type hint: I, J, Result or Parameter of grapedr.pair")
            text = f"/{hint.declares} {hint.width} {argument.arg}{f'[{hint.count}]' if hint.count else ''}"
            default = defaults[argument.arg].default
            if default is not inspect.Parameter.empty:
                if not isinstance(hint, Parameter) or isinstance(default, bool) or not isinstance(default, (int, float)):
                    raise self.refuse(argument, f"'{argument.arg}' may not have this default: only a Parameter has one, a number")
                text += f" = {default!r}"
            self._add(argument, text + ";")

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._add(node, f"{self._target(target)} = {self._expression(value)};")
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                name, width = self._target(target), self._width(annotation)
                declared = "" if self._widths.get(name) == width else f"{width} "
                self._widths[name] = width
                self._add(node, f"{declared}{name} = {self._expression(value)};")
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value):
                self._add(node, f"{self._target(target)} {_OPERATORS[type(op)]}= {self._expression(value)};")
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[count]), orelse=[]):
                for number in range(self._whole(count)):
                    self._numbers[name] = number
                    for statement in node.body:
                        self._statement(statement)
                self._numbers.pop(name, None)
            case ast.Pass():
                pass
            case _:
                raise self.refuse(
                    node, "a kernel has assignments, results += and -=, and loops over range() of a number alone"
                )

    def _width(self, annotation: ast.expr) -> str:
        name = annotation.id if isinstance(annotation, ast.Name) else getattr(annotation, "attr", "")
        if name not in ("Short", "Long"):
            raise self.refuse(annotation, "the type of a variable must be Short or Long")
        return name.lower()

    def _whole(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return value
            case ast.Name(id=name) if name in self._numbers:
                return self._numbers[name]
        raise self.refuse(node, "a number is needed here, or the variable of a loop over range()")

    def _target(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return f"{name}[{self._whole(index)}]"
        raise self.refuse(node, "this cannot be assigned to in a kernel")

    def _expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return repr(value)
            case ast.Name(id=name):
                return repr(self._numbers[name]) if name in self._numbers else name
            case ast.Subscript():
                return self._target(node)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return f"({self._expression(left)} {_OPERATORS[type(op)]} {self._expression(right)})"
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
                return f"({_OPERATORS[type(op)]}{self._expression(operand)})"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                return f"({self._expression(left)} {_OPERATORS[type(op)]} {self._expression(right)})"
            case ast.BoolOp(op=op, values=values):
                return f"({f' {_OPERATORS[type(op)]} '.join(self._expression(value) for value in values)})"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self._expression(test)} ? {self._expression(body)} : {self._expression(orelse)})"
            case ast.Call(func=ast.Name() | ast.Attribute() as function, args=arguments, keywords=[]):
                name = function.id if isinstance(function, ast.Name) else function.attr
                if name in ("Short", "Long"):
                    name = name.lower()
                return f"{name}({', '.join(self._expression(argument) for argument in arguments)})"
        raise self.refuse(node, "a kernel has no such expression")


def translate(function: Callable[..., Any], effort: int = 2) -> tuple[_core.Program, str]:
    """The kernel of a function and its assembly source. `effort` is that of `gdr cc -O`, 1 to 3."""
    if isinstance(effort, bool) or effort not in (1, 2, 3):
        raise Error(f"effort = {effort!r} is refused: it must be 1 to 3")
    translator = _Translator(function)
    text = translator.run()
    program, source, diagnostics = _core.compile_pair(
        text, f"{function.__name__}.lsump", effort, translator.file, [translator.place_of(node) for node in translator.places])
    if diagnostics:
        told = []
        for line, message in diagnostics:
            place = translator.places[line - 1] if 1 <= line <= len(translator.places) else ast.arguments()
            told.append(str(translator.refuse(place, message)))
        raise AssemblyError("\n".join(told))
    assert program is not None
    return program, source
