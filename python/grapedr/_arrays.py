"""Arrays as callers give them: refused with name, place and value, or copied."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Error


def unit_of(values: object) -> str:
    """The unit of a quantity (astropy, pint, unyt); empty for plain numbers."""
    unit = getattr(values, "unit", getattr(values, "units", None))
    return "" if unit is None or str(unit) in ("", "dimensionless") else str(unit)


def masked_at(values: object) -> str:
    """The place of the first number that a mask hides; empty if there is none."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.getmaskarray(values).any():
        return ""
    return str(tuple(int(n) for n in np.argwhere(np.ma.getmaskarray(values))[0]))


def plain(what: str, values: object) -> NDArray:
    """The values as an array. Refused are those that NumPy would take without a part of their meaning: a masked array with
    a mask that is set somewhere, and a quantity with a unit."""
    if unit := unit_of(values):
        raise Error(f"{what} has the unit {unit}, which kernels know nothing of: give its value in the unit that you mean")
    if place := masked_at(values):
        raise Error(f"{what} is masked at {place}: fill it, or leave out what is masked")
    return np.asarray(values)


def shape_text(shape: tuple[int | str, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def numbers(what: str, values: ArrayLike, shape: tuple[int | str, ...], finite: bool = True) -> NDArray[np.float64]:
    """A contiguous copy in doubles, so that what the caller or another thread changes later does not matter. `shape` holds
    extents, and names for extents that are free. NaN is refused, and unless `finite` is False infinity too."""
    array = plain(what, values)
    if array.dtype.kind not in "iufb":
        raise Error(f"{what} has type {array.dtype}: it must hold real numbers")
    if array.ndim != len(shape) or any(isinstance(n, int) and n != m for n, m in zip(shape, array.shape)):
        raise Error(f"{what} has shape {array.shape}: it must be {shape_text(shape)}")
    copy = as_doubles(what, array, values)
    refuse_not_finite(what, copy, finite)
    return copy


def as_doubles(what: str, array: NDArray, values: object) -> NDArray[np.float64]:
    """A contiguous copy of `array`, which NumPy has made of `values`. Refused is a number that is no double, which NumPy
    would round: in an array of longdouble, in an array of integers, or a whole number in a list beside real numbers."""
    with np.errstate(over="ignore"):  # it is refused below
        copy = np.array(array, dtype=np.float64, order="C")
    if array.dtype.kind == "f" and array.dtype.itemsize > copy.dtype.itemsize:
        rounded = (copy != array) & (array == array)
        if rounded.any():
            place = tuple(int(n) for n in np.argwhere(rounded)[0])
            raise Error(f"{what} is {array[place]!s}{f' at {place}' if place else ''} in type {array.dtype}, which no double holds")
    large = np.abs(copy) >= 2**53  # all whole numbers below are doubles
    if not large.any():
        return copy
    exact = array if isinstance(values, np.ndarray) or array.dtype.kind != "f" else np.asarray(values, dtype=object)
    if exact.dtype.kind not in "iuO":
        return copy
    for index in np.argwhere(large):
        place = tuple(int(n) for n in index)
        one = exact[place]
        if isinstance(one, (int, np.integer)) and int(one) != float(copy[place]):
            raise Error(f"{what} is {one}{f' at {place}' if place else ''}, which no double holds: give a real number")
    return copy


def integers(what: str, values: ArrayLike, count: int) -> NDArray[np.int64]:
    """A copy of so many integers, of 64 bits with a sign. Refused are numbers beyond them, which NumPy would wrap around or
    round, and other types, also truth values and doubles that hold whole numbers."""
    array = plain(what, values)
    whole_numbers = array.dtype.kind in "iu"
    if array.dtype.kind in "fO" and not isinstance(values, np.ndarray):
        exact = np.asarray(values, dtype=object)  # NumPy makes doubles of 2^63 and 1 in a list
        whole_numbers = all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in exact.flat)
        array = exact if whole_numbers else array
    if not whole_numbers or array.shape != (count,):
        raise Error(f"{what} has type {array.dtype} and shape {array.shape}: it must hold {count} integers")
    for wrong, why in ((array > 2**63 - 1, "above 2^63 - 1"), (array < -(2**63), "below -2^63")):
        if wrong.any():
            n = int(np.argmax(wrong))
            raise Error(f"{what} is {array[n]} at ({n},), which is {why}")
    return np.array(array, dtype=np.int64)


def column_array(what: str, values: object, real: bool) -> NDArray:
    """A variable's values as an array; what kinds of numbers, shapes and lengths it may have is checked elsewhere. `real`:
    the variable holds real numbers, else whole ones."""
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    try:
        array = np.asarray(values)
    except ValueError:
        raise Error(f"{what} has rows of different lengths: it must be an array of numbers") from None
    if array.ndim == 0 and array.dtype.kind not in "iufb":
        raise Error(f"{what} is of type {type(values).__name__}: it must be an array of numbers")
    if array.size == 0:
        return array.astype(np.float64 if real else np.int64)  # NumPy takes an empty list for real numbers
    if array.dtype != object or not all(isinstance(one, int) for one in array.flat):
        return array
    # Whole numbers of Python that 64 bits do not hold.
    if real:
        try:
            return as_doubles(what, array, values)
        except OverflowError:
            raise Error(f"{what} holds a whole number beyond the range of a double") from None
    wrong = next((one for one in array.flat if not -(2**63) <= one < 2**63), None)
    if wrong is None:
        return array.astype(np.int64)
    raise Error(f"{what} holds {wrong}: it must be from {-(2**63)} to {2**63 - 1}")


def refuse_not_finite(what: str, array: NDArray, finite: bool) -> None:
    """Names the first NaN, or the first infinity too."""
    wrong = ~np.isfinite(array) if finite else np.isnan(array)
    if not wrong.any():
        return
    place = tuple(int(n) for n in np.argwhere(wrong)[0])
    raise Error(f"{what} is {array[place]} at {place}" + (": it must be finite" if finite else ""))


def real(what: str, value: object) -> float:
    """One real number. float() also takes text, a masked number, and a quantity of some libraries without its unit."""
    array = plain(what, value)
    if array.size != 1 or not (isinstance(value, Real) or array.dtype.kind in "iufb"):
        raise Error(f"{what} = {value!r} is refused: it must be a real number")
    given = value if isinstance(value, Real) else array.item()
    try:
        number = float(given)
    except OverflowError:
        raise Error(f"{what} is refused: it must be in the range of a double") from None
    if isinstance(given, (int, np.integer)) and int(given) != number:
        raise Error(f"{what} is {given}, which no double holds: give a real number")
    if isinstance(given, np.floating):
        as_doubles(what, np.asarray(given), given)
    return number


def text(what: str, value: object) -> str:
    """A text that the compiled part of the module can take."""
    if not isinstance(value, str):
        raise Error(f"{what} = {value!r} is refused: it must be a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Error(f"{what} = {value!r} is refused: it has characters that UTF-8 does not encode") from None
    return value


def path(what: str, value: object) -> str:
    """The name of a file, or a name for which there may be a file."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise Error(f"{what} = {value!r} is refused: it must be a text or a path")
    return text(what, os.fsdecode(value))


def definitions_of(given: object) -> dict[str, str]:
    """Definitions of a source, as texts."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Error(f"definitions = {given!r} is refused: it must be a dictionary")
    return {text("a name in definitions", key): text(f"definitions['{key}']", str(value)) for key, value in given.items()}


def constant(name: str, value: object) -> float:
    """The value of a parameter that is a constant of its kernel, refused as a device refuses that of any other."""
    number = real(f"parameter {name}", value)
    if math.isnan(number):
        raise Error(f"parameter {name} is nan: it must be a number, which may be infinite")
    return number


def whole(what: str, value: object, least: int, most: int = 2**63 - 1) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= value <= most:
        return int(value)
    raise Error(f"{what} = {value!r} is refused: it must be a whole number from {least} to {most}")
