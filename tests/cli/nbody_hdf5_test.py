#!/usr/bin/env python3
"""Runs of gdr nbody as HDF5, read by h5py and yt.

    nbody_hdf5_test.py GDR PROJECT [TestCase...]
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import unittest

import nbody_test

DIRECT = ["--engine", "direct", "--threads", 1]

H5PY = """
import sys, h5py, json
with h5py.File(sys.argv[1]) as f:
    found = {"attributes": {k: v if isinstance(v, str) else v.item() for k, v in f.attrs.items()}, "snapshots": {}, "series": {}}
    for name, group in f["particles"].items():
        found["snapshots"][name] = {k: v if isinstance(v, str) else v.item() for k, v in group.attrs.items() if k != "class_of_the_particles"}
        found["snapshots"][name]["keys"] = group["keys"][:].tolist()
        for column, values in group["attributes"].items():
            found["snapshots"][name][column] = [float(x).hex() for x in values]
            assert "system.get('generic').base(" in values.attrs["units"], column
    for column, values in f.get("series", {}).items():
        assert values.maxshape == (None,), column
        found["series"][column] = [float(x).hex() for x in values]
print(json.dumps(found))
"""


# As docs/nbody/nbody.md has it, and what yt then says of the particles.
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
        group = f.create_group("particles/0000000001")
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
    at["x"] = h5py.ExternalLink("right.h5", "/particles/0000000001/attributes/x")
snapshot("linked", change=linked)
with h5py.File("led.h5", "w") as f:
    f.create_group("particles")["0000000001"] = h5py.ExternalLink("../right.h5", "/particles/0000000001")
with h5py.File("own.h5", "w") as f:
    f.create_group("particles")["0000000001"] = h5py.ExternalLink("right.h5", "/particles/0000000001")
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
        self.assertEqual(sorted(run["snapshots"]), [f"{n:010}" for n in range(1, 6)])
        for number in range(5):
            step, count, t, *rows = (self.folder / "text" / f"s-{number:04}.txt").read_text(encoding="utf-8").splitlines()
            found = run["snapshots"][f"{number + 1:010}"]
            self.assertEqual((found["step"], found["number_of_particles"], found["timestamp"]), (int(step), int(count), float(t)))
            self.assertEqual(self.h5py(self.folder / "run" / f"s-{number:04}.h5")["snapshots"], {"0000000001": found})
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
        for name in ("right", "own", "packed"):
            self.run_gdr("--in", self.folder / f"{name}.h5", "--t-end", 0.0625, "--eps", 0.1)
        for name, why in (("three_times", "attribute timestamp is no single number"),
                          ("text_time", "attribute timestamp is no single number"),
                          ("halves", "dataset keys holds no integers"),
                          ("huge", "dataset keys has 1000000000000 rows, but the file holds no such data"),
                          ("outside", "dataset x is in another file"),
                          ("linked", "dataset x is a link that leads elsewhere"),
                          ("led", "particles/0000000001 is a link that leads elsewhere"),
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


# AMUSE's reader and writers of particle sets, after its source of 2025-12 (src/amuse/io/store_v1.py, store_v2.py,
# src/amuse/units/core.py): groups are places in a list, units are evaluated, the set's class is unpickled.
AMUSE_READER = """
import io, json, pickle, sys, h5py
class Unit:
    def __init__(self, name, factor=1): self.name, self.factor = name, factor
    def __mul__(self, other): return Unit(f"{self.name} {other.name}", self.factor * other.factor)
    def __rmul__(self, number): return Unit(self.name, number * self.factor)
    def __pow__(self, power): return Unit(f"{self.name}^{power}", self.factor**power)
    def shown(self): return self.name if self.factor == 1 else [self.name, self.factor]
class System:
    def __init__(self, name): self.name = name
    @staticmethod
    def get(name): return System(name)
    def base(self, quantity): return Unit(f"{self.name}.{quantity}")
class Unpickler(pickle.Unpickler):
    def find_class(self, module, name): return (module, name)
def text(value): return value if isinstance(value, str) else value.decode("ascii")
def unit(value): return eval(text(value), {"__builtins__": {}, "system": System}).shown()
with h5py.File(sys.argv[1], "r") as f:
    container = f["particles"]
    sets = [None] * len(container)
    for name in container.keys():
        group = container[name]
        assert text(group.attrs["type"]) == "particles"
        kind = Unpickler(io.BytesIO(bytes(group.attrs["class_of_the_particles"])), encoding="bytes").load()
        at = group["attributes"]
        assert len(group["keys"]) == group.attrs["number_of_particles"]
        sets[int(name) - 1] = {"class": list(kind), "t": [float(group.attrs["timestamp"]), unit(group.attrs["timestamp_unit"])],
                               "keys": group["keys"][:].tolist(),
                               "values": {column: [at[column][:].tolist(), unit(at[column].attrs["units"])] for column in at}}
    print(json.dumps(sets))
"""
AMUSE_WRITER = """
import os, sys, h5py, numpy as np
os.chdir(sys.argv[1])
GENERIC, SI = "system.get('generic')", "system.get('S.I.')"
draw = np.random.default_rng(1)
def write(name, parent, system=GENERIC, time=None, keys=None, encode=lambda text: text.encode("ascii"), units={}, draw=draw, **pack):
    rows = draw.normal(size=(7, 16))
    with h5py.File(name, "w") as f:
        if parent == "data": f.create_group("AMUSE_INF").attrs["version"] = "2.0"
        for number in (1, 2):
            group = f.create_group(f"{parent}/{number:010}")
            group.attrs["type"] = encode("particles")
            group.attrs["number_of_particles"] = 16
            group.attrs["class_of_the_particles"] = np.void(b"camuse.datamodel.particles\\nParticles\\np0\\n.")
            group.create_dataset("keys", data=draw.integers(2**63, 2**64, size=16, dtype=np.uint64) if keys is None else keys, **pack)
            if time is not None:
                group.attrs["timestamp"], group.attrs["timestamp_unit"] = time, encode(units.get("time", f"{system}.base('time')"))
            at = group.create_group("attributes")
            def put(column, values, unit): at.create_dataset(column, data=values, **pack).attrs["units"] = encode(units.get(column, unit))
            put("mass", np.full(16, 1 / 16), f"{system}.base('mass')")
            put("radius", np.zeros(16), f"{system}.base('length')")
            for k, column in enumerate("xyz"): put(column, rows[k], f"{system}.base('length')")
            for k, column in enumerate(("vx", "vy", "vz")): put(column, 0.1 * rows[3 + k], f"({system}.base('length') * ({system}.base('time')**-1))")
write("v1.h5", "particles")
write("v1_time.h5", "particles", time=0.25)
write("v2.h5", "data", encode=str, compression=False)  # which h5py takes for gzip's level 0
write("own_keys.h5", "particles", keys=np.arange(100, 116, dtype=np.uint64))
write("escapes.h5", "particles", "\\x1b]0;", time=0.0)
write("hot.h5", "particles", SI, time=0.0, units={"vy": f"{SI}.base('thermodynamic temperature')"})
write("wrong.h5", "particles", SI, time=0.0, units={"x": f"{SI}.base('mass')"})
write("mixed.h5", "particles", SI, time=0.0, units={"mass": f"{GENERIC}.base('mass')"})
write("number.h5", "particles", units={"vx": 5}, encode=lambda text: text)
write("plain_mass.h5", "particles", SI, time=0.0, units={"mass": "none"})
# to_simple_form() of MSun, parsec, AU, kms and Myr
own = {"mass": f"(1.98892e+30 * {SI}.base('mass'))", "vx": f"((1000.0 * {SI}.base('length')) * ({SI}.base('time')**-1))",
       "x": f"(3.08567758128e+16 * {SI}.base('length'))", "z": f"(149597870691.0 * {SI}.base('length'))",
       "time": f"(3.155692599e+13 * {SI}.base('time'))"}
own |= {"y": own["x"], "vy": own["vx"], "vz": own["vx"]}
for name, parent in (("suns.h5", "particles"), ("suns2.h5", "data")): write(name, parent, time=3.0, units=own, draw=np.random.default_rng(2))
"""


class Amuse(nbody_test.NbodyTest):
    def setUp(self):
        super().setUp()
        if not self.has_hdf5():
            self.skipTest("gdr is built without HDF5")

    def python(self, program, *arguments):
        done = subprocess.run(["/usr/bin/python3", "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_its_reader_finds_every_snapshot_of_a_run(self):
        self.run_gdr("--plummer", 32, "--t-end", 0.25, *self.outputs("run", "s.h5"))
        self.run_gdr("--plummer", 32, "--t-end", 0.25, "--output", self.folder / "single.h5")
        sets = json.loads(self.python(AMUSE_READER, self.folder / "run" / "s.h5"))
        self.assertEqual([found["t"] for found in sets], [[k / 16, "generic.time"] for k in range(5)])
        self.assertEqual(json.loads(self.python(AMUSE_READER, self.folder / "single.h5")), sets[-1:])
        self.assertEqual(json.loads(self.python(AMUSE_READER, self.folder / "run" / "s-0003.h5")), sets[3:4])
        for found in sets:
            self.assertEqual(found["class"], ["amuse.datamodel.particles", "Particles"])
            self.assertEqual(found["keys"], list(range(32)))
            units = {column: unit for column, (_, unit) in found["values"].items()}
            speed = "generic.length generic.time^-1"
            self.assertEqual(units, {"mass": "generic.mass", "x": "generic.length", "y": "generic.length",
                                     "z": "generic.length", "vx": speed, "vy": speed, "vz": speed})

    def times_in(self, file):
        return [found["t"][0] for found in json.loads(self.python(AMUSE_READER, self.folder / file))]

    def test_its_reader_finds_every_snapshot_of_restarted_runs(self):
        checkpoint = self.folder / "ck"
        first = ["--plummer", 32, "--t-end", 0.25, "--checkpoint", checkpoint]
        further = ["--restart", checkpoint, "--t-end", 0.5, "--checkpoint", checkpoint]
        every = ["--out-every", 0.125]
        # To another file.
        self.run_gdr(*first, *every, "--output", self.folder / "s.h5")
        self.run_gdr("--restart", checkpoint, "--t-end", 0.5, *every, "--output", self.folder / "other.h5")
        self.assertEqual(self.times_in("other.h5"), [0.375, 0.5])
        # To the same file, which then holds the last snapshot behind links to those before.
        self.run_gdr(*further, "--output", self.folder / "s.h5")
        self.assertEqual(self.times_in("s.h5"), [0, 0.125, 0.25, 0.5])
        # A snapshot in the file itself is kept when links to later ones follow.
        self.run_gdr("--restart", checkpoint, "--t-end", 0.75, *every, "--output", self.folder / "s.h5")
        self.assertEqual(self.times_in("s.h5"), [0, 0.125, 0.25, 0.5, 0.625, 0.75])
        self.run_gdr(*first, "--output", self.folder / "x.h5")
        (self.folder / "x-0000.h5").write_text("notes")
        done = self.run_gdr(*further, *every, "--output", self.folder / "x.h5", expected=1)
        self.assertIn("x-0000.h5: the snapshot in", done.stderr)
        self.assertEqual((self.folder / "x-0000.h5").read_text(), "notes")
        (self.folder / "x-0000.h5").unlink()
        self.run_gdr(*further, *every, "--output", self.folder / "x.h5")
        self.assertEqual(self.times_in("x.h5"), [0.25, 0.375, 0.5])

    def test_its_files_are_read(self):
        self.python(AMUSE_WRITER, self.folder)
        for name, begin in (("v1", 0), ("v1_time", 0.25), ("v2", 0), ("own_keys", 0)):
            report = self.report("--in", self.folder / f"{name}.h5", "--t-end", 0.25 + begin, "--eps", 0.1)
            self.assertEqual((report["n"], report["t_begin"]), (16, begin), name)
        for name, first in (("v1", 0), ("own_keys", 100)):
            self.assertEqual([int(row["id"]) for row in self.rows(self.folder / f"{name}.h5")], list(range(first, first + 16)))

    def begin(self, start, *options, near=0.0):
        """At which time the program starts, if this is near the expected one."""
        return self.report("--in", start, "--t-end", near + min(1e-4 * (1 + near), 1), "--eps", 0.1, "--max-energy-error", 1e9, *DIRECT, *options)["t_begin"]

    def rows(self, start, *options, near=0.0):
        """What the program starts with."""
        begin = self.begin(start, *options, near=near)
        self.run_gdr("--in", start, "--t-end", begin, "--output", self.folder / "rows.csv", *DIRECT, *options)
        with open(self.folder / "rows.csv", encoding="utf-8") as rows:
            return list(csv.DictReader(rows))

    def test_units_of_its_files_are_converted(self):
        self.python(AMUSE_WRITER, self.folder)
        program = "import sys, h5py, json; at = h5py.File(sys.argv[1])[sys.argv[2] + '/0000000002/attributes']; " \
                  "print(json.dumps({c: at[c][:].tolist() for c in at}))"
        gravity, msun, parsec, au, kms, myr = 6.6743e-11, 1.98892e30, 3.08567758128e16, 149597870691.0, 1e3, 3.155692599e13
        # Without --units in the first units of the file, with them in these; nominal suns and parsecs of the IAU.
        for name, parent, options, mass, length in (
            ("suns.h5", "particles", [], msun, parsec), ("suns2.h5", "data", [], msun, parsec),
            ("suns.h5", "particles", ["--units", "kg,m,m/s"], 1, 1),
            ("suns2.h5", "data", ["--units", "msun,pc,km/s"], 1.3271244e20 / gravity, 648000 / math.pi * 149597870700),
        ):
            theirs = json.loads(self.python(program, self.folder / name, parent))
            second = math.sqrt(length**3 / (gravity * mass))  # a unit of time
            unit = {"mass": msun / mass, "x": parsec / length, "y": parsec / length, "z": au / length}
            unit |= {column: kms * second / length for column in ("vx", "vy", "vz")}
            rows = self.rows(self.folder / name, *options, near=3 * myr / second)
            for column, factor in unit.items():
                for row, value in zip(rows, theirs[column], strict=True):
                    self.assertTrue(math.isclose(float(row[column.replace("mass", "m")]), factor * value, rel_tol=1e-12), (name, column))
            begin = self.begin(self.folder / name, *options, near=3 * myr / second)
            self.assertTrue(math.isclose(begin, 3 * myr / second, rel_tol=1e-12))
        self.assertIn("suns.h5: the columns have units (1.98892e+30 kg, 3.08568e+16 m, km/s) and are converted to masses in 1.98892e+30 kg",
                      self.run_gdr("--in", self.folder / "suns.h5", "--t-end", 1, "--eps", 1, *DIRECT).stderr)

    def test_units_that_are_not_understood_are_refused(self):
        self.python(AMUSE_WRITER, self.folder)
        for name, why, *options in (
            ("escapes", r"column t: unit '\x1b]0;.base('time')' is refused at character 1: a number, the name of a unit"),
            ("hot", "column vy: unit 'system.get('S.I.').base('thermodynamic temperature')' is refused at character 1: 'thermodynamic "
                    "temperature' must be one of mass, length, time"),
            ("wrong", "column x: unit 'system.get('S.I.').base('mass')' is refused: it is mass^1 length^0 time^0, not a length"),
            ("number", "column vx: attribute units is no single text"),
            ("mixed", "column m [system.get('generic').base('mass')] is in a generic unit, in which G = 1, but column"),
            ("plain_mass", "has a unit, but masses have none: name the units of all by --units MASS,m,m/s"),
            ("v1", "is in a generic unit, in which G = 1, and cannot be converted to kg,m,m/s: leave out --units", "--units", "kg,m,m/s"),
        ):
            errors = self.run_gdr("--in", self.folder / f"{name}.h5", "--t-end", 1, *options, expected=1).stderr
            self.assertIn(f"{name}.h5: ", errors)
            self.assertIn(why, errors)

    def test_a_run_with_units_writes_them_and_reads_them_back_to_the_bit(self):
        start = self.folder / "start.txt"
        start.write_text("".join(f"{0.5 + k / 7} {k % 3 - 1.1} {k / 9} {k % 5 / 3} {k % 2 / 5 - 0.1} {k / 90} {0.07 - k / 80}\n" for k in range(16)), "utf-8")
        units = ["--units", "msun,pc,km/s"]
        self.run_gdr("--in", start, *units, "--t-end", 0.0625, "--eps", 0.1, *self.outputs("whole", "s.h5"), *DIRECT)
        self.run_gdr("--in", start, *units, "--t-end", 0.0625, "--eps", 0.1, "--output", self.folder / "end.csv", *DIRECT)
        found = json.loads(self.python(AMUSE_READER, self.folder / "whole" / "s.h5"))[-1]
        msun, parsec = 1.3271244e20 / 6.6743e-11, 648000 / math.pi * 149597870700
        second = math.sqrt(parsec**3 / 1.3271244e20)
        for (name, factor), kind, expected in ((found["values"]["mass"][1], "S.I..mass", msun), (found["values"]["z"][1], "S.I..length", parsec),
                                               (found["values"]["vx"][1], "S.I..length S.I..time^-1", parsec / second), (found["t"][1], "S.I..time", second)):
            self.assertEqual(name, kind)
            self.assertTrue(math.isclose(factor, expected, rel_tol=1e-14), name)
        with open(self.folder / "end.csv", encoding="utf-8") as rows:
            end = list(csv.DictReader(rows))
        for options in ([], units):
            self.assertEqual(self.rows(self.folder / "whole" / "s.h5", *options, near=0.0625), end)
        # A restart keeps them.
        parts = self.outputs("parts", "s.h5")
        self.run_gdr("--in", start, *units, "--t-end", 0, "--eps", 0.1, *parts, *DIRECT)
        self.run_gdr("--restart", self.folder / "parts" / "ck", "--t-end", 0.0625, *parts, *DIRECT)
        self.assertEqual(self.files("parts"), self.files("whole"))


# Files as Gadget (users' guide, section on HDF5) and NBODY6++GPU (src/Main/custom_output_facility.F of 2021) write them.
FOREIGN_WRITER = """
import os, sys, h5py, numpy as np
os.chdir(sys.argv[1])
draw = np.random.default_rng(1)
def gadget(name, counts=(0, 16, 0, 0, 4, 0), table=(0, 1 / 20, 0, 0, 0, 0), files=1, wrong=0, draw=draw, **pack):
    with h5py.File(name + ".hdf5", "w") as f:
        head = f.create_group("Header").attrs
        head["NumPart_ThisFile"], head["MassTable"] = np.array(counts, np.int32), np.array(table)
        head["Time"], head["NumFilesPerSnapshot"], head["Redshift"] = 0.25, files, 0.0
        first = 1
        for kind, count in enumerate(counts):
            if count == 0: continue
            part = f.create_group(f"PartType{kind}")
            part.create_dataset("Coordinates", data=draw.normal(size=(count + wrong, 3)).astype(np.float32), **pack)
            part.create_dataset("Velocities", data=0.2 * draw.normal(size=(count, 3)), **pack)
            part.create_dataset("ParticleIDs", data=np.arange(first, first + count, dtype=np.uint32), **pack)
            if table[kind] == 0: part["Masses"] = np.full(count, 1 / 20, np.float32)
            first += count
gadget("right")
gadget("gas", counts=(16, 4, 0, 0, 0, 0))
gadget("split", files=2)
gadget("short", wrong=-1)
for name, pack in (("plain", {}), ("level0", {"compression": "gzip", "compression_opts": 0}), ("level9", {"compression": "gzip", "compression_opts": 9}),
                   ("shuffled", {"compression": "gzip", "shuffle": True}), ("only_shuffled", {"shuffle": True})):
    gadget(name, counts=(0, 200, 0, 0, 4, 0), draw=np.random.default_rng(2), **pack)
gadget("tiled", counts=(0, 200, 0, 0, 4, 0), draw=np.random.default_rng(2))
with h5py.File("tiled.hdf5", "a") as f:
    for column in ("Velocities", "Coordinates"):
        data = f["PartType1"].pop(column)[:]
        f["PartType1"].create_dataset(column, data=data, chunks=(7, 2), compression="gzip", shuffle=True)
# Gadget's usual units: 10^10 suns, kpc, km/s, in the names of Gadget 4 and of Gizmo.
cgs = (1.989e43, 3.085678e21, 1e5)
for name, group, names, hubble in (("usual", "Parameters", ("UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"), 1.0),
                                   ("gizmo", "Header", ("UnitMass_In_CGS", "UnitLength_In_CGS", "UnitVelocity_In_CGS"), None),
                                   ("hubble", "Parameters", ("UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"), 0.7)):
    gadget(name, draw=np.random.default_rng(2))
    with h5py.File(name + ".hdf5", "a") as f:
        for key, value in zip(names, cgs): f.require_group(group).attrs[key] = value
        if hubble: f["Header"].attrs["HubbleParam"] = hubble
    if hubble == 0.7:  # where Gadget 4 has it
        gadget("hubble4", draw=np.random.default_rng(2))
        with h5py.File("hubble4.hdf5", "a") as f:
            for key, value in zip((*names, "HubbleParam"), (*cgs, hubble)): f.require_group(group).attrs[key] = value
# Headers of parts of a snapshot, and of runs in an expanding space: by the redshift, and by what Gadget 4, Gizmo and
# SWIFT say of the run. The last one is none, although it has a redshift.
def with_header(name, group="Header", **attributes):
    gadget(name)
    with h5py.File(name + ".hdf5", "a") as f:
        for key, value in attributes.items(): f.require_group(group).attrs[key.replace("_run", " run")] = value
with_header("part", NumPart_Total=np.array([0, 40, 0, 0, 4, 0], np.uint32))
with_header("redshift", Redshift=1.0, Time=0.5, Omega0=0.3)
with_header("now", Time=1.0, Omega0=0.3)
with_header("comoving4", "Parameters", ComovingIntegrationOn=1)
with_header("gizmo_comoving", ComovingIntegrationOn=1)
with_header("swift_comoving", "Cosmology", Cosmological_run=np.array([1]))
with_header("newtonian4", "Parameters", ComovingIntegrationOn=0)
with h5py.File("newtonian4.hdf5", "a") as f: f["Header"].attrs["Redshift"] = 1.0
# SWIFT's units: suns, parsecs, and the time that makes a km/s.
gadget("swift", draw=np.random.default_rng(2))
with h5py.File("swift.hdf5", "a") as f:
    f["Header"].attrs["Time"] = np.array([0.25])
    for key, value in (("mass in cgs (U_M)", 1.988409870698051e33), ("length in cgs (U_L)", 3.0856775814913673e18),
                       ("time in cgs (U_t)", 3.0856775814913673e13)):
        f.require_group("Units").attrs["Unit " + key] = np.array([value])
gadget("plain_units", draw=np.random.default_rng(2))
gadget("checked", fletcher32=True)
gadget("packed", compression="lzf")
# Chunks that do not hold what they should: fewer bytes, more, others; and few bytes for very many numbers.
def chunk(name, bytes, rows=16, chunk=16):
    gadget(name)
    with h5py.File(name + ".hdf5", "a") as f:
        del f["PartType1/Velocities"]
        made = f["PartType1"].create_dataset("Velocities", (rows, 3), chunks=(chunk, 3), maxshape=(None, 3), compression="gzip", dtype="f8")
        made.id.write_direct_chunk((0, 0), bytes)
import zlib
chunk("fewer", zlib.compress(bytes(16 * 3 * 8 - 8)))
chunk("more", zlib.compress(bytes(16 * 3 * 8 + 8)))
chunk("other", b"no chunk")
chunk("cut", zlib.compress(np.arange(48.0).tobytes())[:-20])
chunk("missing", zlib.compress(bytes(8 * 3 * 8)), chunk=8)
chunk("bomb", zlib.compress(bytes(1000)), chunk=2**26)
def nbody6(name, stars, binary_in_singles=True):
    with h5py.File(name + ".h5part", "w") as f:
        for step in range(11):
            group = f.create_group(f"Step#{step}")
            group.attrs["Time"], group.attrs["N_STAR"] = np.float32(step / 4), np.int32(len(stars))
            group["000 Scalars"] = np.zeros(100, np.float32)
            for column in ("001 X1", "002 X2", "003 X3", "004 V1", "005 V2", "006 V3"):
                group[column] = (0.3 * draw.normal(size=len(stars)) + step).astype(np.float32)
            group["023 M"] = np.full(len(stars), 1 / 16, np.float32)
            group["032 Name"] = np.array(stars, np.int32)
            group["161 Bin Name1"], group["162 Bin Name2"], group["163 Bin cm Name"] = (np.array([k], np.int32) for k in (3, 4, 1003))
nbody6("right", [*range(1, 17), 1003])
nbody6("apart", [1, 2, *range(5, 17)])
"""


class Foreign(nbody_test.NbodyTest):
    def setUp(self):
        super().setUp()
        if not self.has_hdf5():
            self.skipTest("gdr is built without HDF5")
        done = subprocess.run(["/usr/bin/python3", "-c", FOREIGN_WRITER, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, name, *options):
        """Rows of the particles that `name` starts with, by their ids; and the program's notes."""
        done = self.run_gdr("--in", self.folder / name, "--t-end", 10, "--eps", 0.1, *options, "--max-energy-error", 0, expected=1)
        return self.particles(name), done.stderr

    def particles(self, name):
        self.run_gdr("--in", self.folder / name, "--t-end", self.begin(name), "--eps", 0.1, "--output", self.folder / "rows.csv",
                     "--out-format", "csv")
        with open(self.folder / "rows.csv", encoding="utf-8") as lines:
            return {int(row["id"]): row for row in csv.DictReader(lines)}

    def begin(self, name):
        return 2.5 if name.endswith("h5part") else 0.25

    def test_gadgets_hdf5_is_read(self):
        rows, notes = self.rows("right.hdf5")
        self.assertEqual(list(rows), list(range(1, 21)))
        self.assertEqual({float(row["m"]) for row in rows.values()}, {0.05, float.fromhex("0x1.99999ap-5")})  # double, float
        self.assertNotIn("gas", notes)
        self.assertIn("16 of 20 particles are gas", self.rows("gas.hdf5")[1])

    def test_units_in_gadgets_hdf5_are_converted(self):
        gram, cm, cm_s = 1.989e43, 3.085678e21, 1e5
        second = math.sqrt(cm**3 / (6.6743e-8 * gram))
        plain = self.particles("plain_units.hdf5")
        # HubbleParam divides the units of mass and length, so that it leaves G M / (R V^2) as it is.
        for name in ("usual.hdf5", "gizmo.hdf5", "hubble.hdf5", "hubble4.hdf5"):
            began = 0.25 * cm / cm_s / second
            begin = self.report("--in", self.folder / name, "--t-end", began + 1e-3, "--eps", 0.1, *DIRECT)["t_begin"]
            self.assertTrue(math.isclose(begin, began, rel_tol=1e-12))
            # Masses and places keep their numbers, speeds have the unit that makes G = 1.
            self.run_gdr("--in", self.folder / name, "--t-end", begin, "--output", self.folder / "units.csv", *DIRECT)
            with open(self.folder / "units.csv", encoding="utf-8") as lines:
                rows = {int(row["id"]): row for row in csv.DictReader(lines)}
            for particle, row in rows.items():
                self.assertEqual([row[c] for c in ("m", "x", "y", "z")], [plain[particle][c] for c in ("m", "x", "y", "z")])
                self.assertTrue(math.isclose(float(row["vx"]), float(plain[particle]["vx"]) * cm_s * second / cm, rel_tol=1e-12))

    def test_hubbles_parameter_divides_the_units_of_mass_and_length(self):
        for name in ("hubble.hdf5", "hubble4.hdf5"):
            notes = self.run_gdr("--in", self.folder / name, "--t-end", 51.86, "--eps", 0.1, *DIRECT).stderr
            self.assertIn("the columns have units (2.84143e+40 kg, 4.40811e+19 m, km/s)", notes)
            self.assertNotIn("states no units", notes)

    def test_swifts_units_are_converted(self):
        plain = self.particles("plain_units.hdf5")
        second = math.sqrt(3.0856775814913673e18**3 / (6.6743e-8 * 1.988409870698051e33))
        began = 0.25 * 3.0856775814913673e13 / second
        begin = self.report("--in", self.folder / "swift.hdf5", "--t-end", began + 1e-3, "--eps", 0.1, *DIRECT)["t_begin"]
        self.assertTrue(math.isclose(begin, began, rel_tol=1e-12))
        self.run_gdr("--in", self.folder / "swift.hdf5", "--t-end", begin, "--output", self.folder / "units.csv", *DIRECT)
        with open(self.folder / "units.csv", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                expected = float(plain[int(row["id"])]["vx"]) * second / 3.0856775814913673e13
                self.assertTrue(math.isclose(float(row["vx"]), expected, rel_tol=1e-12))

    def test_units_that_are_not_stated_are_told_of(self):
        self.assertIn("the file states no units: numbers are taken as they are, with G = 1", self.rows("right.hdf5")[1])

    def test_cosmological_snapshots_are_refused(self):
        for name, why in (("redshift", "Redshift = 1"), ("now", "Omega0 = 0.3 at Time = 1"), ("comoving4", "ComovingIntegrationOn = 1"),
                          ("gizmo_comoving", "ComovingIntegrationOn = 1"), ("swift_comoving", "Cosmological run = 1")):
            errors = self.run_gdr("--in", self.folder / f"{name}.hdf5", "--t-end", 1, expected=1).stderr
            self.assertIn(f"{name}.hdf5: the snapshot is cosmological ({why}): coordinates are comoving", errors)
        self.assertEqual(len(self.particles("newtonian4.hdf5")), 20)

    def test_what_gadgets_hdf5_does_not_hold_is_refused(self):
        for name, why in (("split", "the snapshot is in 2 files: write it into one"),
                          ("part", "the snapshot has 40 particles of type 1, and this file 16 of them: write it into one"), ("short", "dataset Coordinates is no table of 3 columns and 16 rows"),
                          ("packed", "dataset ParticleIDs has filter 32000 (lzf), of which only deflate (gzip) and shuffle are read"),
                          ("checked", "dataset ParticleIDs has filter 3 (fletcher32)"),
                          ("fewer", "dataset Velocities: the chunk at row 0: the packed bytes do not make the 384 bytes declared"),
                          ("more", "dataset Velocities: the chunk at row 0: the packed bytes do not make the 384 bytes declared"),
                          ("other", "dataset Velocities: the chunk at row 0: the packed bytes are damaged"),
                          ("cut", "dataset Velocities: the chunk at row 0: the packed bytes end too early"),
                          ("missing", "dataset Velocities: the chunk at row 8 is not in the file"),
                          ("bomb", "dataset Velocities has 1 chunks of 201326592 numbers, but the file holds no such data")):
            errors = self.run_gdr("--in", self.folder / f"{name}.hdf5", "--t-end", 1, expected=1).stderr
            self.assertIn(f"{name}.hdf5: {why}", errors)

    def test_packed_datasets_give_the_numbers_of_plain_ones(self):
        plain = self.particles("plain.hdf5")
        self.assertEqual(len(plain), 204)
        for name in ("level0", "level9", "shuffled", "only_shuffled", "tiled"):
            self.assertEqual(self.particles(f"{name}.hdf5"), plain, name)

    def test_the_last_step_of_nbody6s_h5part_is_read_without_centres_of_pairs(self):
        rows, notes = self.rows("right.h5part")
        self.assertEqual(list(rows), list(range(1, 17)))
        self.assertGreater(min(float(row["x"]) for row in rows.values()), 7)  # of Step#10, not of Step#9
        self.assertIn("1 centres of mass of binaries are left out", notes)
        self.assertIn("Step#10 is in single precision", notes)
        errors = self.run_gdr("--in", self.folder / "apart.h5part", "--t-end", 1, expected=1).stderr
        self.assertIn("star 3 is in the datasets of binaries", errors)

    def test_h5py_reads_the_gadget_that_is_written(self):
        self.run_gdr("--plummer", 16, "--t-end", 0.25, "--output", self.folder / "out.hdf5", "--out-format", "gadget", "--out-every", 0.125)
        self.run_gdr("--plummer", 16, "--t-end", 0.25, "--output", self.folder / "out.csv", "--out-format", "csv")
        program = """
import sys, h5py, json
with h5py.File(sys.argv[1]) as f:
    head, part = f["Header"].attrs, f["PartType1"]
    print(json.dumps([head["NumPart_ThisFile"].tolist(), head["NumPart_Total"].tolist(), head["MassTable"].tolist(), float(head["Time"]),
                      int(head["NumFilesPerSnapshot"]), part["ParticleIDs"][:].tolist(), part["Coordinates"][:].tolist(), part["Masses"][:].tolist()]))
"""
        done = subprocess.run(["/usr/bin/python3", "-c", program, self.folder / "out.hdf5"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts, total, table, time, files, ids, places, masses = json.loads(done.stdout)
        self.assertEqual((counts, total, table, time, files), ([0, 16, 0, 0, 0, 0], [0, 16, 0, 0, 0, 0], 6 * [0.0], 0.25, 1))
        with open(self.folder / "out.csv", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual(ids, [int(row["id"]) for row in rows])
        self.assertEqual(places, [[float(row[axis]) for axis in "xyz"] for row in rows])
        self.assertEqual(masses, [float(row["m"]) for row in rows])
        self.assertTrue((self.folder / "out-0001.hdf5").exists())

    def test_gadget_needs_a_name_of_hdf5(self):
        errors = self.run_gdr("--plummer", 16, "--t-end", 0, "--output", self.folder / "out.dat", "--out-format", "gadget", expected=2).stderr
        self.assertIn("must end in .hdf5 or .h5", errors)


if __name__ == "__main__":
    nbody_test.GDR, nbody_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
