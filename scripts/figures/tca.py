"""peach2.svg and tca.svg: the curves of Hanawa et al. 2013, figures 4 to 10, and of IPSJ ACS 8(4), 2015, figures 6 and 14 to
20, as our models give them (lines), with the numbers that the texts state (points)."""

from figures import gdr
from figures.plots import SMALL, Panel, draw as draw_panels, labels

SPLITS = ["2,1", "1,2", "2,2", "4,1", "1,4", "4,2", "2,4", "8,2", "2,8"]
METHODS = [("TCA", "tca"), ("MV2GDR", "mv2gdr"), ("hybrid", "hybrid")]


def report(*arguments):
    return gdr.report("net", *arguments)


def sizes(first, last):
    size = first
    while size <= last:
        yield size
        size *= 2


def pingpong(value, method, memory, *options):
    """Of a size: microseconds or GB/s."""

    def of(size):
        source, target = memory
        result = report("pingpong", "--method", method, "--from", source, "--to", target, "--bytes", str(size), *options)
        return result["seconds"] * 1e6 if value == "us" else result["bytes_per_second"] / 1e9

    return of


CPU, GPU, TO_GPU = ("cpu", "cpu"), ("gpu", "gpu"), ("cpu", "gpu")
LOG = "set logscale x 2\nset format x '%.0b%B'\nset yrange [0:*]"


def peach2():
    local, many = ("--local",), ("--local", "--count", "128")
    four = Panel("Figure 4: DMA within a node, 128 transfers", labels("bytes", "GB/s", LOG))
    four.curve("CPU to CPU, CPU to GPU", sizes(64, 4096), pingpong("rate", "dma-descriptor", CPU, *many))
    four.curve("GPU to GPU", sizes(64, 4096), pingpong("rate", "dma-descriptor", GPU, *many))
    four.stated("stated", [(4096, 3.3), (4096, 0.87)])
    five = Panel("Figure 5: one transfer within a node", labels("bytes", "GB/s", LOG))
    five.curve("descriptor", sizes(64, 65536), pingpong("rate", "dma-descriptor", CPU, *local))
    five.curve("register", sizes(64, 65536), pingpong("rate", "dma-register", CPU, *local))
    six = Panel("Figure 6: transfers of 4 KB within a node", labels("descriptors", "GB/s", "set logscale x 2\nset yrange [0:*]"))
    for name, memory in (("CPU to CPU, CPU to GPU", CPU), ("GPU to GPU", GPU)):
        six.curve(name, sizes(1, 128), lambda count, memory=memory: report(
            "pingpong", "--method", "dma-descriptor", "--from", memory[0], "--to", memory[1], "--bytes", "4096",
            "--local", "--count", str(count))["bytes_per_second"] / 1e9)
    six.stated("stated", [(4, 0.7 * 3.3), (128, 3.3), (128, 0.87)])
    seven = Panel("Figure 7: ping-pong, latency", labels("bytes", "us", LOG))
    eight = Panel("Figure 8: ping-pong, bandwidth", labels("bytes", "GB/s", LOG))
    for name, method, memory in (("PIO to CPU", "pio", CPU), ("PIO to GPU", "pio", TO_GPU),
                                 ("DMA from CPU", "dma-register", CPU), ("DMA from GPU", "dma-register", GPU)):
        seven.curve(name, sizes(8, 8192), pingpong("us", method, memory))
        eight.curve(name, sizes(8, 4096 if method == "pio" else 1 << 21), pingpong("rate", method, memory))
    seven.stated("stated", [(8, 0.9), (8, 2.4), (8, 2.3)]).stated("stated: less than", [(8192, 5)])
    eight.stated("stated", [(1 << 21, 3.5), (1 << 21, 0.88)])
    nine = Panel("Figure 9: GPU to GPU, latency", labels("bytes", "us", LOG))
    ten = Panel("Figure 10: GPU to GPU, bandwidth", labels("bytes", "GB/s", LOG))
    for name, method, options, first, last in (
            ("PEACH2", "dma-register", (), 8, 1 << 20), ("PEACH2 through CPU", "dma-register", ("--staged",), 4096, 1 << 18),
            ("CUDA (UVA)", "cuda-p2p", (), 8, 1 << 20), ("CUDA (no UVA)", "cuda-p2p", ("--no-uva",), 8, 1 << 20),
            ("MVAPICH2", "mvapich2", (), 8, 1 << 20)):
        nine.curve(name, sizes(first, min(last, 32768)), pingpong("us", method, GPU, *options))
        ten.curve(name, sizes(first, last), pingpong("rate", method, GPU, *options))
    nine.stated("stated", [(8, 2.3)]).stated("stated: MVAPICH2-GDR", [(8, 6.54)])
    ten.stated("stated", [(1 << 20, 0.88)])
    draw_panels("peach2.svg", [four, five, six, seven, eight, nine, ten], 4, (1400, 720), settings=SMALL)


def tca():
    names = ", ".join(f'"({split})" {index}' for index, split in enumerate(SPLITS))
    settings = f"set xtics ({names}) rotate by 45 right\nset xrange [-0.5:{len(SPLITS) - 0.5}]\nset yrange [0:*]"
    panels = []

    def run(name, size, index, method):
        return report(name, "--size", size, "--split", SPLITS[int(index)], "--method", method)

    for number, (name, size) in enumerate((("laplace", "S"), ("laplace", "L"), ("himeno", "S"), ("himeno", "M"),
                                           ("himeno", "L"))):
        panel = Panel(f"Figure {14 + number}: {name} {size}", labels("", "Gflops", settings))
        for title, method in METHODS:
            panel.curve(title, range(len(SPLITS)), lambda i, method=method: run(name, size, i, method)["gflops"])
        if (name, size) == ("himeno", "S"):
            base = run(name, size, SPLITS.index("2,8"), "mv2gdr")["gflops"]
            at = SPLITS.index("2,8")
            panel.stated("stated: 1.7 and 1.4 x MV2GDR", [(at, 1.7 * base), (at, 1.4 * base)])
        panels.append(panel)
    for number, size in ((19, "S"), (20, "M")):
        panel = Panel(f"Figure {number}: himeno {size}, halo exchange", labels("", "us", settings))
        for title, method, part in (("TCA", "tca", "tca"), ("hybrid, TCA part", "hybrid", "tca"),
                                    ("hybrid, MV2GDR part", "hybrid", "mpi")):
            panel.curve(title, range(len(SPLITS)), lambda i, method=method, part=part: 1e6 * run(
                "himeno", size, i, method)["halo_parts"][part])
        panels.append(panel)
    six = Panel("Figure 6: messages between GPUs", labels("bytes", "GB/s", LOG))
    six.curve("TCA", sizes(256, 1 << 22), pingpong("rate", "dma-internal", GPU))
    for title, path in (("MV2GDR", "same-socket"), ("MV2GDR-QPI", "qpi"), ("MV2GDR-QPI tuned", "qpi-tuned")):
        six.curve(title, sizes(256, 1 << 22), pingpong("rate", "mvapich2-gdr", GPU, "--path", path))
    six.stated("stated: TCA first up to here", [(1 << 19, pingpong("rate", "dma-internal", GPU)(1 << 19))])
    six.stated("stated: QPI at most", [(1 << 18, 0.29)])
    draw_panels("tca.svg", [six, *panels], 4, (1400, 720), settings=SMALL)


def draw():
    peach2()
    tca()
