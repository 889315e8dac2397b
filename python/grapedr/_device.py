"""Checks of the arguments of Device."""

from __future__ import annotations

from . import _core
from ._arrays import whole


def device_options(
    machine: str = "model1800",
    boards: int = 1,
    engine: str = "simd",
    threads: int = 0,
    clock_mhz: float | None = None,
) -> _core.Options:
    """The arguments of Device as the module's inner parts take them."""
    boards = whole("boards", boards, 1, 64)
    return _core.Options(str(machine), boards, str(engine), whole("threads", threads, 0, 1024), clock_mhz)
