#!/usr/bin/env python3
"""Files that catalogues read name the version, title and licence that the project has: metadata_test.py PROJECT"""

import json
import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(sys.argv.pop(1))


def text(name):
    return (PROJECT / name).read_text(encoding="utf-8")


class MetadataTest(unittest.TestCase):
    def test_the_version_is_that_of_the_build(self):
        version = re.search(r"project\(gdr VERSION (\S+)", text("CMakeLists.txt"))[1]
        self.assertEqual(re.search(r"^version: (\S+)$", text("CITATION.cff"), re.M)[1], version)
        self.assertEqual(json.loads(text("codemeta.json"))["version"], version)
        self.assertEqual(json.loads(text(".zenodo.json"))["version"], version)
        self.assertEqual(re.search(r"^## (\S+)", text("CHANGELOG.md"), re.M)[1], version)

    def test_title_and_licence_are_the_same_everywhere(self):
        zenodo, codemeta = json.loads(text(".zenodo.json")), json.loads(text("codemeta.json"))
        self.assertEqual(re.search(r'^title: "(.*)"$', text("CITATION.cff"), re.M)[1], zenodo["title"])
        self.assertEqual(zenodo["keywords"], codemeta["keywords"])
        licence = re.search(r"^license: (\S+)$", text("CITATION.cff"), re.M)[1]
        self.assertEqual(zenodo["license"], licence)
        self.assertEqual(codemeta["license"], f"https://spdx.org/licenses/{licence}")
        self.assertEqual(text(f"LICENSES/{licence}.txt"), text("LICENSE"))
        self.assertIn(f"License: {licence}", text(".reuse/dep5"))


if __name__ == "__main__":
    unittest.main()
