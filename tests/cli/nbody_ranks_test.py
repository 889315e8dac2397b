#!/usr/bin/env python3
"""gdr nbody under mpirun: bits, files, restarts, errors.

    nbody_ranks_test.py MPIRUN GDR PROJECT [TestCase...]

GDR_TEST_KILLS sets how often a rank is killed (default 4).
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIRUN = ""
GDR = ""
PROJECT = pathlib.Path()


class RanksTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
        self.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # Open MPI keeps memory until its processes end

    def nbody(self, *arguments):
        return [GDR, "nbody", "--quiet", "--threads", "1", *(str(argument) for argument in arguments)]

    def command(self, ranks, *arguments):
        nbody = self.nbody(*arguments)
        return nbody if ranks is None else [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-np", str(ranks), *nbody]

    def run_command(self, command, expected=0):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False, timeout=300)
        self.assertEqual(done.returncode, expected, f"{command}: {done.stdout}{done.stderr}")
        return done

    def run_ranks(self, ranks, *arguments, expected=0):
        """Without mpirun if `ranks` is None."""
        return self.run_command(self.command(ranks, *arguments), expected)

    def report(self, ranks, *arguments):
        path = self.folder / "report.json"
        self.run_ranks(ranks, *arguments, "--json", path)
        return json.loads(path.read_text(encoding="utf-8"))

    def ours(self, errors):
        """Lines of a rank's standard error that gdr wrote."""
        return [line for line in errors.splitlines() if line.startswith("gdr")]


class Bits(RanksTest):
    def test_shared_blocks_have_the_bits_of_one_process(self):
        for start in (["--plummer", 130], ["--plummer", 5]):
            run = [*start, "--t-end", 0.125]
            expected = self.report(None, *run)
            for ranks in (None, 1, 2, 3, 4):
                found = self.report(ranks, *run, "--split", "i")
                with self.subTest(start=start, ranks=ranks):
                    self.assertEqual(found["state_hash"], expected["state_hash"])
                    self.assertEqual(found["steps"], expected["steps"])
                    self.assertEqual(found["boards"], 1)
                    self.assertEqual(found["ranks"], ranks or 1)

    def test_blocks_in_halves_have_the_same_bits_in_less_time(self):
        run = ["--plummer", 1001, "--t-end", 0.0078125, "--split"]
        for ranks, split in ((2, "i"), (2, "j")):
            whole = self.report(ranks, *run, split)
            halves = self.report(ranks, *run, split, "--overlap")
            with self.subTest(split=split):
                self.assertEqual(halves["state_hash"], whole["state_hash"])
                self.assertLess(halves["emulated_seconds"], whole["emulated_seconds"])
                self.assertLess(halves["parts"]["network"][0], whole["parts"]["network"][0])
                self.assertEqual((halves["overlap"], whole["overlap"]), (True, False))

    def test_one_rank_has_the_time_of_one_process(self):
        run = ["--plummer", 40, "--t-end", 0.125]
        expected = self.report(None, *run)
        found = self.report(1, *run, "--split", "i")
        self.assertEqual(found["emulated_seconds"], expected["emulated_seconds"])
        self.assertEqual(found["parts"]["network"] + found["parts"]["wait"], [0, 0])

    def test_shared_sums_have_the_bits_of_as_many_boards(self):
        for particles in (5, 130):
            run = ["--plummer", particles, "--t-end", 0.125]
            for split, ranks, boards in (("j", 2, 2), ("j", 3, 3), ("2d", 4, 2)):
                with self.subTest(particles=particles, split=split, ranks=ranks):
                    expected = self.report(None, *run, "--boards", boards)
                    found = self.report(ranks, *run, "--split", split)
                    self.assertEqual(found["state_hash"], expected["state_hash"])
                    self.assertEqual(found["boards"], boards)

    def test_the_seconds_of_every_rank_add_up_to_the_run(self):
        for split, ranks in (("i", 3), ("j", 3), ("2d", 4)):
            found = self.report(ranks, "--plummer", 100, "--t-end", 0.125, "--split", split)
            self.assertEqual(sorted(found["parts"]), ["compute", "network", "receive", "send", "wait"])
            for rank in range(ranks):
                total = sum(part[rank] for part in found["parts"].values())
                self.assertAlmostEqual(total, found["emulated_seconds"], delta=1e-9 * total)
            self.assertGreater(found["parts"]["network"][0], 0)
            self.assertGreaterEqual(min(found["parts"]["wait"]), 0)


class Model(RanksTest):
    def test_the_run_and_the_model_of_its_name_are_one_algorithm(self):
        sphere = ["--plummer", 600, "--t-end", 0.0625]
        sizes = self.folder / "sizes.csv"
        self.run_ranks(None, *sphere, "--timing-only", "--measured-n", 600, "--block-sizes", sizes)
        for split, algorithm in (("i", "copy"), ("j", "j"), ("2d", "2d")):
            for more in ([], ["--overlap"]):
                with self.subTest(split=split, more=more):
                    run = self.report(4, *sphere, "--split", split, *more)
                    done = self.run_command([GDR, "cluster", "nbody", "--nodes", "4", "--n", "600", "--t-end", "0.0625", "--algorithm",
                                             algorithm, "--from-block-sizes", str(sizes), *more, "--json", "-"])
                    model = json.loads(done.stdout)
                    self.assertAlmostEqual(run["emulated_seconds"] / model["emulated_seconds"], 1, delta=0.02)
                    parts = model["rows"][0]["parts"]
                    network = parts["network"] + parts["overhead"] + parts["loopback"]
                    self.assertAlmostEqual(run["parts"]["network"][0] / network, 1, delta=0.02)


class Files(RanksTest):
    def outputs(self, name):
        folder = self.folder / name
        folder.mkdir()
        return ["--out-every", 0.0625, "--output", folder / "s.txt", "--checkpoint", folder / "ck"]

    def snapshots(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).glob("s*")}

    def test_rank_zero_alone_writes_what_one_process_writes(self):
        run = ["--plummer", 40, "--t-end", 0.125]
        self.run_ranks(None, *run, *self.outputs("one"))
        self.run_ranks(3, *run, *self.outputs("three"), "--split", "i", "--log", self.folder / "log.csv")
        self.assertEqual(self.snapshots("three"), self.snapshots("one"))
        self.assertEqual(len(self.snapshots("one")), 4)
        self.assertEqual(len((self.folder / "log.csv").read_text(encoding="utf-8").splitlines()), 1 + 3)

    def test_a_run_in_two_parts_is_the_run_in_one(self):
        begin = ["--plummer", 40]
        for split, ranks in (("i", 3), ("2d", 4)):
            with self.subTest(split=split):
                whole = self.report(ranks, *begin, "--t-end", 0.25, "--split", split)
                first = self.outputs(split)
                self.run_ranks(ranks, *begin, "--t-end", 0.125, *first, "--split", split)
                again = self.report(ranks, "--restart", self.folder / split / "ck", "--t-end", 0.25, "--split", split)
                self.assertEqual(again["state_hash"], whole["state_hash"])
                self.assertEqual(again["interactions"], whole["interactions"])
                for part, seconds in whole["parts"].items():
                    for rank in range(ranks):
                        self.assertAlmostEqual(again["parts"][part][rank], seconds[rank],
                                               delta=1e-9 * whole["emulated_seconds"])

    def test_checkpoints_go_from_ranks_to_one_process_with_the_same_bits_and_back(self):
        begin = ["--plummer", 40]
        expected = self.report(None, *begin, "--t-end", 0.25, "--boards", 2)["state_hash"]
        checkpoint = self.folder / "ck"
        self.run_ranks(2, *begin, "--t-end", 0.0625, "--split", "j", "--checkpoint", checkpoint)
        refused = self.run_ranks(None, "--restart", checkpoint, "--t-end", 0.25, "--boards", 1, expected=1).stderr
        self.assertIn("boards 1 instead of 2", refused)
        self.run_ranks(None, "--restart", checkpoint, "--t-end", 0.125, "--checkpoint", checkpoint)
        for split, ranks in (("2d", 4), ("j", 2)):
            found = self.report(ranks, "--restart", checkpoint, "--t-end", 0.25, "--split", split)
            self.assertEqual(found["state_hash"], expected)
            total = sum(part[ranks - 1] for part in found["parts"].values())
            self.assertAlmostEqual(total, found["emulated_seconds"], delta=1e-9 * total)

    def test_ranks_that_share_blocks_go_on_with_the_boards_of_the_checkpoint(self):
        begin, checkpoint = ["--plummer", 40, "--boards", 3], self.folder / "ck"
        expected = self.report(None, *begin, "--t-end", 0.25)
        for ranks in (None, 2):
            self.run_ranks(ranks, *begin, "--t-end", 0.125, "--checkpoint", checkpoint, *(() if ranks is None else ("--split", "i")))
            for split, others in (("i", 2), ("i", None), ("j", 3)):
                with self.subTest(ranks=ranks, split=split, others=others):
                    found = self.report(others, "--restart", checkpoint, "--t-end", 0.25, "--split", split)
                    self.assertEqual((found["boards"], found["state_hash"]), (3, expected["state_hash"]))
            refused = self.run_ranks(2, "--restart", checkpoint, "--t-end", 0.25, "--split", "j", expected=1).stderr
            self.assertIn("boards 2 instead of 3", refused)

    def test_a_stop_file_that_rank_zero_sees_ends_all_with_a_checkpoint(self):
        begin = ["--plummer", 40]
        stop = self.folder / "stop"
        stop.touch()
        checkpoint = self.folder / "ck"
        stopped = self.report(2, *begin, "--t-end", 0.25, "--split", "i", "--stop-file", stop, "--checkpoint", checkpoint)
        self.assertEqual(stopped["stopped"], "stop file")
        self.assertEqual(stopped["block_steps"], 1)
        again = self.report(2, "--restart", checkpoint, "--t-end", 0.25, "--split", "i")
        self.assertEqual(again["state_hash"], self.report(None, *begin, "--t-end", 0.25)["state_hash"])


class Errors(RanksTest):
    def refused(self, ranks, *arguments, expected=2):
        errors = self.ours(self.run_ranks(ranks, *arguments, expected=expected).stderr)
        self.assertEqual(len(errors), 1, errors)
        return errors[0]

    def test_command_lines_are_refused_once(self):
        run = ["--plummer", 40, "--t-end", 0.125]
        self.assertIn("--split says how", self.refused(2, *run))
        self.assertIn("3 ranks are refused: they must form a square", self.refused(3, *run, "--split", "2d"))
        self.assertIn("4 ranks are refused: there are 3 particles",
                      self.refused(4, "--plummer", 3, "--t-end", 1, "--split", "i"))
        self.assertIn("--boards: 2 is refused", self.refused(2, *run, "--split", "j", "--boards", 2))
        self.assertIn("gdr cluster nbody", self.refused(2, *run, "--split", "i", "--timing-only"))
        self.assertIn("no-such", self.refused(2, *run, "--split", "i", "--cluster", "no-such"))

    def test_a_network_with_too_few_nodes_is_refused(self):
        for name in ("grape-dr-64", "infiniband-ddr-64"):
            text = (PROJECT / "machines" / f"{name}.toml").read_text(encoding="utf-8")
            text = text.replace("nodes      = { value = 64", "nodes = { value = 2")
            text = text.replace('"infiniband-ddr-64"\n\n[param', '"infiniband-ddr-64.toml"\n\n[param')
            (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")
        run = ["--plummer", 40, "--t-end", 0.125, "--split", "i", "--cluster", self.folder / "grape-dr-64.toml"]
        self.assertRegex(self.refused(3, *run, expected=1), "3 nodes are refused: the network of grape-dr-64, .*, has 2")
        self.run_ranks(2, *run)

    def test_ranks_that_do_not_do_the_same_run_are_refused(self):
        one = self.nbody("--plummer", 40, "--t-end", 0.125, "--split", "i")
        errors = self.run_command([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-np", "1", *one, ":", "-np", "1", *one,
                                   "--clock", "333"], 1).stderr
        self.assertEqual(self.ours(errors), ["gdr nbody: rank 1 has clock 333 where rank 0 has clock 400: all ranks must do "
                                             "the same run"])
        start = self.folder / "in.txt"
        start.write_text("1 0 0 0 0 0 0\n1 1 0 0 0 1 0\n", encoding="utf-8")
        one = self.nbody("--in", start, "--t-end", 0.125, "--split", "i")
        errors = self.run_command([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-np", "1", *one, "--units", "msun,pc,km/s", ":",
                                   "-np", "1", *one, "--units", "msun,pc,m/s"], 1).stderr
        self.assertIn("rank 1 has units msun,pc,m/s", self.ours(errors)[0])

    def test_a_force_that_all_ranks_refuse_is_told_once(self):
        start = self.folder / "in.txt"
        start.write_text("0.5 0 0 0 0 0 0\n0.5 1e-120 0 0 0 0 0\n", encoding="utf-8")
        self.assertIn("not finite", self.refused(2, "--in", start, "--t-end", 1, "--eps", 0, "--split", "i", expected=1))

    def test_particles_that_are_too_few_in_a_file_are_refused(self):
        start = self.folder / "in.txt"
        start.write_text("0.5 0 0 0 0 0 0\n0.5 1 0 0 0 0 0\n", encoding="utf-8")
        error = self.refused(3, "--in", start, "--t-end", 1, "--split", "i", expected=1)
        self.assertIn("rank 0: 3 ranks are refused: there are 2 particles to share", error)

    def test_an_output_that_fails_on_rank_zero_ends_all_with_its_reason(self):
        error = self.refused(2, "--plummer", 40, "--t-end", 0.25, "--split", "i", "--out-every", 0.0625, "--log",
                             "/dev/full", expected=1)
        self.assertIn("/dev/full", error)


class Kills(RanksTest):
    def test_a_killed_rank_ends_all_and_leaves_whole_files(self):
        begin = ["--plummer", 256, "--seed", 5]
        end = ["--t-end", 1, "--split", "i"]
        expected = self.report(None, *begin, "--t-end", 1)["state_hash"]
        checkpoint = self.folder / "ck"
        source = begin
        generator = random.Random(1)
        ended = 0
        for kill in range(int(os.environ.get("GDR_TEST_KILLS", "4"))):
            # A checkpoint after every block, so that there are hundreds of moments to be killed at.
            command = self.command(2, *source, *end, "--checkpoint", checkpoint, "--checkpoint-minutes", 0)
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment)
            ranks = self.ranks_of(run)
            for _ in range(generator.randrange(4) if kill else 0):  # the first is killed as early as can be
                self.wait_for_checkpoint(checkpoint, run)
            if ranks:
                try:
                    os.kill(generator.choice(ranks), signal.SIGKILL)
                except ProcessLookupError:
                    ranks = []  # the run was done
            output = self.output_of(run)
            if run.returncode == 0:
                continue
            self.assertTrue(ranks, output)
            ended += 1
            if checkpoint.exists():
                source = ["--restart", checkpoint]
        self.assertGreater(ended, 0, "all runs were done before their rank was killed")
        self.assertEqual(self.report(2, *source, *end)["state_hash"], expected)

    def output_of(self, run):
        """What the run printed. Open MPI's launcher sometimes waits for ever for a rank that was killed while it
        reported to it; the ranks must have ended all the same."""
        try:
            return run.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            left = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_rank(pid, run.pid)]
            run.kill()
            output = run.communicate()[0]
            self.assertEqual(left, [], output)
            return output

    def ranks_of(self, run):
        """The two processes of gdr that mpirun has started; none if the run has ended before."""
        deadline = time.monotonic() + 60
        while run.poll() is None:
            found = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_rank(pid, run.pid)]
            if len(found) == 2:
                return found
            self.assertLess(time.monotonic(), deadline, "mpirun has not started two processes")
            time.sleep(0.002)
        return []

    def is_rank(self, pid, parent):
        process = pathlib.Path(f"/proc/{pid}")
        try:
            # Behind the name, which may hold spaces and brackets, come the state and the parent.
            fields = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            return int(fields[1]) == parent and (process / "exe").samefile(GDR)
        except OSError:
            return False  # it has ended, or is not ours

    def wait_for_checkpoint(self, checkpoint, run):
        """Until the file is replaced, or the run has ended."""

        def written():
            return checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0

        before = written()
        deadline = time.monotonic() + 120
        while run.poll() is None and written() == before:
            self.assertLess(time.monotonic(), deadline, "no checkpoint was written")
            time.sleep(0.002)


if __name__ == "__main__":
    MPIRUN, GDR, PROJECT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
