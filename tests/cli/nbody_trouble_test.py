#!/usr/bin/env python3
"""Runs of gdr nbody in trouble say so within seconds and leave a checkpoint; restarts change what they are told to.

    nbody_trouble_test.py GDR PROJECT [TestCase...]

GDR_TEST_SECONDS is how long a run may take to say it (default 20, for machines with other work; on one without, all say
it within 5).
"""

import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import unittest

import nbody_test

SECONDS = float(os.environ.get("GDR_TEST_SECONDS", "20"))


def sphere(n=64, seed=1):
    """Rows m x y z vx vy vz of a Plummer-like sphere in Henon's units."""
    draw = random.Random(seed)

    def direction(length):
        while True:
            p = [draw.uniform(-1, 1) for _ in range(3)]
            r = math.hypot(*p)
            if 0.01 < r < 1:
                return [length * c / r for c in p]

    rows = []
    for _ in range(n):
        r = 0.59 / math.sqrt(draw.uniform(0.001, 0.9) ** (-2 / 3) - 1)
        rows.append([1 / n, *direction(r), *direction(0.6 * (1 + r * r) ** -0.25)])
    return rows


def with_pair(a, e, seed=1):
    """The sphere with a bound pair in place of its first particle."""
    rows = sphere(seed=seed)
    m = rows[0][0]
    r, u = a * (1 + e), math.sqrt(2 * m * (1 - e) / (1 + e) / a)
    near = list(rows[0])
    near[1] += r
    near[5] += u
    return [*rows, near]


def scaled(mass, length, speed, seed=1):
    return [[m * mass, *(c * length for c in x), *(c * speed for c in v)]
            for m, x, v in ((r[0], r[1:4], r[4:]) for r in sphere(seed=seed))]


def kicked(speed):
    rows = sphere()
    rows[3][4] = speed
    return rows


def placed_twice(moves):
    rows = sphere()
    twice = list(rows[5])
    twice[6] += moves
    return [*rows, twice]


HEAD_ON = [[0.5, -0.5, 0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0, 0]]
SHORT, ENERGY, UNITS = r"the shortest step is 2\^-", "energy error", "virial ratio"
PLACE, RANGE = "are in one place", "not finite"
DIRECT, BOARD = ["--engine", "direct"], []

# name: rows, options, what is said
TABLE = {
    **{f"pair {a} {e} {'direct' if engine else 'board'}": (with_pair(a, e), ["--eps", 0, *engine], f"({SHORT}|{ENERGY})")
       for a, e, engine in [(1e-5, 0, DIRECT), (1e-6, 0.5, DIRECT), (1e-7, 0, DIRECT), (1e-8, 0.9, DIRECT),
                            (1e-5, 0.9, BOARD), (1e-6, 0, BOARD), (1e-7, 0.5, BOARD)]},
    "SI units": (scaled(1e30, 1e16, 1e3), [], UNITS),
    "masses in suns, parsecs and km/s": (scaled(1000, 1, 2), [], UNITS),
    "kiloparsecs and km/s": (scaled(1e10, 1, 100), [], UNITS),
    "speeds in km/s": (scaled(1, 1, 1000), [], UNITS),
    "speeds in AU a day": (scaled(1, 1, 1e-3), [], UNITS),
    "lengths in AU": (scaled(1, 206265, 1), [], UNITS),
    "masses in kilograms": (scaled(2e33, 1, 1), [], UNITS),
    "lengths in centimetres": (scaled(1, 3e18, 1), [], UNITS),
    "masses beyond range": (scaled(1e200, 1, 1), [], RANGE),
    "speeds beyond range": (scaled(1, 1, 1e160), [], RANGE),
    "masses and lengths beyond range": (scaled(1e160, 1e-160, 1), [], RANGE),
    **{f"kicked by {v:g}": (kicked(v), [], UNITS) for v in (100, 1e4, 1e6)},
    "twice in one place": (placed_twice(0.01), ["--eps", 0], PLACE),
    "a row twice": (placed_twice(0), ["--eps", 0], PLACE),
    "head on, board": (HEAD_ON, ["--eps", 0], ENERGY),
    "head on, direct": (HEAD_ON, ["--eps", 0, *DIRECT], ENERGY),
    **{f"eta {eta}": (sphere(seed=seed), ["--eps", 0, "--eta", eta, *DIRECT], ENERGY)
       for eta, seed in ((1.5, 1), (3, 2), (6, 3), (10, 4))},
    "pair and eta 2": (with_pair(1e-3, 0.9), ["--eps", 0, "--eta", 2, *DIRECT], ENERGY),
}
assert len(TABLE) == 30, len(TABLE)


class Trouble(nbody_test.NbodyTest):
    def seconds_until_told(self, name, rows, options, said):
        start = self.folder / "in.txt"
        start.write_text("".join(" ".join(map(repr, row)) + "\n" for row in rows), encoding="utf-8")
        checkpoint = self.folder / "ck"
        checkpoint.unlink(missing_ok=True)
        begin = time.monotonic()
        with subprocess.Popen(self.command("--in", start, "--t-end", 100, "--checkpoint", checkpoint, *options),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
            guard = threading.Timer(SECONDS, run.kill)
            guard.start()
            told, lines = None, []
            for line in run.stderr:
                lines.append(line)
                if re.search(said, line):
                    told = time.monotonic() - begin
                    break
            # What is told at the start comes before the first checkpoint.
            while run.poll() is None and not checkpoint.exists() and time.monotonic() - begin < SECONDS:
                time.sleep(0.02)
            run.terminate()
            run.stderr.read()
            guard.cancel()
        self.assertIsNotNone(told, f"{name}: {lines}")
        if said != RANGE:
            self.assertEqual(checkpoint.read_bytes()[:8], b"gdrnbody", name)
        return told

    def test_thirty_runs_in_trouble_say_so_and_keep_a_checkpoint(self):
        slowest = max((self.seconds_until_told(name, *row), name) for name, row in TABLE.items())
        print(f"slowest: {slowest[1]}, {slowest[0]:.1f} s", file=sys.stderr)


class Told(nbody_test.NbodyTest):
    def test_a_run_that_loses_its_energy_ends_with_status_1_and_can_go_back(self):
        (self.folder / "in.txt").write_text("0.5 -0.5 0 0 0 0 0\n0.5 0.5 0 0 0 0 0\n", encoding="utf-8")
        run = ["--in", self.folder / "in.txt", "--eps", 0, "--t-end", 2, "--checkpoint", self.folder / "ck"]
        errors = self.run_gdr(*run, expected=1).stderr
        self.assertIn("the energy error is beyond 1 at t = ", errors)
        back = self.report("--restart", self.folder / "ck", "--t-end", 2, "--eps", 0.05, "--eta", 0.05)
        self.assertEqual([change["what"] for change in back["changes"]], ["eta 0.05 instead of 0.1", "eps 0.05 instead of 0"])
        self.assertEqual((back["eta"], back["eps"]), (0.05, 0.05))
        self.assertLess(abs(back["energy_error"]), 1e-5)
        # Who says so keeps the run.
        self.run_gdr(*run, "--max-energy-error", 1e300)

    def test_a_large_energy_error_at_the_end_is_told_of_however_short_the_run_was(self):
        binary = ("--start", "binary", "--eccentricity", 0.95, "--t-end", 21, "--eps", 0)
        self.assertRegex(self.run_gdr(*binary, "--eta", 0.5).stderr, r"warning: at t = 21.000000 the energy error is [+-]\d.\d+e-0[123];")
        self.assertNotIn("energy error", self.run_gdr(*binary, "--eta", 0.1).stderr)

    def test_a_restart_changes_its_kernel_and_a_later_one_keeps_the_change(self):
        checkpoint = self.folder / "ck"
        self.report("--plummer", 16, "--t-end", 0.125, "--checkpoint", checkpoint)
        self.run_gdr("--restart", checkpoint, "--t-end", 0.25, "--kernel", "gravity_jerk_long", "--checkpoint", checkpoint)
        change = {"t": 0.125, "what": "kernel gravity_jerk_long instead of gravity_jerk"}
        for kernel in ([], ["--kernel", "gravity_jerk_long"]):
            later = self.report("--restart", checkpoint, "--t-end", 0.375, *kernel)
            self.assertEqual((later["kernel"], later["changes"], later["forced_restart"]), ("gravity_jerk_long", [change], []))
        back = self.report("--restart", checkpoint, "--t-end", 0.375, "--kernel", "gravity_jerk")
        self.assertEqual(back["changes"], [change, {"t": 0.25, "what": "kernel gravity_jerk instead of gravity_jerk_long"}])

    def test_values_that_a_checkpoint_has_already_are_no_change(self):
        checkpoint = self.folder / "ck"
        self.report("--plummer", 16, "--t-end", 0.125, "--checkpoint", checkpoint)
        whole = self.report("--plummer", 16, "--t-end", 0.25)
        same = self.report("--restart", checkpoint, "--t-end", 0.25, "--eta", 0.1, "--eps", 0.01)
        self.assertEqual((same["state_hash"], same["changes"]), (whole["state_hash"], []))

    def test_progress_has_a_line_every_few_seconds(self):
        rows = with_pair(1e-4, 0)  # its orbit is still the same when the second line is due, on any host
        (self.folder / "in.txt").write_text("".join(" ".join(map(repr, row)) + "\n" for row in rows), encoding="utf-8")
        command = [nbody_test.GDR, "nbody", "--in", self.folder / "in.txt", "--t-end", 100, "--eps", 0, "--progress",
                   *DIRECT]
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
            guard = threading.Timer(12 * SECONDS / 4, run.kill)
            guard.start()
            lines = []
            for line in run.stderr:
                if line.startswith("integrating"):
                    lines.append(line)
                if len(lines) == 2:
                    break
            run.terminate()
            run.stderr.read()
            guard.cancel()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[1], r"t = \d+\.\d+, \d+ steps, \S+ a second, \d+\.\d particles a block, "
                                   r"shortest step 2\^-\d+, .*closest: particles 0 and 64, \S+ apart: a = 0\.0001\d*, e = 0\.0")


class Units(nbody_test.NbodyTest):
    KM_S = math.sqrt(4.30091e-3)  # of sqrt(G suns / parsecs)

    def written(self, rows):
        text = "".join(" ".join(map(repr, row)) + "\n" for row in rows)
        (self.folder / "in.txt").write_text(text, encoding="utf-8")
        return self.folder / "in.txt"

    def test_suns_parsecs_and_km_a_second_are_converted(self):
        ours = self.report("--in", self.written(sphere()), "--t-end", 0, *DIRECT)["scales"]
        theirs = self.written(scaled(2000, 3, math.sqrt(2000 / 3) * self.KM_S))
        report = self.report("--in", theirs, "--t-end", 0, "--units", "msun,pc,km/s", *DIRECT)
        scales = report["scales"]
        self.assertAlmostEqual(scales["mass"] / 2000, ours["mass"], places=9)
        self.assertAlmostEqual(scales["virial_ratio"] / ours["virial_ratio"], 1, delta=1e-3)
        self.assertAlmostEqual(scales["virial_radius"] / ours["virial_radius"] / 3, 1, delta=1e-3)
        time = math.sqrt(27 / 2000)
        for name in ("crossing_time", "relaxation_time"):
            self.assertAlmostEqual(scales[name] / ours[name] / time, 1, delta=1e-3)
        self.assertIn("in msun,pc,km/s", report["start"])
        henon = self.report("--in", theirs, "--t-end", 0, "--units", "msun,pc,km/s", "--scale", "henon", "--eps", 0, *DIRECT)
        self.assertAlmostEqual(henon["scales"]["mass"], 1, places=12)
        self.assertAlmostEqual(henon["scales"]["virial_radius"], 1, places=12)
        for component in henon["momentum"]:
            self.assertAlmostEqual(component, 0, places=12)

    def test_the_text_has_the_scales_and_the_unit_of_time(self):
        done = subprocess.run([nbody_test.GDR, "nbody", "--in", self.written(sphere()), "--t-end", "0", "--units", "msun,pc,km/s",
                               *DIRECT], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"at the start +mass 1, virial radius \S+, virial ratio \S+, crossing time \S+, "
                                      r"relaxation time \S+, time unit 14\.90\d+ Myr")

    def test_units_in_a_comment_behind_the_names_are_those_of_the_columns(self):
        head = "#mass,x,y,z,vx,vy,vz\n"
        rows = "".join(",".join(map(repr, row)) + "\n" for row in sphere())
        file = self.folder / "amuse.csv"
        note = "amuse.csv:2: the columns have units (msun, pc, km/s)"
        for units, told in (("#MSun,pc,pc,pc,kms,kms,kms\n", True), ("#[MSun] [pc] [pc] [pc] [kms] [kms] [kms]\n", True), ("", False),
                            ("# of a run\n", False)):
            file.write_text(head + units + rows, encoding="utf-8")
            self.assertEqual(note in self.run_gdr("--in", file, "--t-end", 0, *DIRECT).stderr, told, units)
        file.write_text(head + "#MSun,pc,pc,AU,kms,kms,kms\n" + rows, encoding="utf-8")
        self.assertAlmostEqual(self.first_row(file)["z"] / sphere()[0][3] * 648000 / math.pi, 1, places=12)

    def first_row(self, start, *options):
        """The first particle as the program takes it, by columns."""
        self.run_gdr("--in", start, "--t-end", 0, *DIRECT, *options, "--output", self.folder / "taken.csv")
        names, values = (self.folder / "taken.csv").read_text(encoding="utf-8").splitlines()[:2]
        return dict(zip(names.split(","), map(float, values.split(",")), strict=True))

    def test_units_that_are_unknown_or_have_no_file_are_refused(self):
        start = self.written(sphere())
        for units, why in (("msun,pc", "units are MASS,LENGTH,SPEED"), ("msun,pc,furlong/day", "'furlong' is no unit")):
            errors = self.run_gdr("--in", start, "--t-end", 0, "--units", units, expected=2).stderr
            self.assertIn(why, errors)
            self.assertIn("--units", errors)
        self.assertIn("--in", self.run_gdr("--plummer", 16, "--t-end", 0, "--units", "msun,pc,km/s", expected=2).stderr)
        self.assertIn("--in", self.run_gdr("--plummer", 16, "--t-end", 0, "--scale", "henon", expected=2).stderr)

    def test_units_behind_names_are_converted_to_those_given(self):
        rows = "".join(" ".join(map(repr, row)) + "\n" for row in sphere())
        first = dict(zip(("m", "x", "y", "z", "vx", "vy", "vz"), sphere()[0], strict=True))
        names = "# mass [Msun] x [pc] y [pc] z [{}] vx [km/s] vy [km/s] vz [km/s]\n"
        start = self.folder / "in.txt"
        start.write_text(names.format("au") + rows, encoding="utf-8")
        self.assertAlmostEqual(self.first_row(start)["z"] / first["z"] * 648000 / math.pi, 1, places=12)
        start.write_text(names.format("pc") + rows, encoding="utf-8")
        taken = self.first_row(start)
        for column, value in first.items():
            factor = 1 / self.KM_S if column[0] == "v" else 1
            self.assertAlmostEqual(taken[column] / value / factor, 1, delta=1e-6 if factor != 1 else 0, msg=column)
        self.assertEqual(self.first_row(start, "--units", "MSun,pc,km/s"), taken)
        self.assertAlmostEqual(self.first_row(start, "--units", "msun,kpc,km/s")["x"] / first["x"] * 1e3, 1, places=12)
        run = ["--in", start, "--t-end", 0, *DIRECT]
        self.assertIn("in.txt:1: the columns have units (msun, pc, km/s) and are converted to masses in msun, lengths in pc and G = 1",
                      self.run_gdr(*run).stderr)
        self.assertIn("in.txt:1: the columns have units (pc) and are converted to masses in msun, lengths in kpc",
                      self.run_gdr(*run, "--units", "msun,kpc,km/s").stderr)
        self.assertNotIn("in.txt:1", self.run_gdr(*run, "--units", "MSun,pc,km/s", expected=0).stderr)
        start.write_text("# mass [Msun] x y z vx vy vz\n" + rows, encoding="utf-8")
        self.assertIn("in.txt:1: column m [Msun] has a unit, but lengths have none: name the units of all by --units msun,LENGTH,SPEED",
                      self.run_gdr(*run, expected=1).stderr)

    def test_an_odd_virial_ratio_is_told_of_whatever_the_units(self):
        start = self.written(scaled(2000, 3, 100 * math.sqrt(2000 / 3) * self.KM_S))
        for options in (["--units", "msun,pc,km/s"], ["--scale", "henon", "--eps", 0]):
            errors = self.run_gdr("--in", start, "--t-end", 0, *DIRECT, *options, expected=0).stderr
            self.assertRegex(errors, r"warning: the virial ratio is \d")
        usual = self.written(scaled(2000, 3, math.sqrt(2000 / 3) * self.KM_S))
        errors = self.run_gdr("--in", usual, "--t-end", 0, "--units", "msun,pc,km/s", *DIRECT, expected=0).stderr
        self.assertNotIn("warning", errors)

    def test_standard_input_serves_as_a_file(self):
        start = self.written(sphere())
        file = self.report("--in", start, "--t-end", 0.0625, *DIRECT)
        done = subprocess.run(self.command("--in", "-", "--t-end", 0.0625, "--json", "-", *DIRECT), input=start.read_text("utf-8"),
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["state_hash"], file["state_hash"])


if __name__ == "__main__":
    nbody_test.GDR, nbody_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
