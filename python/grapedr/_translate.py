"""From the text of Python functions to LSUMP's language, from which gdr's compiler makes a kernel."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import numbers
import operator
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _core, pair
from ._core import AssemblyError, Error

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

_COMPARISONS: Mapping[type, Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}

_ARITHMETIC: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}
_WHOLE: Mapping[type, Callable[[int, int], int]] = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__}

# Powers that are one function of the language. Those of whole numbers are products.
_POWERS: Mapping[float, str] = {0.5: "sqrt({0})", -0.5: "power_m12({0})", -1.5: "power_m32({0})", 1.5: "({0} * sqrt({0}))"}
_MOST_POWER = 16
MOST_DEPTH = 8  # of helpers that call helpers

# What the compiler says in C's words.
_WORDS = {
    "with &&, || and !": "with and, or and not",
    "condition ? a : b": "a if condition else b",
    "/BEGIN": "begin()",
    "/STEP": "step()",
    "/END": "end()",
}

METHODS = ("begin", "step", "done", "end")  # of experiments, which the run calls

_ONLY = "a kernel has assignments, results += and -=, if, and loops over range() of a number"


class Text:
    """The text of a function, and its tree."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            lines, self.first_line = inspect.getsourcelines(function)
            self.file = inspect.getsourcefile(function) or "<python>"
        except (OSError, TypeError) as error:
            raise Error(f"the source of {function!r} is not known: it must stand in a file or a notebook") from error
        self.lines = textwrap.dedent("".join(lines)).splitlines()
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        found = next((node for node in ast.walk(ast.parse("\n".join(self.lines))) if isinstance(node, ast.FunctionDef)), None)
        if found is None:
            raise Error(f"{function!r} is refused: it must be a function made by def")
        self.definition = found
        self.function = function
        closure = inspect.getclosurevars(inspect.unwrap(function))
        self.names: dict[str, Any] = {**closure.builtins, **closure.globals, **closure.nonlocals}
        self.assigned = frozenset(_assigned(found.body))

    def refusal(self, node: ast.AST, why: str) -> AssemblyError:
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        return AssemblyError(
            f"{self.file}:{self.first_line + line - 1}:{self.indent + column + 1}: error: {why}\n"
            f"{self.lines[line - 1]}\n{' ' * column}^"
        )

    @property
    def body(self) -> list[ast.stmt]:
        """Without the docstring."""
        body = self.definition.body
        first = body[0]
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        return body[1:] if documented else body


class Declared(Text):
    """The declaration of a member of a class, which has no place in the text of its methods."""

    def __init__(self, of: Text, member: str) -> None:
        self.__dict__.update(of.__dict__)
        self._member = member

    def refusal(self, node: ast.AST, why: str) -> AssemblyError:
        return AssemblyError(f"{self._member} is refused: {why}")


def arguments_of(definition: ast.FunctionDef) -> list[ast.arg]:
    return [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]


def _assigned(nodes: list[ast.stmt]) -> Iterator[str]:
    """The variables that these statements assign to, and members such as `self.x`."""
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Name, ast.Attribute)) and isinstance(inner.ctx, ast.Store):
                yield from _named(inner)
            elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                yield from _named(inner.value)


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            yield f"{owner}.{name}"


@dataclasses.dataclass
class Scope:
    """A function whose statements are being translated: the kernel's own, or a helper's in a call."""

    text: Text
    values: dict[str, str]  # what names mean: numbers of loops, arguments and variables of helpers
    prefix: str  # of the variables of a helper's call
    owner: str = ""  # of a method: its first argument, whose attributes are members


class Statements:
    """Statements of functions in LSUMP's language, line by line, with the place that each line comes from."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._scope = Scope(text, {}, "")
        self._roles: dict[str, Any] = {}  # arguments or members, and their hints
        self._widths: dict[str, str] = {}  # of variables
        self._known: set[str] = set()  # variables that have a value
        self._methods: dict[str, Callable[..., Any]] = {}  # by which a method calls them
        self._static: frozenset[str] = frozenset()  # of the methods those that take no self
        self._condition = ""  # under which statements are executed
        self._made = 0  # names
        self._depth = 0
        self.lines: list[str] = []
        self.places: list[tuple[Text, ast.AST]] = []

    def refuse(self, node: ast.AST, why: str) -> AssemblyError:
        return self._scope.text.refusal(node, why)

    def _add(self, node: ast.AST, text: str) -> None:
        self.lines.append(text)
        self.places.append((self._scope.text, node))

    # -- statements

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(node, target, value)
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                self._assign(node, target, value, self._width(annotation))
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in _OPERATORS:
                self._update(node, target, op, value)
            case ast.If(test=test, body=body, orelse=orelse):
                self._branches(test, body, orelse)
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[_, *_] as ends), orelse=[]
            ) if len(ends) <= 3:
                for number in self._range(node, ends):
                    self._scope.values[name] = repr(number)
                    for statement in node.body:
                        self._statement(statement)
                self._scope.values.pop(name, None)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) as call) if (
                owner == self._scope.owner and name in self._methods
            ):
                self._inside(call, self._methods[name], call.args, call.keywords)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner)) as function)) if owner == self._scope.owner:
                raise self._no_method(function)
            case ast.Pass():
                pass
            case _:
                raise self.refuse(node, _ONLY)

    def _assign(self, node: ast.AST, to: ast.expr, value: ast.expr, width: str = "") -> None:
        text = self._expression(value)
        target = self._target(to)
        if self._condition:
            if self._is_result(target) and target in self._names_in_call(value, ("min", "max")):
                raise self.refuse(node, f"a least or greatest value under if: write {target} = min({target}, ... if ... else ...)")
            if self._keeps_value(target):
                text = f"{self._condition} ? {text} : {target}"
        declared = "" if not width or self._widths.get(target) == width else f"{width} "
        if width:
            self._widths[target] = width
        self._known.add(target)
        self._add(node, f"{declared}{target} = {text};")

    def _update(self, node: ast.AST, to: ast.expr, op: ast.operator, value: ast.expr) -> None:
        text = self._expression(value)
        target = self._target(to)
        symbol = _OPERATORS[type(op)]
        if isinstance(op, (ast.Add, ast.Sub)):
            self._add(node, f"{target} {symbol}= {f'{self._condition} ? {text} : 0.0' if self._condition else text};")
            return
        if self._is_result(target):
            raise self.refuse(node, f"a result is a sum: it takes += and -=, not {symbol}=")
        changed = f"({target} {symbol} {text})"
        self._add(node, f"{target} = {f'{self._condition} ? {changed} : {target}' if self._condition else changed};")

    def _branches(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Computes both branches, and keeps the values that they assign under the condition."""
        condition = self._expression(test)
        read = {name for inner in ast.walk(test) for name in _named(inner)}
        branches = [inner for statement in (*body, *orelse) for inner in ast.walk(statement)]
        calls = any(self._method(inner.func) is not None for inner in branches if isinstance(inner, ast.Call))
        if calls or read & set(_assigned([*body, *orelse])):  # the test keeps its value while its variables change
            flag = self._new_name("chosen")
            self._add(test, f"{flag} = {condition} ? 1.0 : 0.0;")
            condition = f"({flag} > 0.5)"
        around = self._condition
        for statements, holds in ((body, condition), (orelse, f"(!{condition})")):
            self._condition = f"({around} && {holds})" if around else holds
            for statement in statements:
                self._statement(statement)
        self._condition = around

    def _is_result(self, target: str) -> bool:
        """True if the target is a result of a pair, which statements accumulate."""
        return False

    def _keeps_value(self, target: str) -> bool:
        """True if the target has a value that it keeps if a condition does not hold."""
        return target in self._known or self._is_result(target)

    def _names_in_call(self, node: ast.expr, functions: tuple[str, ...]) -> set[str]:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in functions:
            return set()
        return {self._expression(argument) for argument in node.args}

    def _width(self, annotation: ast.expr) -> str:
        name = annotation.id if isinstance(annotation, ast.Name) else getattr(annotation, "attr", "")
        if name not in ("Short", "Long"):
            raise self.refuse(annotation, "the type of a variable must be Short or Long")
        return name.lower()

    def _range(self, node: ast.AST, ends: list[ast.expr]) -> range:
        try:
            return range(*(self._whole(end) for end in ends))
        except ValueError as error:
            raise self.refuse(node, f"{error}") from None

    def _whole(self, node: ast.expr) -> int:
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
                return _WHOLE[type(op)](self._whole(left), self._whole(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._whole(operand)
        text = self._expression(node)
        try:
            return int(text)
        except ValueError:
            raise self.refuse(node, "a number is needed here, or the variable of a loop over range()") from None

    def _member(self, node: ast.AST) -> str | None:
        """The name of a member such as `self.x`; None for everything else."""
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self._scope.owner and name in self._roles:
                return name
        return None

    def _is_owners(self, node: ast.AST) -> bool:
        """True for `self.x`, whatever x is."""
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and self._scope.owner != ""
            and node.value.id == self._scope.owner
        )

    def _method(self, node: ast.AST) -> Callable[..., Any] | None:
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self._scope.owner:
                return self._methods.get(name)
        return None

    def _no_member(self, node: ast.Attribute) -> AssemblyError:
        name = f"{self._scope.owner}.{node.attr}"
        if node.attr in self._methods:
            return self.refuse(node, f"'{name}' is a method: call it")
        return self.refuse(node, f"'{name}' is no member with a type hint: members have Start, State, Result or Parameter, "
                                 "and constants stand outside of the class")

    def _no_method(self, node: ast.Attribute) -> AssemblyError:
        name = f"{self._scope.owner}.{node.attr}()"
        if node.attr in METHODS:
            return self.refuse(node, f"'{name}' is refused: the run calls it, and no method does; let both call a third one")
        return self.refuse(node, f"'{name}' is no method that a kernel calls: it must be made by def in the class, "
                                 "with self as its first argument or as @staticmethod")

    def _element(self, name: str, node: ast.expr) -> str:
        """`name[index]`; a negative index counts from the end."""
        index, count = self._whole(node), getattr(self._roles.get(name), "count", 0)
        if index >= 0:
            return f"{name}[{index}]"
        if count and index >= -count:
            return f"{name}[{index + count}]"
        raise self.refuse(node, f"index {index} of '{name}' is outside {-count}..{count - 1}" if count else f"'{name}' is no array")

    def _target(self, node: ast.expr) -> str:
        if (member := self._member(node)) is not None:
            return member
        if isinstance(node, ast.Subscript) and (member := self._member(node.value)) is not None:
            return self._element(member, node.slice)
        if isinstance(node, ast.Subscript) and self._is_owners(node.value):
            raise self._no_member(node.value)  # type: ignore[arg-type]
        if self._is_owners(node):
            raise self._no_member(node)  # type: ignore[arg-type]
        match node:
            case ast.Name(id=name):
                if self._scope.prefix:
                    self._scope.values.setdefault(name, f"{self._scope.prefix}{name}")
                    if not self._scope.values[name].startswith(self._scope.prefix):
                        raise self.refuse(node, f"'{name}' is an argument: a helper does not assign to it")
                    return self._scope.values[name]
                return name
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self._element(self._scope.values.get(name, name), index)
        raise self.refuse(node, "this cannot be assigned to in a kernel")

    def _new_name(self, stem: str) -> str:
        self._made += 1
        return f"{stem}__{self._made}"

    # -- expressions

    def _expression(self, node: ast.expr) -> str:
        if (member := self._member(node)) is not None:
            return member
        if isinstance(node, ast.Subscript) and (member := self._member(node.value)) is not None:
            return self._element(member, node.slice)
        if isinstance(node, ast.Subscript) and self._is_owners(node.value):
            raise self._no_member(node.value)  # type: ignore[arg-type]
        match node:
            case ast.Constant(value=bool() as value):
                return "true" if value else "false"
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return repr(value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute():
                return self._constant(node, self._object(node))
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                if self._is_local(name):
                    return self._element(self._scope.values.get(name, name), index)
                return self._constant(node, self._entry(node, self._whole(index)))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(node, self._expression(left), right)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return f"({self._expression(left)} {_OPERATORS[type(op)]} {self._expression(right)})"
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._expression(operand)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
                return f"({_OPERATORS[type(op)]}{self._expression(operand)})"
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _OPERATORS for op in ops):
                ends = [self._expression(end) for end in (left, *comparators)]
                pairs = [_compared(a, op, b) for a, op, b in zip(ends, ops, ends[1:])]
                return pairs[0] if len(pairs) == 1 else f"({' && '.join(pairs)})"
            case ast.BoolOp(op=op, values=values):
                return f"({f' {_OPERATORS[type(op)]} '.join(self._expression(value) for value in values)})"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self._expression(test)} ? {self._expression(body)} : {self._expression(orelse)})"
            case ast.Call(func=ast.Name() | ast.Attribute() as function, args=arguments, keywords=keywords):
                return self._call(node, function, arguments, keywords)
        raise self.refuse(node, "a kernel has no such expression")

    def _is_local(self, name: str) -> bool:
        return name in self._scope.values or (not self._scope.prefix and (name in self._roles or name in self._known))

    def _name(self, node: ast.expr, name: str) -> str:
        if name in self._scope.values:
            return self._scope.values[name]
        if self._is_local(name):
            return name
        value = None if name in self._scope.text.assigned else self._scope.text.names.get(name)
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            return self._constant(node, value)
        return name  # the compiler says what is wrong with it, at its place

    def _constant(self, node: ast.expr, value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise self.refuse(node, f"this is no number, but {type(value).__name__}: a kernel takes numbers from around it")
        return repr(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))

    def _object(self, node: ast.expr) -> object:
        """The object that an expression such as `math.pi` or `model.softening` names around the function."""
        if self._is_owners(node):
            raise self._no_member(node)  # type: ignore[arg-type]
        match node:
            case ast.Name(id=name) if not self._is_local(name) and name in self._scope.text.names:
                return self._scope.text.names[name]
            case ast.Attribute(value=value, attr=attribute):
                missing = object()
                found = getattr(self._object(value), attribute, missing)
                if found is not missing:
                    return found
        raise self.refuse(node, "a kernel has no such expression")

    def _entry(self, node: ast.Subscript, index: int) -> object:
        held = self._object(node.value)
        try:
            return held[index]  # type: ignore[index]
        except (TypeError, IndexError, KeyError) as error:
            raise self.refuse(node, f"this cannot be read around the kernel: {error}") from None

    def _power(self, node: ast.expr, base: str, exponent: ast.expr) -> str:
        text = self._expression(exponent).strip("()")
        try:
            power = float(text)
        except ValueError:
            raise self.refuse(node, "the exponent must be a number: exp() and log() take others") from None
        if power in _POWERS:
            return _POWERS[power].format(base)
        if power != int(power) or not 1 <= abs(power) <= _MOST_POWER:
            raise self.refuse(node, f"the exponent must be whole and from 1 to {_MOST_POWER}, its negative, or one of "
                                    f"{', '.join(map(str, sorted(_POWERS)))}")
        product = base
        for bit in bin(int(abs(power)))[3:]:  # by squares, as few products as that takes
            product = f"({product} * {product})"
            if bit == "1":
                product = f"({product} * {base})"
        return f"(1.0 / {product})" if power < 0 else product

    def _call(self, node: ast.Call, function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]) -> str:
        if (method := self._method(function)) is not None:
            return self._helper(node, method, arguments, keywords)
        if self._is_owners(function):
            raise self._no_method(function)  # type: ignore[arg-type]
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        called = self._called(node, function, name)
        if isinstance(called, types.FunctionType) and str(called.__module__).split(".")[0] not in ("grapedr", "numpy"):
            return self._helper(node, called, arguments, keywords)
        if keywords:
            raise self.refuse(node, f"{name}() takes no arguments by name in a kernel")
        if name in ("Short", "Long"):
            name = name.lower()
        if name == "fabs":
            name = "abs"
        return f"{name}({', '.join(self._expression(argument) for argument in arguments)})"

    def _called(self, node: ast.Call, function: ast.expr, name: str) -> object:
        """The function that is called, if something around the kernel has its name; the compiler knows others. Of a module, such as
        `math.sqrt`, only what it has: on the host the function is called."""
        if isinstance(function, ast.Name):
            return self._scope.text.names.get(name)
        assert isinstance(function, ast.Attribute)
        owner = self._object(function.value)
        if not hasattr(owner, name):
            where = getattr(owner, "__name__", type(owner).__name__)
            raise self.refuse(node, f"{where} has no function '{name}': the functions of kernels are called without a module")
        return getattr(owner, name)

    def _helper(
        self, node: ast.Call, function: Callable[..., Any], arguments: list[ast.expr], keywords: list[ast.keyword]
    ) -> str:
        """The value of a plain function or of a method: its statements come before the one that calls it."""
        value = self._inside(node, function, arguments, keywords, has_value=True)
        assert value is not None
        return value

    def _inside(
        self,
        node: ast.Call,
        function: Callable[..., Any],
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
        has_value: bool = False,
    ) -> str | None:
        """Translates the statements of a function that is called; returns its value if it has one. A method's changes of
        members are made under the caller's condition."""
        name = function.__name__
        if self._depth == MOST_DEPTH:
            raise self.refuse(node, f"{name}() is refused: helpers call each other at most {MOST_DEPTH} deep")
        text = Text(function)
        given: dict[str, ast.expr] = {keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None}
        signature = inspect.signature(function)
        owner = ""
        if self._methods.get(name) is function and name not in self._static:
            owner, *others = signature.parameters
            signature = signature.replace(parameters=[signature.parameters[other] for other in others])
        try:
            bound = signature.bind(*arguments, **given)
        except TypeError as error:
            raise self.refuse(node, f"{name}(): {error}") from None
        values = {}
        hints = inspect.get_annotations(function, eval_str=True)
        bound.apply_defaults()
        for argument, value in bound.arguments.items():
            meant = self._argument(node, value)
            width = {pair.Short: "short", pair.Long: "long"}.get(hints.get(argument))
            values[argument] = f"{width}({meant})" if width else meant
        around, condition = self._scope, self._condition
        self._scope = Scope(text, values, f"{self._new_name(name)}_", owner)
        if not owner:
            self._condition = ""
        self._depth += 1
        try:
            *statements, last = text.body
            if not has_value:
                statements, last = text.body, ast.Pass()
            for statement in statements:
                self._statement(statement)
            if not has_value:
                return None
            if not isinstance(last, ast.Return) or last.value is None:
                raise self.refuse(last, f"{name}() must end with return: a kernel takes its value")
            return self._expression(last.value)
        finally:
            self._depth -= 1
            self._scope, self._condition = around, condition

    def _argument(self, node: ast.expr, value: object) -> str:
        if not isinstance(value, ast.expr):
            return self._constant(node, value)  # a default
        if (member := self._member(value)) is not None:
            return member
        if isinstance(value, ast.Name) and self._is_local(value.id):
            return self._scope.values.get(value.id, value.id)  # an array goes as a whole
        return self._expression(value)


def _literal(text: str) -> float | None:
    """The value of a translated expression of only numbers; None of others."""

    def value(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
                return _ARITHMETIC[type(op)](value(left), value(right))
        raise ValueError

    try:
        return value(ast.parse(text, mode="eval").body)
    except (ValueError, SyntaxError, ArithmeticError):
        return None


def _compared(a: str, op: ast.cmpop, b: str) -> str:
    """A comparison; of two constants what it gives, as the compiler takes none of these."""
    first, second = _literal(a), _literal(b)
    if first is None or second is None:
        return f"({a} {_OPERATORS[type(op)]} {b})"
    return "true" if _COMPARISONS[type(op)](first, second) else "false"


def number_of_parameter(hint: object, default: object) -> float | None:
    """The default of a parameter; None if it may not have this one: the machine has no NaN."""
    if not isinstance(hint, pair.Parameter) or isinstance(default, bool) or not isinstance(default, numbers.Real):
        return None
    try:
        number = float(default)
    except OverflowError:
        return None
    return None if math.isnan(number) else number


class Translator(Statements):
    """The text of a function of a pair in LSUMP's language."""

    def __init__(self, function: Callable[..., Any], constants: Mapping[str, float] | None = None) -> None:
        """`constants` replace defaults of parameters."""
        super().__init__(Text(function))
        self.constants: dict[str, float] = {}  # parameters with defaults
        self._given = dict(constants or {})

    def run(self) -> None:
        self._declare()
        for statement in self.text.body:
            self._statement(statement)

    def roles(self) -> dict[str, Any]:
        """The hints of the arguments, in their order."""
        return self._roles

    def _declare(self) -> None:
        arguments = self.text.definition.args
        for other in (arguments.vararg, arguments.kwarg):
            if other is not None:
                raise self.refuse(other, f"'{other.arg}' is refused: a kernel has a fixed number of variables")
        hints = inspect.get_annotations(self.text.function, eval_str=True)
        defaults = inspect.signature(self.text.function).parameters
        for argument in arguments_of(self.text.definition):
            hint: Any = hints.get(argument.arg)
            if hint in (pair.I, pair.J, pair.Result, pair.Parameter):
                hint = hint()
            if not isinstance(hint, (pair.I, pair.J, pair.Result, pair.Parameter)):
                raise self.refuse(argument, f"'{argument.arg}' needs a type hint: I, J, Result or Parameter of grapedr.pair")
            self._roles[argument.arg] = hint
            text = f"/{hint.declares} {hint.width} {argument.arg}{f'[{hint.count}]' if hint.count else ''}"
            default = defaults[argument.arg].default
            if default is not inspect.Parameter.empty:
                number = number_of_parameter(hint, default)
                if number is None:
                    raise self.refuse(argument, f"'{argument.arg}' may not have this default: only a Parameter has one, a number")
                self.constants[argument.arg] = self._given.get(argument.arg, number)
                text += f" = {self.constants[argument.arg]!r}"
            self._add(argument, text + ";")

    def _is_result(self, target: str) -> bool:
        return isinstance(self._roles.get(target.split("[")[0]), pair.Result)


@dataclasses.dataclass(frozen=True)
class Translated:
    """A function as the compiler took it."""

    program: _core.Program
    source: str  # in assembly language
    text: str  # in LSUMP's language
    constants: dict[str, float]  # parameters with defaults, and these
    places: list[tuple[str, int]]  # file and line of each line of `text`


def translate(function: Callable[..., Any], effort: int = 2, constants: Mapping[str, float] | None = None) -> Translated:
    """The kernel of a function. `effort` is that of `gdr cc -O`, 1 to 3; `constants` replace defaults of parameters."""
    if isinstance(effort, bool) or effort not in (1, 2, 3):
        raise Error(f"effort = {effort!r} is refused: it must be 1 to 3")
    translator = Translator(function, constants)
    translator.run()
    return compiled(translator, function.__name__, effort, translator.constants)


def compiled(statements: Statements, name: str, effort: int, constants: Mapping[str, float]) -> Translated:
    """The kernel of translated statements."""
    text = "\n".join(statements.lines) + "\n"
    # A helper that stands in another file has its lines under the name of this one: a place has one file.
    positions = [
        (of.first_line + getattr(place, "lineno", 1) - 1, of.indent + getattr(place, "col_offset", 0) + 1)
        for of, place in statements.places
    ]
    program, source, diagnostics = _core.compile_pair(
        text, f"{name}.lsump", effort, statements.text.file, positions)
    if diagnostics:
        told = []
        for line, message in diagnostics:
            for ours, python in _WORDS.items():
                message = message.replace(ours, python)
            known = 1 <= line <= len(statements.places)
            of, place = statements.places[line - 1] if known else (statements.text, ast.arguments())
            told.append(str(of.refusal(place, message)))
        raise AssemblyError("\n".join(told))
    places = [(of.file, of.first_line + getattr(place, "lineno", 1) - 1) for of, place in statements.places]
    assert program is not None
    return Translated(program, source, text, dict(constants), places)
