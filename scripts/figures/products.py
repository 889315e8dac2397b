"""dgemm.svg: speed of matrix products by size, with and without overlap [Koike et al. 2009, figure 12]."""

from figures import gdr
from figures.plots import Panel, draw as draw_panels, labels

SIZES = [2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768]
CURVES = {"overlap, 1,024 words": [], "no overlap": ["--overlap", "off"],
          "8,192 words of overlap (planned)": ["--overlap-buffer", 8192]}


def speed(size, options):
    return gdr.report("dgemm", "-m", size, "-n", size, "-k", 2048, "--engine", "timing", *options)["emulated_gflops"]


def draw():
    panel = Panel("Matrix products on four chips at 400 MHz, K = 2048",
                  labels("M = N", "Gflops") + "set logscale x 2\nset xrange [1800:38000]\nset yrange [0:800]\n"
                  "set xtics (2048, 4096, 8192, 16384, 32768)\nset key bottom right")
    for title, options in CURVES.items():
        panel.marked_line(title, [(size, speed(size, options)) for size in SIZES])
    panel.stated("published, overlap: 635.1", [(32768, 635.1)])
    draw_panels("dgemm.svg", [panel], 1, (720, 400))
