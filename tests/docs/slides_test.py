#!/usr/bin/env python3
"""docs/site/slides.py makes slides of a page that need no other file: slides_test.py SITE_SOURCE"""

import base64
import hashlib
import pathlib
import re
import sys
import tempfile
import types
import unittest

sys.path.insert(0, sys.argv.pop(1))
sys.dont_write_bytecode = True
import slides  # noqa: E402

BODY = """<section id="all"><h1>All<a class="headerlink" href="#all" title="Permalink">#</a></h1><p>Head.</p>
<section id="one"><h2>One</h2><img alt="p" src="../../_images/p.svg" /></section>
<section id="two"><h2>Two</h2><p><a href="course.html">Next</a></p></section>
</section>
"""


class SlidesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        (self.out / "docs/guides").mkdir(parents=True)
        (self.out / "_images").mkdir()
        (self.out / "_images/p.svg").write_text("<svg/>")
        highlighter = types.SimpleNamespace(get_stylesheet=lambda: ".k { color: #000 }")
        self.app = types.SimpleNamespace(outdir=str(self.out), builder=types.SimpleNamespace(format="html", highlighter=highlighter))

    def deck(self):
        context = {"title": "All &amp; <em>more</em>", "body": BODY}
        slides.remember(self.app, slides.PAGE, "page.html", context, None)
        self.assertIn('<a href="slides-deck.html">', context["body"])
        slides.write(self.app, None)
        return (self.out / slides.DECK).read_text()

    def test_the_head_and_each_part_of_the_page_are_a_slide(self):
        main = re.search("<main>(.*)</main>", self.deck(), re.DOTALL)[1]
        self.assertEqual(main.count("<section"), main.count("</section>"))
        self.assertEqual(re.findall(r"<section id=\"(\w+)\">.*?</section>", main, re.DOTALL), ["all", "one", "two"])
        self.assertNotIn("headerlink", main)

    def test_pictures_stand_in_the_file(self):
        deck = self.deck()
        self.assertEqual(re.findall(r"<(?:img|script|link)[^>]* src=\"([^\"]*)\"", deck),
                         ["data:image/svg+xml;base64," + base64.b64encode(b"<svg/>").decode()])

    def test_the_policy_allows_the_script_and_no_other(self):
        deck = self.deck()
        (script,) = re.findall("<script>(.*?)</script>", deck, re.DOTALL)
        allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'", deck)

    def test_another_page_and_a_failed_build_make_no_slides(self):
        slides.remember(self.app, "docs/guides/course", "page.html", {"title": "", "body": BODY}, None)
        slides.write(self.app, None)
        self.assertFalse((self.out / slides.DECK).exists())
        slides.remember(self.app, slides.PAGE, "page.html", {"title": "", "body": BODY}, None)
        slides.write(self.app, ValueError())
        self.assertFalse((self.out / slides.DECK).exists())


if __name__ == "__main__":
    unittest.main()
