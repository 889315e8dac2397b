"""gdr as WebAssembly under Node.js against gdr itself: the same bits and the same words.

    module_test.py SITE GDR WEB_ANSWERS PROJECT [TEST...]

GDR is the program, WEB_ANSWERS the playground's requests answered natively. Skipped where scripts/web has built no SITE.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
SITE, GDR, WEB_ANSWERS, PROJECT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
HERE = pathlib.Path(__file__).resolve().parent
KERNELS = sorted(set((PROJECT / "kernels").glob("*.vsm")) - {PROJECT / "kernels/gravity_jerk_136.vsm"}) + sorted((PROJECT / "kernels/lsump").glob("*.lsump"))
NODE = shutil.which("node")

# Wrong in as many ways as there are lines.
WRONG = """kernel wrong
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
loop body
  fsub xj xi $lt ; fadd xj xi $lr0v
  fmul $lti nosuch $lt
  fadd sum $lti $lr999v
  frob sum
"""


def answers(command, requests):
    """Of a program that answers each line with a line, in one process."""
    done = subprocess.run(command, input="".join(json.dumps(request) + "\n" for request in requests), capture_output=True,
                          text=True, timeout=500)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_module(requests):
    return answers([NODE, str(HERE / "answers.mjs"), str(SITE)], requests)


def of_native(requests):
    return answers([str(WEB_ANSWERS)], requests)


def kernel_request(call, kernel, **more):
    return {"call": call, "name": kernel.name, "source": kernel.read_text(), **more}


class Module(unittest.TestCase):
    maxDiff = 2000

    def compare(self, requests):
        module = of_module(requests)
        # Macros that come with gdr stand in the module's own file system.
        native = [json.loads(json.dumps(answer).replace(f"{PROJECT}/kernels/", "/share/gdr/kernels/")) for answer in of_native(requests)]
        for request, ours, theirs in zip(requests, module, native, strict=True):
            with self.subTest(request=json.dumps(request)[:200]):
                self.assertEqual(ours, theirs)
        return module

    def test_every_kernel_is_judged_and_analysed_as_natively(self):
        requests = [kernel_request("check", kernel, schedule=schedule) for kernel in KERNELS for schedule in ("none", "list")]
        for answer in self.compare(requests):
            self.assertIsNotNone(answer["kernel"])

    def test_every_kernel_gives_the_bits_of_gdr_run(self):
        requests = []
        for kernel in KERNELS:
            for model in ("plummer", "random"):
                requests.append(kernel_request("run", kernel, model=model, ni=128, nj=1024, seed=7))
                requests += [{"call": "file", "name": name} for name in ("i.csv", "j.csv", "results.csv")]
        found = self.compare(requests)
        self.assertEqual(len(found), 8 * len(KERNELS))
        for at in range(0, len(found), 4):
            kernel = KERNELS[at // 8]
            ran, i, j, results = found[at:at + 4]
            with self.subTest(kernel=kernel.name, model=requests[at]["model"]), tempfile.TemporaryDirectory() as folder:
                self.assertNotIn("error", ran)
                self.assertEqual(ran["hash"], hashlib.sha256(results["text"].encode()).hexdigest())
                command = [GDR, "run", kernel, "--quiet", "--out", "results.csv"]
                for option, file in (("--i", i), ("--j", j)):
                    if file["text"]:
                        name = f"{option[2:]}.csv"
                        (pathlib.Path(folder) / name).write_text(file["text"])
                        command += [option, name]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(hashlib.sha256((pathlib.Path(folder) / "results.csv").read_bytes()).hexdigest(), ran["hash"])

    def test_a_wrong_source_is_refused_in_the_words_of_gdr_as(self):
        sources = {path.name: path.read_text() for path in sorted((PROJECT / "tests/assembler/errors").glob("*.vsm"))}
        sources["wrong.vsm"] = WRONG
        requests = [{"call": "check", "name": name, "source": source} for name, source in sources.items()]
        found = self.compare(requests)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "wrong.vsm").write_text(WRONG)
            done = subprocess.run([GDR, "as", "wrong.vsm"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(found[-1]["text"], done.stderr)
        self.assertIsNone(found[-1]["kernel"])
        self.assertGreaterEqual(len(found[-1]["diagnostics"]), 3)

    def test_verdicts_have_the_hashes_of_gdr_judge(self):
        exercises = sorted((PROJECT / "course/exercises").iterdir())
        requests = [{"call": "judge", "exercise": folder.name, "name": "solution.vsm",
                     "source": (folder / "solution.vsm").read_text()} for folder in exercises]
        for folder, answer in zip(exercises, self.compare(requests), strict=True):
            done = subprocess.run([GDR, "judge", folder.name, folder / "solution.vsm", "--json", "-"], capture_output=True, text=True)
            self.assertEqual((answer["verdict"], answer["hash"]), ("ACCEPTED", json.loads(done.stdout)["hash"]))

    def test_steps_show_the_words_that_they_show_natively(self):
        kernel = PROJECT / "kernels/gravity.vsm"
        lines = ["pair i=37 j=200", "step", "step 5", "why $t 2", "vars", "back 2", "step iteration", "break 60", "continue",
                 "reverse", "end", "print acc[0]", "nonsense"]
        requests = [kernel_request("debug", kernel, ni=128, nj=256)] + [{"call": "command", "line": line} for line in lines]
        found = self.compare(requests)
        self.assertEqual([found[1]["i"], found[1]["j"]], [37, 200])
        self.assertNotEqual(found[1]["lines"], found[2]["lines"])
        self.assertTrue(found[-3]["end"])
        self.assertIn("unknown command", found[-1]["refused"])

    def test_requests_that_are_wrong_are_refused(self):
        tutorial = PROJECT / "kernels/tutorial.vsm"
        requests = [{}, {"call": "nothing"}, [], kernel_request("run", tutorial, ni=0), kernel_request("run", tutorial, nj=1 << 40),
                    kernel_request("run", tutorial, eps2=-1), kernel_request("run", tutorial, model="cube"),
                    kernel_request("run", tutorial, seed="x"), kernel_request("run", tutorial, parameters={"no": 1}),
                    {"call": "run", "name": "wrong.vsm", "source": WRONG}, {"call": "command", "line": "step"},
                    {"call": "file", "name": "/etc/passwd"}]
        for answer in self.compare(requests):
            self.assertIn("error", answer)


if __name__ == "__main__":
    if NODE is None or not (SITE / "gdr.wasm").is_file():
        print(f"skipped: {'Node.js is not installed' if NODE is None else f'there is no playground in {SITE}'} (scripts/web builds it)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
