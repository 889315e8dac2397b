#!/usr/bin/env python3
"""Runs the benchmarks and two N-body simulations, and writes docs/machine/performance.md."""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import textwrap
import time


class Bar:
    """A line of the table. `ship` and `goal`, if there is one, bound `counter` from above (at_most) or below."""

    def __init__(self, name, what, counter, ship, goal, at_most, show):
        self.name, self.what, self.counter = name, what, counter
        self.ship, self.goal, self.at_most, self.show = ship, goal, at_most, show

    def verdict(self, value):
        def reached(bound):
            return value <= bound if self.at_most else value >= bound

        return "goal" if self.goal is not None and reached(self.goal) else "met" if reached(self.ship) else "**missed**"

    def row(self, counters):
        value = counters.get(self.counter)
        measured, verdict = ("not built", "-") if value is None else (self.show(value), self.verdict(value))
        return (f"| {self.name} | {self.what} | {measured} | {self.show(self.ship)} | {'' if self.goal is None else self.show(self.goal)} "
                f"| {verdict} |")


def part(value):
    return f"1/{value:.3g}"


def times(value):
    return f"{value:.3g}x"


def slower(value):
    return f"{value:,.0f}x" if value >= 10 else f"{value:.1f}x"


def plain(value):
    return f"{value:.4g}"


def milliseconds(value):
    return f"{value:.3g} ms"


BARS = [
    Bar("R1", "exact gravity with jerk and predictor : the same by hand in AVX-512 doubles, interactions per second and core",
        "R1_double_to_exact", 9, 6.5, True, part),
    Bar("R2", "exact DGEMM with the reduction tree : OpenBLAS, one thread each",
        "R2/paper/iterations:1:R2_openblas_to_exact", 24, 20, True, part),
    Bar("R2, double", "the same as accurate as IEEE double", "R2/double/iterations:1:R2_openblas_to_exact", 80, 50, True,
        part),
    Bar("R3", "engine : naive scalar interpreter of the same program", "R3_naive_to_engine", 150, 220, False, times),
    Bar("R4", "engine's time : sum of its kernels run bare", "R4_engine_to_kernels", 1.10, 1.04, True, plain),
    Bar("R5", "two threads : one, wall clock, forces of 2048 particles", "R5_one_to_two", 1.85, 1.95, False, times),
    Bar("R6", "run with its clocks counted : run without", "R6_on_to_off", 1.05, 1.01, True, plain),
    Bar("R7", "AVX2 engine : AVX-512 engine", "R7_avx512_to_avx2", 2.5, 2, True, part),
    Bar("R8", "load and decode a program of 1,000 lines", "R8_load_ms", 1.5, 1, True, milliseconds),
]
# Behind R9, which is no ratio.
MORE_BARS = [
    Bar("R10", "positions on a lattice : random ones", "R10_lattice", 2, None, True, plain),
    Bar("R10", "positions in single precision : random ones", "R10_single_precision", 2, None, True, plain),
    Bar("R11", "engine opencl on the default device : vector engine without compiled bodies, all cores",
        "R11_opencl_to_simd", 0.8, 1, False, times),
    Bar("R12", "engine native with compiled bodies, gravity with jerk : the same by hand in AVX-512 doubles, time",
        "R12_native_to_double", 1.5, None, True, plain),
]


class Machine:
    """What else the machine did meanwhile: processor time of others as a share of all there was."""

    def __init__(self):
        self.start, self.busy, self.own = time.time(), self.busy_seconds(), self.own_seconds()

    @staticmethod
    def busy_seconds():
        user, nice, system, _, _, irq, softirq, steal = map(int, pathlib.Path("/proc/stat").read_text().split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def own_seconds():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    def others(self):
        there_was = (time.time() - self.start) * os.cpu_count()
        return max(0.0, (self.busy_seconds() - self.busy - (self.own_seconds() - self.own)) / there_was)


class Silicon:
    """What the chips of a board do, which the model knows without computing anything."""

    def __init__(self, gdr):
        self.gdr = gdr
        report = self.timed("force", "--kernel", "gravity_jerk", "-n", str(self.PARTICLES), "--json", "-")
        clocks, clock = report["clocks_by_part"], report["clock_mhz"] * 1e6
        pairs = self.PARTICLES**2
        self.without_stalls = pairs * clock / clocks["loop_body"]
        self.with_stalls = pairs * clock / (clocks["loop_body"] + clocks["stall"])
        # Matrices of the depth for which the kernels are made.
        self.products = {"dgemm": self.gflops("dgemm", 2048), "dgemm_double": self.gflops("dgemm_double", 1344)}

    PARTICLES = 2048

    def timed(self, *arguments):
        return json.loads(self.text(*arguments))

    def text(self, *arguments):
        return subprocess.run([self.gdr, *arguments, "--timing-only"], check=True, stdout=subprocess.PIPE, text=True).stdout

    def gflops(self, kernel, depth):
        found = re.search(r"([0-9.]+) Gflops of turns alone",
                          self.text("dgemm", "-m", "32768", "-n", "32768", "-k", str(depth), "--kernel", kernel))
        return float(found.group(1))

    def interaction_row(self, engine, cores, nanoseconds):
        return (f"| gravity with jerk | {engine} | {cores} | {nanoseconds:.3g} ns | {slower(nanoseconds * self.with_stalls * 1e-9)} "
                f"| {slower(nanoseconds * self.without_stalls * 1e-9)} |")

    def product_row(self, kernel, gflops):
        ratio = slower(self.products[kernel] / gflops)
        return f"| `{kernel}` | `simd`, compiled, fastest instruction set | 1 | {gflops:.3g} Gflops | {ratio} | |"

    def section(self, counters):
        """Rows for what was measured."""
        rows = []

        def add(engine, cores, counter):
            if counter in counters:
                rows.append(self.interaction_row(engine, cores, counters[counter]))

        add("`native`, compiled", 1, "native_ns_per_interaction")
        add("`simd`, compiled, fastest instruction set", 1, "exact_ns_per_interaction")
        for name, value in counters.items():
            found = re.fullmatch(r"interaction/([^/]+)/iterations:64/live_pes:32/blocks:1(?:/min_time:[0-9.]+)?:ns_per_interaction", name)
            if found:
                rows.append(self.interaction_row(f"`simd`, {found.group(1)}", 1, value))
        add("`opencl` on the default device", "all", "opencl_ns_per_interaction")
        for kernel, precision in (("dgemm", "paper"), ("dgemm_double", "double")):
            gflops = counters.get(f"R2/{precision}/iterations:1:gflops")
            if gflops is not None:
                rows.append(self.product_row(kernel, gflops))
        return [
            "## Slowdown against silicon",
            "",
            paragraph("How many times longer the host computes than the four chips of a board at 400 MHz, which do "
                      f"{self.without_stalls / 1e9:.3g} x 10<sup>9</sup> interactions a second without stalls and "
                      f"{self.with_stalls / 1e9:.3g} x 10<sup>9</sup> with them (N = {self.PARTICLES:,}), and "
                      f"{self.products['dgemm']:.4g} Gflops of `dgemm` and {self.products['dgemm_double']:.4g} Gflops of "
                      "`dgemm_double` with the stalls of their turns. Transfers and the host of 2009 are left out. The host's time "
                      "is processor time on one core, or wall clock if the row says all cores. [engine.md](engine.md) has "
                      "boards side by side on a GPU."),
            "",
            "| kernel | engine | cores | on this host | slowdown | without stalls |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]


def paragraph(text):
    return textwrap.fill(text, width=120, break_long_words=False, break_on_hyphens=False)


def bullet(text):
    return textwrap.fill("- " + text, width=120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def benchmark(program, arguments):
    """Counters of all benchmarks of a program by name, and the run's context."""
    text = subprocess.run([program, "--benchmark_format=json", *arguments], check=True, stdout=subprocess.PIPE).stdout
    result = json.loads(text)
    counters = {}
    for each in result["benchmarks"]:
        if each.get("error_occurred"):
            sys.exit(f"report.py: {each['name']}: {each['error_message']}")
        for name, value in each.items():
            if isinstance(value, (int, float)):
                counters.setdefault(name, value)
                counters[f"{each['name']}:{name}"] = value
    return counters, result["context"]


class Simulation:
    """One run of gdr nbody."""

    def __init__(self, gdr, particles, ship, goal):
        self.particles, self.ship, self.goal = particles, ship, goal
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        text = subprocess.run([gdr, "nbody", "--plummer", str(particles), "--t-end", "1", "--quiet", "--json", "-"],
                              check=True, stdout=subprocess.PIPE).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall, self.user = time.time() - start, after.ru_utime - before.ru_utime
        lanes = json.loads(text)["counters"]["fp_lanes"]
        self.slow_share = lanes["slow"] / lanes["all"]

    def row(self):
        verdict = "goal" if self.wall <= self.goal else "met" if self.wall <= self.ship else "**missed**"
        return (f"| `gdr nbody --plummer {self.particles} --t-end 1` | {self.wall:.2f} s | {self.user:.2f} s "
                f"| {100 * self.slow_share:.2f} % | {self.ship:g} s | {self.goal:g} s | {verdict} |")


def interaction_rows(counters):
    rows = []
    for name, value in counters.items():
        if name.startswith("interaction/") and name.endswith(":ns_per_interaction"):
            words = name.split(":ns_")[0].split("/")
            sizes = [word.split(":")[1] for word in words[2:5]]
            rows.append(f"| {words[1]} | {' | '.join(sizes)} | {value:.1f} |")
    return rows


def page(counters, context, silicon, simulations, others):
    machine = context["cpu"]
    shared = (f"It was shared: other programs took {100 * others:.0f} % of its processor time meanwhile. What is in wall clock "
              "(R5, R11, the N-body runs) therefore says little, and all else is less certain than on a quiet machine."
              if others > 0.03 else "It had nothing else to do.")
    equal = int(counters["R9_compared"] - counters["R9_different"])
    lines = [
        "# How fast the engine is",
        "",
        "Written by the target `bench_report` (`cmake --build --preset release --target bench_report`), which runs the",
        "programs of `bench/`; `engine.md` explains how the engine works.",
        "",
        paragraph(f"Machine: {machine}, {context['num_cpus']} cores. {shared} Compiler: {context['compiler']}, "
                  f"{context['preset']}."),
        "",
        *silicon.section(counters),
        "## Ratios",
        "",
        paragraph("Both sides of a ratio run in turn in one process, most of them on the gravity kernel "
                  "`kernels/gravity_jerk.vsm`; the median of the ratios of 15 rounds is given, of processor time if not said "
                  "otherwise. A bar is what the engine has to reach, a goal what it is meant to."),
        "",
        "| | ratio | measured | bar | goal | |",
        "|---|---|---|---|---|---|",
        *[bar.row(counters) for bar in BARS],
        f"| R9 | results of all exact engines, instruction sets, block sizes and thread counts | {equal} of "
        f"{int(counters['R9_compared'])} equal | all | all | {'goal' if counters['R9_different'] == 0 else '**missed**'} |",
        *[bar.row(counters) for bar in MORE_BARS],
        "",
    ]
    if "R1_double_to_exact" in counters:
        share = counters["double_share_of_fma_peak"]
        lines.append(bullet(
            f"R1: {counters['exact_ns_per_interaction']:.1f} ns per interaction on the engine, "
            f"{counters['double_ns_per_interaction']:.2f} ns in doubles. The kernel in doubles reaches {100 * share:.0f} % of the "
            f"{counters['fma_peak_gflops']:.1f} Gflops of fused multiply-adds that this core does in the same run (it has to "
            f"reach 40 %{'' if share >= 0.4 else ', which it does not here'})."))
    naive = counters["naive_ns_per_pe_operation"]
    lines += [
        bullet(f"R3: {counters['engine_ns_per_pe_operation']:.2f} ns per operation of a PE on the engine, {naive:.1f} ns in the "
               f"interpreter (which must not take more than 25 ns{'' if naive <= 25 else ', but does here'})."),
        bullet("R4: every micro-operation of the loop body is run 2,048 times by itself on the state that it meets; an iteration "
               f"of the engine takes {counters['engine_us_per_iteration']:.2f} us for a block, its records within the L2 cache. "
               "Run by themselves, operations find their words in the L1 cache and need not wait for each other's results."),
        bullet("R6: the program loaded and the forces of 1,024 particles computed on one chip. Clocks follow only from the "
               f"static schedule, which takes {counters['schedule_us']:.0f} us to work out once; the engine does not know of "
               "them."),
        bullet(f"R8: of this, decoding the instruction words takes {counters['words_decode_ms']:.2f} ms; the rest is the schedule of "
               "micro-operations."
               + (f" Compiling the loop body of the gravity kernel takes {counters['compile_ms']:.0f} ms of wall clock in two threads; "
                  f"loading it from the cache takes {counters['cached_ms']:.1f} ms." if "compile_ms" in counters else "")),
        bullet("R10: the time of an interaction if positions are multiples of 1/16, or numbers in single precision, to that of "
               "random ones. Of the results, "
               f"{100 * counters['lattice_in_integers']:.2f} % and {100 * counters['single_precision_in_integers']:.2f} % were "
               "computed in integers (bar 2 %)."),
        "",
        "## N-body runs",
        "",
        "Wall clock and processor time on all cores. Slow lanes are the share of floating-point results that needed integers",
        "(`engine.md`).",
        "",
        "| run | wall clock | user | slow lanes | bar | goal | |",
        "|---|---|---|---|---|---|---|",
        *[simulation.row() for simulation in simulations],
        "",
        "## Time of one interaction",
        "",
        "On one core, in ns, by instruction set, iterations of the loop body in a run, live PEs in a block (the fewer, the more",
        "blocks run side by side) and blocks. `compiled` is with compiled loop bodies, as R1, R3 and R7 are; R4 is of the",
        "interpreter.",
        "",
        "| instruction set | iterations | live PEs | blocks | ns |",
        "|---|---|---|---|---|",
        *interaction_rows(counters),
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", required=True, help="the program engine_bench")
    parser.add_argument("--dgemm", help="the program dgemm_bench, if it is built")
    parser.add_argument("--opencl", required=True, help="the program opencl_bench")
    parser.add_argument("--gdr", required=True)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    arguments = parser.parse_args()

    machine = Machine()
    counters, context = benchmark(arguments.engine, [])
    if arguments.dgemm:
        of_dgemm, _ = benchmark(arguments.dgemm, ["--benchmark_filter=R2"])
        counters.update({name: value for name, value in of_dgemm.items() if name.startswith("R2")})
    of_opencl, _ = benchmark(arguments.opencl, [])
    counters.update({name: value for name, value in of_opencl.items() if name.startswith(("R11", "opencl_ns"))})
    simulations = [Simulation(arguments.gdr, 1024, 2.5, 1.6), Simulation(arguments.gdr, 256, 0.4, 0.25)]
    arguments.output.write_text(page(counters, context, Silicon(arguments.gdr), simulations, machine.others()), encoding="utf-8")
    print(f"{arguments.output} is written")


if __name__ == "__main__":
    main()
