"""cluster-nbody.svg, cluster-hpl.svg, cluster-summa.svg and cluster-himeno.svg, what 64 boards give on three networks;
cluster-block.svg, a block on 4 ranks; and the tables of docs/notes/cluster.md between its marks."""

import json
import pathlib
import tempfile

from figures import gdr
from figures.plots import Panel, draw as draw_panels

PAGE = gdr.PROJECT / "docs/notes/cluster.md"
CLUSTERS = {"grape-dr-64": "InfiniBand DDR switch", "grape-dr-64-torus": "4 x 4 x 4 torus", "grape-dr-64-hub": "optical hub"}
ALGORITHMS = {"copy": "copy", "j": "j-parallel", "2d": "two-dimensional"}


def rows(*arguments):
    return gdr.report("cluster", *arguments)["rows"]


def nbody(*arguments):
    return rows("nbody", "--clock", 333, *arguments)


def listed(values):
    return ",".join(str(value) for value in values)


def draw_rows(name, panels):
    """Panels of (title, settings, [(title of a curve, [(x, y)])]) beside each other."""
    made = []
    for title, settings, curves in panels:
        made.append(Panel(title, "\n".join(settings)))
        for label, points in curves:
            made[-1].marked_line(label, points)
    draw_panels(name, made, len(made), (430 * len(made), 380), margins="margins 0.06,0.985,0.16,0.9 spacing 0.07,0")


def table(header, lines):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
                      *("| " + " | ".join(line) + " |" for line in lines)])


def replace(mark, text):
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    before, rest = page.split(begin)
    PAGE.write_text(before + begin + text + "\n" + end + rest.split(end)[1], encoding="utf-8")


def nbody_pictures():
    nodes = [1, 4, 16, 64]
    by_algorithm = nbody("--sweep", "--n", 100000, "--nodes", listed(nodes))
    curves = [(title, [(row["nodes"], 100 * row["efficiency"]) for row in by_algorithm if row["algorithm"] == algorithm])
              for algorithm, title in ALGORITHMS.items()]
    sizes = [4096, 10000, 30000, 100000, 300000, 1000000]
    by_network = nbody("--nodes", 64, "--n", listed(sizes), "--transfer", "ideal", "--cluster", listed(CLUSTERS))
    free = nbody("--nodes", 64, "--n", listed(sizes), "--transfer", "ideal", "--free-network")
    networks = [(title, [(row["n"], row["gflops"] / 1e3) for row in by_network if row["cluster"] == cluster])
                for cluster, title in CLUSTERS.items()]
    networks.append(("messages in no time", [(row["n"], row["gflops"] / 1e3) for row in free]))
    draw_rows("cluster-nbody.svg", [
        ("N = 100,000 on InfiniBand DDR: efficiency in %",
         ["set logscale x 2", "set xrange [1:64]", "set yrange [0:105]", 'set xlabel "nodes"', "set key bottom left"], curves),
        ("64 nodes, 2-D, ideal transfers: Tflops",
         ["set logscale x 10", 'set format x "10^{%L}"', "set xrange [4000:1.1e6]", "set yrange [0:30]", 'set xlabel "N"',
          "set key bottom right"], networks)])

    ideal = nbody("--sweep", "--n", 100000, "--nodes", listed(nodes), "--transfer", "ideal")
    lines = []
    for count in nodes[1:]:
        line = [str(count)]
        for algorithm in ALGORITHMS:
            pair = [next(row for row in of if row["nodes"] == count and row["algorithm"] == algorithm)
                    for of in (by_algorithm, ideal)]
            line.append(" / ".join(f"{100 * row['efficiency']:.0f}" for row in pair) + f" %, {pair[0]['bound_by']}")
        lines.append(line)
    replace("efficiencies", table(["nodes", *ALGORITHMS.values()], lines))
    lines = []
    chosen = [10000, 100000, 1000000]
    for cluster, title in [*CLUSTERS.items(), (None, "messages in no time")]:
        of = [row for row in (free if cluster is None else by_network) if cluster in (None, row["cluster"])]
        found = [next(row for row in of if row["n"] == n) for n in chosen]
        lines.append([title, *(f"{row['gflops'] / 1e3:.2f} ({row['bound_by']})" for row in found)])
    replace("networks", table(["network", *(f"N = {n:,}" for n in chosen)], lines))


def nbody_in_halves():
    nodes, sizes = 64, [10000, 100000, 1000000]
    options = ["--nodes", nodes, "--n", listed(sizes), "--algorithm", listed(ALGORITHMS), "--cluster", listed(CLUSTERS)]
    ways = [[nbody(*options, "--transfer", transfer, *overlap) for overlap in ([], ["--overlap"])] for transfer in ("2009", "ideal")]
    lines = []
    for cluster, title in CLUSTERS.items():
        for algorithm, name in ALGORITHMS.items():
            line = [title, name]
            for n in sizes:
                of_ways = [[next(row["gflops"] for row in of if (row["cluster"], row["algorithm"], row["n"]) == (cluster, algorithm, n))
                            for of in pair] for pair in ways]
                line.append(" / ".join(f"{100 * (halves / whole - 1):.1f} %" for whole, halves in of_ways))
            lines.append(line)
    replace("halves", table(["network", "algorithm", *(f"N = {n:,}" for n in sizes)], lines))


def hpl_pictures():
    sizes = [16384, 32768, 65536, 131072, 196608, 262144, 327680]
    options = ["hpl", "--nodes", 64, "--nb", 2048, "--n", listed(sizes)]
    by_network = rows(*options, "--cluster", listed(CLUSTERS))
    networks = [(title, [(row["n"], row["gflops"] / 1e3) for row in by_network if row["cluster"] == cluster])
                for cluster, title in CLUSTERS.items()]
    ways = [("no look-ahead", ["--lookahead", 0]), ("look-ahead", []), ("look-ahead, U overlapped", ["--overlap-u"])]
    by_way = [(title, [(row["n"], row["gflops"] / 1e3) for row in rows(*options, *way)]) for title, way in ways]
    settings = ["set xrange [0:340000]", "set yrange [0:*]", 'set xlabel "N"', "set key bottom right", 'set xtics 100000']
    draw_rows("cluster-hpl.svg", [("HPL on 64 nodes, 8 x 8, NB = 2048: Tflops", settings, networks),
                             ("The same on InfiniBand DDR", settings, by_way)])
    lines = []
    for n in sizes:
        found = [next(row for row in by_network if row["n"] == n and row["cluster"] == cluster) for cluster in CLUSTERS]
        overlapped = dict(by_way[2][1])[n]
        lines.append([f"{n:,}", *(f"{row['gflops'] / 1e3:.1f} ({row['bound_by']})" for row in found), f"{overlapped:.1f}",
                      f"{found[0]['gflops_per_watt']:.3f}"])
    replace("hpl", table(["N", *CLUSTERS.values(), "DDR, U overlapped", "Gflops/W, DDR"], lines))


def summa_pictures():
    sizes = [4096, 8192, 16384, 32768, 65536, 131072]
    options = ["summa", "--algorithm", "CA1,CA4", "--n", listed(sizes), "--cluster", listed(CLUSTERS)]
    ways = {"beside": rows(*options), "in turn": rows(*options, "--in-turn"), "ideal": rows(*options, "--transfer", "ideal")}

    def found(way, cluster, n, algorithm):
        return next(row for row in ways[way] if (row["cluster"], row["n"], row["algorithm"]) == (cluster, n, algorithm))

    def gain(way, cluster, n):
        return found(way, cluster, n, "CA1")["seconds"] / found(way, cluster, n, "CA4")["seconds"]

    marks = ", ".join(f'"{n:,}" {n}' for n in sizes[::2])
    settings = ["set logscale x 2", 'set xlabel "n"', "set xrange [3800:140000]", f"set xtics ({marks})", "set key bottom right"]
    draw_rows("cluster-summa.svg", [
        ("CA4 over CA1, messages and products in turn", [*settings, "set yrange [0:2.5]"],
         [(title, [(n, gain("in turn", cluster, n)) for n in sizes]) for cluster, title in CLUSTERS.items()]),
        ("CA4 beside the boards: Tflops", [*settings, "set yrange [0:*]"],
         [(title, [(n, found("beside", cluster, n, "CA4")["gflops"] / 1e3) for n in sizes])
          for cluster, title in CLUSTERS.items()])])
    lines = []
    for cluster, title in CLUSTERS.items():
        for n in (8192, 32768, 131072):
            line = [title, f"{n:,}"]
            for way in ways:
                speeds = [found(way, cluster, n, algorithm)["gflops"] / 1e3 for algorithm in ("CA1", "CA4")]
                line.append(f"{speeds[0]:.1f} / {speeds[1]:.1f}")
            line.append(f"{1000 * found('beside', cluster, n, 'CA4')['products']:,.0f} ms")
            lines.append(line)
    replace("summa", table(["network", "n", "beside each other", "in turn", "beside, transfers as planned", "products"], lines))


def himeno_pictures():
    nodes = [2, 4, 8, 16, 32, 64]
    options = ["himeno", "--nodes", listed(nodes), "--size", "L"]
    ways = {"boards, transfers as of 2009": [], "boards, transfers as planned": ["--transfer", "ideal"], "hosts": ["--on", "host"]}
    of_way = {title: rows(*options, *way, "--overlap") for title, way in ways.items()}
    small = {title: rows("himeno", "--nodes", listed(nodes), "--size", "S", "--on", "host", "--cluster", cluster)
             for cluster, title in CLUSTERS.items()}
    settings = ["set logscale xy 2", "set xrange [2:64]", 'set xlabel "nodes"', "set key top left"]
    draw_rows("cluster-himeno.svg", [
        ("Himeno L on InfiniBand DDR: Gflops", settings,
         [(title, [(row["nodes"], row["gflops"]) for row in found]) for title, found in of_way.items()]),
        ("Himeno S on hosts: Gflops", settings,
         [(title, [(row["nodes"], row["gflops"]) for row in found]) for title, found in small.items()])])
    lines = []
    for size in ("S", "M", "L"):
        for title, way in ways.items():
            line = [size, title]
            for cluster in CLUSTERS:
                [first] = rows("himeno", "--size", size, "--cluster", cluster, *way)
                [beside] = rows("himeno", "--size", size, "--cluster", cluster, *way, "--overlap")
                line.append(f"{first['gflops']:.0f} / {beside['gflops']:.0f} ({beside['bound_by']})")
            lines.append(line)
    replace("himeno", table(["size", "points on", *CLUSTERS.values()], lines))


PART_COLOURS = {"board": "#1f4e79", "transfer": "#9dc3e6", "host": "#548235", "network": "#c55a11"}


def block_picture():
    """The trace of a block as bars, a line for each resource; links of a switch by node and direction."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "block.json"
        nbody("--nodes", 4, "--n", 100000, "--trace", path)
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] != "process_sort_index":
            names[event["pid"], event.get("tid")] = event["args"]["name"]
    tracks = sorted(key for key in names if key[1] is not None)
    end = max(event["ts"] + event["dur"] for event in events if event["ph"] == "X")
    left, width, height, top = 130, 720, 22, 40
    scale = width / end
    bars = []
    for event in (event for event in events if event["ph"] == "X"):
        y = top + height * tracks.index((event["pid"], event["tid"]))
        colour = PART_COLOURS.get(event["name"], PART_COLOURS["network"])
        frame = ' stroke="#c00000" stroke-width="1.5"' if event["args"]["critical"] else ""
        bars.append(f'<rect x="{left + scale * event["ts"]:.2f}" y="{y + 3}" width="{max(0.6, scale * event["dur"]):.2f}" '
                    f'height="{height - 6}" fill="{colour}"{frame}/>')
    labels = []
    for number, (process, track) in enumerate(tracks):
        owner = names[process, None]
        name = names[process, track] if owner == "network" else f"{owner}: {names[process, track]}"
        labels.append(f'<text x="{left - 8}" y="{top + height * number + 15}" text-anchor="end">{name.replace(">", " &gt; ")}</text>')
    bottom = top + height * len(tracks)
    step = 10 ** (len(str(int(end))) - 1)
    ticks = [f'<line x1="{left + scale * t:.1f}" y1="{top}" x2="{left + scale * t:.1f}" y2="{bottom}" stroke="#dddddd"/>'
             f'<text x="{left + scale * t:.1f}" y="{bottom + 18}" text-anchor="middle">{t:,} us</text>'
             for t in range(0, int(end) + 1, step)]
    legend = [f'<rect x="{left + 130 * n}" y="12" width="14" height="14" fill="{colour}"/>'
              f'<text x="{left + 130 * n + 20}" y="24">{"message" if part == "network" else part}</text>'
              for n, (part, colour) in enumerate(PART_COLOURS.items())]
    legend.append(f'<rect x="{left + 520}" y="12" width="14" height="14" fill="none" stroke="#c00000" stroke-width="1.5"/>'
                  f'<text x="{left + 540}" y="24">critical path</text>')
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{bottom + 30}" '
           'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>'
           + "\n".join([*ticks, *legend, *labels, *bars]) + "</svg>\n")
    (gdr.PICTURES / "cluster-block.svg").write_text(svg, encoding="utf-8")


def draw():
    block_picture()
    summa_pictures()
    himeno_pictures()
    nbody_pictures()
    nbody_in_halves()
    hpl_pictures()
