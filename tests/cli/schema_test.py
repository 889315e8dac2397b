#!/usr/bin/env python3
"""JSON Schemas of reports: every report of every command fits the schema that it names, rows go to CSV, and the page of
fields is made of the schemas.

    schema_test.py GDR PROJECT
"""

import csv
import html.parser
import importlib.util
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()

# Runs of each command with a report; a run may fail (a fault, an error of the source, a verdict).
# Files are made by files_in(); {kernels} and {docs} are folders of the project.
COMMANDS = {
    "analyse": ["{kernels}/gravity.vsm", "{kernels}/dgemm.vsm", "{kernels}/count.vsm", "packed.gdro"],
    "as": ["{kernels}/gravity.vsm", "wrong.vsm", "{docs}/examples/spring_too_early.vsm"],
    "cc": ["{kernels}/cc/gravity.cc", "wrong.cc", "{kernels}/cc/gravity.cc --precision --i close_i.csv --j close_j.csv",
           "--goose loop.c -o loop_gdr.c", "--xacc {kernels}/xacc/laplace.c -o laplace_mpi.c",
           "--xacc {kernels}/xacc/nbody.c -o nbody_mpi.c"],
    "cluster advise": ["-n 4096 --cluster grape-dr-64"],
    "cluster himeno": ["--nodes 8 --size XS,S", "--nodes 1 --size XS --on host"],
    "cluster hpl": ["--nodes 4 --n 4096", "--nodes 1,4 --n 2048,4096 --overlap-u", "--nodes 4 --n 8192 --mxp"],
    "cluster nbody": ["--nodes 1,4 --n 4096 --sweep", "--nodes 4 --n 4096 --free-network"],
    "cluster summa": ["--nodes 4 --n 4096", "--nodes 4 --n 4096 --in-turn"],
    "dgemm": ["-m 64 -n 64 -k 64", "-m 256 -n 64 -k 64 --timing-only", "-m 64 -n 64 -k 64 --engine native"],
    "doctor": [""],
    "force": ["-n 256", "-n 256 --kernel gravity", "-n 1024 --timing-only"],
    "fp show": ["1.5", "1e300", "fff000000000000000"],
    "hpl": ["--n 96 --nb 32 --with-host", "--n 4096 --nb 256 --timing-only", "--n 96 --nb 32 --mxp",
            "--n 4096 --nb 256 --mxp --timing-only", "--dat small.dat",
            "--dat small.dat --timing-only"],
    "judge": ["moment {exercises}/solution.vsm", "moment wrong.vsm", "moment {kernels}/count.vsm"],
    "machine devices": [""],
    "machine show": ["model1800", "grape-dr-64"],
    "nbody": ["--plummer 64 --t-end 0.125", "--plummer 4096 --t-end 0.5 --timing-only",
              "--plummer 64 --t-end 0.125 --engine direct", "--plummer 64 --t-end 0.1 --split j",
              "--plummer 64 --t-end 1 --stop-file wrong.vsm"],
    "net allgather": ["--topology hub --nodes 16 --bytes 64"],
    "net allreduce": ["--topology hub --nodes 16 --bytes 64 --executor closed-form"],
    "net alltoall": ["--topology hub --nodes 16 --bytes 64 --executor closed-form"],
    "net bcast": ["--topology hub --nodes 16 --bytes 64"],
    "net circuits": ["--graph traffic.csv --ports 2", "--graph traffic.csv --ports 2 --exact -o ways.toml"],
    "net cost": [""],
    "net halo": ["--extent 64,64,64 --split 2,2,1", "--extent 64,64,64 --split 2,2,1 --method tca --rank 1"],
    "net himeno": ["--size S --split 2,2,1", "--size S --nodes 4"],
    "net import": ["topology.conf -o small.toml", "graph.mtx -o graph.csv"],
    "net laplace": ["--size S --split 2,2", "--size S --nodes 4"],
    "net map": ["--graph cg --topology torus:4x4 --class S",
                "--graph bruck --topology torus:4x4 --method refined --full --simulate",
                "--graph bruck --topology torus:2x2x2x2 --full --simulate",
                "--graph bruck --topology torus:2x2 --tasks-per-node 4 --method xyz"],
    "net pingpong": ["--method pio --bytes 64"],
    "net replay": ["cg --topology torus --nodes 16 --class S", "bruck --nodes 16 --executor critical-path"],
    "net routes": ["--topology torus --nodes 9", "--topology hub --nodes 8"],
    "net run": [],
    "net summa": ["--topology hub --n 512 --executor closed-form", "--topology hub --n 512"],
    "profile compare": ["a.json a.json"],
    "run": ["{kernels}/tutorial.vsm --i i.csv --j j.csv", "{kernels}/tutorial.vsm --i i.csv --j j.csv --timing-only",
            "{docs}/examples/collatz.vsm --i starts.csv --steps 150", "{kernels}/gravity.vsm --i close_i.csv --j close_j.csv",
            "{kernels}/tutorial.vsm --i i.csv --j faulty_j.csv --engine reference"],
    "selftest": ["--programs 2", "--histories 1"],
    "validate": ["--only G5"],
}

FILES = {
    "traffic.csv": "from,to,bytes\n0,1,500\n1,2,500\n2,3,500\n3,0,500\n",
    "wrong.vsm": "kernel wrong\nloop body\n  fadd $r1\n",
    "wrong.cc": "void wrong(",
    "loop.c": """#include <stdio.h>
int main(void) {
  double x[4] = {1, 2, 3, 4}, s[4];
#pragma goose parallel for loopcounter(i, j) result(s[i])
  for (int i = 0; i < 4; ++i) {
    s[i] = 0;
    for (int j = 0; j < 4; ++j) s[i] += x[j] - x[i];
  }
  printf("%g\\n", s[0]);
}
""",
}


class PageReader(html.parser.HTMLParser):
    """The texts of a page, and the elements that it leaves open."""

    def __init__(self):
        super().__init__()
        self.texts, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.texts.append(data)


def gdr(*words):
    return subprocess.run([GDR, *words], capture_output=True, text=True, check=True, timeout=300).stdout

# Of reports of which a field has changed its meaning: `events` of a run leaves out those that no result took.
VERSIONS = {"run": 2}


class Mismatch(Exception):
    """A value that does not fit its schema."""


KINDS = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def is_of(kind, value):
    if kind in KINDS:
        return isinstance(value, KINDS[kind])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return kind == "number" or isinstance(value, int) or value.is_integer()


def require_fit(value, schema, place=""):
    """The part of JSON Schema that gdr writes."""
    if "const" in schema and value != schema["const"]:
        raise Mismatch(f"{place}: {value!r} is not {schema['const']!r}")
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(kind, value) for kind in kinds):
        raise Mismatch(f"{place}: {value!r:.80} is no {' or '.join(kinds)}")
    if isinstance(value, list) and "items" in schema:
        for number, entry in enumerate(value):
            require_fit(entry, schema["items"], f"{place}[{number}]")
    if isinstance(value, dict) and "properties" in schema:
        if missing := set(schema["required"]) - set(value):
            raise Mismatch(f"{place}: {sorted(missing)} missing")
        if unknown := set(value) - set(schema["properties"]):
            raise Mismatch(f"{place}: {sorted(unknown)} unknown")
        for key, entry in value.items():
            require_fit(entry, schema["properties"][key], f"{place}.{key}")


def files_in(folder):
    """Makes the files of COMMANDS."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    tables = {"i": "xi\n0\n1\n", "j": "xj,mj\n1,1\n2,1\n",
              "starts": "from\n" + "".join(f"{n}\n" for n in range(1, 40)),
              "close_i": "xi[0],xi[1],xi[2],eps2\n0,0,0,0\n", "close_j": "xj[0],xj[1],xj[2],mj\n0,0,0,1\n",
              "faulty_j": "xj,mj\n1,1e60\n"}
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    (folder / "topology.conf").write_text("SwitchName=leaf0 Nodes=n[0-3]\nSwitchName=leaf1 Nodes=n[4-7]\n"
                                          "SwitchName=top Switches=leaf[0-1]\n", encoding="utf-8")
    (folder / "graph.mtx").write_text("%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 64\n2 3 64\n4 1 8\n", encoding="utf-8")
    published = (PROJECT / "docs/examples/hpl/HPL.dat").read_text(encoding="utf-8")
    small = re.sub(r"(?m)^1( +# of NBs)", r"2\1", published.replace("34816  ", "96  ").replace("2048  ", "32 64 "))
    (folder / "small.dat").write_text(small, encoding="utf-8")
    gdr("as", str(PROJECT / "kernels/gravity.vsm"), "-o", str(folder / "packed.gdro"))
    gdr("force", "-n", "64", "--profile", str(folder / "a.json"), "--quiet")


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        files_in(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def report_of(self, command, run, *more):
        places = {"kernels": PROJECT / "kernels", "docs": PROJECT / "docs", "exercises": PROJECT / "course/exercises/moment"}
        words = [word.format(**places) for word in [*command.split(), *run.split()]]
        done = subprocess.run([GDR, *words, "--json", "report.json", *more], capture_output=True, text=True, check=False,
                              timeout=300, cwd=self.folder)
        self.assertNotEqual(done.returncode, 2, done.stderr)
        file = self.folder / "report.json"
        self.assertTrue(file.exists(), f"gdr {' '.join(words)}: {done.stderr}")
        report = json.loads(file.read_text(encoding="utf-8"))
        file.unlink()
        return report

    def test_every_command_with_a_report_is_here(self):
        self.assertEqual(gdr("schema").splitlines(), sorted(COMMANDS))

    def test_every_command_with_json_has_a_schema(self):
        told = set(re.findall(r"^## `(.*)`$", gdr("schema", "--page"), re.M))
        for page in (PROJECT / "docs").rglob("*.md"):
            for command in re.findall(r"^\s*\$? ?gdr ([a-z]+(?: [a-z]+)?).*--json", page.read_text(encoding="utf-8"), re.M):
                self.assertTrue(command in told or command.split()[0] in told, command)

    def test_reports_fit_their_schema(self):
        for command, runs in COMMANDS.items():
            schema = json.loads(gdr("schema", *command.split()))
            for run in runs:
                with self.subTest(command=command, run=run):
                    report = self.report_of(command, run)
                    self.assertEqual(report["schema"], f"{command.replace(' ', '-')}/{VERSIONS.get(command, 1)}")
                    require_fit(report, schema)

    @unittest.skipUnless(importlib.util.find_spec("jsonschema"), "without Python's jsonschema")
    def test_schemas_are_valid_and_refuse_other_reports(self):
        import jsonschema

        for command in COMMANDS:
            jsonschema.Draft202012Validator.check_schema(json.loads(gdr("schema", *command.split())))
        schema = json.loads(gdr("schema", "cluster", "nbody"))
        report = self.report_of("cluster nbody", "--nodes 4 --n 4096")
        jsonschema.validate(report, schema)
        for change in ({"schema": "cluster-nbody/9"}, {"colour": "red"}, {"rows": [{}]}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate({**report, **change}, schema)
            with self.assertRaises(Mismatch):
                require_fit({**report, **change}, schema)

    def test_rows_go_to_csv(self):
        """As many lines as rows, with the values of the JSON; commands without rows have no such option."""
        for command, rows in {"cluster nbody": "rows", "net routes": "routes", "validate": "rows", "net cost": "lines",
                              "net himeno": "plans", "hpl": "runs", "analyse": "body", "selftest": "differences"}.items():
            run = {"hpl": "--dat small.dat --timing-only", "net himeno": "--size S --nodes 4"}.get(command, COMMANDS[command][0])
            with self.subTest(command=command):
                report = self.report_of(command, run, "--csv", "rows.csv")
                told = list(csv.DictReader(io.StringIO((self.folder / "rows.csv").read_text(encoding="utf-8"))))
                self.assertEqual(len(told), len(report[rows]))
                for line, row in zip(told, report[rows]):
                    for key, value in row.items():
                        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                            self.assertEqual(type(value)(line[key]), value)
        refused = subprocess.run([GDR, "dgemm", "-m", "4", "-n", "4", "-k", "4", "--csv", "-"], capture_output=True,
                                 text=True, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("unknown option '--csv'", refused.stderr)

    def test_every_report_is_a_page(self):
        """With all fields and rows of the JSON, without a script, and nothing from elsewhere."""
        for command, runs in COMMANDS.items():
            if not runs or command == "analyse":  # whose page shows the source
                continue
            with self.subTest(command=command):
                report = self.report_of(command, runs[0], "--html", "report.html")
                page = (self.folder / "report.html").read_text(encoding="utf-8")
                (self.folder / "report.html").unlink()
                reader = PageReader()
                reader.feed(page)
                self.assertIn("Content-Security-Policy", page)
                self.assertNotRegex(page, r"<script|https?://|src=|@import")
                self.assertEqual(reader.open, [])
                self.assertIn(f"gdr {command}", reader.texts)
                schema = json.loads(gdr("schema", *command.split()))["properties"]
                words = set(re.findall(r"[\w.]+", " ".join(reader.texts)))
                for key, value in report.items():
                    if key in ("schema", "options"):
                        continue
                    self.assertTrue({key, key.replace("_", " ").split()[0]} & words or value in ([], {}), key)
                    for row in value if "items" in schema.get(key, {}) else []:
                        for cell in row.values():
                            if isinstance(cell, int) and not isinstance(cell, bool):
                                self.assertTrue(str(cell) in words or abs(cell) > 1e5, f"{key}: {cell}")
                for name, value in report["options"].items():
                    self.assertIn(name, reader.texts)

    def test_a_page_goes_where_outputs_go(self):
        done = subprocess.run([GDR, "net", "cost", "--html", "-"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith("<!doctype html>"), done.stdout[:100])
        for more, why in ((["--html", "-", "--json", "-"], "both go to standard output"),
                          (["--html", "x.html", "--json", "x.html"], "--json and --html"),
                          (["--html", "none/x.html"], "none/x.html")):
            refused = subprocess.run([GDR, "net", "cost", *more], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertIn(refused.returncode, (1, 2))
            self.assertIn(why, refused.stderr)
        shutil.copy(PROJECT / "kernels/gravity.vsm", self.folder / "k.vsm")
        refused = subprocess.run([GDR, "as", "k.vsm", "--html", "k.vsm"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertEqual((self.folder / "k.vsm").read_bytes(), (PROJECT / "kernels/gravity.vsm").read_bytes())
        if pathlib.Path("/dev/full").exists():
            full = subprocess.run([GDR, "net", "cost", "--html", "/dev/full"], capture_output=True, text=True, check=False)
            self.assertEqual(full.returncode, 1)
            self.assertIn("/dev/full", full.stderr)

    def test_rows_alone_go_to_standard_output(self):
        told = gdr("net", "cost", "--csv", "-").splitlines()
        self.assertEqual(told[0], "board,part,unit_price,count,subtotal")
        self.assertTrue(all(line.count(",") == 4 for line in told), told)

    def test_all_schemas_go_to_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            gdr("schema", "--all", folder + "/schemas")
            files = sorted(path.name for path in pathlib.Path(folder, "schemas").iterdir())
            self.assertEqual(files, sorted(name.replace(" ", "-") + ".schema.json" for name in COMMANDS))

    def test_a_command_without_a_schema_is_refused_with_those_that_have_one(self):
        done = subprocess.run([GDR, "schema", "cluster", "nbdy"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'cluster nbody'", done.stderr)

    def test_the_page_of_the_program_names_the_reports_without_a_machine(self):
        page = (PROJECT / "docs/reference/cli.md").read_text(encoding="utf-8")
        told = re.search(r"`counters`;((?:\s|,|and|`[a-z ]+`)+)have only the first three of them", page)
        without = [name for name in COMMANDS
                   if "emulated_seconds" not in json.loads(gdr("schema", *name.split()))["properties"]]
        self.assertEqual(sorted(re.findall("`([^`]+)`", told[1])), sorted(without))

    def test_the_page_of_fields_is_made_of_the_schemas(self):
        page = (PROJECT / "docs/reference/report-fields.md").read_text(encoding="utf-8")
        self.assertEqual(page[page.index("## All reports"):], gdr("schema", "--page"))


if __name__ == "__main__":
    GDR, PROJECT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
