"""Profiles of runs on a board."""

from __future__ import annotations

import html
import json
import pathlib
from typing import TYPE_CHECKING, Any

from ._figures import picture_html, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Profile:
    """Emulated time of all runs of a device since its kernel was loaded: stages, clocks line by line, ceilings, and the
    resource that limits the runs. `data` is the JSON of `gdr run --profile`, as a dictionary."""

    def __init__(self, text: str, page: str) -> None:
        self.data: dict[str, Any] = json.loads(text)
        self._text = text
        self._page = page

    @property
    def seconds(self) -> float:
        """Emulated time of all runs in seconds."""
        return self.data["emulated_seconds"]

    @property
    def gflops(self) -> float:
        """Speed in Gflops: the kernel's count of operations over `seconds`."""
        return self.data["emulated_gflops"]

    @property
    def verdict(self) -> str:
        """Sentence that names the resource that limits the runs."""
        return self.data["verdict"]

    @property
    def stages(self) -> dict[str, float]:
        """Emulated seconds of each stage."""
        return self.data["stages"]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Every line of the kernel with its units and clocks."""
        return self.data["lines"]

    def save(self, path: str | pathlib.Path) -> None:
        """Writes a page (.html), or JSON (.json) that `gdr profile compare` reads."""
        path = pathlib.Path(path)
        if path.suffix not in (".html", ".json"):
            from ._core import Error

            raise Error(f"{path} is refused: its name must end in .html or .json")
        path.write_text(self._page if path.suffix == ".html" else self._text, encoding="utf-8")

    def plot(self) -> Figure:
        """Draws emulated time by stage and by resource with matplotlib."""
        figure, (left, right) = pyplot().subplots(1, 2, figsize=(9, 3.2), layout="constrained")
        limits = [limit for limit in self.data["limits"] if limit["share"] > 0.005]
        for axes, names, values, unit in (
            (left, list(self.stages), [1e3 * seconds for seconds in self.stages.values()], "emulated time / ms"),
            (right, [limit["what"] for limit in limits], [100 * limit["share"] for limit in limits], "% of the time"),
        ):
            axes.barh(names, values, color="#4878a8")
            axes.invert_yaxis()
            axes.set_xlabel(unit)
        figure.suptitle(f"{self.data['kernel']} on {self.data['machine']}, {self.gflops:.3g} Gflops", fontsize=11)
        return figure

    def __repr__(self) -> str:
        return f"<grapedr.Profile of {self.data['kernel']}: {self.seconds:.3g} s, {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(limit['what'])}</td><td>{100 * limit['share']:.1f} %</td>"
            f"<td>{html.escape(limit['advice'])}</td></tr>"
            for limit in self.data["limits"]
            if limit["share"] > 0.005
        )
        return (
            f"<p><b>{html.escape(self.data['kernel'])}</b> on {html.escape(self.data['machine'])}: "
            f"{self.seconds:.4g} emulated s, {self.gflops:.4g} Gflops. {html.escape(self.verdict)}</p>"
            f"<table><tr><th>takes time</th><th>share</th><th>advice</th></tr>{rows}</table>{picture_html(self.plot)}"
        )
