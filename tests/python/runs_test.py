#!/usr/bin/python3
"""NbodyRun, profiles, timing and tables: outputs, callbacks, restarts, files, what notebooks show, what is refused.

runs_test.py GDR
"""

import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import grapedr
import processes

GDR = sys.argv[1]


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refuses(self, text, call, *arguments, **named):
        with self.assertRaisesRegex(grapedr.Error, text):
            call(*arguments, **named)


class Runs(InFolder):
    def test_a_log_is_refused_by_the_name_of_another_format(self):
        for name in ("own.npz", "own.h5", "own.json"):
            with self.assertRaisesRegex(grapedr.Error, rf"{name} is refused: this file is written as CSV"):
                grapedr.NbodyRun(start="plummer", n=8, t_end=0.0, log=self.folder / name)

    def test_have_the_bits_of_gdr_nbody_at_every_output(self):
        log = self.folder / "of_gdr.csv"
        command = [GDR, "nbody", "--plummer", "64", "--t-end", "0.25", "--out-every", "0.125", "--log", log]
        report = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, check=True).stdout
        run = grapedr.NbodyRun(start="plummer", n=64, t_end=0.25, every=0.125, log=self.folder / "own.csv")
        outputs = list(run)
        self.assertEqual([output.t for output in outputs], [0, 0.125, 0.25])
        self.assertEqual(outputs[-1].state_hash, json.loads(report)["state_hash"])
        self.assertEqual((self.folder / "own.csv").read_text(), log.read_text())
        self.assertEqual((run.end, run.steps, run.facts["start"]), ("reached", 2560, "plummer 64, seed 1"))
        self.assertEqual(list(run.samples["t"]), [0, 0.125, 0.25])
        self.assertEqual(run.block_sizes @ np.arange(65), run.steps)
        self.assertLess(abs(outputs[-1].energy_error), 1e-6)
        self.assertEqual(list(run), [])  # there is no more

    def test_end_without_energy_as_gdr_nbody_does(self):
        # Head on, without softening: the steps stop at their least, and the energy is gone.
        fall = {"mass": [0.5, 0.5], "position": [[-0.5, 0, 0], [0.5, 0, 0]], "velocity": [[0, 0, 0], [0, 0, 0]]}
        for limit, end in (({}, "energy error"), ({"max_energy_error": float("inf")}, "reached")):
            run = grapedr.NbodyRun(fall, eps=0, t_end=2, every=0.25, engine="direct", **limit)
            self.assertEqual(run.run().end, end)

    def test_give_the_particles_of_each_output(self):
        ends = [output.t for output in grapedr.NbodyRun(start="plummer", n=16, t_end=1.8, every=0.3, engine="direct")]
        self.assertEqual(ends[-2:], [1.5, 1.8])
        self.assertEqual([run.time for run in grapedr.Nbody(grapedr.start("plummer", 16)).outputs(0.3, 0.1)], [0.1, 0.2, 0.3])
        run = grapedr.NbodyRun(grapedr.start("binary"), eps=0, t_end=1, every=0.3)
        old = grapedr.Nbody(grapedr.start("binary"), eps=0)
        for output in run:
            old.evolve(output.t)
            np.testing.assert_array_equal(output.particles["position"], old.particles["position"])
            self.assertAlmostEqual(output.energy, -0.25, delta=1e-5)

    def test_begin_at_the_time_of_their_particles(self):
        file, once = self.folder / "time.npz", grapedr.start("plummer", 32)
        np.savez(file, **once, time=3.0, step=17)
        command = [GDR, "nbody", "--in", file, "--t-end", "3.125", "--json", "-"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        runs = [
            grapedr.NbodyRun(np.load(file), t_end=3.125, every=0.125),
            grapedr.NbodyRun(in_file=file, t_end=3.125, every=0.125),
            grapedr.NbodyRun(once | {"time": np.array([3.0])}, t_end=3.125, every=0.125),
        ]
        for run in runs:
            self.assertEqual([output.t for output in run], [3, 3.125])
            self.assertEqual((run.steps, list(run)), (report["steps"], []))
        self.refuses(r"t-end = 1 is refused: it must be 3 to", grapedr.NbodyRun, np.load(file), t_end=1)
        self.refuses("Nbody begins at 0", grapedr.Nbody, np.load(file))
        self.assertEqual(grapedr.Nbody(once | {"time": 0}).time, 0)
        for wrong in (np.nan, np.inf, [1.0, 2.0], "late"):
            self.refuses("time", grapedr.NbodyRun, once | {"time": wrong}, t_end=9)
        for wrong in (1.5, [1, 2], "first"):
            self.refuses("step", grapedr.NbodyRun, once | {"step": wrong}, t_end=9)

    def test_take_the_forms_that_gdr_nbody_reads(self):
        once = grapedr.start("plummer", 16)
        rows = np.column_stack([once["mass"], once["position"], once["velocity"]])
        by_name = np.zeros(16, [(name, float) for name in ("m", "x", "y", "z", "vx", "vy", "vz")] + [("id", int)])
        for column, name in enumerate(("m", "x", "y", "z", "vx", "vy", "vz")):
            by_name[name] = rows[:, column]
        by_name["id"] = once["id"]
        vectors = np.zeros(16, [("mass", float), ("position", float, 3), ("velocity", float, 3)])
        for name in vectors.dtype.names:
            vectors[name] = once[name]
        expected = grapedr.NbodyRun(once, t_end=0.125, engine="direct").run().facts | {"hash": None}
        hashes = set()
        for form in (once, rows, by_name, vectors, {name: by_name[name] for name in by_name.dtype.names}):
            run = grapedr.NbodyRun(form, t_end=0.125, engine="direct", every=0.125)
            hashes |= {list(run)[-1].state_hash}
            self.assertEqual(run.facts | {"hash": None}, expected)
            grapedr.Nbody(form)
        self.assertEqual(len(hashes), 1)
        np.save(self.folder / "rows.npy", rows)
        of_file = grapedr.NbodyRun(in_file=self.folder / "rows.npy", t_end=0.125, engine="direct", every=0.125)
        self.assertEqual(list(of_file)[-1].state_hash, hashes.pop())

    def test_have_the_units_and_the_scale_of_gdr_nbody(self):
        once = grapedr.start("plummer", 16)
        rows = np.column_stack([2000 * once["mass"], 3 * once["position"], 1.7 * once["velocity"]])
        np.save(self.folder / "suns.npy", rows)
        end = ["--t-end", "0.125", "--engine", "direct", "--json", "-"]
        for options in ({"units": "msun,pc,km/s"}, {"units": "msun,pc,km/s", "scale": "henon"}, {"scale": "henon"}):
            command = [GDR, "nbody", "--in", self.folder / "suns.npy", *end]
            for name, value in options.items():
                command += [f"--{name}", value]
            report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for form in ({"particles": rows}, {"in_file": self.folder / "suns.npy"}):
                run = grapedr.NbodyRun(**form, **options, t_end=0.125, every=0.125, engine="direct")
                self.assertEqual(list(run)[-1].state_hash, report["state_hash"], (options, list(form)))
        for options, why in (
            ({"units": "msun,pc"}, "units are MASS,LENGTH,SPEED"),
            ({"units": ""}, "it must be a text such as"),
            ({"units": 3}, "units = 3 is refused"),
            ({"scale": "si"}, "scale = 'si' is refused: it must be henon"),
        ):
            self.refuses(why, grapedr.NbodyRun, rows, t_end=1, **options)
        for name, value in (("units", "msun,pc,km/s"), ("scale", "henon")):
            self.refuses(f"{name} = '{value}' has no effect", grapedr.NbodyRun, start="plummer", n=16, t_end=1, **{name: value})

    def test_say_what_particles_must_be(self):
        once = grapedr.start("plummer", 16)
        expected = r"they must be a dictionary, a structured array or an archive of NumPy with mass \(n,\), position \(n, 3\)"
        for wrong, said in [
            (np.zeros((4, 6)), r"particles have type float64 and shape \(4, 6\): "),
            (np.zeros(4), r"particles have type float64 and shape \(4,\): "),
            (np.array(["a"]), "particles have type <U1"),
            (np.zeros((3, 7), complex), "particles have type complex128"),
            (7, r"particles have type int64 and shape \(\): "),
            ([once], "particles have type object"),
            (np.zeros(4, [("m", float), ("x", float)]), r"particles have no 'position', nor x, y, z \(they have m, x\): "),
            ({"position": once["position"]}, r"particles have no 'mass' \(they have position\): "),
            ({}, r"particles have no 'mass' \(they have nothing\): "),
        ]:
            with self.subTest(said):
                self.refuses(f"{said}.*{expected}", grapedr.NbodyRun, wrong, t_end=1)
                self.refuses(f"{said}.*{expected}", grapedr.Nbody, wrong)
        self.refuses(r"particles = 'run.npz' is refused: in_file takes", grapedr.NbodyRun, "run.npz", t_end=1)
        self.refuses(r"structured array of shape \(2, 2\)", grapedr.NbodyRun, np.zeros((2, 2), [("m", float)]), t_end=1)
        self.refuses(r"particles\['y'\] has shape \(3,\)", grapedr.NbodyRun,
                     {"m": [1, 1], "x": [0, 1], "y": [0, 1, 2], "z": [0, 1], "velocity": np.zeros((2, 3))}, t_end=1)

    def test_say_how_many_particles_a_start_model_needs(self):
        for kind, least in (("plummer", 2), ("king", 2), ("merger", 4)):
            self.refuses(f"n is missing: start = '{kind}' needs n, the number of particles, which must be at least {least}$",
                         grapedr.NbodyRun, start=kind, t_end=1)
        for kind, n, least in (("plummer", 1, 2), ("plummer", 2**63 - 1, 2), ("king", 4194305, 2), ("merger", 2**40, 4)):
            told = f"^n = {n} is refused: {kind} has from {least} to 4194304 particles$"
            self.refuses(told, grapedr.start, kind, n)
            for engine in ("simd", "direct"):
                self.refuses(told, grapedr.NbodyRun, start=kind, n=n, t_end=1, engine=engine)
        self.refuses("n = 4 is refused: binary has 2 particles", grapedr.NbodyRun, start="binary", n=4, t_end=1)
        self.assertEqual(grapedr.NbodyRun(start="binary", t_end=0).facts["particles"], 2)

    def test_outputs_do_not_change_a_run(self):
        ends = [list(grapedr.NbodyRun(start="plummer", n=32, t_end=0.25, every=every))[-1] for every in (0, 0.03)]
        self.assertEqual(ends[0].state_hash, ends[1].state_hash)

    def test_go_on_from_a_checkpoint_to_the_same_bits(self):
        whole = list(grapedr.NbodyRun(start="plummer", n=32, t_end=0.5, every=0.125))
        file = self.folder / "run.gdr"
        first = grapedr.NbodyRun(start="plummer", n=32, t_end=0.5, every=0.125, checkpoint=file)
        for output in first:
            if output.t == 0.25:
                break
        second = list(grapedr.NbodyRun(restart=file, t_end=0.5, every=0.125))
        self.assertEqual([output.t for output in second], [0.375, 0.5])
        self.assertEqual(second[-1].state_hash, whole[-1].state_hash)
        self.refuses("t-end", grapedr.NbodyRun, restart=file, t_end=0.1)

    def test_go_on_with_the_choices_of_the_checkpoint_unless_others_are_given(self):
        file = self.folder / "run.gdr"
        settings = dict(start="plummer", n=16, kernel_name="gravity_jerk_long", machine="model450", clock_mhz=333, boards=2)
        whole = list(grapedr.NbodyRun(**settings, t_end=0.25))[-1].state_hash
        grapedr.NbodyRun(**settings, t_end=0.125, checkpoint=file).run()
        again = grapedr.NbodyRun(restart=file, t_end=0.25)
        self.assertEqual([output.state_hash for output in again], [whole])
        facts = [again.facts[name] for name in ("kernel", "machine", "clock_mhz", "boards")]
        self.assertEqual(facts, ["gravity_jerk_long", "model450", 333, 2])
        self.refuses("boards 1 instead of 2", grapedr.NbodyRun, restart=file, t_end=0.25, boards=1)
        other = grapedr.NbodyRun(restart=file, t_end=0.25, kernel_name="gravity_jerk", eps=0.1, eta=0.05)
        self.assertEqual([other.facts[name] for name in ("kernel", "eps", "eta")], ["gravity_jerk", 0.1, 0.05])
        direct = self.folder / "direct.gdr"
        grapedr.NbodyRun(start="plummer", n=16, t_end=0.125, engine="direct", checkpoint=direct).run()
        self.assertEqual(grapedr.NbodyRun(restart=direct, t_end=0.25).facts["engine"], "direct")

    def test_call_back_after_every_block_and_end_when_told(self):
        blocks = []
        run = grapedr.NbodyRun(start="plummer", n=32, t_end=1, on_block=lambda t, steps: blocks.append((t, steps)))
        run.run()
        self.assertEqual(len(blocks), run.blocks)
        self.assertEqual(blocks[-1], (run.time, run.steps))
        file = self.folder / "stopped.gdr"
        stopped = grapedr.NbodyRun(start="plummer", n=32, t_end=1, checkpoint=file, on_block=lambda t, _: t < 0.25)
        self.assertEqual(list(stopped), [])
        self.assertEqual((stopped.end, stopped.time), ("stopped", 0.25))
        self.assertEqual(list(grapedr.NbodyRun(restart=file, t_end=1))[-1].state_hash, list(self.again())[-1].state_hash)

    def test_end_by_the_truth_of_what_a_callback_returns(self):
        for answer, end in ((0, "stopped"), ("", "stopped"), ([], "stopped"), (np.bool_(False), "stopped"), (None, "reached"),
                            ("go on", "reached"), (object(), "reached"), (np.float64(1), "reached")):
            with self.subTest(answer=repr(answer)):
                run = grapedr.NbodyRun(start="plummer", n=16, t_end=0.125, engine="direct", on_block=lambda t, _: answer)  # noqa: B023
                self.assertEqual(run.run().end, end)
        run = grapedr.NbodyRun(start="plummer", n=16, t_end=0.125, engine="direct", on_block=lambda t, _: np.zeros(2))
        with self.assertRaisesRegex(ValueError, "truth value of an array"):
            run.run()

    def test_have_no_end_before_it_is_known(self):
        run = grapedr.NbodyRun(start="plummer", n=16, t_end=0.25, every=0.125, engine="direct")
        self.assertIsNone(run.end)
        for output in run:
            self.assertEqual((output.t, run.end), (0, None))
            break
        self.assertIsNone(run.end)
        for output in run:
            if output.t == 0.125:
                break
        self.assertIsNone(run.end)
        self.assertEqual(run.run().end, "reached")
        self.assertEqual(run.run().end, "reached")  # there is nothing left to do

        def ends(t, _):
            self.assertIsNone(stopped.end)
            return t < 0.1

        stopped = grapedr.NbodyRun(start="plummer", n=16, t_end=0.25, every=0.125, engine="direct", on_block=ends)
        self.assertEqual(stopped.run().end, "stopped")

    def again(self):
        return grapedr.NbodyRun(start="plummer", n=32, t_end=1)

    def test_what_a_callback_raises_comes_out_and_the_run_may_go_on(self):
        def raises(t, _):
            if 0.25 <= t < 0.26:
                raise LookupError("seen")

        run = grapedr.NbodyRun(start="plummer", n=32, t_end=1, on_block=raises)
        with self.assertRaisesRegex(LookupError, "seen"):
            while run.end != "reached" or run.time < 1:
                run.run()
        self.assertLess(run.time, 0.26)

    def test_pictures_show_positions_radii_and_orbits(self):
        run = grapedr.NbodyRun(start="plummer", n=64, t_end=0.5, every=0.125, orbits=[3, 63])
        self.refuses("before the first output", run.plot_positions)
        run.run()
        self.assertEqual(list(run.orbits), [3, 63])
        last = run._core.particles_at(0.5)
        np.testing.assert_array_equal(run.orbits[63][-1], last["position"][63])
        self.assertEqual(run.orbits[3].shape, (5, 3))

        panels = run.plot_positions().axes
        self.assertEqual([(a.get_xlabel(), a.get_ylabel()) for a in panels], [("x", "y"), ("x", "z")])
        np.testing.assert_array_equal(panels[1].lines[0].get_xydata(), last["position"][:, [0, 2]])
        np.testing.assert_array_equal(panels[0].lines[2].get_xydata(), last["position"][63:, :2])
        radius = run.samples["r_90"][-1]
        self.assertAlmostEqual(np.diff(panels[0].get_xlim())[0], 3 * radius, places=12)
        self.assertAlmostEqual(np.mean(panels[1].get_ylim()), run.samples["core_z"][-1], places=12)
        self.assertAlmostEqual(np.diff(run.plot_positions(reach=0.5).axes[0].get_xlim())[0], 1, places=12)
        self.refuses("reach = 0 is refused", run.plot_positions, reach=0)

        paths = run.plot_orbits().axes[1].lines
        np.testing.assert_array_equal(paths[0].get_xydata(), run.orbits[3][:, [0, 2]])
        names = [line.get_label() for line in run.plot_radii().axes[0].lines]
        self.assertEqual([names[0], names[-2], names[-1]], ["1 % of the mass", "90 % of the mass", "core"])

    def test_pictures_of_few_particles_have_no_empty_curves(self):
        run = grapedr.NbodyRun(start="binary", eps=0, t_end=0.25, every=0.125, engine="direct").run()
        self.assertNotIn("core", [line.get_label() for line in run.plot().axes[1].lines])
        self.assertEqual(len(run.plot_positions().axes), 2)
        self.refuses("takes the particles' ids as orbits=", run.plot_orbits)

    def test_orbits_are_those_of_particles_that_there_are(self):
        self.refuses("orbits: there is no particle 7", grapedr.NbodyRun, start="binary", t_end=1, orbits=[7])
        self.refuses("orbits = 'a' is refused", grapedr.NbodyRun, start="binary", t_end=1, orbits=["a"])

    def test_orbits_go_on_after_a_restart(self):
        run = {"every": 0.125, "orbits": [0, 5], "engine": "direct"}
        whole = grapedr.NbodyRun(start="plummer", n=16, t_end=0.5, **run).run()
        checkpoint = self.folder / "ck"
        grapedr.NbodyRun(start="plummer", n=16, t_end=0.25, checkpoint=checkpoint, **run).run()
        again = grapedr.NbodyRun(restart=checkpoint, t_end=0.5, **run).run()
        for particle in (0, 5):
            np.testing.assert_array_equal(again.orbits[particle], whole.orbits[particle])

    def test_numpys_archives_go_in_and_out(self):
        file = self.folder / "own.npz"
        command = [GDR, "nbody", "--plummer", "16", "--t-end", "0.25", "--output", file, "--out-format", "npz"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(file) as arrays:
            self.assertEqual((arrays["time"], arrays["step"] > 0), (0.25, True))
            run = grapedr.NbodyRun(arrays, t_end=0.25)
            output = next(iter(run))
            np.testing.assert_array_equal(output.particles["velocity"], arrays["velocity"])
            np.testing.assert_array_equal(output.particles["id"], arrays["id"])
            theirs = {name: arrays[name] for name in ("mass", "position", "velocity")}
        np.savez(self.folder / "theirs.npz", m=theirs["mass"], **{k: theirs[k] for k in ("position", "velocity")})
        np.save(self.folder / "rows.npy", np.column_stack(list(theirs.values())))
        np.save(self.folder / "columns.npy", np.asfortranarray(np.column_stack(list(theirs.values()))))
        for name in ("theirs.npz", "rows.npy", "columns.npy"):
            again = next(iter(grapedr.NbodyRun(in_file=self.folder / name, t_end=0)))
            self.assertEqual(again.state_hash, output.state_hash, name)
        others = {"names": np.array(["a", "b"]), "pairs": np.zeros(2, dtype=[("a", "f8")]), "waves": np.zeros(3, complex)}
        np.savez(self.folder / "more.npz", **theirs, **others)
        more = grapedr.NbodyRun(in_file=self.folder / "more.npz", t_end=0, engine="direct")
        self.assertEqual(list(more)[-1].particles["mass"].tolist(), theirs["mass"].tolist())
        np.savez_compressed(self.folder / "small.npz", **theirs)
        plain = (self.folder / "rows.npy").read_bytes()
        (self.folder / "rows.npy.gz").write_bytes(gzip.compress(plain))
        (self.folder / "parts.gz").write_bytes(gzip.compress(plain[:100]) + gzip.compress(plain[100:]) + bytes(512))
        for name in ("small.npz", "rows.npy.gz", "parts.gz"):
            again = next(iter(grapedr.NbodyRun(in_file=self.folder / name, t_end=0)))
            self.assertEqual(again.state_hash, output.state_hash, name)
        packed = gzip.compress(plain)
        changed = bytearray(packed)
        changed[-6] ^= 1  # of the checksum
        compressed = (self.folder / "small.npz").read_bytes()
        for content, why in ((packed[:-9], "end too early"), (packed[: len(packed) // 2], "end too early"), (bytes(changed), "are damaged"),
                             (packed + b"xyz", "are damaged"), (gzip.compress(packed), "is compressed by gzip and holds a file compressed by gzip"),
                             (gzip.compress(b"\x89HDF\r\n\x1a\n"), "is compressed by gzip and holds an HDF5 file: unpack it with gunzip"),
                             (gzip.compress(b"1 2 3\n"), "first line has 3 columns"), (compressed[:60] + b"\xff" + compressed[61:], "member mass.npy")):
            (self.folder / "bad").write_bytes(content)
            self.refuses(why, grapedr.NbodyRun, in_file=self.folder / "bad", t_end=0)

    def test_hard_binaries_are_regularised(self):
        binary = {"start": "binary", "eccentricity": 0.999, "eps": 0, "t_end": 2.5, "engine": "direct"}
        plain = grapedr.NbodyRun(**binary).run()
        regularised = grapedr.NbodyRun(**binary, binaries="regularised").run()
        self.assertLess(abs(regularised.samples["energy_error"][-1]), 1e-9)
        self.assertLess(10 * regularised.steps, plain.steps)
        with self.assertRaisesRegex(grapedr.Error, "eps = 0.01 is refused with regularised binaries"):
            grapedr.NbodyRun(start="binary", t_end=1, eps=0.01, engine="direct", binaries="regularised")
        with self.assertRaisesRegex(grapedr.Error, "binaries = 'hard' is refused"):
            grapedr.NbodyRun(start="binary", t_end=1, binaries="hard")

    def test_end_where_their_energy_is_off(self):
        run = grapedr.NbodyRun(start="plummer", n=32, t_end=1, every=0.25, max_energy_error=1e-14)
        self.assertLess(len(list(run)), 5)
        self.assertEqual(run.end, "energy error")

    def test_take_arrays_that_change_afterwards(self):
        particles = grapedr.start("plummer", 32)
        run = grapedr.NbodyRun(particles, t_end=0.25)
        for name in particles:
            particles[name][:] = 0
        self.assertEqual(list(run)[-1].state_hash, list(grapedr.NbodyRun(start="plummer", n=32, t_end=0.25))[-1].state_hash)

    def test_keep_ids_and_take_strided_arrays(self):
        wide = np.zeros((8, 6))
        own = grapedr.start("plummer", 8)
        wide[:, ::2] = own["position"]
        run = grapedr.NbodyRun(own | {"position": wide[:, ::2], "id": np.arange(8) + 100}, t_end=0.125)
        end = list(run)[-1].particles
        np.testing.assert_array_equal(end["id"], np.arange(8) + 100)
        same = list(grapedr.NbodyRun(own, t_end=0.125))[-1].particles
        np.testing.assert_array_equal(end["position"], same["position"])

    def test_interrupts_end_them_with_their_checkpoint(self):
        file = self.folder / "interrupted.gdr"
        script = (
            "import grapedr, sys\n"
            f"run = grapedr.NbodyRun(start='plummer', n=256, t_end=100, checkpoint={str(file)!r})\n"
            "print('running', flush=True)\n"
            "try:\n    run.run()\nexcept KeyboardInterrupt:\n    print(run.end, flush=True)\n    sys.exit(7)\n"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "running\n")
            processes.work(process, 0.2)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 7)
            self.assertEqual(process.stdout.read(), "stopped\n")
        self.assertGreater(grapedr.NbodyRun(restart=file, t_end=100).time, 0)

    def test_other_threads_go_on_meanwhile(self):
        counted = []
        stop = threading.Event()
        thread = threading.Thread(target=lambda: [counted.append(1) for _ in iter(lambda: stop.wait(0.001), True)])
        thread.start()
        meanwhile = 0
        for _ in range(200):  # a host with much else to do may let the other thread wait for long
            before = len(counted)
            grapedr.NbodyRun(start="plummer", n=64, t_end=0.5).run()
            meanwhile += len(counted) - before
            if meanwhile > 3:
                break
        stop.set()
        thread.join()
        self.assertGreater(meanwhile, 3)

    def test_write_hdf5_that_they_read_again(self):
        file = self.folder / "run.h5"
        try:
            end = list(grapedr.NbodyRun(start="plummer", n=16, t_end=0.25, out=file))[-1]
        except grapedr.Error as error:
            self.assertIn("libgdr_hdf5.so", str(error))
            self.skipTest("no HDF5 here")
        begin = next(iter(grapedr.NbodyRun(in_file=file, t_end=0.5)))
        self.assertEqual(begin.t, 0.5)
        self.assertEqual(len(begin.particles["mass"]), len(end.particles["mass"]))

    def test_refuse_what_is_wrong_with_its_place_and_value(self):
        run = grapedr.NbodyRun
        good = grapedr.start("plummer", 8)
        wrong = {name: array.copy() for name, array in good.items()}
        wrong["velocity"][5, 1] = np.inf
        self.refuses(r"particles\['velocity'\] is inf at \(5, 1\)", run, wrong, t_end=1)
        self.refuses(r"particles\['mass'\] has shape \(8, 1\): it must be \(n,\)", run, good | {"mass": np.ones((8, 1))}, t_end=1)
        self.refuses("complex128", run, good | {"mass": np.ones(8) * 1j}, t_end=1)
        self.refuses("8 integers", run, good | {"id": np.ones(8)}, t_end=1)
        self.refuses("particles 0 and 1 both have id 1", run, good | {"id": np.ones(8, int)}, t_end=1)
        self.refuses("no 'velocity'", run, {"mass": [1.0], "position": [[0, 0, 0]]}, t_end=1)
        self.refuses("exactly one of", run, good, start="plummer", n=8, t_end=1)
        self.refuses("n = -8 is refused: it must be a whole number from 1", run, start="plummer", n=-8, t_end=1)
        self.refuses("n = '8' is refused", run, start="plummer", n="8", t_end=1)
        self.refuses("without start", run, good, n=8, t_end=1)
        self.refuses("t-end = nan", run, good, t_end=np.nan)
        self.refuses("every = -1", run, good, t_end=1, every=-1)
        for every in (0, -1, np.nan, np.inf, 1e-300):
            self.refuses(r"every = .* must be 9\.5\S* to 8192", lambda step=every: next(grapedr.Nbody(good).outputs(0.25, step)))
        self.refuses("boards = 65", run, good, t_end=1, boards=65)
        self.refuses("eta", run, good, t_end=1, eta=0)
        self.refuses("cannot be read", run, restart=self.folder / "nothing", t_end=1)
        before, checkpoint = self.folder / "z~", self.folder / "z"
        before.write_text("1 1 0 0 0 0 0\n1 -1 0 0 0 0 0\n", encoding="utf-8")
        self.refuses("z~: named for an output and for an input, which it would replace: checkpoint and in_file", run,
                     in_file=before, checkpoint=checkpoint, t_end=1)
        for other in ("log", "out"):
            self.refuses(f"z~: named for two outputs, of which one would replace the other: {other} and checkpoint", run, good,
                         checkpoint=checkpoint, t_end=1, **{other: before})

    def test_unknown_arguments_are_told_with_the_nearest_one(self):
        with self.assertRaisesRegex(TypeError, r"^NbodyRun\(\) got .* argument 'evry'\. Did you mean 'every'\?$"):
            grapedr.NbodyRun(start="plummer", n=8, t_end=1, evry=0.5)
        with self.assertRaisesRegex(TypeError, r"^dgemm\(\) got .* argument 'precison'\. Did you mean 'precision'\?$"):
            grapedr.dgemm(np.eye(2), np.eye(2), precison="double")
        with self.assertRaisesRegex(TypeError, r"^Nbody\(\) got .* argument 'machin'\. Did you mean 'machine'\?$"):
            grapedr.Nbody(grapedr.start("plummer", 8), machin="model1800")

    def test_refuse_what_gdr_nbody_refuses(self):
        """Ranges that only the command line knew, and parameters of other models, which had no effect."""
        for name, value, why in (("eps", 2e6, "it must be 0 to 1000000"), ("eta", 11, "it must be 1e-06 to 10"), ("eta", 0, "it must be"),
                                 ("n", 4194305, "plummer has from 2 to 4194304 particles"), ("w0", 3.0, "w0 has no effect without start king"),
                                 ("separation", 3.0, "without start merger"), ("eccentricity", 0.5, "without start binary")):
            self.refuses(why, grapedr.NbodyRun, **{"start": "plummer", "n": 32, "t_end": 0.125, name: value})
        self.refuses("seed has no effect with start binary", grapedr.NbodyRun, start="binary", seed=3, t_end=0.125)
        self.refuses("seed has no effect with start pythagorean", grapedr.start, "pythagorean", seed=1)

    def test_take_kernels_by_their_file_names(self):
        """As gdr nbody --kernel."""
        run = grapedr.NbodyRun(start="plummer", n=32, t_end=0.125, kernel_name="gravity_jerk.vsm")
        self.assertEqual(run.facts["kernel"], "gravity_jerk")

    def test_write_nothing_under_names_of_compressed_files(self):
        for name in ("out", "log", "checkpoint"):
            path = self.folder / "x.csv.gz"
            self.refuses("x.csv.gz is refused: ", grapedr.NbodyRun, start="plummer", n=8, t_end=0, **{name: path})
            self.assertFalse(path.exists())

    def test_compute_without_a_board_when_told(self):
        settings = dict(start="plummer", n=32, t_end=0.125, engine="direct")
        run = grapedr.NbodyRun(**settings, threads=1)
        digest = [output.state_hash for output in run][-1]
        self.assertEqual(run.facts["engine"], "direct")
        self.assertNotIn("kernel", run.facts)
        self.assertEqual([output.state_hash for output in grapedr.NbodyRun(**settings, threads=2)][-1], digest)
        self.refuses("no board", lambda: run.timing)
        self.refuses("no board", run.profile)
        for name, value in (("kernel_name", "gravity_jerk_long"), ("boards", 2), ("machine", "model450"), ("clock_mhz", 333)):
            self.refuses(name, grapedr.NbodyRun, **settings, **{name: value})

    def test_show_themselves(self):
        run = grapedr.NbodyRun(start="plummer", n=32, t_end=0.25, every=0.125).run()
        page = run._repr_html_()
        self.assertIn("plummer 32, seed 1", page)
        self.assertRegex(page, r'<img src="data:image/png;base64,[A-Za-z0-9+/=]{5000,}">')
        self.assertIn("t = 0.25", repr(run))

    def test_show_themselves_in_every_state(self):
        def raises(t, _):
            raise LookupError

        for engine in ("simd", "direct"):
            for name, settings in {"whole": {}, "raising": {"on_block": raises}, "stopped": {"on_block": lambda t, _: False}}.items():
                with self.subTest(engine=engine, name=name):
                    run = grapedr.NbodyRun(start="plummer", n=16, t_end=0.25, every=0.125, engine=engine, **settings)
                    pages = [run._repr_html_()]
                    iteration = iter(run)
                    next(iteration)
                    pages.append(run._repr_html_())
                    try:
                        run.run()
                    except LookupError:
                        pass
                    pages.append(run._repr_html_())
                    for page in pages:
                        self.assertIn("plummer 16, seed 1", page)
                        self.assertEqual("emulated_seconds" in page, engine == "simd")
                    self.assertIn("16, seed 1", repr(run))


class EmulatedSeconds(InFolder):
    def test_hold_the_hosts_part_as_in_gdr_nbody(self):
        report, page = self.folder / "r.json", self.folder / "p.json"
        subprocess.run([GDR, "nbody", "--plummer", "64", "--t-end", "0.25", "--json", report, "--profile", page], check=True,
                       capture_output=True)
        expected = json.loads(report.read_text(encoding="utf-8"))["emulated_seconds"]
        self.assertEqual(json.loads(page.read_text(encoding="utf-8"))["emulated_seconds"], expected)
        run = grapedr.NbodyRun(start="plummer", n=64, t_end=0.25).run()
        p = grapedr.start("plummer", 64)
        bodies = grapedr.Nbody(p)
        bodies.evolve(0.25)
        for each in (run, bodies):
            self.assertGreater(each.timing["host"], 0)
            for _ in range(2):  # what is asked twice is not counted twice
                self.assertEqual(each.timing["total"], expected)
                self.assertEqual(each.profile().seconds, expected)


class Seeds(InFolder):
    def test_are_those_of_gdr_nbody(self):
        for seed in (2**63, 2**64 - 1):
            of_gdr = self.folder / "of_gdr.npz"
            subprocess.run([GDR, "nbody", "--plummer", "16", "--seed", str(seed), "--t-end", "0", "--output", of_gdr], check=True,
                           capture_output=True)
            ours = list(grapedr.NbodyRun(start="plummer", n=16, seed=seed, t_end=0))[-1].particles
            for particles in (ours, grapedr.start("plummer", 16, seed)):
                np.testing.assert_array_equal(particles["position"], np.load(of_gdr)["position"])
        self.refuses("from 0 to 18446744073709551615", grapedr.start, "plummer", 16, 2**64)


class Profiles(InFolder):
    def test_say_what_limits_a_run(self):
        run = grapedr.NbodyRun(start="plummer", n=64, t_end=0.125).run()
        profile = run.profile()
        self.assertAlmostEqual(sum(profile.stages.values()), profile.seconds, delta=1e-12)
        self.assertAlmostEqual(profile.seconds, run.timing["total"] - run.timing["host"] + profile.stages["host"], delta=1e-9)
        self.assertIn("limited by", profile.verdict)
        self.assertEqual(len([line for line in profile.lines if line["section"] == "loop body"]), 48)
        self.assertIn("<img", profile._repr_html_())
        page, file = self.folder / "p.html", self.folder / "p.json"
        profile.save(page)
        profile.save(file)
        self.assertTrue(page.read_text().startswith("<!"))
        self.assertEqual(subprocess.run([GDR, "profile", "compare", file, file], capture_output=True).returncode, 0)
        self.refuses("must end in", profile.save, self.folder / "p.txt")

    def test_timing_is_that_of_a_run(self):
        device = grapedr.Device()
        x = np.random.default_rng(1).normal(size=(200, 3))
        grapedr.accel_jerk_pot(x, x, np.ones(200), eps=0.1, device=device)
        stages = grapedr.timing("gravity_jerk", 200, 200)
        for name in ("i_send", "j_send", "compute", "add", "total", "interactions"):
            self.assertAlmostEqual(stages[name], device.timing[name], delta=1e-12 * max(1, stages[name]))
        self.assertGreater(stages["gflops"], 0)
        self.refuses("ni = -1", grapedr.timing, "gravity_jerk", -1, 3)
        self.refuses(f"ni = {2**63 - 1} is refused: with 1024 j-records it must be at most {2**53 - 1}",
                     grapedr.timing, "gravity_jerk", 2**63 - 1, 1024)
        self.assertEqual(grapedr.timing("gravity_jerk", 2**53 - 1, 1024)["interactions"], 2**63 - 1024)
        self.refuses("external memory", grapedr.timing, "gravity_jerk", 1, 10**9)

    def test_kernels_show_their_schedule(self):
        kernel = grapedr.kernel("gravity_jerk")
        body = [line for line in kernel.schedule() if line["section"] == "loop body"]
        self.assertEqual(len(body), kernel.loop_lines)
        self.assertTrue(any(line["adder"] and line["multiplier"] for line in body))
        page = kernel._repr_html_()
        self.assertEqual(len(re.findall("<tr><td>", page)), len(kernel.schedule()))
        self.assertIn("<details>", page)
        self.assertIn("grapedr.Device model1800: 4 chips", repr(grapedr.Device()))


class Tables(InFolder):
    def test_keep_truth_values(self):
        truths = np.array([[True, False], [False, False], [True, True]])
        for name in ("t.npy", "t.npz", "t.h5", "t.csv"):
            try:
                grapedr.write_table(self.folder / name, {"b": truths[:, 0], "v": truths})
            except grapedr.Error as error:
                self.assertIn("h5py", str(error))
                continue
            read = grapedr.read_table(self.folder / name)
            np.testing.assert_array_equal(read["b"].astype(bool), truths[:, 0])
            np.testing.assert_array_equal(read["v"].astype(bool), truths)

    def test_keep_the_names_of_columns_or_refuse_them(self):
        for column in ("#x", " x", "x[0]", "1", "", "a/b", "a,b", 'a"b', "x"):
            for name in ("t.npy", "t.npz", "t.h5", "t.csv"):
                file = self.folder / name
                try:
                    grapedr.write_table(file, {column: [1.0, 2.0]})
                except (grapedr.Error, ValueError):
                    continue
                self.assertEqual(list(grapedr.read_table(file)), [column], name)
        self.refuses("column name '#x' is refused", grapedr.write_table, self.folder / "t.csv", {"#x": [1.0]})

    def test_have_names_as_long_as_the_file_system_takes(self):
        file = self.folder / ("t" * 251 + ".csv")
        grapedr.write_table(file, {"x": [1, 2]})
        np.testing.assert_array_equal(grapedr.read_table(file)["x"], [1, 2])

    def test_come_back_with_every_bit(self):
        random = np.random.default_rng(5)
        table = {"x": random.normal(size=(7, 3)), "m": random.uniform(size=7), "id": np.arange(7) - 3}
        for name in ("t.npy", "t.npz", "t.h5", "t.csv"):
            with self.subTest(name):
                grapedr.write_table(self.folder / name, table)
                back = grapedr.read_table(self.folder / name)
                self.assertEqual(set(back), set(table))
                for column, values in table.items():
                    np.testing.assert_array_equal(back[column], values)
                    self.assertEqual(back[column].dtype.kind, values.dtype.kind)
        self.assertEqual(len(list(self.folder.iterdir())), 4)
        for name in ("t.npy", "t.npz", "t.csv"):
            (self.folder / f"{name}.gz").write_bytes(gzip.compress((self.folder / name).read_bytes()))
            back = grapedr.read_table(self.folder / f"{name}.gz")
            for column, values in table.items():
                np.testing.assert_array_equal(back[column], values)

    def test_in_csv_may_have_names_in_a_comment(self):
        np.savetxt(self.folder / "t.csv", [[0.5, 1], [2, 3]], delimiter=",", header="x, id", fmt="%g")
        back = grapedr.read_table(self.folder / "t.csv")
        self.assertEqual((list(back), back["x"].tolist(), back["id"].tolist()), (["x", "id"], [0.5, 2], [1, 3]))

    def test_feed_kernels_and_hold_their_results(self):
        kernel = grapedr.kernel("gravity")
        random = np.random.default_rng(6)
        i = {"xi": random.normal(size=(4, 3)), "eps2": np.full(4, 0.01)}
        j = {"xj": random.normal(size=(9, 3)), "mj": np.ones(9)}
        grapedr.write_table(self.folder / "i.npz", i)
        grapedr.write_table(self.folder / "j.csv", j)
        results = kernel.run(grapedr.read_table(self.folder / "i.npz"), grapedr.read_table(self.folder / "j.csv"))
        np.testing.assert_array_equal(results, kernel.run(i, j))
        grapedr.write_table(self.folder / "results.npy", results)
        np.testing.assert_array_equal(grapedr.read_table(self.folder / "results.npy")["acc"], results["acc"])

    def test_gdr_run_reads_their_npy_and_csv(self):
        table = {"xi": np.array([0.0, 1.5])}
        grapedr.write_table(self.folder / "i.npy", table)
        grapedr.write_table(self.folder / "j.csv", {"xj": [1.0, 4.0, -3.0], "mj": [0.5, 2.0, 1.0]})
        kernel = pathlib.Path(os.environ["GDR_DATA_DIR"]) / "kernels/tutorial.vsm"
        command = [GDR, "run", kernel, "--i", self.folder / "i.npy", "--j", self.folder / "j.csv"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(out, ["sum", "5.5", "0.25"])
        for name in ("i.npy", "j.csv"):
            (self.folder / f"{name}.gz").write_bytes(gzip.compress((self.folder / name).read_bytes()))
        command = [GDR, "run", kernel, "--i", self.folder / "i.npy.gz", "--j", self.folder / "j.csv.gz"]
        self.assertEqual(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(), out)
        np.savez_compressed(self.folder / "i.npz", **table)
        command = [GDR, "run", kernel, "--i", self.folder / "i.npz", "--j", self.folder / "j.csv", "-o", self.folder / "out.npz"]
        subprocess.run(command, capture_output=True, check=True)
        self.assertEqual(grapedr.read_table(self.folder / "out.npz")["sum"].tolist(), [5.5, 0.25])

    def test_refuse_what_is_wrong(self):
        write, read = grapedr.write_table, grapedr.read_table
        self.refuses(r"column 'x' is nan at \(1,\)", write, self.folder / "t.npy", {"x": [0, np.nan]})
        self.refuses("one length", write, self.folder / "t.npy", {"x": [0], "y": [0, 1]})
        self.refuses("must end in", write, self.folder / "t.txt", {"x": [0]})
        self.refuses("real numbers", write, self.folder / "t.npz", {"x": ["a"]})
        self.refuses("no names of columns", write, self.folder / "t.npz", np.zeros(3))
        self.assertEqual(list(self.folder.iterdir()), [])
        self.refuses("is not there", read, self.folder / "t.npy")
        text = self.folder / "t.csv"
        text.write_text("# comment\nx,m\n1,2\n3,four\n")
        self.refuses("t.csv:4: 'four' in column 'm' is no number", read, text)
        text.write_text(f"x,n\n1,5\n3,{2**64 - 1}\n")
        self.assertEqual((read(text)["n"].dtype, read(text)["n"].tolist()), (np.uint64, [5, 2**64 - 1]))
        for values, line, value in (((1, 2**64), 3, 2**64), ((2**63, -1), 3, -1), ((-(2**63) - 1, 0), 2, -(2**63) - 1)):
            text.write_text("n\n" + "".join(f"{one}\n" for one in values))
            self.refuses(f"t.csv:{line}: {value} in column 'n' is refused: it must be ", read, text)
        text.write_text(f"n[0],n[1]\n1,{2**64 - 1}\n")
        self.assertEqual(read(text)["n"].tolist(), [[1, 2**64 - 1]])
        text.write_text(f"n[0],n[1]\n-1,{2**64 - 1}\n")
        self.refuses("column 'n' has numbers below 0 and numbers above", read, text)
        text.write_text("#x,m\n#AU,MSun\n1,2\n")
        self.refuses(r"t.csv:2: the columns have units \(AU,MSun\)", read, text)
        (self.folder / "t.csv.gz").write_bytes(gzip.compress(b"x\n1\n" * 100)[:-9])
        self.refuses("t.csv.gz: what gzip packed is damaged", read, self.folder / "t.csv.gz")
        (self.folder / "t.npz").write_bytes(b"x\n1\n")
        self.refuses("t.npz: ", read, self.folder / "t.npz")
        text.write_bytes(b"x\n\xff\n")
        self.refuses("byte 2 is no text in UTF-8", read, text)
        text.write_text("x,m\n1,2\n3\n")
        self.refuses("t.csv:3: 1 numbers instead of 2", read, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
