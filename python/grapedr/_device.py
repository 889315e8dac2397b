"""Checks of the arguments of Device."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any

from . import _core
from ._arrays import path, real, text, whole


def device_options(
    machine: str = "model1800",
    boards: int = 1,
    engine: str = "simd",
    threads: int = 0,
    clock_mhz: float | None = None,
) -> _core.Options:
    """The arguments of Device as the module's inner parts take them."""
    boards = whole("boards", boards, 1, 64)
    threads = whole("threads", threads, 0, 1024)
    clock_mhz = None if clock_mhz is None else real("clock_mhz", clock_mhz)
    return _core.Options(path("machine", machine), boards, text("engine", engine), threads, clock_mhz)


def options_of(call: Callable[..., Any], device: dict[str, Any]) -> _core.Options:
    """The arguments of Device that `call` hands on. TypeError for a name that neither of them knows, as Python has it."""
    known = list(inspect.signature(device_options).parameters)
    for name in device:
        if name not in known:
            own = [each for each in inspect.signature(call).parameters if each not in ("self", "device")]
            close = difflib.get_close_matches(name, own + known, 1)
            hint = f". Did you mean '{close[0]}'?" if close else ""
            raise TypeError(f"{call.__qualname__.removesuffix('.__init__')}() got an unexpected keyword argument '{name}'{hint}")
    return device_options(**device)
