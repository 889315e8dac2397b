"""Messages of calls beside their results, through Python's `warnings`."""

from __future__ import annotations

import os
import sys
import warnings

_HERE = os.path.dirname(__file__) + os.sep


class AssemblyWarning(UserWarning):
    """Warnings of the assembler, with file, line and caret."""

    __module__ = "grapedr"


class EventWarning(RuntimeWarning):
    """Floating-point events of a run: invalid operations, overflows, underflows."""

    __module__ = "grapedr"


class EnergyWarning(RuntimeWarning):
    """An N-body run with a large energy error."""

    __module__ = "grapedr"


class SnapshotWarning(UserWarning):
    """Start of an N-body run from a file: odd units, particles in one place, parts of the file that are left out."""

    __module__ = "grapedr"


def tell_of_events(text: str) -> None:
    """Warns of floating-point events; nothing for an empty text."""
    if text:
        tell(text, EventWarning)


def tell(text: str, kind: type[Warning]) -> None:
    """Warns at the line of the caller's code that called grapedr."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
        level += 1
    warnings.warn(text, kind, stacklevel=level)
