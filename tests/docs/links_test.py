#!/usr/bin/env python3
"""Links between files of the project lead somewhere before anything is built: links_test.py PROJECT"""

import pathlib
import sys
import unittest

PROJECT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(PROJECT / "docs/site"))
from stage import FENCE, LINK  # noqa: E402


def dead_links(page):
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
        for match in LINK.finditer("" if fenced else line):
            path = match.group(2).partition("#")[0]
            if ":" not in path and not (page.parent / path).exists():
                yield f"{page.relative_to(PROJECT)}:{number}: {match.group(2)}"


class LinksTest(unittest.TestCase):
    def test_every_link_of_the_tree_leads_to_a_file(self):
        pages = [*PROJECT.glob("*.md"), *PROJECT.glob("docs/*.md"), *PROJECT.glob("docs/*/*.md"),
                 *PROJECT.glob("*/README.md")]
        self.assertIn(PROJECT / "docs/kernels/assembly.md", pages)
        self.assertEqual([link for page in sorted(pages) for link in dead_links(page)], [])


if __name__ == "__main__":
    unittest.main()
