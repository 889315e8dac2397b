"""urino.svg, the curves of Urino 2020, figures 8, 9, 10, 12 and 13, as our models give them (lines, bars), with the numbers
that the paper states (points); links-*.svg, bytes over every link."""

from figures import gdr
from figures.plots import COLOURS, SMALL, Panel, draw as draw_panels, labels

NODES, NODE_BANDWIDTH, LATENCY = 64, 200e9, 1e-7  # table 6; bytes/s, s
WAVELENGTH = NODE_BANDWIDTH / NODES
SIZES = [128 << i for i in range(7)]  # figures 9 and 12
TABLE_7 = {"CA0": 0.5, "CA1": 1.0, "CA2": 16.0, "CA3": 33.5, "CA4": 66.8}  # on the hub, x CA1
CROSSOVER = 421766  # n / sqrt(N) at which arithmetic takes as long as communication: equation 6


def report(*arguments):
    return gdr.report("net", *arguments)


def summa(algorithm, n, *options):
    return report("summa", "--algorithm", algorithm, "--n", n, *options)["seconds"]


LOG = "set logscale xy\nset format y '10^{%T}'"
LOG_2 = "set logscale x 2\nset logscale y\nset format y '10^{%T}'"


def figure_8():
    panel = Panel("Figure 8: broadcast, 64 nodes", labels("bytes", "s", LOG_2 + "\nset format x '2^{%L}'"))
    sizes = [8 << i for i in range(0, 21, 2)]
    for title, topology, method in (("hub, direct", "hub", "direct"), ("hub, multipath", "hub", "multipath"),
                                    ("2-D torus, binomial tree", "torus", "tree"),
                                    ("fat tree, binomial tree", "fat-tree", "tree")):
        panel.line(title, [(size, report("bcast", "--topology", topology, "--method", method, "--bytes", size)["seconds"])
                           for size in sizes])
    panel.theory("theory of the hub", [(size, size / WAVELENGTH + LATENCY) for size in sizes])
    panel.theory("", [(size, 2 * (size / NODES / WAVELENGTH + LATENCY)) for size in sizes])
    panel.stated("stated: equal at 512 bytes", [(512, 512 / WAVELENGTH + LATENCY)])
    return panel


def figure_9():
    panel = Panel("Figure 9: SUMMA on the hub, 64 nodes", labels("n", "s", LOG_2))
    for algorithm in TABLE_7:
        panel.line(algorithm, [(n, summa(algorithm, n)) for n in SIZES])
    base = [(n, 2 * n**2 * 8 * NODES**0.5 / NODE_BANDWIDTH) for n in SIZES]  # CA1, table 3
    for index, gain in enumerate((1, 2 * NODES**0.5, NODES / 2, NODES)):
        panel.theory("" if index else "table 3", [(n, seconds / gain) for n, seconds in base])
    panel.stated("stated: table 7, CA1 by table 3", [(SIZES[-1], base[-1][1] / gain) for gain in TABLE_7.values()])
    return panel


def figure_10():
    panel = Panel("Figure 10: communication to arithmetic, CA4 on the hub", labels("n / sqrt(N)", "ratio", LOG))
    panel.settings += "\nset format x '10^{%T}'"
    for nodes in (16, 64):
        rows = []
        for n in (512, 1024, 2048, 4096, 8192):
            zero, nominal = (summa("CA4", n, "--nodes", nodes, "--compute", compute) for compute in ("zero", "nominal"))
            rows.append((n / nodes**0.5, zero / (nominal - zero)))
        panel.line(f"1 Tflops a node, N = {nodes}", rows)
    panel.theory("stated: equations 5 and 6", [(x, CROSSOVER / x) for x in (10, 1e6)])
    panel.stated("stated: 421,766", [(CROSSOVER, 1)])
    return panel


def figure_12():
    panel = Panel("Figure 12: CA4 on hubs of one and two dimensions", labels("n", "s", LOG_2))
    for title, topology in (("one dimension", "hub"), ("two dimensions", "hub2d")):
        panel.line(title, [(n, summa("CA4", n, "--topology", topology)) for n in SIZES])
    panel.theory("table 8, both", [(n, 2 * n**2 * 8 / NODES**0.5 / NODE_BANDWIDTH) for n in SIZES])
    return panel


def figure_13():
    hubs = [report("cost", "--network", f"optical-hub-cost-{dimensions}d") for dimensions in (1, 2)]
    panel = Panel("Figure 13: cost of the hubs", "set ylabel 'USD/Gbps'\nset style fill solid 0.8\nset boxwidth 0.5\n"
                  "set xrange [-0.6:1.6]\nset yrange [0:7]\nset xtics ('one dimension' 0, 'two dimensions' 1)")
    top = [sum(line["subtotal"] for line in hub["lines"]) / hub["bandwidth_gbps"] for hub in hubs]
    # Boxes from the top down, each over what is still below it.
    for index in reversed(range(len(hubs[0]["lines"]))):
        line = hubs[0]["lines"][index]
        panel.add(f"with boxes lc rgb '{COLOURS[index]}'", f"{line['board']}: {line['part']}",
                  list(enumerate(top)))
        top = [height - hub["lines"][index]["subtotal"] / hub["bandwidth_gbps"] for height, hub in zip(top, hubs)]
    panel.stated("stated: 5.6 and 3.9", [(0, 5.6), (1, 3.9)])
    return panel


def links():
    """The pattern of figure 5d, and what the tie rule does to a torus."""
    report("summa", "--topology", "hub", "--nodes", 16, "--n", 1024, "--algorithm", "CA2", "--executor", "closed-form",
           "--picture", gdr.PICTURES / "links-hub.svg")
    report("summa", "--topology", "torus", "--n", 1024, "--algorithm", "CA4", "--executor", "closed-form", "--picture",
           gdr.PICTURES / "links-torus.svg")


def draw():
    draw_panels("urino.svg", [figure_8(), figure_9(), figure_10(), figure_12(), figure_13()], 3, (1400, 860), settings=SMALL)
    links()
