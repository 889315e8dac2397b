#!/usr/bin/env python3
"""docs/site/stage.py places every page, follows links between them, and refuses what leads nowhere: stage_test.py STAGE"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

STAGE = sys.argv.pop(1)
NAVIGATION = '[[part]]\ntitle = "All"\npages = ["docs/a.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/references.md", "components", "api"]\n'
INDEX = """<doxygenindex><compound refid="space" kind="namespace"><name>gdr</name></compound>
<compound refid="box" kind="struct"><name>gdr::Box</name></compound></doxygenindex>"""
SPACE = """<doxygen><compounddef><sectiondef><memberdef kind="function"><name>weigh</name><qualifiedname>gdr::weigh</qualifiedname>
<argsstring>(const Box &amp;box)</argsstring><location file="base/include/gdr/base/box.h"/></memberdef></sectiondef></compounddef></doxygen>"""
BOX = '<doxygen><compounddef><location file="base/include/gdr/base/box.h"/></compounddef></doxygen>'


class StageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        self.out = pathlib.Path(folder.name) / "out"
        self.xml = pathlib.Path(folder.name) / "xml"
        for name, text in {
            "README.md": "# Front\n\n[a](docs/a.md) [part](base/README.md)\n",
            "CHANGELOG.md": "# Changes\n", "CONTRIBUTING.md": "# Contributing\n",
            "docs/a.md": "# A\n\n[front](../README.md#front) [base](../base) [code](../base/box.cpp) [far](https://example.org/x.md)\n",
            "docs/references.bib": "", "docs/site/navigation.toml": NAVIGATION,
            "base/README.md": "# base\n", "base/box.cpp": "", "base/include/gdr/base/box.h": "// Boxes of `n` * 2 kg,\n// or less.\n#pragma once\n",
        }.items():
            self.write(self.tree / name, text)
        for name, text in {"index.xml": INDEX, "space.xml": SPACE, "box.xml": BOX}.items():
            self.write(self.xml / name, text)

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def stage(self, *more):
        return subprocess.run([sys.executable, "-B", STAGE, "--project", self.tree, "--library", "base", "--doxygen", self.xml,
                               "--out", self.out, *more], capture_output=True, text=True)

    def test_links_between_pages_are_followed_and_others_keep_their_text(self):
        done = self.stage()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("[a](docs/a.md) [part](base/index.md)", (self.out / "index.md").read_text())
        self.assertIn("[front](../index.md#front) [base](../base/index.md) code [far](https://example.org/x.md)",
                      (self.out / "docs/a.md").read_text())

    def test_public_headers_are_listed_with_what_they_declare(self):
        self.stage()
        listed = (self.out / "api/base.rst").read_text()
        self.assertIn("gdr/base/box.h", listed)
        self.assertIn("\nBoxes of ``n`` \\* 2 kg, or less.\n", listed)
        self.assertIn(".. doxygenstruct:: gdr::Box", listed)
        self.assertIn(".. doxygenfunction:: gdr::weigh(const Box &box)", listed)

    def test_a_header_is_shown_with_its_example_and_what_that_prints(self):
        example = self.tree / "docs/examples/api/base/box.cpp"
        self.write(example, "int main() {\n\n}\n")
        self.write(example.with_suffix(".txt"), "5 kg\n")
        self.assertEqual(self.stage().returncode, 0)
        listed = (self.out / "api/base.rst").read_text()
        self.assertIn(".. code-block:: c++\n\n   int main() {\n\n   }\n", listed)
        self.assertIn(".. code-block:: text\n\n   5 kg\n", listed)
        example.rename(example.with_name("crate.cpp"))
        done = self.stage()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/examples/api/base/crate.cpp: an example of no public header", done.stderr)

    def test_a_page_that_the_build_makes_stands_in_place_of_the_one_that_tells_of_it(self):
        made = self.tree / "build/docs/a.md"
        self.write(made, "# A as made\n")
        self.assertEqual(self.stage("--generated", made).returncode, 0)
        self.assertEqual((self.out / "docs/a.md").read_text(), "# A as made\n")

    def test_a_link_to_nothing_is_refused_with_its_place(self):
        self.write(self.tree / "docs/a.md", "# A\n\n[gone](gone.md)\n")
        done = self.stage()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/a.md:3: links to gone.md, which does not exist", done.stderr)

    def test_a_notebook_in_a_folder_of_its_own_is_a_page(self):
        self.write(self.tree / "docs/notes/a.md", "# Notes\n\n[a](../a.md#b) [front](../../README.md) ![p](../p.svg)\n")
        self.write(self.tree / "docs/p.svg", "<svg/>")
        self.write(self.tree / "docs/site/navigation.toml", NAVIGATION + '[[part]]\ntitle = "Notes"\npages = ["docs/notes/a.md"]\n')
        self.assertEqual(self.stage().returncode, 0)
        self.assertIn("[a](../../docs/a.md#b) [front](../../index.md) ![p](../p.svg)", (self.out / "docs/notes/a.md").read_text())
        self.assertTrue((self.out / "docs/p.svg").exists())

    def course(self):
        """Two exercises and their lessons."""
        self.write(self.tree / "course/course.toml", 'exercises = ["mass", "gap"]\n')
        self.write(self.tree / "docs/site/navigation.toml", NAVIGATION + '[[part]]\ntitle = "Course"\npages = ["docs/guides/course.md", "lessons"]\n')
        self.write(self.tree / "docs/guides/course.md", "# Course\n\n### 1. A sum: [`mass`](../../course/exercises/mass/task.md)\n\nAdd.\n\n"
                   "### 2. A gap: [`gap`](../../course/exercises/gap/task.md)\n\nSee [a](../a.md).\n\n## More\n\nEnd.\n")
        for name, par, bound in (("mass", 2, 1), ("gap", 3, 3)):
            folder = self.tree / "course/exercises" / name
            self.write(folder / "exercise.toml", f"tolerance = 1e-6\npar = {par}\nbound = {bound}\nhints = ['Think of {name}.']\n"
                       "cases = [{ ni = 2, nj = 9, eps2 = 0.5 }]\n")
            self.write(folder / "task.md", f"# Find the {name}\n\nWhat is it?\n")
            self.write(folder / "solution.vsm", f"kernel {name}\n")
            self.write(folder / "reference.py", "import numpy\n")
            self.write(folder / "shown/j.csv", "xj\n" + "".join(f"{n}\n" for n in range(9)))

    def test_an_exercise_has_a_page_of_its_files_and_its_lesson(self):
        self.course()
        done = self.stage()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.out / "course/gap.md").read_text()
        for text in ("# 2. Find the gap\n\nWhat is it?\n", "## A gap\n\nSee [a](../docs/a.md).\n", "**3** lines in the loop body, and no order",
                     "<summary>Hint 1</summary>\n\nThink of gap.\n\n</details>", "with `eps2` = 0.5", "| `xj` |\n| ---: |\n| 0 |\n",
                     "| 5 |\n\n3 more rows follow.", "```vsm\nkernel gap\n```", "```python\nimport numpy\n```"):
            self.assertIn(text, page)
        for text in ("Add.", "More", "mass"):
            self.assertNotIn(text, page)
        self.assertIn("has fewer than 1 with its registers (", (self.out / "course/mass.md").read_text())
        self.assertIn("[`mass`](../../course/mass.md)", (self.out / "docs/guides/course.md").read_text())

    def test_an_exercise_has_the_playground_in_its_page_only_if_the_site_has_one(self):
        self.course()
        self.stage("--playground", self.tree / "none")
        self.assertNotIn("<div", (self.out / "course/gap.md").read_text())
        self.write(self.tree / "web/index.html", "")
        self.stage("--playground", self.tree / "web")
        self.assertIn('<div class="playground" data-address="../playground/index.html#exercise=gap"', (self.out / "course/gap.md").read_text())

    def test_an_exercise_without_lesson_is_refused(self):
        self.course()
        self.write(self.tree / "docs/guides/course.md", "# Course\n")
        done = self.stage()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/guides/course.md: has no lesson of the exercise gap", done.stderr)

    def test_a_link_in_a_block_of_code_is_text(self):
        self.write(self.tree / "docs/a.md", "# A\n\n```c\n[gone](gone.md)\n```\n")
        self.assertEqual(self.stage().returncode, 0)

    def test_a_page_that_the_menu_lacks_or_names_twice_is_refused(self):
        self.write(self.tree / "docs/b.md", "# B\n")
        self.assertIn("docs/b.md stands in no part", self.stage().stderr)
        self.write(self.tree / "docs/site/navigation.toml", NAVIGATION + '[[part]]\ntitle = "More"\npages = ["docs/b.md", "docs/a.md"]\n')
        self.assertIn("names docs/a.md twice", self.stage().stderr)

    def test_a_page_that_is_gone_leaves_the_site(self):
        self.write(self.tree / "docs/b.md", "# B\n")
        self.stage()
        self.assertTrue((self.out / "docs/b.md").exists())
        (self.tree / "docs/b.md").unlink()
        self.stage()
        self.assertFalse((self.out / "docs/b.md").exists())


if __name__ == "__main__":
    unittest.main()
