#!/usr/bin/env python3
"""Files that catalogues read name the version, title and licence that the project has: metadata_test.py PROJECT"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
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
        self.assertEqual(re.match(r"gdr \((\S+)-\S+\)", text("debian/changelog"))[1], version)

    def test_debian_packages_are_built_from_what_setup_installs(self):
        control = text("debian/control")
        wanted = set()
        for field in ("Build-Depends", "Build-Depends-Indep"):
            value = re.search(rf"^{field}: (.*?)^(?=\S|$)", control, re.M | re.S)[1]
            wanted |= {re.sub(r"\s*\(.*", "", each.strip()) for each in value.split(",") if each.strip()}
        installed = subprocess.run([PROJECT / "scripts/setup", "--list", "build", "docs", "packages"], capture_output=True,
                                   text=True, check=True).stdout.split()
        self.assertEqual(wanted - set(installed), {"debhelper-compat"})  # which debhelper provides

    def test_recipes_name_this_version_and_options_that_exist(self):
        version = re.search(r"project\(gdr VERSION (\S+)", text("CMakeLists.txt"))[1]
        known = set()
        for file in [PROJECT / "CMakeLists.txt", PROJECT / "python/CMakeLists.txt"]:
            known |= set(re.findall(r"(?:option|set|find_program)\((GDR_[A-Z_]+)", file.read_text(encoding="utf-8")))
        for name, says in (("conda/recipe.yaml", f'version: "{version}"'), ("conda/build.sh", ""),
                           ("spack/packages/gdr/package.py", f'version("{version}")'), ("nix/package.nix", f'version = "{version}"')):
            recipe = text(f"packaging/{name}")
            self.assertIn(says, recipe, name)
            self.assertEqual(set(re.findall(r"GDR_[A-Z_]+", recipe)) - known, set(), name)

    def test_every_debian_package_says_what_it_holds(self):
        for name in re.findall(r"^Package: (\S+)", text("debian/control"), re.M):
            self.assertTrue(text(f"debian/{name}.install").strip(), name)

    def test_a_release_needs_one_date_in_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("CMakeLists.txt", "CHANGELOG.md", "CITATION.cff", "scripts/release", "debian/changelog"):
                (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(PROJECT / name, pathlib.Path(folder) / name)
            run = ["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org"]
            subprocess.run([*run, "init", "--quiet"], check=True)

            def check():
                subprocess.run([*run, "add", "-A"], check=True)
                subprocess.run([*run, "commit", "--quiet", "--allow-empty", "-m", "State"], check=True)
                return subprocess.run([f"{folder}/scripts/release", "--check"], capture_output=True, text=True)

            changes, citation = pathlib.Path(folder, "CHANGELOG.md"), pathlib.Path(folder, "CITATION.cff")
            plain = re.sub(r"^## (\S+) \(.*\)$", r"## \1 (not released)", changes.read_text(), count=1, flags=re.M)
            changes.write_text(plain)
            self.assertIn("a release has a date", check().stderr)
            changes.write_text(plain.replace("(not released)", "(2026-12-01)", 1))
            citation.write_text(re.sub(r"^date-released:.*\n", "", citation.read_text(), flags=re.M))
            self.assertIn("no 'date-released: 2026-12-01'", check().stderr)
            citation.write_text(citation.read_text() + "date-released: 2026-12-01\n")
            self.assertIn("can become", check().stdout)

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
