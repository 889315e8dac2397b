"""Kernels from Python functions: `@grapedr.kernel` on a function with a type hint for each argument.

    from grapedr.pair import I, J, Long, Result, Short, rsqrt

    @grapedr.kernel
    def gravity(xi: I[3], eps2: I, xj: J[3], mj: J[Short], acc: Result[3], pot: Result):
        ...

The text of the function becomes a kernel (docs/reference/python.md). On the host the same function computes in doubles, where
`rsqrt`, `reciprocal` and the other negative powers give 0 for 0, as in kernels.

`@grapedr.experiment` compiles a class that describes one of many small problems. The type hints of its members are `Start`,
`State`, `Result` and `Parameter`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._core import Error

if TYPE_CHECKING:
    from . import Device, Experiments

__all__ = [
    "Experiment",
    "I",
    "J",
    "Long",
    "Parameter",
    "Result",
    "Short",
    "Start",
    "State",
    "copysign",
    "cos",
    "exp",
    "exp2",
    "fabs",
    "fmax",
    "fmin",
    "log",
    "log2",
    "power_m12",
    "power_m32",
    "powm32",
    "reciprocal",
    "rint",
    "rsqrt",
    "sin",
    "sqrt",
]

# The functions of kernels, for the host and for type checkers: kernels know them without an import. They compute on NumPy's
# doubles, which divide by 0 as the machine does. abs, min and max are Python's.
copysign: np.ufunc = np.copysign
cos: np.ufunc = np.cos
exp: np.ufunc = np.exp
exp2: np.ufunc = np.exp2
fabs: np.ufunc = np.fabs
fmax: np.ufunc = np.fmax
fmin: np.ufunc = np.fmin
log: np.ufunc = np.log
log2: np.ufunc = np.log2
rint: np.ufunc = np.rint
sin: np.ufunc = np.sin
sqrt: np.ufunc = np.sqrt
_ZERO: Any = np.float64(0)


def rsqrt(x: float) -> float:
    """1 / sqrt(x); 0 for 0."""
    return power_m12(x)


def reciprocal(x: float) -> float:
    """1 / x; 0 for 0."""
    of: Any = np.float64(x)
    return _ZERO if of == 0 else 1 / of


def power_m12(x: float) -> float:
    """x to the power of -1/2; 0 for 0."""
    of: Any = np.float64(x)
    return _ZERO if of == 0 else 1 / np.sqrt(of)


def power_m32(x: float) -> float:
    """x to the power of -3/2; 0 for 0."""
    of: Any = np.float64(x)
    return _ZERO if of == 0 else of**-1.5


def powm32(x: float) -> float:
    """x to the power of -3/2, in kernels with the precision of rsqrt(); 0 for 0."""
    return power_m32(x)


if TYPE_CHECKING:
    # Type checkers take `I[3]` and `J[Short]` for any value: the hints say where a number lies, not what it is.
    I: Any  # noqa: E741
    J: Any
    Result: Any
    Parameter: Any
    Start: Any
    State: Any
    Short: Any
    Long: Any
else:

    class Short(float):
        """A short word: 25 significant bits. As a function in a kernel, rounds to one; on the host, a double."""

        def __new__(cls, value: Any) -> Any:
            return np.float64(value)

    class Long(float):
        """A long word: 61 significant bits, 50 of them in products. As a function in a kernel, makes operations long; on
        the host, a double."""

        def __new__(cls, value: Any) -> Any:
            return np.float64(value)

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
        """A sum over the j-particles, or a least or greatest value of them. Of an experiment: a number that it gives."""

        declares = "VARF"

    class Parameter(_Role):
        """One number for all pairs. With a default it is a constant, which a call of run() may change. Of an experiment:
        one number for all experiments; a call that does not give it takes its default."""

        declares = "VARC"

    class Start(_Role):
        """A number with which an experiment begins; experiments differ in it."""

        declares = "VARI"

    class State(_Role):
        """A number that the steps of an experiment change."""

        declares = "VARS"


class Experiment:
    """Base of classes that `@grapedr.experiment` compiles. It may be left out: only type checkers need it, which do not see
    that the decorator makes a kernel of the class."""

    lines: ClassVar[int]
    """Number of lines of a step."""
    source: ClassVar[str]
    """Assembly source of the compiled class."""

    def __init__(self, **values: Any) -> None:
        """An experiment on the host, in doubles, from a value for each `Start`, a number or an array of shape (count,).
        Parameters with a default may be left out. State and results are 0. Raises Error for other names and shapes."""
        from ._experiment import Members, fill

        fill(self, Members(type(self)), values)

    @classmethod
    def run_experiments(
        cls,
        starts: Mapping[str, Any] | NDArray[Any],
        steps: int,
        round: int | None = None,
        refill: bool = True,
        device: Device | None = None,
        on_round: Callable[[int, int], object] | None = None,
        **parameters: float,
    ) -> Experiments:
        """As of every Kernel of experiments."""
        raise Error(f"{cls.__name__} is no kernel: @grapedr.experiment before the class makes one of it")

    @classmethod
    def on_host(cls, starts: Mapping[str, Any] | NDArray[Any], steps: int, **parameters: float) -> NDArray[Any]:
        """The results of run_experiments() in doubles on the host, with the methods of the class."""
        raise Error(f"{cls.__name__} is no kernel: @grapedr.experiment before the class makes one of it")
