"""Figures by matplotlib, which is imported when the first one is drawn."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pyplot() -> Any:
    """matplotlib.pyplot."""
    import matplotlib.pyplot

    return matplotlib.pyplot


def picture_html(plot: Callable[[], Figure]) -> str:
    """The figure as an image inside a page; nothing where matplotlib is not installed."""
    try:
        figure = plot()
    except ImportError:
        return ""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=90)
    pyplot().close(figure)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'
