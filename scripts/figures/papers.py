"""What README and the pages on validation show: cluster.svg, a run of 1,024 particles; validation.svg, figures 8 to 10 of
Koike et al. 2009; trace.svg, three iterations of a loop."""

import json
import pathlib
import tempfile

from figures import gdr
from figures.plots import Panel, draw as draw_panels, labels


def run_of_a_cluster(folder):
    gdr.run("nbody", "--plummer", 1024, "--t-end", 2, "--clock", 333, "--output", folder / "s.txt", "--out-every", 0.125,
            "--log", folder / "log.csv", "--quiet")
    square = "set xrange [-2:2]\nset yrange [-2:2]\nset size square\nunset key\nset tics 1\nset xlabel 'x'\n"
    panels = []
    for time, name in ((0, "s-0000.txt"), (2, "s.txt")):
        places = [line.split()[2:4] for line in (folder / name).read_text(encoding="utf-8").splitlines()[3:]]
        panels.append(Panel(f"t = {time}", square).add("with points pt 7 ps 0.18 lc rgb '#1f4e79'", "", places))
    log = [line.split(",") for line in (folder / "log.csv").read_text(encoding="utf-8").splitlines()[1:]]
    panels.append(Panel("energy error x 10^8", "unset key\nset xlabel 't'\nset xrange [0:2]").add(
        "with linespoints pt 7 ps 0.4 lc rgb '#aa3333'", "", [(row[0], float(row[2]) * 1e8) for row in log]))
    draw_panels("cluster.svg", panels, 3, (900, 330), margins="margins 0.06,0.98,0.19,0.88 spacing 0.08,0")


# Particles, and what the text of the paper states: Gflops, and fits of a stage in seconds.
SIZES = [2048 << power for power in range(8)]
LOOP_ALONE = 426.4
FITS = {"i_send": lambda n: 3.42309e-7 * n - 3.0245e-5, "j_send": lambda n: 9.83288e-7 * n + 0.000423242,
        "compute": lambda n: 1.525e-10 * n**2 + 3.725e-7 * n + 0.00157}
STAGES = {"i_send": "#2a9d5c", "j_send": "#d98200", "compute": "#1f4e79", "add": "#888888"}


def figures_of_2009():
    common = ["--clock", 333, "--kernel", "gravity_jerk_2009", "--engine", "timing"]
    forces = {n: gdr.report("force", "-n", n, *common) for n in SIZES}
    blocks = {n: gdr.report("nbody", "--plummer", n, "--t-end", 1, "--from-block-sizes", gdr.PROJECT / "docs/block_steps.csv",
                            *common) for n in SIZES}
    over_n = labels("N", "") + "set logscale x 2\nset xrange [1700:310000]\nset format x '2^{%L}'\n"
    gflops = over_n + "set yrange [0:450]\nset key bottom right"
    eight = Panel("Figure 8: force evaluation, Gflops", gflops)
    eight.line("ours", [(n, force["emulated_gflops"]) for n, force in forces.items()])
    eight.stated("stated: 377.0", [(262144, 377.0)])
    eight.add("with lines dt 2 lc rgb '#888888'", f"loop alone: {LOOP_ALONE}", [(n, LOOP_ALONE) for n in SIZES])
    nine = Panel("Figure 9: stages, seconds", over_n + "set logscale y\nset yrange [1e-5:20]\nset format y '10^{%L}'\n"
                 "set key top left")
    for stage, colour in STAGES.items():
        nine.add(f"with lines lw 2 lc rgb '{colour}'", stage.replace("_", " "),
                 [(n, force["stages"][stage]) for n, force in forces.items()])
    for stage, fit in FITS.items():
        nine.add(f"with points pt 7 ps .6 lc rgb '{STAGES[stage]}'", "" if stage != "i_send" else "fits of the paper",
                 [(n, fit(n)) for n in SIZES])
    ten = Panel("Figure 10: individual time steps, Gflops", gflops)
    ten.line("ours", [(n, run["emulated_gflops"]) for n, run in blocks.items()])
    ten.stated(f"stated: 362.9, half of {LOOP_ALONE}", [(16384, LOOP_ALONE / 2), (262144, 362.9)])
    draw_panels("validation.svg", [eight, nine, ten], 3, (1200, 400), margins="margins 0.05,0.99,0.16,0.87 spacing 0.06,0")


def trace_of_a_loop(folder):
    """Three iterations out of a trace, as a viewer would show them."""
    first_clock, last_clock = 5060, 6104
    gdr.run("force", "-n", 2048, "--clock", 333, "--engine", "timing", "--trace", folder / "trace.json", "--trace-from",
            first_clock, "--trace-to", last_clock, "--quiet")
    events = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 1}
    boxes = set()  # every run of 128 i-particles has the same
    for event in events:
        if event["ph"] == "X" and event["pid"] == 1 and not event["name"].startswith(("loop", "iteration")):
            first = event["args"]["clock"]
            last = first + event["args"]["clocks"]
            if first_clock <= first and last <= last_clock:
                boxes.add((first, last, len(tracks) - event["tid"], 2 if event["name"].startswith("stall") else 1))
    names = ", ".join(f"'{name}' {len(tracks) - track}" for track, name in tracks.items())
    panel = Panel("Lines and what they use (blue), stalls (orange)",
                  f"set xrange [{first_clock}:{last_clock}]\nset xlabel 'clocks of the chip'\nset ytics ({names})\n"
                  "set yrange [-0.6:7.6]\nunset key\nset style fill solid 0.8 border rgb 'white'\n"
                  "set palette defined (1 '#1f4e79', 2 '#d98200')\nset cbrange [1:2]\nunset colorbox")
    panel.add("using 1:3:1:2:($3-0.38):($3+0.38):4 with boxxyerror lc palette", "", sorted(boxes))
    draw_panels("trace.svg", [panel], 1, (1200, 330))


def draw():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        run_of_a_cluster(folder)
        figures_of_2009()
        trace_of_a_loop(folder)
