"""Traces and profiles as their users meet them: JSON that adds up, a page that a browser loads."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from random import Random

GDR, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SKIPPED = 77  # exit status


class Observed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.directory.name)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def gdr(self, *arguments, status=0):
        done = subprocess.run([GDR, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def force(self, *arguments, n=2048, engine="timing", status=0):
        return self.gdr("force", "-n", n, "--clock", 333, "--engine", engine, "--json", self.path / "force.json",
                        *arguments, status=status)


class Trace(Observed):
    def events(self, *arguments, **rest):
        file = self.path / "trace.json"
        self.told = self.force("--trace", file, *arguments, **rest).stderr
        self.size = file.stat().st_size
        return [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]

    def test_events_nest_and_add_up_to_the_clocks(self):
        events = self.events(n=128)
        report = json.loads((self.path / "force.json").read_text())
        lines = [event for event in events if (event["pid"], event["tid"]) == (1, 1)]
        own = {"i-data field", "loop", "result field"}
        self.assertEqual(sum(event["args"]["clocks"] for event in lines if event["name"] in own), report["clocks"])
        inside = [event for event in lines if re.match("line |stall", event["name"])]
        loop = next(event for event in lines if event["name"] == "loop")
        stretched = sum(event["args"]["clocks"] for event in inside if event["name"].startswith("stall: BM port"))
        self.assertEqual(sum(event["args"]["clocks"] for event in inside) - stretched, loop["args"]["clocks"])
        for track in {(event["pid"], event["tid"]) for event in events}:
            mine = sorted((e for e in events if (e["pid"], e["tid"]) == track), key=lambda e: (e["ts"], -e["dur"]))
            open_until = []
            for event in mine:
                while open_until and open_until[-1] <= event["ts"] + 1e-3:
                    open_until.pop()
                end = event["ts"] + event["dur"]
                self.assertTrue(not open_until or end <= open_until[-1] + 1e-3, event)
                open_until.append(end)

    def test_stages_add_up_to_the_time(self):
        events = self.events(n=300)
        report = json.loads((self.path / "force.json").read_text())
        calls = [e for e in events if e["pid"] == 0 and re.match(r"j send|\d+ i-particles", e["name"])]
        self.assertAlmostEqual(sum(e["dur"] for e in calls) / 1e6, report["emulated_seconds"], delta=1e-8)

    def test_size_stays_below_ten_megabytes_and_is_told(self):
        self.events(n=65536)
        self.assertLess(self.size, 10_000_000)
        self.assertIn("MB", self.told)
        self.assertIn("cut off", self.told)
        self.events("--trace-limit", 0.1, n=65536)
        self.assertLessEqual(self.size, 100_000)

    def test_window_trigger_and_chips_choose(self):
        events = self.events("--trace-from", 5000, "--trace-to", 6000, "--trace-chips", "1,3", n=4096)
        self.assertEqual({e["pid"] for e in events}, {0, 2, 4})
        clocks = [e["args"]["clock"] for e in events if "args" in e and e["name"].startswith("line")]
        self.assertTrue(clocks and min(clocks) > 4900 and max(clocks) <= 6000)
        self.assertEqual(self.events("--trace-run", 99, n=256), [e for e in self.events("--trace-run", 99, n=256) if e["pid"] == 0])

    def test_lines_that_no_run_has_are_told(self):
        for option, value, end in (("--trace-run", 2, "the last run is 1"), ("--trace-from", 10**9, "the last one of a run is")):
            events = self.events(option, value, n=256)
            self.assertEqual({e["pid"] for e in events if e["ph"] == "X"}, {0})
            self.assertRegex(self.told, f"trace: no lines in .*: lines were requested from .*{value} on, and {end}")
        self.events("--trace-run", 1, n=256)
        self.assertNotIn("no lines", self.told)
        for begin, end in ((10, 9), (10, 10)):
            told = self.force("--trace", self.path / "t.json", "--trace-from", begin, "--trace-to", end, status=2).stderr
            self.assertIn(f"the window from chip clock {begin} to {end} holds none", told)

    def test_chips_that_are_not_there_are_refused(self):
        # A wrong command line, before anything is computed: what make_trace() refuses afterwards is a 1.
        for option, value, limit in (("--trace-chips", 4, 3), ("--trace-blocks", 16, 15)):
            told = self.force("--trace", self.path / "t.json", option, value, status=2).stderr
            self.assertIn(option, told)
            self.assertIn(f"{value} is outside 0..{limit}", told)


class Profile(Observed):
    def profile(self, *arguments, **rest):
        file = self.path / "profile.json"
        self.force("--profile", file, *arguments, **rest)
        return json.loads(file.read_text())

    def test_the_verdict_names_what_limits(self):
        packed = self.profile(n=65536)
        self.assertEqual(packed["limits"][0]["what"], "input port: the next record")
        published = self.profile("--kernel", "gravity_jerk_2009", n=65536)
        self.assertIn("lines", published["limits"][0]["what"])
        few = self.profile(n=64)
        self.assertEqual("sending j-particles", few["limits"][0]["what"])

    def test_clocks_of_lines_are_those_of_the_loop(self):
        profile = self.profile(n=2048)
        body = sum(line["clocks"] - line["stall"] for line in profile["lines"] if line["section"] == "loop body")
        self.assertEqual(body, profile["clocks"]["loop_body"])
        self.assertTrue(all(c["gflops"] >= profile["emulated_gflops"] for c in profile["ceilings"]))
        self.assertIsNone(profile["fp_events"])

    def test_a_computing_engine_has_events_and_the_same_clocks(self):
        timed = self.profile(n=256)
        computed = self.profile(n=256, engine="simd")
        self.assertEqual(timed["clocks"], computed["clocks"])
        for stage, seconds in timed["stages"].items():
            self.assertAlmostEqual(seconds, computed["stages"][stage], delta=1e-12)
        self.assertEqual(computed["fp_events"]["invalid"], 0)

    def test_compare_puts_two_runs_side_by_side(self):
        for name, clock in (("a", 200), ("b", 400)):
            self.gdr("force", "-n", 2048, "--clock", clock, "--engine", "timing", "--profile", self.path / f"{name}.json")
        out = self.gdr("profile", "compare", self.path / "a.json", self.path / "b.json", "--json", "-").stdout
        rows = {row["name"]: row for row in json.loads(out)["rows"]}
        self.assertEqual(rows["clocks.total"]["ratio"], 1)
        self.assertEqual(rows["stages.j_send"]["ratio"], 1)
        self.assertLess(rows["emulated_seconds"]["ratio"], 1)
        self.gdr("profile", "compare", self.path / "a.json", SOURCE / "README.md", status=1)

    def test_any_change_of_a_profile_is_refused(self):
        self.profile(n=256)
        file = self.path / "profile.json"
        whole = file.read_bytes()
        self.gdr("profile", "compare", file, file)
        random = Random(1)
        changed = [whole[:-1], whole + b"\n", b"", whole.replace(b'"sha256"', b'"sha255"'), whole[: len(whole) // 2]]
        changed += [whole.replace(b'"emulated_seconds": ', b'"emulated_seconds": 1'), whole.replace(b'"format": 2', b'"format": 3')]
        for _ in range(20):
            at = random.randrange(len(whole))
            changed.append(whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1 :])
        for text in changed:
            file.write_bytes(text)
            self.gdr("profile", "compare", file, file, status=1)

    def test_endings_say_what_is_written(self):
        self.force("--profile", self.path / "p.txt", status=2)


class Page(Observed):
    def test_a_browser_loads_the_page(self):
        page = self.path / "profile.html"
        self.force("--profile", page, n=16384)
        self.assertNotRegex(page.read_text(), r"https?://|src=|@import")
        self.assertIn('http-equiv="Content-Security-Policy"', page.read_text())  # which the browser reports if broken
        base = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
                f"--user-data-dir={self.path / 'browser'}"]
        shown = subprocess.run([*base, "--enable-logging=stderr", "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertNotIn("CONSOLE", shown.stderr)
        report = json.loads((self.path / "force.json").read_text())
        self.assertIn("The run is limited by", shown.stdout)
        self.assertIn(str(report["clocks"]), shown.stdout)
        self.assertIn("roofline", shown.stdout)
        self.assertGreater(shown.stdout.count("<tr>"), 50)
        picture = pathlib.Path(os.environ.get("GDR_ARTEFACTS", ".")) / "profile.png"
        subprocess.run([*base, f"--screenshot={picture.resolve()}", "--window-size=1100,1500", page.as_uri()], capture_output=True, timeout=120)
        self.assertGreater(picture.stat().st_size, 20000)


if __name__ == "__main__":
    if CHROMIUM is None and "Page" in sys.argv[3:]:
        print("skipped: no chromium is installed (scripts/setup ci)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
