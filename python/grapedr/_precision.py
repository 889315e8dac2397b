"""The accuracy of a kernel's results, and the share of each of its short operations in their errors."""

from __future__ import annotations

import dataclasses
import html
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._translate import Translated

__all__ = ["OperationPrecision", "Precision", "ResultError"]


@dataclasses.dataclass(frozen=True)
class ResultError:
    """Relative errors of a result over all i-particles, against the host's doubles. Of an array: of its norm."""

    result: str
    rms: float
    max: float
    left_out: int
    """Number of i-particles whose result on the host is 0 or not finite."""


@dataclasses.dataclass(frozen=True)
class OperationPrecision:
    """An operation of the function."""

    operation: str
    name: str
    """Variables that hold the result."""
    file: str
    line: int
    width: str
    """"short" or "long"."""
    errors: tuple[ResultError, ...]
    """Errors of the results if only this operation, a short one, is long."""
    lines_saved: int | None
    """Lines of the loop that the short word saves; None if it cannot be long by itself."""
    estimated: bool
    """Whether the errors are an estimate, since the operation cannot be long."""


@dataclasses.dataclass(frozen=True)
class Precision:
    """Loss of accuracy of a kernel on data."""

    kernel: str
    lines: int
    """Lines of the loop as it is written."""
    as_written: tuple[ResultError, ...]
    long_lines: int | None
    """Lines with every operation long that can be; None if those values do not fit."""
    every_long: tuple[ResultError, ...]
    operations: tuple[OperationPrecision, ...]
    """Short ones by descending error, then long ones in the order of the source."""

    def __str__(self) -> str:
        rows = [f"{self.kernel}: {self.lines} loop lines, " + _told(self.as_written)]
        if self.long_lines is not None:
            rows.append(f"long where possible: {self.long_lines} loop lines, {_told(self.every_long)}")
        rows += [f"  {each.line:>5} {each.width:<5} {each.operation:<9} {each.name:<12} {_told(each.errors)}"
                 for each in self.operations]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        """The operations as a table for notebooks."""
        rows = "".join(
            f"<tr><td>{each.line}</td><td>{each.width}</td><td>{html.escape(each.operation)}</td>"
            f"<td>{html.escape(each.name)}</td><td>{html.escape(_told(each.errors))}</td>"
            f"<td>{'' if each.lines_saved is None else each.lines_saved}</td></tr>"
            for each in self.operations
        )
        return (
            f"<p><b>{html.escape(self.kernel)}</b>, {self.lines} loop lines: {html.escape(_told(self.as_written))}</p>"
            f"<table><tr><th>line</th><th>word</th><th>operation</th><th>value</th><th>errors if it alone is long</th>"
            f"<th>lines saved</th></tr>{rows}</table>"
        )


def _told(errors: tuple[ResultError, ...]) -> str:
    return ", ".join(f"{each.result} rms {each.rms:.1e} max {each.max:.1e}" for each in errors)


def _errors(rows: list[tuple[str, float, float, int]]) -> tuple[ResultError, ...]:
    return tuple(ResultError(*row) for row in rows)


def precision_of(
    name: str,
    made: Translated,
    effort: int,
    i: NDArray[np.uint64],
    j: NDArray[np.uint64],
    parameters: Mapping[str, float],
) -> Precision:
    """Measures a function that was translated."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, f"{name}.lsump")
        file.write_text(made.text, encoding="utf-8")
        told: dict[str, Any] = _core.precision(str(file), effort, dict(parameters), j, i)
    operations = []
    for operation, value, line, width, errors, saved, estimated in told["operations"]:
        place = made.places[line - 1] if 1 <= line <= len(made.places) else ("", 0)
        operations.append(OperationPrecision(operation, value, place[0], place[1], width, _errors(errors), saved, estimated))
    return Precision(name, told["lines"], _errors(told["as_written"]), told["long_lines"], _errors(told["every_long"]),
                     tuple(operations))
