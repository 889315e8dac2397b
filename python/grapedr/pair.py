"""Kernels from Python functions: `@grapedr.kernel` on a function with a type hint for each argument.

    from grapedr.pair import I, J, Long, Result, Short, rsqrt

    @grapedr.kernel
    def gravity(xi: I[3], eps2: I, xj: J[3], mj: J[Short], acc: Result[3], pot: Result):
        ...

The text of the function becomes a kernel (docs/reference/python.md). On the host the same function computes in doubles, where
`rsqrt` and `reciprocal` give 0 for 0, as in kernels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ._core import Error

__all__ = ["I", "J", "Long", "Parameter", "Result", "Short", "reciprocal", "rsqrt"]


def rsqrt(x: float) -> float:
    """1 / sqrt(x); 0 for 0."""
    return 0.0 if x == 0 else 1 / math.sqrt(x)


def reciprocal(x: float) -> float:
    """1 / x; 0 for 0."""
    return 0.0 if x == 0 else 1 / x


if TYPE_CHECKING:
    # Type checkers take `I[3]` and `J[Short]` for any value: the hints say where a number lies, not what it is.
    I: Any  # noqa: E741
    J: Any
    Result: Any
    Parameter: Any
    Short: Any
    Long: Any
else:

    class Short(float):
        """A short word: 25 significant bits. As a function in a kernel, rounds to one; on the host, a double."""

    class Long(float):
        """A long word: 61 significant bits, 50 of them in products. As a function in a kernel, makes operations long; on
        the host, a double."""

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
        """One number for all pairs. With a default it is a constant, which a call of run() may change."""

        declares = "VARC"
