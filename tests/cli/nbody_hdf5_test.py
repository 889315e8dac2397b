#!/usr/bin/env python3
"""Runs of gdr nbody as HDF5, read by h5py and yt.

    nbody_hdf5_test.py GDR PROJECT [TestCase...]
"""

import csv
import json
import pathlib
import subprocess
import sys
import unittest

import nbody_test


H5PY = """
import sys, h5py, json
with h5py.File(sys.argv[1]) as f:
    found = {"attributes": {k: v if isinstance(v, str) else v.item() for k, v in f.attrs.items()}, "snapshots": {}, "series": {}}
    for name, group in f["particles"].items():
        found["snapshots"][name] = {k: v if isinstance(v, str) else v.item() for k, v in group.attrs.items()}
        found["snapshots"][name]["keys"] = group["keys"][:].tolist()
        for column, values in group["attributes"].items():
            found["snapshots"][name][column] = [float(x).hex() for x in values]
            assert values.attrs["units"].startswith("nbody_system."), column
    for column, values in f.get("series", {}).items():
        assert values.maxshape == (None,), column
        found["series"][column] = [float(x).hex() for x in values]
print(json.dumps(found))
"""


# As docs/nbody.md has it, and what yt then says of the particles.
YT = """
import sys, h5py, json, yt
yt.set_log_level(50)
with h5py.File(sys.argv[1]) as run:
    last = run["particles"][max(run["particles"])]
    columns = {"x": "position_x", "y": "position_y", "z": "position_z", "vx": "velocity_x", "vy": "velocity_y",
               "vz": "velocity_z", "mass": "mass"}
    data = {f"particle_{theirs}": last["attributes"][ours][:] for ours, theirs in columns.items()}
    far = 1.01 * max(abs(data[f"particle_position_{axis}"]).max() for axis in "xyz")
    sphere = yt.load_particles(data, bbox=3 * [[-far, far]], sim_time=last.attrs["timestamp"])
everything = sphere.all_data()
momentum = everything.quantities.angular_momentum_vector(use_gas=False, use_particles=True)
print(json.dumps({"n": len(everything["all", "particle_mass"]), "mass": float(everything["all", "particle_mass"].sum()),
                  "t": float(sphere.current_time), "angular_momentum": [float(value) for value in momentum]}))
"""


class Yt(nbody_test.NbodyTest):
    def test_yt_finds_the_particles_of_a_snapshot(self):
        if not self.has_hdf5():
            self.skipTest("gdr is built without HDF5")
        if subprocess.run(["/usr/bin/python3", "-c", "import yt"], capture_output=True, check=False).returncode != 0:
            self.skipTest("yt is not installed (scripts/setup nightly)")
        report = self.report("--plummer", 64, "--t-end", 0.25, "--output", self.folder / "run.h5")
        done = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", YT, self.folder / "run.h5"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["n"], found["t"]), (64, 0.25))
        self.assertAlmostEqual(found["mass"], 1, places=12)
        for ours, theirs in zip(report["angular_momentum"], found["angular_momentum"]):
            self.assertAlmostEqual(ours, theirs, places=9)


# Snapshots that are wrong or lead elsewhere, a file each; those of the list work.
STRANGERS = """
import os, struct, sys, h5py, numpy as np
os.chdir(sys.argv[1])
COLUMNS = ["mass", "x", "y", "z", "vx", "vy", "vz"]
def snapshot(name, keys=np.arange(2), time=0.0, change=None):
    with h5py.File(name + ".h5", "w") as f:
        group = f.create_group("particles/0000000000")
        group.attrs["step"], group.attrs["timestamp"] = 0, time
        group["keys"] = keys
        at = group.create_group("attributes")
        for k, column in enumerate(COLUMNS):
            at[column] = np.array([0.5, 0.25 + k])
        if change: change(f, group, at)
def replaced(column, **with_):
    def change(f, group, at):
        del at[column]
        at.create_dataset(column, **with_)
    return change
snapshot("right")
snapshot("three_times", time=np.frombuffer(struct.pack("<dQQ", 0.0, 0x1111111111111111, 0x0000414142424343), dtype="<f8"))
snapshot("text_time", time="0.0")
snapshot("halves", keys=np.array([0.5, 1.5]))
snapshot("huge", keys=np.arange(2), change=lambda f, g, at: (g.__delitem__("keys"), g.create_dataset("keys", (10**12,), "i8")))
snapshot("packed", change=replaced("x", data=np.array([0.5, 0.25]), chunks=(2,), compression="gzip"))
def outside(f, group, at):
    del at["x"]
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_external(b"/etc/passwd", 0, 16)
    h5py.h5d.create(at.id, b"x", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((2,)), dcpl)
snapshot("outside", change=outside)
def linked(f, group, at):
    del at["x"]
    at["x"] = h5py.ExternalLink("right.h5", "/particles/0000000000/attributes/x")
snapshot("linked", change=linked)
with h5py.File("led.h5", "w") as f:
    f.create_group("particles")["0000000000"] = h5py.ExternalLink("../right.h5", "/particles/0000000000")
with h5py.File("own.h5", "w") as f:
    f.create_group("particles")["0000000000"] = h5py.ExternalLink("right.h5", "/particles/0000000000")
os.mkfifo("pipe.h5")
"""


class Hdf5(nbody_test.NbodyTest):
    def setUp(self):
        super().setUp()
        if not self.has_hdf5():
            self.skipTest("gdr is built without HDF5")

    def h5py(self, path):
        """What h5py reads; numbers in hexadecimal."""
        done = subprocess.run(["/usr/bin/python3", "-c", H5PY, path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_h5py_reads_snapshots_series_and_provenance(self):
        text = self.report("--plummer", 32, "--t-end", 0.25, *self.outputs("text"))
        self.report("--plummer", 32, "--t-end", 0.25, *self.outputs("run", "s.h5"))
        run = self.h5py(self.folder / "run" / "s.h5")
        for field in ("version", "start", "eps", "eta", "kernel", "kernel_sha256", "machine", "machine_sha256", "clock_mhz",
                      "transfer", "boards", "engine"):
            self.assertEqual(run["attributes"][field], text[field], field)
        with open(self.folder / "text" / "log.csv", encoding="utf-8") as log:
            for row, line in enumerate(csv.DictReader(log)):
                for column, value in line.items():
                    self.assertEqual(run["series"][column][row], float(value or "nan").hex(), column)
        self.assertEqual(sorted(run["snapshots"]), [f"{n:010}" for n in range(5)])
        for number in range(5):
            step, count, t, *rows = (self.folder / "text" / f"s-{number:04}.txt").read_text(encoding="utf-8").splitlines()
            found = run["snapshots"][f"{number:010}"]
            self.assertEqual((found["step"], found["number_of_particles"], found["timestamp"]), (int(step), int(count), float(t)))
            self.assertEqual(self.h5py(self.folder / "run" / f"s-{number:04}.h5")["snapshots"][f"{number:010}"], found)
            for k, row in enumerate(rows):
                index, *values = row.split()
                self.assertEqual(found["keys"][k], int(index))
                for column, value in zip(("mass", "x", "y", "z", "vx", "vy", "vz"), values):
                    self.assertEqual(found[column][k], float(value).hex())

    def test_a_run_begins_at_time_and_step_of_the_last_snapshot(self):
        for form in ("txt", "h5"):
            self.run_gdr("--plummer", 16, "--t-end", 0.125, "--output", self.folder / f"s.{form}", "--out-every", 0.0625)
        reports = [self.report("--in", self.folder / f"s.{form}", "--t-end", 0.25, "--output", self.folder / f"again.{form}") for form in ("txt", "h5")]
        self.assertEqual(reports[0]["state_hash"], reports[1]["state_hash"])
        step = int((self.folder / "again.txt").read_text(encoding="utf-8").split()[0])
        snapshots = self.h5py(self.folder / "again.h5")["snapshots"]
        self.assertEqual([(s["timestamp"], s["step"]) for s in snapshots.values()], [(0.25, step)])
        (self.folder / "bad.h5").write_text("no HDF5")
        self.assertIn("bad.h5: it is no HDF5 file", self.run_gdr("--in", self.folder / "bad.h5", "--t-end", 1, expected=1).stderr)

    def test_files_of_strangers_do_no_harm(self):
        done = subprocess.run(["/usr/bin/python3", "-c", STRANGERS, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("right", "own"):
            self.run_gdr("--in", self.folder / f"{name}.h5", "--t-end", 0.0625, "--eps", 0.1)
        for name, why in (("three_times", "attribute timestamp is no single number"),
                          ("text_time", "attribute timestamp is no single number"),
                          ("halves", "dataset keys holds no integers"),
                          ("huge", "dataset keys has 1000000000000 rows, but the file holds no such data"),
                          ("packed", "dataset x is compressed"),
                          ("outside", "dataset x is in another file"),
                          ("linked", "dataset x is a link that leads elsewhere"),
                          ("led", "particles/0000000000 is a link that leads elsewhere"),
                          ("pipe", "it is no regular file")):
            errors = self.run_gdr("--in", self.folder / f"{name}.h5", "--t-end", 0.0625, expected=1).stderr
            self.assertIn(f"{name}.h5: {why}", errors)

    def test_a_restart_appends(self):
        begin = ["--plummer", 32, "--seed", 3]
        self.run_gdr(*begin, "--t-end", 0.25, *self.outputs("whole", "s.h5"))
        parts = self.outputs("parts", "s.h5")
        self.run_gdr(*begin, "--t-end", 0.125, *parts)
        self.run_gdr("--restart", self.folder / "parts" / "ck", "--t-end", 0.25, *parts)
        self.assertEqual(self.files("parts"), self.files("whole"))

    def test_a_file_of_another_run_is_left_alone(self):
        self.run_gdr("--plummer", 16, "--t-end", 0.125, *self.outputs("run", "s.h5"))
        self.run_gdr("--plummer", 16, "--t-end", 0.0625, "--output", self.folder / "other.h5")
        other = (self.folder / "other.h5").read_bytes()
        errors = self.run_gdr("--restart", self.folder / "run" / "ck", "--t-end", 0.25, "--output", self.folder / "other.h5", expected=1).stderr
        self.assertIn("other.h5: is not the file", errors)
        self.assertEqual((self.folder / "other.h5").read_bytes(), other)


if __name__ == "__main__":
    nbody_test.GDR, nbody_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
