#!/usr/bin/env python3
"""Runs of gdr nbody that are stopped, killed and restarted; their files.

    nbody_test.py GDR PROJECT [TestCase...]

GDR_TEST_KILLS sets how often the run of TestCase Kills is killed (default 12).
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GDR = ""
PROJECT = pathlib.Path()
CHROMIUM = shutil.which("chromium")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE

# What a run tells of the host it ran on, not of itself.
HOST_FIELDS = ("host_seconds", "options")


class NbodyTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def command(self, *arguments):
        return [GDR, "nbody", "--quiet", *(str(argument) for argument in arguments)]

    def run_gdr(self, *arguments, expected=0, data=None):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
        if data is not None:
            environment["GDR_DATA_DIR"] = str(data)
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, env=environment, check=False,
                              timeout=600)
        self.assertEqual(done.returncode, expected, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def report(self, *arguments, **options):
        return json.loads(self.run_gdr(*arguments, "--json", "-", **options).stdout)

    def has_hdf5(self):
        return "libgdr_hdf5.so" not in self.run_gdr("--in", "none.h5", "--t-end", 1, expected=1).stderr

    def outputs(self, name, snapshots="s.txt"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return ["--out-every", 0.0625, "--output", folder / snapshots, "--log", folder / "log.csv", "--checkpoint", folder / "ck"]

    def files(self, name):
        """Content of what a run left, checkpoints aside."""
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir() if not path.name.startswith("ck")}

    def without_host(self, report):
        """What the machine did: neither times of this host, nor what its engine compiled when and formed in integers, nor the
        options that asked for it."""
        shown = {key: value for key, value in report.items() if key not in HOST_FIELDS}
        shown["counters"] = {key: value for key, value in shown["counters"].items() if key != "fp_lanes"}
        return shown

    def kernels_with(self, old, new):
        """A data directory whose gravity_jerk is another one."""
        folder = self.folder / "data" / "kernels"
        folder.mkdir(parents=True)
        for source in (PROJECT / "kernels").glob("*.vsm"):
            text = source.read_text(encoding="utf-8")
            if source.name == "gravity_jerk.vsm":
                self.assertIn(old, text)
                text = text.replace(old, new)
            (folder / source.name).write_text(text, encoding="utf-8")
        return folder.parent


class Restart(NbodyTest):
    def test_a_run_in_two_parts_leaves_the_files_and_the_report_of_one(self):
        begin = ["--plummer", 32, "--seed", 3]
        whole = self.report(*begin, "--t-end", 0.25, *self.outputs("whole"))
        parts = self.outputs("parts")
        self.run_gdr(*begin, "--t-end", 0.125, *parts)
        (self.folder / "parts" / "s.txt").unlink()
        again = self.report("--restart", self.folder / "parts" / "ck", "--t-end", 0.25, *parts)
        self.assertEqual(self.files("parts"), self.files("whole"))
        differing = {key for key in whole if whole[key] != again[key]} - set(HOST_FIELDS)
        self.assertEqual(differing, set())

    def test_other_bits_are_refused_unless_forced(self):
        checkpoint = self.folder / "ck"
        self.run_gdr("--plummer", 16, "--t-end", 0.0625, "--checkpoint", checkpoint)
        restart = ["--restart", checkpoint, "--t-end", 0.125]
        for options, what in (
            (["--boards", 2], "boards 2 instead of 1"),
            (["--machine", "model450"], "machine model450 instead of model1800"),
            (["--clock", 333], "clock in MHz 333 instead of"),
            (["--transfer", "ideal"], "transfer ideal instead of 2009"),
            (["--engine", "native"], "engine native instead of simd"),
            (["--engine", "direct"], "engine direct instead of simd"),
        ):
            with self.subTest(options=options):
                errors = self.run_gdr(*restart, *options, expected=1).stderr
                self.assertIn("restart refused", errors)
                self.assertIn(what, errors)
                forced = self.report(*restart, *options, "--force-restart")
                self.assertEqual(len(forced["forced_restart"]), 1)
        expected = self.report(*restart)
        self.assertEqual(expected["forced_restart"], [])
        for options in (["--engine", "reference"], ["--threads", 1]):
            self.assertEqual(self.report(*restart, *options)["state_hash"], expected["state_hash"])

    def test_a_restart_makes_the_choices_of_its_checkpoint(self):
        checkpoint = self.folder / "ck"
        for options in (["--kernel", "gravity_jerk_long"], ["--machine", "model450"], ["--clock", 333], ["--boards", 3],
                        ["--transfer", "ideal", "--machine", "model450", "--clock", 500], ["--engine", "native"]):
            with self.subTest(options=options):
                sphere = ["--plummer", 16, *options]
                whole = self.report(*sphere, "--t-end", 0.125)
                self.run_gdr(*sphere, "--t-end", 0.0625, "--checkpoint", checkpoint)
                again = self.report("--restart", checkpoint, "--t-end", 0.125)
                self.assertEqual((again["forced_restart"], again["changes"]), ([], []))
                for field in ("state_hash", "kernel", "machine", "clock_mhz", "boards", "transfer", "engine", "emulated_seconds"):
                    self.assertEqual(again[field], whole[field], field)
        # What is given is no choice of the checkpoint.
        errors = self.run_gdr("--restart", checkpoint, "--t-end", 0.125, "--engine", "simd", expected=1).stderr
        self.assertIn("engine simd instead of native", errors)

    def test_another_version_of_a_kernel_is_another_kernel(self):
        checkpoint = self.folder / "ck"
        before = self.report("--plummer", 16, "--t-end", 0.0625, "--checkpoint", checkpoint)
        data = self.kernels_with('fs"0.75"', 'fs"0.7"')
        changed = self.report("--plummer", 16, "--t-end", 0.0625, data=data)
        self.assertNotEqual(changed["kernel_sha256"], before["kernel_sha256"])
        errors = self.run_gdr("--restart", checkpoint, "--t-end", 0.125, data=data, expected=1).stderr
        self.assertIn("another version of kernel gravity_jerk", errors)

    def test_a_multiple_that_is_the_end_but_for_rounding_is_the_last_output(self):
        for every, end in (("0.3", "1.8"), ("0.7", "2.1")):
            log, snapshots = self.folder / f"{every}.csv", self.folder / every
            snapshots.mkdir()
            direct = ["--plummer", 16, "--engine", "direct", "--t-end", end, "--out-every", every]
            self.run_gdr(*direct, "--log", log, "--output", snapshots / "s.txt")
            times = [line.split(",")[0] for line in log.read_text(encoding="utf-8").splitlines() if line[0].isdigit()]
            count = round(float(end) / float(every)) + 1
            self.assertEqual((len(times), times[-1]), (count, end))
            self.assertEqual(len(list(snapshots.glob("s-*.txt"))), count)

    def test_a_log_that_is_not_the_runs_is_left_alone(self):
        log = self.folder / "log.csv"
        checkpoint = self.folder / "ck"
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--log", log, "--checkpoint", checkpoint, "--out-every", 0.0625)
        other = self.folder / "other.csv"
        other.write_text("precious\n" * 200, encoding="utf-8")
        errors = self.run_gdr("--restart", checkpoint, "--t-end", 0.25, "--log", other, expected=1).stderr
        self.assertIn("other.csv", errors)
        self.assertEqual(other.read_text(encoding="utf-8"), "precious\n" * 200)

    def test_a_log_that_the_checkpoint_does_not_know_is_left_alone_unless_a_restart_began_it(self):
        log, checkpoint = self.folder / "log.csv", self.folder / "ck"
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--log", log, "--out-every", 0.0625)
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--checkpoint", checkpoint)
        restart = ["--restart", checkpoint, "--t-end", 0.25, "--out-every", 0.0625, "--log"]
        foreign = self.folder / "foreign.csv"
        foreign.write_text("precious\n", encoding="utf-8")
        for other in (log, foreign):
            before = other.read_bytes()
            self.assertIn(f"{other.name}: is not the log", self.run_gdr(*restart, other, expected=1).stderr)
            self.assertEqual(other.read_bytes(), before)
        begun = self.folder / "begun.csv"
        self.run_gdr(*restart, begun)
        whole = begun.read_bytes()
        begun.write_bytes(whole[: len(whole) * 2 // 3])  # as if it had been killed
        self.run_gdr(*restart, begun)
        self.assertEqual(begun.read_bytes(), whole)

    def test_a_snapshots_time_moves_the_end_that_can_be_reached(self):
        late = self.folder / "late.txt"
        late.write_text("0\n2\n8000\n0 0.5 0 0 0 0 0 0\n1 0.5 1 0 0 0 0 0\n", encoding="utf-8")
        report = self.report("--engine", "direct", "--in", late, "--t-end", 8200)
        self.assertEqual((report["t_begin"], report["t"]), (8000, 8200))
        self.assertIn("it must be 8000 to 16192", self.run_gdr("--in", late, "--t-end", 16200, expected=1).stderr)
        self.assertIn("0 to 8192", self.run_gdr("--plummer", 16, "--t-end", 8200, expected=2).stderr)

    def test_a_run_may_begin_at_any_time(self):
        # Times of blocks are no sums of these and whole steps; what the run was told of its present time stood beside it.
        start = self.folder / "start.txt"
        self.run_gdr("--engine", "direct", "--plummer", 64, "--t-end", 0.1, "--output", start)
        lines = start.read_text(encoding="utf-8").splitlines(keepends=True)
        for begin in (0.4, 0.7, 0.9):
            start.write_text("".join([*lines[:2], f"{begin}\n", *lines[3:]]), encoding="utf-8")
            report = self.report("--engine", "direct", "--in", start, "--t-end", begin + 20)
            self.assertEqual((report["t_begin"], report["t"]), (begin, begin + 20))

    def test_a_scaled_snapshot_has_a_scaled_time(self):
        # Mass 4 and twice the mean distances: of the pair, W = -4 at a distance of 1 and r_v = M^2 / (2 |W|) = 2.
        start = self.folder / "start.txt"
        start.write_text("0\n2\n3\n0 2 -0.5 0 0 0 -0.5 0\n1 2 0.5 0 0 0 0.5 0\n", encoding="utf-8")
        unit = (2**3 / 4) ** 0.5  # of time, sqrt(r_v^3 / M)
        report = self.report("--engine", "direct", "--in", start, "--scale", "henon", "--t-end", 5)
        self.assertAlmostEqual(report["t_begin"], 3 / unit, places=14)

    def test_the_checkpoint_before_the_last_is_kept(self):
        checkpoint = self.folder / "ck"
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--checkpoint", checkpoint, "--out-every", 0.0625)
        checkpoint.write_bytes(b"damaged")
        self.run_gdr("--restart", checkpoint, "--t-end", 0.25, expected=1)
        self.report("--restart", f"{checkpoint}~", "--t-end", 0.25)

    def test_without_outputs_checkpoints_are_written_by_the_clock(self):
        run = ["--plummer", 16, "--t-end", 0.125, "--checkpoint"]
        self.run_gdr(*run, self.folder / "end")
        # That of the start and that of the end: minutes were too many for one between them.
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["end", "end~"])
        self.assertEqual(self.report("--restart", self.folder / "end~", "--t-end", 0)["t_begin"], 0)
        whole = self.report(*run, self.folder / "ck", "--checkpoint-minutes", 0)
        before = self.folder / "ck~"
        self.assertNotEqual(before.read_bytes(), (self.folder / "ck").read_bytes())
        self.assertEqual(self.report("--restart", before, "--t-end", 0.125)["state_hash"], whole["state_hash"])

    def test_an_end_before_the_checkpoints_time_is_refused(self):
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--checkpoint", self.folder / "ck")
        errors = self.run_gdr("--restart", self.folder / "ck", "--t-end", 0.0625, expected=1).stderr
        self.assertIn("0.0625", errors)


class Limits(NbodyTest):
    def system(self, *lines):
        path = self.folder / "in.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return ["--in", path]

    def test_more_particles_than_the_board_holds_are_refused_before_they_are_made(self):
        errors = self.run_gdr("--machine", "model450", "--plummer", 4194304, "--t-end", 1, expected=1).stderr
        self.assertRegex(errors, "4194304 particles do not fit: the external memory of 1 board holds [0-9]+")

    def test_energies_and_forces_that_are_not_finite_end_the_run(self):
        still = "0 0 0 0 0 0"
        for lines, what in ((("1e155 " + still, "1e155 1 0 0 0 0 0"), "not finite"),
                            (("0.5 0 0 0 1e155 0 0", "0.5 1 0 0 1e155 0 0"), "energy is not finite"),
                            (("0.5 0 0 0 0 0 0", "0.5 1e-120 0 0 0 0 0"), "not finite")):
            with self.subTest(lines):
                errors = self.run_gdr(*self.system(*lines), "--eps", 0, "--t-end", 1, expected=1).stderr
                self.assertIn(what, errors)

    def test_an_id_that_the_board_has_no_bits_for_is_named(self):
        lines = "0", "2", "0", "7 0.5 1 0 0 0 0 0", f"{2**35} 0.5 -1 0 0 0 0 0"
        errors = self.run_gdr(*self.system(*lines), "--t-end", 1, expected=1).stderr
        self.assertIn(f"particle id {2**35} is outside", errors)

    def test_one_particle_and_particles_without_mass_move_straight_on(self):
        snapshot = self.folder / "out.txt"
        for mass in (1, 0):
            lines = [f"{mass} 1 2 3 0.5 -1 0.25"] + ([] if mass else ["0 1 2 3.5 0 1 0"])
            done = self.run_gdr(*self.system(*lines), "--t-end", 2, "--output", snapshot, "--out-format", "plain")
            self.assertIsNone(re.search("nan|inf", done.stdout), done.stdout)
            values = [float(word) for word in snapshot.read_text(encoding="utf-8").split()[:7]]
            self.assertEqual(values, [mass, 2, 0, 3.5, 0.5, -1, 0.25])

    def test_numbers_of_any_size_are_told_in_short(self):
        command = [word for word in self.command(*self.system("1e60 0 0 0 0 0 0", "1e60 1e60 0 0 0 0 0"), "--t-end", 1)
                   if word != "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\(E = -1e\+60, ")
        self.assertLess(max(map(len, done.stdout.splitlines())), 120)

    def test_coincident_particles_at_rest_stay_together(self):
        for eps in (0, 0.01):
            report = self.report(*self.system("0.5 1 2 3 0 0 0", "0.5 1 2 3 0 0 0"), "--eps", eps, "--t-end", 1)
            self.assertEqual(report["smallest_steps"], 0)
            self.assertIn(report["energy_error"], (0, None))

    def test_a_row_that_is_there_twice_is_told_and_does_no_harm(self):
        snapshot = self.folder / "sphere.txt"
        self.run_gdr("--plummer", 24, "--t-end", 0, "--output", snapshot, "--out-format", "plain")
        rows = snapshot.read_text(encoding="utf-8").splitlines()
        of_other_speed = " ".join([*rows[2].split()[:4], "0", "0", "0"])
        system = self.system(rows[0], *rows, of_other_speed)
        told = ["gdr nbody: warning: particles 0 and 1 are in one place and have the same velocity: "
                "is a particle there twice?",
                "gdr nbody: warning: particles 3 and 25 are in one place"]
        # eps = 0 would tear the pair of other velocities apart, in doubles as well.
        done = self.run_gdr(*system, "--eps", 0.01, "--t-end", 0.125, "--json", "-")
        self.assertEqual(done.stderr.splitlines(), told)
        self.assertLess(abs(json.loads(done.stdout)["energy_error"]), 1e-6)
        for engine in "simd", "native", "direct":
            with self.subTest(engine):
                done = self.run_gdr(*self.system(rows[0], *rows), "--eps", 0, "--t-end", 0.125, "--engine", engine,
                                    "--json", "-")
                self.assertEqual(done.stderr.splitlines(), told[:1])
                self.assertLess(abs(json.loads(done.stdout)["energy_error"]), 1e-6)
        done = self.run_gdr(*self.system(*[rows[0]] * 6), "--eps", 0, "--t-end", 0)
        self.assertEqual(len(done.stderr.splitlines()), 4)
        self.assertIn("2 more particles are in the place of another one", done.stderr)

    def test_a_particle_that_runs_away_takes_no_energy_with_it(self):
        report = self.report(*self.system("0.5 0 0 0 1e5 0 0", "0.5 0.1 0 0 0 0 0"), "--t-end", 1)
        self.assertLess(abs(report["energy_error"]), 1e-12)


class Force(NbodyTest):
    def force(self, *arguments):
        command = [GDR, "force", "-n", "64", *arguments, "--json", "-"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def test_the_report_names_its_inputs(self):
        report = self.force("--eps", "0.5", "--seed", "3", "--boards", "2", "--clock", "333")
        expected = {"n": 64, "eps": 0.5, "seed": 3, "boards": 2, "clock_mhz": 333, "kernel": "gravity_jerk"}
        self.assertEqual({key: report[key] for key in expected}, expected)

    def test_the_time_of_the_forces_in_host_double_is_told_apart(self):
        report = self.force("--threads", "1")
        self.assertGreater(report["reference_host_seconds"], 0)
        self.assertLess(report["reference_host_seconds"], report["host_seconds"])
        self.assertIsNone(self.force("--timing-only")["reference_host_seconds"])
        shared = self.force("--threads", "3")
        for field in ("rms_error", "momentum_error"):
            self.assertEqual(shared[field], report[field])

    def test_long_products_give_forces_like_doubles(self):
        errors = self.force("--kernel", "gravity_jerk_long")["rms_error"]
        self.assertLess(errors["acc"], 1e-14)
        self.assertLess(errors["jerk"], 1e-13)
        self.assertLess(errors["pot"], 1e-14)


class Noise(NbodyTest):
    def test_that_limits_the_steps_is_told(self):
        sphere = ["--plummer", 64, "--t-end", 0.0625, "--eta", 0.01, "--json", "-"]
        done = self.run_gdr(*sphere)
        limited = json.loads(done.stdout)["noise_limited_steps"]
        self.assertGreater(limited, 0)
        self.assertIn(f"note: in {limited} of", done.stderr)
        self.assertIn("gravity_jerk_long", done.stderr)
        done = self.run_gdr(*sphere, "--kernel", "gravity_jerk_long")
        self.assertEqual(json.loads(done.stdout)["noise_limited_steps"], 0)
        self.assertEqual(done.stderr, "")

    def test_that_is_not_reached_is_not_told(self):
        done = self.run_gdr("--plummer", 64, "--t-end", 0.25, "--json", "-")
        report = json.loads(done.stdout)
        self.assertEqual(report["noise_limited_steps"], 0)
        self.assertEqual(done.stderr, "")
        self.assertEqual(report["state_hash"], "4495fccecef77a06b7d558c3722e7f1a5fe3e26247b85998881022ca26582b65")


class Start(NbodyTest):
    def test_every_model_runs_and_is_named_in_the_report(self):
        for options, start, n, seed in (
            (["plummer", "--n", 16], "plummer 16, seed 1", 16, 1),
            (["king", "--n", 16, "--w0", 3, "--seed", 5], "king 16, W0 3, seed 5", 16, 5),
            (["uniform", "--n", 16], "uniform 16, seed 1", 16, 1),
            (["cold", "--n", 16], "cold 16, seed 1", 16, 1),
            (["merger", "--n", 16, "--separation", 6, "--pericentre", 0], "merger 16, separation 6, pericentre 0, seed 1", 16, 1),
            (["binary", "--eccentricity", 0.5], "binary, eccentricity 0.5", 2, None),
            (["pythagorean"], "pythagorean", 3, None),
        ):
            with self.subTest(start):
                report = self.report("--start", *options, "--t-end", 0.0625)
                self.assertEqual((report["start"], report["n"], report["seed"]), (start, n, seed))
                self.assertLess(abs(report["energy_error"]), 1e-6)
                again = self.report("--start", *options, "--t-end", 0.0625)
                self.assertEqual(again["state_hash"], report["state_hash"])

    def test_plummer_is_short_for_its_start_model(self):
        short = self.report("--plummer", 16, "--t-end", 0.0625)
        self.assertEqual(self.without_host(self.report("--start", "plummer", "--n", 16, "--t-end", 0.0625)), self.without_host(short))

    def test_options_without_effect_are_refused(self):
        for options in (["--start", "king"], ["--start", "plummer", "--plummer", 8], ["--n", 8, "--plummer", 8],
                        ["--plummer", 8, "--w0", 3], ["--start", "binary", "--pericentre", 1], ["--start", "star", "--n", 8],
                        ["--start", "binary", "--seed", 2], ["--start", "pythagorean", "--seed", 1],
                        ["--start", "king", "--n", 8, "--w0", 20]):
            with self.subTest(options):
                self.run_gdr(*options, "--t-end", 1, expected=2)
        self.assertIn("pythagorean has 3", self.run_gdr("--start", "pythagorean", "--n", 4, "--t-end", 1, expected=1).stderr)


class Direct(NbodyTest):
    """The host's own force loop in place of the board."""

    OF_BOARD = ("machine", "machine_sha256", "kernel", "kernel_sha256", "clock_mhz", "transfer", "boards", "emulated_seconds",
                "emulated_gflops", "clocks", "clocks_by_part", "stall_clocks", "counters", "board_energy", "pipe_occupancy")
    SPHERE = ("--plummer", 96, "--seed", 2, "--eta", 0.02)

    def direct(self, *arguments, **options):
        return self.run_gdr("--engine", "direct", *arguments, **options)

    def direct_report(self, *arguments):
        return self.report("--engine", "direct", *arguments)

    def test_the_report_has_the_fields_of_a_boards_with_nothing_of_a_board(self):
        report = self.direct_report(*self.SPHERE, "--t-end", 0.25)
        board = self.report(*self.SPHERE, "--t-end", 0.25)
        self.assertEqual(set(report), set(board))
        self.assertEqual(report["engine"], "direct")
        self.assertIs(report["exact"], False)
        self.assertEqual({key for key in report if report[key] is None and board[key] is not None}, set(self.OF_BOARD))
        self.assertEqual(report["noise_limited_steps"], 0)

    def test_the_text_tells_no_emulated_time(self):
        command = self.command("--engine", "direct", *self.SPHERE, "--t-end", 0.125)
        shown = [word for word in command if word != "--quiet"]
        text = subprocess.run(shown, capture_output=True, text=True, check=True, timeout=600).stdout
        self.assertIn("engine direct", text)
        self.assertIn("state hash", text)
        for word in ("emulated", "occupancy", "MHz", "kernel"):
            self.assertNotIn(word, text)

    def test_it_follows_a_smaller_eta_further_than_short_words(self):
        # Where their noise limits short words to some 1e-9, doubles and long products go on.
        arguments = ["--plummer", 64, "--eta", 0.02, "--t-end", 1]
        errors = {name: abs(self.report(*arguments, *options)["energy_error"])
                  for name, options in (("short", []), ("long", ["--kernel", "gravity_jerk_long"]), ("direct", ["--engine", "direct"]))}
        self.assertLess(errors["direct"], errors["short"] / 4)
        self.assertLess(errors["long"], errors["short"] / 4)

    def test_threads_and_instruction_sets_have_the_same_bits(self):
        # Large enough for threads to be used.
        arguments = ["--engine", "direct", "--plummer", 300, "--t-end", 0.0625]
        hashes = {self.report(*arguments, "--threads", threads)["state_hash"] for threads in (0, 1, 2, 3)}
        for isa in ("portable", "sse4_2", "avx2", "avx512", "neon"):
            done = subprocess.run(self.command(*arguments, "--json", "-"), capture_output=True, text=True, check=False, timeout=600,
                                  env={**os.environ, "GDR_HOST_ISA": isa})
            if done.returncode == 0:
                hashes.add(json.loads(done.stdout)["state_hash"])
            else:
                self.assertIn(f"'{isa}' is refused", done.stderr)
                self.assertNotEqual(isa, "portable")
        self.assertEqual(len(hashes), 1)

    def test_a_run_in_two_parts_leaves_the_files_and_the_report_of_one(self):
        begin = ["--engine", "direct", *self.SPHERE]
        whole = self.report(*begin, "--t-end", 0.25, *self.outputs("whole"), "--report", self.folder / "whole.html")
        parts = self.outputs("parts")
        self.run_gdr(*begin, "--t-end", 0.125, *parts)
        again = self.direct_report("--restart", self.folder / "parts" / "ck", "--t-end", 0.25, *parts, "--report", self.folder / "parts.html")
        self.assertEqual(self.files("parts"), self.files("whole"))
        differing = {key for key in whole if whole[key] != again[key]} - set(HOST_FIELDS)
        self.assertEqual(differing, set())
        page = (self.folder / "whole.html").read_text(encoding="utf-8")
        self.assertEqual((self.folder / "parts.html").read_text(encoding="utf-8"), page)
        self.assertIn("direct", page)
        self.assertNotIn("emulated time", page)

    def test_a_board_goes_on_only_if_forced(self):
        checkpoint = self.folder / "ck"
        self.direct(*self.SPHERE, "--t-end", 0.0625, "--checkpoint", checkpoint)
        restart = ["--restart", checkpoint, "--t-end", 0.125]
        board = [*restart, "--engine", "simd"]
        self.assertIn("engine simd instead of direct", self.run_gdr(*board, expected=1).stderr)
        forced = self.report(*board, "--force-restart")
        self.assertEqual(forced["forced_restart"], ["engine simd instead of direct"])
        self.assertGreater(forced["emulated_seconds"], 0)
        self.assertEqual(self.direct_report(*restart)["forced_restart"], [])
        same = self.report(*restart)
        self.assertEqual((same["engine"], same["forced_restart"]), ("direct", []))

    def test_options_of_a_board_are_refused_even_with_their_usual_values(self):
        for options in (["--kernel", "gravity_jerk"], ["--boards", 1], ["--clock", 500], ["--transfer", "2009"], ["--machine", "model1800"],
                        ["--trace", self.folder / "t.json"], ["--profile", self.folder / "p.json"], ["--split", "i"]):
            with self.subTest(options):
                errors = self.direct(*self.SPHERE, "--t-end", 0.0625, *options, expected=2).stderr
                self.assertIn(f"{options[0]} has no effect with --engine direct", errors)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_commands_that_run_kernels_name_who_takes_it(self):
        for command in (["force", "-n", "8"], ["hpl", "--n", "64"], ["dgemm", "-m", "8", "-n", "8", "-k", "8"], ["selftest"]):
            with self.subTest(command):
                done = subprocess.run([GDR, *command, "--engine", "direct"], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 2)
                self.assertIn("gdr nbody takes it", done.stderr)

    def test_a_run_file_names_the_engine(self):
        if not self.has_hdf5():
            self.skipTest("built without HDF5")
        whole = self.direct_report(*self.SPHERE, "--t-end", 0.125, "--output", self.folder / "run.h5")
        again = self.direct_report("--in", self.folder / "run.h5", "--t-end", 0.125)
        self.assertEqual(again["n"], whole["n"])
        self.assertEqual(again["t"], 0.125)


class Browser(NbodyTest):
    def test_a_browser_shows_the_page(self):
        page = self.folder / "page.html"
        self.run_gdr("--start", "cold", "--n", 32, "--eps", 0.1, "--t-end", 6, "--out-every", 0.125, "--report", page)
        browser = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder / 'browser'}"]
        shown = subprocess.run([*browser, "--enable-logging=stderr", "--dump-dom", page.as_uri()], capture_output=True, text=True,
                               timeout=120, check=True)
        self.assertNotIn("CONSOLE", shown.stderr)
        self.assertEqual(shown.stdout.count("</svg>"), 7)
        picture = pathlib.Path(os.environ.get("GDR_ARTEFACTS", ".")) / "nbody.png"
        subprocess.run([*browser, f"--screenshot={picture.resolve()}", "--window-size=1400,1000", page.as_uri()], capture_output=True,
                       timeout=120, check=True)
        self.assertGreater(picture.stat().st_size, 20000)


class Stopped(NbodyTest):
    def stopped_by(self, name, number):
        """Status, errors and report of a run that a signal ends some time after its first outputs."""
        # The largest end there is: so far that no host is there before the signal comes.
        command = self.command("--plummer", 64, "--t-end", 8192, *self.outputs(name), "--json", self.folder / f"{name}.json")
        log = self.folder / name / "log.csv"
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            self.addCleanup(process.kill)
            while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= 4):
                time.sleep(0.01)
            process.send_signal(number)
            errors = process.communicate()[1]
        self.assertEqual(process.returncode, 128 + number, errors)
        return errors, json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def test_signals_end_a_run_that_can_go_on(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            name = number.name
            with self.subTest(name):
                errors, report = self.stopped_by(name, number)
                self.assertEqual(report["stopped"], name)
                self.assertIn("--restart", errors)
                end = int(report["t"]) + 1
                whole = f"{name} whole"
                again = self.report("--restart", self.folder / name / "ck", "--t-end", end, *self.outputs(name))
                expected = self.report("--plummer", 64, "--t-end", end, *self.outputs(whole))
                self.assertEqual(self.without_host(again), self.without_host(expected))
                self.assertEqual(self.files(name), self.files(whole))

    def test_a_stop_file_ends_a_run(self):
        stop_file = self.folder / "stop"
        stop_file.touch()
        report = self.report("--plummer", 64, "--t-end", 1, "--stop-file", stop_file)
        self.assertEqual(report["stopped"], "stop file")


class Kills(NbodyTest):
    def test_a_run_killed_at_random_moments_ends_as_if_it_had_not_been(self):
        kills = int(os.environ.get("GDR_TEST_KILLS", "12"))
        seed = int(os.environ.get("GDR_TEST_SEED", str(random.SystemRandom().randrange(2**32))))
        print(f"GDR_TEST_SEED={seed} GDR_TEST_KILLS={kills}")
        moments = random.Random(seed)
        forms = ["s.txt", "s.h5"] if self.has_hdf5() else ["s.txt"]
        for form in forms:
            whole = self.report("--plummer", 64, "--t-end", 1, *self.outputs(f"whole {form}", form))
        killed = chains = 0
        while killed < kills:
            form = forms[chains % len(forms)]
            chains += 1
            name = f"chain{chains}"
            # A checkpoint after every block, so that kills meet it at work.
            outputs = [*self.outputs(name, form), "--checkpoint-minutes", 0]
            checkpoint = self.folder / name / "ck"
            report = self.folder / f"{name}.json"
            while not report.exists():
                begin = ["--restart", checkpoint] if checkpoint.exists() else ["--plummer", 64]
                process = subprocess.Popen(self.command(*begin, "--t-end", 1, *outputs, "--json", report),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    process.wait(timeout=moments.uniform(0.02, 1.5) if killed < kills else None)
                except subprocess.TimeoutExpired:
                    process.kill()
                    killed += 1
                self.assertIn(process.wait(), (0, -signal.SIGKILL), process.stderr.read())
                process.stderr.close()
            final = json.loads(report.read_text(encoding="utf-8"))
            self.assertEqual(self.without_host(final), self.without_host(whole))
            self.assertEqual(self.files(name), self.files(f"whole {form}"))


if __name__ == "__main__":
    GDR, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    if CHROMIUM is None and "Browser" in sys.argv[3:]:
        print("skipped: no chromium is installed (scripts/setup ci)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
