"""The playground's page in Chromium.

    page_test.py SITE GDR PROJECT [TEST...]

GDR is the program. Pictures go into the folder GDR_ARTEFACTS. Skipped where scripts/web has built no SITE or there is no
Chromium.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser

SKIPPED = 77
SITE, GDR, PROJECT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURES = pathlib.Path(os.environ.get("GDR_ARTEFACTS", tempfile.gettempdir()))
PHONE, DESKTOP = (390, 844), (1400, 900)
CHECKED = "window.playground && playground.checked && playground.checked.source === playground.editor.getValue()"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = cls.enterClassContext(browser.served(SITE))
        cls.page = cls.enterClassContext(browser.page(CHROMIUM))

    def setUp(self):
        self.page.complaints.clear()

    def tearDown(self):
        self.assertEqual(self.page.complaints, [])

    def open(self, size=DESKTOP, fragment="", dark=False):
        self.page.open(self.site + fragment, *size, dark=dark)
        self.page.wait(CHECKED)

    def text(self, selector):
        return self.page.run(f'document.querySelector("{selector}").innerText')

    def fits(self):
        """Nothing stands beside the window."""
        self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), self.page.run("innerWidth"))

    def test_a_kernel_that_is_opened_is_proved_and_its_clocks_are_shown(self):
        self.open(fragment="#kernel=gravity_jerk.vsm")
        self.assertIn("48 loop lines", self.text("#status"))
        self.assertIn("320", self.text("#clocks .figures"))
        self.assertIn("None", self.text("#problems"))
        self.assertGreater(self.page.run('document.querySelectorAll("#clocks table.bars tbody tr").length'), 5)
        self.assertEqual(self.page.run('document.querySelectorAll("#clocks tr[data-line]").length'), 48)
        self.assertEqual(self.page.run('[...document.querySelectorAll("#example option")].map(each => each.value).join()'),
                         ",".join(sorted(path.name for path in (PROJECT / "kernels").glob("*.vsm"))))
        self.assertGreater(self.page.run('document.querySelectorAll("#editor .cm-comment").length'), 3)
        self.fits()
        self.page.picture(PICTURES / "playground-clocks.png")

    def test_an_error_that_is_typed_is_told_at_its_place(self):
        self.open()
        line = self.page.run('playground.editor.getValue().split("\\n").findIndex(line => line.includes("fmul"))')
        self.page.run(f"playground.editor.focus(); playground.editor.setCursor({line}, 2)")
        self.page.type("frob ; ")
        self.page.wait('playground.editor.getValue().includes("frob")')
        self.page.wait(CHECKED)
        self.assertIn("error", self.text("#problems"))
        self.assertIn("^", self.text("#problems pre"))
        self.assertIn(f"line {line + 1}", self.text("#problems"))
        self.assertGreater(self.page.run('document.querySelectorAll("#editor .mark-error").length'), 0)
        self.assertTrue(self.page.run('document.querySelector("#run").disabled'))
        self.page.picture(PICTURES / "playground-error.png")
        self.page.run("playground.editor.undo()")
        self.page.wait(CHECKED)
        self.assertIn("None", self.text("#problems"))
        self.assertFalse(self.page.run('document.querySelector("#run").disabled'))

    def run_and_compare(self, kernel):
        self.page.click("#run")
        self.page.wait('document.querySelector("#hash")')
        shown = self.text("#hash")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name in ("i.csv", "j.csv"):
                (folder / name).write_text(self.page.run(f'playground.engine.ask({{call: "file", name: "{name}"}}).then(answer => answer.text)'))
            self.assertEqual(len((folder / "j.csv").read_text().splitlines()), 1025)
            subprocess.run([GDR, "run", PROJECT / "kernels" / kernel, "--i", "i.csv", "--j", "j.csv", "--out", "results.csv"],
                           cwd=folder, check=True, capture_output=True)
            self.assertEqual(shown, hashlib.sha256((folder / "results.csv").read_bytes()).hexdigest())

    def test_a_run_shows_the_hash_of_gdr_run(self):
        self.open(fragment="#kernel=gravity.vsm")
        self.run_and_compare("gravity.vsm")
        self.assertIn("128 × 1024", self.text("#status"))
        self.assertEqual(self.page.run('document.querySelectorAll("#results tbody tr").length'), 16)
        self.fits()
        self.page.picture(PICTURES / "playground-run.png")

    def test_a_kernel_is_stepped_through_line_by_line(self):
        self.open(fragment="#kernel=tutorial.vsm")
        self.page.click("#debug")
        self.page.wait('document.querySelector("#state table")')
        self.page.wait('document.querySelectorAll("#editor .line-here").length > 0')
        first = self.text("#state")
        self.assertIn("i-particle 0, j-particle 0", first)
        self.assertIn("xj", first)
        self.page.click('[data-line="step"]')
        self.page.wait('document.querySelector("#state p").innerText.includes("line 1")')
        self.assertIn("$lt", self.text("#state tr.changed"))
        # A breakpoint at the sum, set by a click on the line's number, is where Continue stops.
        self.page.click("#editor .CodeMirror-code > div:nth-child(22) .CodeMirror-linenumber")
        self.page.wait("playground.stops.length === 1")
        self.page.click('[data-line="continue"]')
        self.page.wait('document.querySelector("#state p").innerText.includes("line 2")')
        self.assertIn("breakpoint 1", self.text("#reply"))
        self.page.picture(PICTURES / "playground-step.png")
        self.page.run('document.querySelector("#console [name=line]").value = "print sum"')
        self.page.click("#console button")
        self.page.wait('document.querySelector("#reply").innerText.includes("sum = ")')

    def test_it_fits_a_phone(self):
        for dark in (False, True):
            self.open(size=PHONE, fragment="#kernel=gravity.vsm", dark=dark)
            self.fits()
            for view in ("results", "step", "listing", "clocks"):
                self.page.click(f"#tab-{view}")
                self.assertTrue(self.page.run(f'!document.querySelector("#panel-{view}").hidden'))
                self.fits()
            self.run_and_compare("gravity.vsm")
            self.fits()
            self.page.run("scrollTo(0, 0)")
            self.page.picture(PICTURES / f"playground-phone-{'dark' if dark else 'light'}.png")
            self.page.run('document.querySelector("#panels").scrollIntoView()')
            self.page.picture(PICTURES / f"playground-phone-run-{'dark' if dark else 'light'}.png")

    def test_dark_and_light_can_be_switched(self):
        ground = 'getComputedStyle(document.body).backgroundColor'
        self.open(dark=True)
        dark = self.page.run(ground)
        self.page.picture(PICTURES / "playground-dark.png")
        self.page.click("#theme")
        self.assertNotEqual(self.page.run(ground), dark)
        self.open(dark=True)  # it stays as it was chosen
        self.assertNotEqual(self.page.run(ground), dark)
        self.page.run("localStorage.clear()")

    def test_a_shared_link_brings_the_kernel_back(self):
        self.open()
        source = self.page.run("playground.editor.getValue()").replace("kernel tutorial", "kernel my_own") + "# ünïcode\n"
        self.page.run(f"playground.editor.setValue({source!r})")
        self.page.click("#share")
        self.page.wait("location.hash.includes('source=')")
        fragment = self.page.run("location.hash")
        self.open(fragment=fragment)
        self.assertEqual(self.page.run("playground.editor.getValue()"), source)
        self.page.wait("playground.checked.kernel.name === 'my_own'")

    def test_views_are_chosen_by_arrow_keys(self):
        self.open()
        self.page.run('document.querySelector("#tab-clocks").focus()')
        for view in ("results", "step", "listing", "clocks"):
            self.page.key("ArrowRight")
            self.assertEqual(self.page.run("document.activeElement.id"), f"tab-{view}")
            self.assertEqual(self.page.run('document.querySelectorAll("[role=tabpanel]:not([hidden])").length'), 1)
            self.assertFalse(self.page.run(f'document.querySelector("#panel-{view}").hidden'))

    def test_every_control_has_a_name(self):
        self.open()
        nameless = self.page.run("""[...document.querySelectorAll("button, select, input")].filter(element =>
            !element.labels?.length && !element.innerText && !element.getAttribute("aria-label")).map(element => element.outerHTML)""")
        self.assertEqual(nameless, [])


if __name__ == "__main__":
    if CHROMIUM is None or not (SITE / "gdr.wasm").is_file():
        reason = "no chromium is installed (scripts/setup ci)" if CHROMIUM is None else f"there is no playground in {SITE} (scripts/web builds it)"
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
