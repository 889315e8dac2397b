"""Every published number of the machine beside ours, as `gdr validate`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from . import _models
from ._arrays import text
from ._core import Error

__all__ = ["Row", "Rows", "validate"]


@dataclasses.dataclass(frozen=True)
class Row:
    id: str
    quantity: str
    source: str
    published: float | str | None
    ours: float | bool | None
    """Our number, or None if this build lacks the library that it needs."""
    unit: str
    role: str
    """Role of the row, such as "prediction" or "calibration" (docs/validation.md)."""
    bar: str
    error: float | None
    """Relative difference ours / published - 1."""
    passed: bool | None
    """Whether the row is within its bar; None if it has no bar."""
    verified: bool


class Rows(Sequence[Row]):
    """A list of rows that notebooks show as a table."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    def __getitem__(self, place):
        return Rows(self._rows[place]) if isinstance(place, slice) else self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        missed = sum(row.passed is False for row in self)
        return f"<grapedr.validation.Rows: {len(self)}, of which {missed} miss their bar>"

    def _repr_html_(self) -> str:
        rows = [dataclasses.asdict(row) for row in self]
        for row in rows:
            row["pass"] = row.pop("passed")
        return _models.report_html("validate", {"rows": rows})


def validate(only: str = "") -> Rows:
    """Returns all rows, which takes about a minute, or those of `only`, such as "G5" or "G5.ip". Ctrl-C ends the call."""
    rows = [Row(**row) for row in _models.validate(text("only", only))]
    if only and not rows:
        raise Error(f"only = '{only}' is refused: no row is called so")
    return Rows(rows)
