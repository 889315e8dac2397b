#!/usr/bin/env python3
"""JSON Schemas of reports: every report of a command that has one fits it, and the page of fields is made of them.

    schema_test.py GDR PROJECT
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()

COMMANDS = {
    "cluster nbody": ["--nodes 1,4 --n 4096 --sweep", "--nodes 4 --n 4096 --free-network"],
    "cluster hpl": ["--nodes 4 --n 4096", "--nodes 1,4 --n 2048,4096 --overlap-u"],
    "cluster summa": ["--nodes 4 --n 4096", "--nodes 4 --n 4096 --in-turn"],
    "cluster himeno": ["--nodes 8 --size XS,S", "--nodes 1 --size XS --on host"],
}


def gdr(*words):
    return subprocess.run([GDR, *words], capture_output=True, text=True, check=True, timeout=300).stdout


class Schemas(unittest.TestCase):
    def test_every_command_with_a_schema_is_here(self):
        self.assertEqual(sorted(gdr("schema").splitlines()), sorted(COMMANDS))

    def test_reports_have_all_fields_of_their_schema_and_no_others(self):
        for command, runs in COMMANDS.items():
            schema = json.loads(gdr("schema", *command.split()))
            for run in runs:
                report = json.loads(gdr(*command.split(), *run.split(), "--json", "-"))
                with self.subTest(command=command, run=run):
                    self.assertEqual(report["schema"], command.replace(" ", "-") + "/1")
                    self.assertEqual(set(report), set(schema["required"]))
                    for row in report["rows"]:
                        self.assertEqual(set(row), set(schema["properties"]["rows"]["items"]["required"]))

    @unittest.skipUnless(importlib.util.find_spec("jsonschema"), "without Python's jsonschema")
    def test_reports_are_valid(self):
        import jsonschema

        for command, runs in COMMANDS.items():
            schema = json.loads(gdr("schema", *command.split()))
            jsonschema.Draft202012Validator.check_schema(schema)
            for run in runs:
                report = json.loads(gdr(*command.split(), *run.split(), "--json", "-"))
                with self.subTest(command=command, run=run):
                    jsonschema.validate(report, schema)
                    for change in ({"schema": "cluster-nbody/9"}, {"colour": "red"}, {"rows": [{}]}):
                        with self.assertRaises(jsonschema.ValidationError):
                            jsonschema.validate({**report, **change}, schema)

    def test_all_schemas_go_to_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            gdr("schema", "--all", folder + "/schemas")
            files = sorted(path.name for path in pathlib.Path(folder, "schemas").iterdir())
            self.assertEqual(files, sorted(name.replace(" ", "-") + ".schema.json" for name in COMMANDS))

    def test_a_command_without_a_schema_is_refused_with_those_that_have_one(self):
        done = subprocess.run([GDR, "schema", "cluster", "nbdy"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'cluster nbody'", done.stderr)

    def test_the_page_of_fields_is_made_of_the_schemas(self):
        page = (PROJECT / "docs" / "report-fields.md").read_text(encoding="utf-8")
        self.assertEqual(page[page.index("## All reports"):], gdr("schema", "--page"))


if __name__ == "__main__":
    GDR, PROJECT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
