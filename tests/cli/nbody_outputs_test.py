#!/usr/bin/env python3
"""What gdr nbody writes: logs, reports, snapshots, the page, and what ends a run that cannot write.

    nbody_outputs_test.py GDR PROJECT [TestCase...]
"""

import csv
import json
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import nbody_test


class Outputs(nbody_test.NbodyTest):
    def test_a_path_that_cannot_be_written_ends_the_run_before_it_begins(self):
        endless = ["--plummer", 4096, "--t-end", 8000]  # run_gdr() would stop waiting for it
        for option in ("--output", "--log", "--checkpoint", "--json", "--profile", "--trace", "--report"):
            with self.subTest(option):
                errors = self.run_gdr(*endless, option, self.folder / "no" / ("file" if option in ("--output", "--log") else "file.json"), expected=1).stderr
                self.assertIn("cannot be written", errors)

    def test_one_path_for_two_outputs_is_refused(self):
        (self.folder / "link").symlink_to("same")
        errors = self.run_gdr("--plummer", 16, "--t-end", 1, "--output", self.folder / "same", "--checkpoint",
                              self.folder / "." / "same", expected=2).stderr
        self.assertIn("two outputs", errors)
        for existing in (False, True):
            if existing:
                (self.folder / "same").touch()
            self.run_gdr("--plummer", 16, "--t-end", 1, "--json", self.folder / "link", "--log", self.folder / "same", expected=2)

    def test_a_path_that_cannot_be_followed_is_told_as_one_that_cannot_be_written(self):
        for option in ("--output", "--log", "--checkpoint", "--json"):
            errors = self.run_gdr("--plummer", 16, "--t-end", 0, option, self.folder / ("n" * 5000), expected=1).stderr
            self.assertIn("cannot be written: File name too long", errors)
            self.assertNotIn("filesystem error", errors)

    def test_options_without_effect_are_refused(self):
        sphere = ["--plummer", 16, "--t-end", 0]
        timing = ["--plummer", 16, "--t-end", 1, "--timing-only"]
        sizes = self.folder / "sizes.csv"
        for options, other in (
            ([*sphere, "--block-sizes", sizes], "--timing-only"),
            ([*sphere, "--from-block-sizes", sizes], "--timing-only"),
            ([*sphere, "--measured-n", 64], "--timing-only"),
            ([*timing, "--seed", 7], "--measured-n"),
            ([*timing, "--from-block-sizes", sizes, "--eta", 0.05], "--eta"),
            ([*timing, "--engine", "simd"], "--engine"),
            ([*timing, "--from-block-sizes", sizes, "--measured-n", 64], "--measured-n"),
            ([*timing, "--from-block-sizes", sizes, "--block-sizes", sizes], "--block-sizes"),
            ([*timing, "--stop-file", sizes], "--stop-file"),
            ([*timing, "--max-energy-error", 1], "--max-energy-error"),
            ([*sphere, "--checkpoint-minutes", 5], "--checkpoint"),
            ([*sphere, "--force-restart"], "--restart"),
            ([*sphere, "--out-format", "plain"], "--output"),
            ([*sphere, "--output", self.folder / "s.h5", "--out-format", "plain"], "--out-format"),
        ):
            with self.subTest(options):
                self.assertIn(other, self.run_gdr(*options, expected=2).stderr)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_ending_of_a_snapshot_tells_its_format(self):
        beginnings = {"csv": b"id,m,x,y,z,vx,vy,vz\n", "npy": b"\x93NUMPY", "npz": b"PK\x03\x04", "nemo": b"\x92\t(\x00SnapShot", "txt": b"0\n8\n"}
        for ending, begins in beginnings.items():
            with self.subTest(ending):
                file = self.folder / f"run.{ending}"
                self.run_gdr("--plummer", 8, "--t-end", 0, "--output", file)
                self.assertTrue(file.read_bytes().startswith(begins), file.read_bytes()[:20])
                named = self.folder / f"named-{ending}"
                form = "phigrape" if ending == "txt" else ending
                self.run_gdr("--plummer", 8, "--t-end", 0, "--output", named, "--out-format", form)
                self.assertEqual(named.read_bytes(), file.read_bytes())
        self.run_gdr("--plummer", 8, "--t-end", 0.25, "--output", self.folder / "s.csv", "--out-every", 0.125)
        for number in range(3):
            self.assertTrue((self.folder / f"s-000{number}.csv").read_bytes().startswith(beginnings["csv"]))
        self.run_gdr("--plummer", 8, "--t-end", 0.25, "--output", self.folder / ".csv", "--out-every", 0.125)
        for name in (".csv", "-0000.csv", "-0002.csv"):  # a name that is only an ending
            self.assertTrue((self.folder / name).read_bytes().startswith(beginnings["csv"]), name)
        self.run_gdr("--plummer", 8, "--t-end", 0, "--output", self.folder / ".hidden")
        self.assertTrue((self.folder / ".hidden").read_bytes().startswith(beginnings["txt"]))
        self.run_gdr("--plummer", 8, "--t-end", 0, "--output", self.folder / "p.csv", "--out-format", "phigrape")
        self.assertTrue((self.folder / "p.csv").read_bytes().startswith(beginnings["txt"]))

    def test_the_help_names_the_snapshots_that_are_read(self):
        text = " ".join(self.run_gdr("--help").stdout.split())
        for kind in ("NumPy's .npz", "NumPy's .npy", "NEMO", "Gadget 1", "Gadget 2", "unformatted Fortran records", "Tipsy", "Starlab",
                     "text in rows or CSV; HDF5 of gdr, AMUSE, Gadget and NBODY6++GPU"):
            self.assertIn(kind, re.search("start from a snapshot, also packed by gzip: (.*) --units", text)[1])

    def test_files_of_columns_are_refused_by_the_names_of_other_formats(self):
        for ending in ("npz", "npy", "h5", "json", "csv.gz", "FITS"):
            for option, more in (("--log", ["--t-end", 0]), ("--block-sizes", ["--t-end", 1, "--timing-only"])):
                with self.subTest(ending, option=option):
                    file = self.folder / f"own.{ending}"
                    errors = self.run_gdr("--plummer", 8, *more, option, file, expected=2).stderr
                    self.assertIn(f"{option}: {file} is refused", errors)
                    self.assertFalse(file.exists())

    def test_block_sizes_are_tried_before_they_are_measured(self):
        endless = ["--plummer", 4194304, "--t-end", 1, "--timing-only", "--measured-n", 4194304]
        errors = self.run_gdr(*endless, "--block-sizes", self.folder / "no" / "sizes.csv", expected=1).stderr
        self.assertIn("cannot be written", errors)

    def test_timing_takes_every_start_and_says_what_it_measured(self):
        plain = self.folder / "s.txt"
        self.run_gdr("--start", "king", "--n", 64, "--t-end", 0, "--output", plain)
        sphere = ["--t-end", 10, "--timing-only"]
        for start, n, measured in ((["--start", "king", "--n", 64], 64, [64]), (["--in", plain], 64, [64]),
                                   (["--start", "binary", "--eps", 0], 2, [2]), (["--start", "pythagorean", "--eps", 0], 3, [3]),
                                   (["--start", "merger", "--n", 256, "--measured-n", 64], 256, [32, 64])):
            report = self.report(*start, *sphere)
            self.assertEqual((report["n"], report["block_sizes_from"], report["block_sizes_measured_at"]), (n, "measured", measured), start)
            self.assertEqual((report["t"], report["block_sizes_measured_t"]), (10, 1))
            self.assertAlmostEqual(report["joules"], report["watts"] * report["emulated_seconds"])
        text = subprocess.run([nbody_test.GDR, "nbody", "--in", plain, *map(str, sphere)], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertIn("as measured with all particles, now", text)
        self.assertIn("on the first 1 of 10 units of time, with forces in doubles", text)
        self.assertRegex(text, r"takes           [0-9.]+ (s|min|min [0-9]+ s|h [0-9]+ min), [0-9.e-]+ kWh at [0-9]+ W")
        # What is measured is what a run does: one unit of time of the same particles.
        run = self.report("--in", plain, "--t-end", 1, "--engine", "direct")
        self.assertAlmostEqual(self.report("--in", plain, "--t-end", 1, "--timing-only")["steps"], run["steps"])
        self.assertIn("--restart", self.run_gdr("--restart", plain, *sphere, expected=2).stderr)

    def test_a_report_of_timing_names_its_inputs_too(self):
        report = self.report("--plummer", 16, "--t-end", 0.0625, "--seed", 7, "--eps", 0.02, "--eta", 0.05, "--boards", 2, "--clock", 333,
                             "--timing-only", "--measured-n", 16)
        expected = {"start": "plummer 16, seed 7", "seed": 7, "eps": 0.02, "eta": 0.05, "boards": 2, "clock_mhz": 333,
                    "kernel": "gravity_jerk", "machine": "model1800", "transfer": "2009", "engine": "timing", "exact": False, "block_sizes_from": "measured",
                    "block_sizes_measured_at": [8, 16]}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertRegex(report["kernel_sha256"], "^[0-9a-f]{64}$")
        self.assertRegex(report["machine_sha256"], "^[0-9a-f]{64}$")

    def test_a_log_is_appended_to_and_not_written_anew(self):
        # What takes lines one after the other sees each once.
        done = self.run_gdr("--plummer", 16, "--t-end", 0.25, "--out-every", 0.0625, "--log", "/dev/stderr")
        lines = done.stderr.splitlines()
        self.assertEqual([line.split(",")[0] for line in lines], ["t", "0", "0.0625", "0.125", "0.1875", "0.25"])

    def test_a_snapshot_goes_on_at_its_time_and_step(self):
        snapshot = self.folder / "s.txt"
        self.run_gdr("--plummer", 16, "--t-end", 0.125, "--output", snapshot)
        step, _, t = snapshot.read_text(encoding="utf-8").split()[:3]
        self.assertEqual(float(t), 0.125)
        errors = self.run_gdr("--in", snapshot, "--t-end", 0.0625, expected=1).stderr
        self.assertIn("0.125", errors)
        log = self.folder / "log.csv"
        final = self.folder / "later.txt"
        report = self.report("--in", snapshot, "--t-end", 0.25, "--output", final, "--log", log, "--out-every", 0.0625)
        self.assertEqual(report["t"], 0.25)
        later, _, t = final.read_text(encoding="utf-8").split()[:3]
        self.assertEqual(float(t), 0.25)
        self.assertEqual(int(later), int(step) + report["block_steps"])
        times = [float(line.split(",")[0]) for line in log.read_text(encoding="utf-8").splitlines()[1:]]
        self.assertEqual(times, [0.125, 0.1875, 0.25])

    def test_the_report_names_what_a_run_needs_to_be_run_again(self):
        report = self.report("--plummer", 16, "--t-end", 0.0625, "--seed", 7, "--eps", 0.02, "--eta", 0.05, "--boards", 2, "--clock", 333)
        expected = {"start": "plummer 16, seed 7", "seed": 7, "eps": 0.02, "eta": 0.05, "boards": 2, "clock_mhz": 333,
                    "kernel": "gravity_jerk", "machine": "model1800", "transfer": "2009", "stopped": None, "t_begin": 0}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertRegex(report["kernel_sha256"], "^[0-9a-f]{64}$")
        self.assertRegex(report["machine_sha256"], "^[0-9a-f]{64}$")
        self.assertIn("smallest_steps", report)

    def test_systems_without_energy_have_no_energy_error(self):
        for text in ("1 0 0 0 0 0 0\n", "0 0 0 0 0 0 0\n0 1 0 0 0 0 0\n"):
            (self.folder / "in.txt").write_text(text, encoding="utf-8")
            report = self.report("--in", self.folder / "in.txt", "--t-end", 1)
            self.assertIsNone(report["energy_error"])
            self.assertNotIn("nan", self.run_gdr("--in", self.folder / "in.txt", "--t-end", 1).stdout)

    def test_an_energy_error_beyond_the_limit_ends_the_run(self):
        head_on = self.folder / "in.txt"
        head_on.write_text("0.5 -0.5 0 0 0 0 0\n0.5 0.5 0 0 0 0 0\n", encoding="utf-8")
        checkpoint = self.folder / "ck"
        done = self.run_gdr("--in", head_on, "--eps", 0, "--t-end", 2, "--out-every", 0.125, "--checkpoint", checkpoint,
                            "--max-energy-error", 1e-3, "--json", self.folder / "r.json", expected=1)
        self.assertIn("energy error is beyond 0.001", done.stderr)
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(report["stopped"], "energy error")
        self.assertGreater(report["smallest_steps"], 0)
        good = self.report("--restart", checkpoint, "--t-end", report["t"], "--max-energy-error", 1e300, expected=0)
        self.assertLess(good["t"], 2)

    def test_a_full_disk_leaves_the_checkpoint(self):
        checkpoint = self.folder / "ck"
        self.run_gdr("--plummer", 16, "--t-end", 0.0625, "--checkpoint", checkpoint)
        before = checkpoint.read_bytes()
        errors = self.run_gdr("--restart", checkpoint, "--t-end", 0.125, "--log", "/dev/full", "--checkpoint", checkpoint,
                              expected=1).stderr
        self.assertIn("No space left", errors)
        self.assertEqual(checkpoint.read_bytes(), before)

    def test_a_reader_that_goes_away_is_told_and_leaves_the_checkpoint(self):
        checkpoint = self.folder / "ck"
        # More lines than a pipe holds, so that the run cannot end before the reader is gone.
        run = ["--t-end", 8, "--out-every", 1 / 64, "--checkpoint", checkpoint]
        process = subprocess.Popen(self.command("--plummer", 16, *run, "--log", "/dev/stdout"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertTrue(process.stdout.readline().startswith("t,energy,"))
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=120), 1, errors)
        self.assertIn("/dev/stdout: cannot be written: Broken pipe", errors)
        stop = self.folder / "stop"
        stop.touch()
        self.assertEqual(self.report("--restart", checkpoint, "--t-end", 8, "--stop-file", stop)["stopped"], "stop file")


class Diagnostics(nbody_test.NbodyTest):
    def rows(self, log):
        return list(csv.DictReader(log.read_text(encoding="utf-8").splitlines()))

    def test_the_log_and_the_report_tell_the_same(self):
        log = self.folder / "log.csv"
        report = self.report("--start", "king", "--n", 64, "--t-end", 0.25, "--out-every", 0.125, "--log", log)
        rows = self.rows(log)
        self.assertEqual([float(row["t"]) for row in rows], [0, 0.125, 0.25])
        last = rows[-1]
        for column, value in (("energy", report["energy"]), ("board_energy", report["board_energy"]),
                              ("virial_ratio", report["virial_ratio"]), ("r_50", report["lagrangian_radii"]["0.5"]),
                              ("core_radius", report["core_radius"]), ("core_y", report["density_centre"][1]),
                              ("p_z", report["momentum"][2]), ("l_x", report["angular_momentum"][0]),
                              ("interactions", report["interactions"]), ("pipe_occupancy", report["pipe_occupancy"])):
            self.assertEqual(float(last[column]), value, column)
        self.assertEqual(float(last["kinetic"]) + float(last["potential"]), report["energy"])
        self.assertEqual(sum(entry["blocks"] for entry in report["block_size_histogram"]), report["block_steps"])

    def test_endings_of_other_formats_are_refused_and_capitals_do_not_matter(self):
        sphere = ["--plummer", 8, "--t-end", 0, "--engine", "direct", "--output"]
        for name in ("s.csv.gz", "s.json", "s.FITS", "s.zip"):
            ending = name.lower()[name.rindex("."):]
            errors = self.run_gdr(*sphere, self.folder / name, expected=2).stderr
            self.assertIn(f"{name} is refused", errors)
            self.assertIn(f"not as {ending}", errors)
            self.assertFalse((self.folder / name).exists())
        self.run_gdr(*sphere, self.folder / "s.json", "--out-format", "phigrape")
        for name, beginning in (("s.CSV", b"id,m,x"), ("s.Npz", b"PK"), ("s.NEMO", b"\x92\t"), ("s.dat", b"0\n8\n"), ("s", b"0\n8\n")):
            self.run_gdr(*sphere, self.folder / name)
            self.assertTrue((self.folder / name).read_bytes().startswith(beginning), name)

    def test_a_run_from_a_negative_time_may_end_below_0(self):
        (self.folder / "in").write_text("0\n2\n-5\n0 0.5 0.5 0 0 0 0.5 0\n1 0.5 -0.5 0 0 0 -0.5 0\n", encoding="utf-8")
        run = ["--in", self.folder / "in", "--engine", "direct"]
        report = self.report(*run, "--t-end", -4, "--checkpoint", self.folder / "ck", "--out-every", 0.25, "--log", self.folder / "log")
        self.assertEqual((report["t_begin"], report["t"]), (-5, -4))
        self.assertEqual([float(row["t"]) for row in self.rows(self.folder / "log")], [-5, -4.75, -4.5, -4.25, -4])
        self.assertEqual(self.report("--restart", self.folder / "ck", "--t-end", -3.5)["t"], -3.5)
        self.assertIn("t-end = -6 is refused: it must be -5 to", self.run_gdr(*run, "--t-end", -6, expected=1).stderr)

    def test_outputs_that_rounding_would_lose_are_refused(self):
        (self.folder / "in").write_text("0\n2\n1e15\n0 0.5 0.5 0 0 0 0.5 0\n1 0.5 -0.5 0 0 0 -0.5 0\n", encoding="utf-8")
        run = ["--in", self.folder / "in", "--engine", "direct", "--t-end", 1e15 + 4, "--log", self.folder / "log"]
        self.assertIn("every = 0.25 is refused", self.run_gdr(*run, "--out-every", 0.25, expected=1).stderr)
        self.run_gdr(*run, "--out-every", 1)
        self.assertEqual([float(row["t"]) - 1e15 for row in self.rows(self.folder / "log")], [0, 1, 2, 3, 4])

    def test_radii_are_counted_from_the_density_centre(self):
        # One particle in 32 far away moves the centre of mass by 30, the half-mass radius hardly.
        sphere = self.folder / "sphere.txt"
        self.run_gdr("--start", "king", "--n", 32, "--t-end", 0, "--output", sphere, "--out-format", "plain")
        lines = sphere.read_text(encoding="utf-8").splitlines()
        lines[0] = "0.03125 1000 0 0 0 0 0"
        (self.folder / "moved.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        before, after = (self.report("--in", self.folder / name, "--t-end", 0)["lagrangian_radii"]["0.5"] for name in ("sphere.txt", "moved.txt"))
        self.assertLess(abs(after / before - 1), 0.3)

    def test_the_boards_potentials_give_the_energy_of_the_particles(self):
        log = self.folder / "log.csv"
        self.run_gdr("--plummer", 128, "--t-end", 0.5, "--out-every", 0.0625, "--log", log)
        compared = 0
        for row in self.rows(log):
            # Steps are up to 1/8: at other times some particles may have no force.
            if float(row["t"]) % 0.125 == 0:
                self.assertNotEqual(row["board_energy"], "")
            if row["board_energy"]:
                compared += 1
                # Short products of 25 bits, averaged over the pairs.
                self.assertLess(abs(float(row["board_energy"]) - float(row["energy"])), 2**-24)
        self.assertGreaterEqual(compared, 5)

    def test_occupancy_is_interactions_over_places(self):
        # Four chips of 16 blocks with 128 places each, for three particles.
        report = self.report("--start", "pythagorean", "--t-end", 0.25)
        places = (report["block_steps"] + 1) * 4 * 16 * 128
        self.assertAlmostEqual(report["pipe_occupancy"], report["interactions"] / places, places=12)
        full = self.report("--plummer", 1024, "--t-end", 0)
        self.assertEqual(full["pipe_occupancy"], 1)


class Page(nbody_test.NbodyTest):
    def plots(self, page):
        """The page's plots by their titles."""
        drawn = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page.read_text(encoding="utf-8"), re.S)]
        return {plot.attrib["aria-label"]: plot for plot in drawn}

    def test_the_page_shows_curves_and_what_was_run_and_needs_nothing_else(self):
        page = self.folder / "page.html"
        report = self.report("--plummer", 32, "--t-end", 0.5, "--out-every", 0.125, "--report", page)
        text = page.read_text(encoding="utf-8")
        for value in (report["state_hash"], report["kernel_sha256"], report["machine_sha256"], report["start"]):
            self.assertIn(value, text)
        self.assertNotRegex(text, r"https?://|src=|@import|nan|<script")
        self.assertIn('http-equiv="Content-Security-Policy"', text)
        plots = self.plots(page)
        self.assertEqual(list(plots), ["Relative energy error", "Lagrangian radii and core radius", "Virial ratio T / |W|",
                                       "Drift of the momenta", "Blocks by their number of particles", "Pipe occupancy since the start",
                                       "Places at the end"])
        radii = [curve for curve in plots["Lagrangian radii and core radius"].iter("path") if curve.attrib["class"] == "curve"]
        self.assertEqual([curve.find("title").text for curve in radii], ["1 %", "10 %", "25 %", "50 %", "75 %", "90 %", "core"])
        self.assertTrue(all(len(re.findall("[ML]", curve.attrib["d"])) == 5 for curve in radii))
        bars = plots["Blocks by their number of particles"].findall("rect")
        self.assertEqual([bar.find("title").text for bar in bars],
                         [f"{entry['least']}: {entry['blocks']}" for entry in report["block_size_histogram"]])

    def test_the_page_of_a_run_without_a_board_has_no_empty_panels(self):
        page = self.folder / "page.html"
        self.run_gdr("--plummer", 32, "--t-end", 0.25, "--out-every", 0.125, "--report", page, "--engine", "direct")
        plots = self.plots(page)
        self.assertNotIn("Pipe occupancy since the start", plots)
        self.assertNotIn("board's potentials", "".join(plots["Relative energy error"].itertext()))
        for title, plot in plots.items():
            self.assertTrue(list(plot.iter("rect")) + [path for path in plot.iter("path") if path.attrib["class"] == "curve"], title)

    def test_the_page_shows_orbits_of_chosen_particles(self):
        page = self.folder / "page.html"
        self.run_gdr("--start", "pythagorean", "--eps", 0, "--t-end", 4, "--out-every", 0.125, "--report", page, "--engine", "direct",
                     "--orbits", "0,2")
        curves = [path for path in self.plots(page)["Orbits, a point at every output"].iter("path") if path.attrib["class"] == "curve"]
        named = [(curve.find("title").text, curve.attrib["d"]) for curve in curves if curve.find("title") is not None]
        self.assertEqual([name for name, _ in named], ["0", "2"])
        self.assertTrue(all(len(re.findall("[ML]", path)) == 33 for _, path in named))
        errors = self.run_gdr("--plummer", 16, "--t-end", 1, "--report", page, "--out-every", 0.5, "--orbits", "16", expected=1).stderr
        self.assertIn("orbits: there is no particle 16", errors)
        self.assertIn("--orbits has no effect without", self.run_gdr("--plummer", 16, "--t-end", 1, "--orbits", "1", expected=2).stderr)

    def test_orbits_go_on_after_a_restart(self):
        begin = ["--plummer", 32, "--engine", "direct"]
        whole, parts = self.outputs("whole"), self.outputs("parts")
        orbits = ["--orbits", "0,7", "--report"]
        self.run_gdr(*begin, "--t-end", 0.25, *whole, *orbits, self.folder / "whole.html")
        checkpoint = self.folder / "parts" / "ck"
        self.run_gdr(*begin, "--t-end", 0.125, *parts, *orbits, self.folder / "first.html")
        restart = ["--restart", checkpoint, "--engine", "direct", "--t-end", 0.25, *parts]
        before = {path: path.read_bytes() for path in (self.folder / "parts").iterdir()}
        self.assertNotIn("orbit", self.run_gdr(*restart, *orbits, self.folder / "parts.html").stderr)
        self.assertEqual((self.folder / "parts.html").read_text("utf-8"), (self.folder / "whole.html").read_text("utf-8"))
        self.assertEqual(self.files("parts"), self.files("whole"))
        # Particles of which the checkpoint has no places have them from the restart on.
        for path, content in before.items():
            path.write_bytes(content)
        later = self.folder / "later.html"
        errors = self.run_gdr(*restart, "--orbits", "7,8", "--report", later).stderr
        self.assertIn("the orbit of particle 8 begins at t = 0.125: ", errors)
        self.assertNotIn("particle 7", errors)
        curves = [path for path in self.plots(later)["Orbits, a point at every output"].iter("path") if path.attrib["class"] == "curve"]
        self.assertEqual({path.find("title").text: len(re.findall("[ML]", path.attrib["d"])) for path in curves if path.find("title") is not None},
                         {"7": 5, "8": 2})
        self.assertIn("orbits: there is no particle 32", self.run_gdr(*restart, "--orbits", "32", "--report", later, expected=1).stderr)

    def test_the_page_of_a_run_in_two_parts_is_that_of_one(self):
        for snapshots in ["s.txt", "s.h5"] if self.has_hdf5() else ["s.txt"]:
            with self.subTest(snapshots):
                whole, parts = (self.outputs(f"{name} {snapshots}", snapshots) for name in ("whole", "parts"))
                self.run_gdr("--plummer", 32, "--t-end", 0.25, *whole, "--report", self.folder / "whole.html")
                self.run_gdr("--plummer", 32, "--t-end", 0.125, *parts, "--report", self.folder / "parts.html")
                self.assertNotEqual((self.folder / "parts.html").read_bytes(), (self.folder / "whole.html").read_bytes())
                self.run_gdr("--restart", self.folder / f"parts {snapshots}" / "ck", "--t-end", 0.25, *parts, "--report", self.folder / "parts.html")
                self.assertEqual((self.folder / "parts.html").read_bytes(), (self.folder / "whole.html").read_bytes())

    def test_systems_without_energy_and_single_outputs_have_a_page(self):
        (self.folder / "in<b>.txt").write_text("0 0 0 0 0 0 0\n0 1 0 0 0 0 0\n", encoding="utf-8")
        page = self.folder / "page.html"
        self.run_gdr("--in", self.folder / "in<b>.txt", "--t-end", 1, "--report", page)
        text = page.read_text(encoding="utf-8")
        self.assertIn("in&lt;b&gt;.txt", text)
        self.assertIn("--out-every", text)
        self.assertNotIn("Relative energy error", self.plots(page))  # a panel without values is left out


if __name__ == "__main__":
    nbody_test.GDR, nbody_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
