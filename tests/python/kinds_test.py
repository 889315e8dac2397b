#!/usr/bin/python3
"""Arguments of every wrong kind, for every public call: what is said is gdr's or Python's, and never the binding's.

kinds_test.py GDR [test arguments]
"""

import os
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy as np

import grapedr
from grapedr.pair import Experiment, I, J, Parameter, Result, Start, State
from kernel_sources import HALVES

sys.argv.pop(1)


@grapedr.kernel
def near(xi: I[3], xj: J[3], mj: J, pot: Result, g: Parameter = 2.0):
    pot += g * mj * (xj[0] - xi[0])


@grapedr.experiment
class Count(Experiment):
    a0: Start
    h: Parameter = 0.5
    a: State
    out: Result

    def begin(self):
        self.a = self.a0

    def step(self):
        self.a += self.h

    def end(self):
        self.out = self.a


class Odd:
    def __repr__(self):
        return "Odd()"


WRONG = [None, Odd(), "zz", "", b"x", -1, 0, 3.7, float("nan"), 2**70, -(2**70), 2**64 - 1, 2**32, True, [], {}, (1, 2), [None], {"a": 1},
         {0: [1.0]}, {"\udcff": [1.0]}, np.float64(2.5), np.int64(-3), np.array([1, 2]), np.array("x"), 1j, object, lambda: 3, "\udcff"]
OF_THE_BINDING = ("incompatible function", "incompatible constructor", "Unable to cast", "pybind", "Invoked with", "_core.", "_models.")


def calls(folder):
    """A call by its name, and right arguments."""
    x, m = np.zeros((2, 3)), np.ones(2)
    i, j = {"xi": x, "eps2": m}, {"xj": x + 1, "mj": m}
    gravity = grapedr.kernel("gravity")
    device = grapedr.Device(threads=1)
    gravity.run(i, j, device)
    halves = grapedr.assemble(HALVES)
    particles = grapedr.start("plummer", 4)
    system = grapedr.Nbody(particles)
    run = grapedr.NbodyRun(particles, t_end=0.01, engine="direct").run()
    network = grapedr.network.Network("optical-hub-64")
    board = {"machine": "model1800", "boards": 1, "engine": "simd", "threads": 1, "clock_mhz": 500.0}
    gone = folder / "not_there"
    return {
        "Device": (grapedr.Device, board),
        "Kernel": (grapedr.Kernel, {"program": gravity._program}),
        "Kernel.dtype": (gravity.dtype, {"transfer": "hlt"}),
        "Kernel.run": (gravity.run, {"i": i, "j": j, "device": device, "on_progress": None}),
        "PairKernel": (grapedr.PairKernel, {"function": near.function, "effort": 1, "constants": {"g": 1.0}}),
        "PairKernel.run": (near.run, {"i": {"xi": x}, "j": j, "device": device, "g": 3.0}),
        "PairKernel.on_host": (near.on_host, {"i": {"xi": x}, "j": j, "g": 3.0}),
        "PairKernel.precision": (near.precision, {"i": {"xi": x}, "j": j}),
        "PairKernel()": (near, {"xi": x[0], "xj": x[1], "mj": 1.0, "g": 2.0}),
        "run_turns": (halves.run_turns, {"i": {"x": np.arange(2048.0)}, "j": None, "turns": 1, "device": device}),
        "run_experiments": (Count.run_experiments, {"starts": {"a0": [1.0]}, "steps": 4, "round": 2, "refill": True, "device": device,
                                                    "on_round": None, "h": 1.0}),
        "ExperimentKernel.on_host": (Count.on_host, {"starts": {"a0": [1.0]}, "steps": 2, "h": 1.0}),
        "ExperimentKernel()": (Count, {"a0": 1.0, "h": 1.0}),
        "assemble": (grapedr.assemble, {"source": HALVES, "name": "a.vsm", "definitions": {}, "schedule": False}),
        "compile_kernel": (grapedr.compile_kernel, {"file": gone, "effort": 1, "definitions": {}}),
        "kernel": (grapedr.kernel, {"name": "gravity"}),
        "kernel, definitions": (grapedr.kernel, {"name": "gravity", "A": 1}),
        "experiment": (grapedr.experiment, {"of": Count.host_class, "effort": 1}),
        "accel_jerk_pot": (grapedr.accel_jerk_pot, {"x": x, "v": x, "m": m, "eps": 0.1, "kernel_name": "gravity_jerk", "device": device}),
        "dgemm": (grapedr.dgemm, {"a": np.eye(2), "b": np.eye(2), "precision": "paper", **board}),
        "timing": (grapedr.timing, {"kernel": "gravity", "ni": 1, "nj": 1, "machine": "model1800"}),
        "start": (grapedr.start, {"kind": "plummer", "particles": 2, "seed": 1}),
        "Nbody": (grapedr.Nbody, {"particles": particles, "eps": 0.1, "eta": 0.1, "kernel_name": "gravity_jerk", **board}),
        "Nbody, columns": (lambda **some: grapedr.Nbody(particles | some), particles | {"time": 0.0, "step": 0}),
        "Nbody.evolve": (system.evolve, {"t_end": 0.0}),
        "Nbody.outputs": (lambda **some: list(system.outputs(**some)), {"t_end": 0.0, "every": 0.25}),
        "NbodyRun": (grapedr.NbodyRun, {
            "particles": particles, "t_end": 0.01, "every": 0.0, "units": None, "scale": None, "force_restart": False, "eps": 0.1, "eta": 0.1,
            "kernel_name": "gravity_jerk", "binaries": "plain", "orbits": (), "out": None, "log": None, "checkpoint": None,
            "checkpoint_minutes": 10.0, "max_energy_error": None, "on_block": None, **board}),
        "NbodyRun, columns": (lambda **some: grapedr.NbodyRun(particles | some, t_end=9, engine="direct"), particles | {"time": 0.0, "step": 0}),
        "NbodyRun, king": (grapedr.NbodyRun, {"t_end": 0.01, "start": "king", "n": 8, "seed": 1, "w0": 6.0, "engine": "direct"}),
        "NbodyRun, merger": (grapedr.NbodyRun, {"t_end": 0.01, "start": "merger", "n": 8, "separation": 4.0, "pericentre": 1.0,
                                                "engine": "direct"}),
        "NbodyRun, binary": (grapedr.NbodyRun, {"t_end": 0.01, "start": "binary", "eccentricity": 0.5, "engine": "direct"}),
        "NbodyRun, file": (grapedr.NbodyRun, {"t_end": 0.01, "in_file": gone}),
        "NbodyRun, restart": (grapedr.NbodyRun, {"t_end": 0.01, "restart": gone, "force_restart": True}),
        "NbodyRun.run": (lambda on_block: grapedr.NbodyRun(particles, t_end=0.01, engine="direct", on_block=on_block).run(), {"on_block": None}),
        "NbodyRun.plot_positions": (run.plot_positions, {"reach": 1.0}),
        "Network": (grapedr.network.Network, {"name": "optical-hub-64", "nodes": None}),
        "Network.route": (network.route, {"start": 0, "end": 1}),
        "Network.collective": (network.collective, {"operation": "allgather", "bytes": 8, "method": "ring", "simulate": False}),
        "map_tasks": (grapedr.network.map_tasks, {
            "graph": "cg", "topology": "torus:2x2", "method": "refined", "objective": "cost", "npb_class": "A", "threads": 1, "seed": 1,
            "effort": 0.01}),
        "map_tasks, bruck": (grapedr.network.map_tasks, {"graph": "bruck", "topology": "torus:2x2", "method": "xyz", "bytes": 2048}),
        "cluster_nbody": (grapedr.network.cluster_nbody, {
            "cluster": "grape-dr-64", "nodes": 4, "n": 1000, "algorithm": "2d", "kernel_name": "gravity_jerk", "t_end": 1.0,
            "grow_network": False}),
        "sum_words": (grapedr.network.sum_words, {"terms": [1.0]}),
        "sum_value": (grapedr.network.sum_value, {"words": grapedr.network.sum_words([1.0])}),
        "validate": (grapedr.validate, {"only": "ZZ"}),
        "read_table": (grapedr.read_table, {"path": gone}),
        "write_table": (grapedr.write_table, {"path": folder / "t.csv", "table": {"a": [1.0]}}),
        "Profile.save": (device.profile().save, {"path": folder / "p.json"}),
    }


def takes_long(key, value):
    """True for what is right, and takes for ever."""
    large = isinstance(value, int) and value >= 2**32
    return (large and key in ("effort", "every", "n", "ni", "nj", "particles", "steps", "t_end", "turns")) or (key == "only" and isinstance(value, str) and value == "")


class Kinds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # for files that a name such as "zz" makes
        self.folder = pathlib.Path(folder.name)

    def test_no_message_is_that_of_the_binding(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, (call, right) in calls(self.folder).items():
                for key in right:
                    for wrong in WRONG:
                        if takes_long(key, wrong):
                            continue
                        with self.subTest(name, key=key, wrong=repr(wrong)):
                            try:
                                call(**right | {key: wrong})
                            except Exception as error:  # noqa: BLE001
                                for text in OF_THE_BINDING:
                                    self.assertNotIn(text, str(error))

    def test_refusals_name_argument_and_value(self):
        gravity = grapedr.kernel("gravity")
        network = grapedr.network.Network("optical-hub-64")
        particles = grapedr.start("plummer", 4)
        for call, why in [
            (lambda: gravity.run({0: [1.0]}, {"xj": [1.0]}), "a name in i = 0 is refused: it must be a text"),
            (lambda: gravity.run({"xi": np.zeros((1, 3)), "eps2": [1.0]}, {"xj": np.zeros((1, 3)), "mj": [1.0]}, device="model1800"),
             "device = 'model1800' is refused: it must be a grapedr.Device"),
            (lambda: grapedr.Device(clock_mhz="fast"), "clock_mhz = 'fast' is refused: it must be a real number"),
            (lambda: grapedr.Device(machine="\udcff"), r"machine = '\\udcff' is refused: it has characters that UTF-8 does not encode"),
            (lambda: grapedr.assemble(None), "source = None is refused: it must be a text"),
            (lambda: grapedr.start(None), "kind = None is refused: it must be a text"),
            (lambda: grapedr.Nbody(particles, kernel_name=3), "kernel_name = 3 is refused: it must be a text"),
            (lambda: grapedr.NbodyRun(particles, t_end=1, out=3), "out = 3 is refused: it must be a text or a path"),
            (lambda: grapedr.NbodyRun(particles, t_end=1, orbits=3), "orbits = 3 is refused: it must be a list of ids"),
            (lambda: grapedr.NbodyRun(t_end=1, start="king", n=8, w0="6"), "w0 = '6' is refused: it must be a real number"),
            (lambda: network.collective("allgather", 3.5), "bytes = 3.5 is refused: it must be a whole number from 1"),
            (lambda: network.route(0, None), "end = None is refused: it must be a whole number from 0"),
            (lambda: grapedr.network.map_tasks("cg", "torus:2x2", effort="much"), "effort = 'much' is refused: it must be a real number"),
            (lambda: grapedr.network.cluster_nbody("grape-dr-64", "4", 1000), "nodes = '4' is refused: it must be a whole number"),
            (lambda: grapedr.validate(3), "only = 3 is refused: it must be a text"),
        ]:
            with self.subTest(why), self.assertRaisesRegex(grapedr.Error, why):
                call()


if __name__ == "__main__":
    unittest.main()
