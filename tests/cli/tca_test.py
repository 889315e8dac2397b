#!/usr/bin/env python3
"""gdr net pingpong, halo, laplace and himeno as their users meet them.

    tca_test.py GDR PROJECT
"""

import json
import pathlib
import sys
import unittest

import cli_test


class Net(cli_test.CliTest):
    def report(self, *arguments):
        return json.loads(self.succeeds("net", *arguments, "--json", "-").out)

    def test_every_method_of_pingpong_gives_time_and_bandwidth(self):
        for method, memory in [("pio", "cpu"), ("dma-register", "cpu"), ("dma-descriptor", "gpu"),
                               ("dma-internal", "gpu"), ("dma-block-stride", "gpu"), ("cuda-p2p", "gpu"),
                               ("mvapich2", "gpu"), ("mvapich2-gdr", "gpu")]:
            report = self.report("pingpong", "--method", method, "--from", memory, "--to", memory, "--bytes", "4096")
            self.assertGreater(report["seconds"], 0, method)
            self.assertAlmostEqual(report["bytes_per_second"], 4096 / report["seconds"], msg=method)

    def test_no_chain_beats_the_wire(self):
        # A packet has 24 bytes beside its data on a wire of 4,000 MB/s.
        for size in (8, 64, 256):
            wire = 4e9 * size / (size + 24)
            for arguments in (["dma-descriptor", "--count", "100000"],
                              ["dma-descriptor", "--count", "100000", "--local"],
                              ["dma-internal", "--from", "gpu", "--to", "gpu", "--count", "1024"]):
                report = self.report("pingpong", "--bytes", str(size), "--method", *arguments)
                self.assertLess(report["bytes_per_second"], wire, arguments)

    def test_stated_latencies_come_out(self):
        for seconds, arguments in [(0.9e-6, ["--method", "pio"]), (2.4e-6, ["--method", "dma-register"]),
                                   (6.54e-6, ["--method", "mvapich2-gdr", "--from", "gpu", "--to", "gpu"])]:
            self.assertAlmostEqual(self.report("pingpong", *arguments, "--bytes", "0")["seconds"], seconds, delta=1e-12)

    def test_simgrid_and_the_event_model_agree_on_pairs(self):
        report = self.report("halo", "--extent", "128,128,256", "--split", "2,8,1", "--method", "mv2gdr", "--simulate")
        if report["simulated_seconds"] is not None:
            self.assertAlmostEqual(report["simulated_seconds"] / report["halo_seconds"], 1, delta=0.01)

    def test_stencils_report_times_that_add_up(self):
        for name, split in [("himeno", "2,8,1"), ("laplace", "2,8")]:
            for method in ("tca", "mv2gdr", "hybrid"):
                report = self.report(name, "--size", "S", "--split", split, "--method", method)
                self.assertGreaterEqual(report["seconds_per_iteration"],
                                        report["halo_seconds"] + report["compute_seconds"])
                self.assertGreater(report["gflops"], 0)

    def test_the_planner_gives_its_best_first_and_a_reason_for_each(self):
        report = self.report("himeno", "--size", "M", "--nodes", "16")
        times = [plan["seconds_per_iteration"] for plan in report["plans"]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(report["seconds_per_iteration"], times[0])
        self.assertTrue(all(plan["reason"] for plan in report["plans"]))

    def test_a_dropped_link_is_told_with_its_route(self):
        split = ["--extent", "64,64,128", "--split", "2,8,1", "--drop-link", "1-2"]
        self.ends(2, ["1 > 2"], "net", "halo", *split, "--method", "tca")
        report = self.report("halo", *split, "--method", "hybrid")
        self.assertTrue(any("1 > 2" in note and "InfiniBand" in note for note in report["notes"]))

    def test_what_the_cluster_cannot_run_is_a_wrong_command_line(self):
        for expected, arguments in [
            (["split 3", "64"], ["himeno", "--size", "S", "--split", "3,8,1"]),
            (["unreachable"], ["himeno", "--size", "S", "--split", "4,8,1", "--method", "tca"]),
            (["128 ranks", "64"], ["himeno", "--size", "L", "--split", "8,16,1"]),
            (["halo of 5", "4"], ["halo", "--extent", "8,8", "--split", "2,2", "--width", "5"]),
            (["link 0-5"], ["halo", "--extent", "8,8", "--split", "2,2", "--drop-link", "0-5"]),
        ]:
            self.ends(2, expected, "net", *arguments)

    def test_wrong_command_lines_end_with_2(self):
        for expected, arguments in [
            (["--method", "tcp"], ["pingpong", "--method", "tcp", "--bytes", "8"]),
            (["--bytes", "-1"], ["pingpong", "--method", "pio", "--bytes", "-1"]),
            (["cpu", "gpu"], ["pingpong", "--method", "mvapich2", "--bytes", "8"]),
            (["--machine"], ["pingpong", "--method", "pio", "--bytes", "8", "--machine", "ha-pacs-tca"]),
            (["--staged", "pio"], ["pingpong", "--method", "pio", "--bytes", "8", "--staged"]),
            (["--count", "pio"], ["pingpong", "--method", "pio", "--bytes", "8", "--count", "2"]),
            (["gpu to cpu", "CPU stores"], ["pingpong", "--method", "pio", "--bytes", "8", "--from", "gpu"]),
            (["mvapich2", "peach2"], ["pingpong", "--method", "mvapich2", "--bytes", "8", "--network", "ha-pacs-tca"]),
            (["--split", "2,x"], ["himeno", "--split", "2,x"]),
            (["--split", "--nodes"], ["himeno", "--size", "S"]),
            (["--size", "M"], ["laplace", "--size", "M", "--split", "2,2"]),
            (["--drop-link", "1"], ["halo", "--extent", "8,8", "--split", "2,2", "--drop-link", "1"]),
            (["--rank", "9"], ["halo", "--extent", "8,8", "--split", "2,2", "--rank", "9"]),
        ]:
            self.ends(2, expected, "net", *arguments)


if __name__ == "__main__":
    cli_test.GDR = sys.argv[1]
    cli_test.PROJECT = pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
