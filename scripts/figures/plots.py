"""Panels of curves beside each other, drawn by gnuplot as one SVG."""

import pathlib
import subprocess
import tempfile

from figures import gdr

COLOURS = ["#1f4e79", "#c55a11", "#548235", "#7f3f98", "#808080", "#00808a", "#b0b000", "#b04060"]
PUBLISHED = "#c00000"
MARKS = [6, 4, 8]  # circle, square, triangle


class Panel:
    """One plot: a title, gnuplot's settings, and curves, each rows of numbers in a style."""

    def __init__(self, title, settings=""):
        self.title, self.settings, self.plots, self.stated_marks = title, settings, [], 0

    def add(self, style, title, rows):
        """Rows in any style of gnuplot; without a title the key does not show them."""
        self.plots.append((style, title, list(rows)))
        return self

    def line(self, title, rows):
        return self.add(f"with lines lw 2 lc rgb '{COLOURS[len(self.plots)]}'", title, rows)

    def curve(self, title, xs, y_of):
        """A line through (x, y_of(x))."""
        return self.line(title, [(x, y_of(x)) for x in xs])

    def marked_line(self, title, rows):
        return self.add(f"with linespoints pt 7 ps 0.5 lw 2 lc rgb '{COLOURS[len(self.plots)]}'", title, rows)

    def theory(self, title, rows):
        return self.add("with lines lw 1 dt 2 lc rgb '#303030'", title, rows)

    def stated(self, title, rows):
        """What a paper prints: open red marks, others for each call, through which the curve shows."""
        self.stated_marks += 1
        return self.add(f"with points pt {MARKS[self.stated_marks - 1]} ps 1 lw 1.5 lc rgb '{PUBLISHED}'", title, rows)

    def script(self, folder, number):
        plots = []
        for index, (style, title, rows) in enumerate(self.plots):
            data = folder / f"{number}-{index}.dat"
            data.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
            plots.append(f"'{data}' {style} " + (f"title '{title}'" if title else "notitle"))
        return f"{self.settings}\nset title '{self.title}'\nplot {', '.join(plots)}\n"


def labels(x, y, settings=""):
    return f"set xlabel '{x}'\nset ylabel '{y}'\n{settings}"


# For many panels in one picture: smaller letters, and the key below each plot.
SMALL = "set tics font ',10'\nset key font ',9' below maxrows 4 samplen 1.2\nset bmargin 8\nset xlabel offset 0,0.7\n"


def draw(name, panels, columns, size, *, settings="", margins=""):
    """Draws panels, row by row, into docs/pictures/NAME; `size` is the width and height in pixels, `settings` go before those
    of every panel."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        rows = -(-len(panels) // columns)
        script = (f"set terminal svg size {size[0]},{size[1]} font 'sans-serif,{11 if settings == SMALL else 13}' background 'white'\n"
                  f"set output '{gdr.PICTURES / name}'\nset multiplot layout {rows},{columns} {margins}\n")
        for number, panel in enumerate(panels):
            script += f"reset\nset grid lc rgb '#dddddd'\n{settings}" + panel.script(folder, number)
        subprocess.run(["gnuplot"], input=script + "unset multiplot\n", text=True, check=True)
