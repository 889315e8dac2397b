"""The playground's page in Chromium.

    page_test.py SITE GDR PROJECT [TEST...]

GDR is the program. Pictures go into the folder GDR_ARTEFACTS. Skipped where scripts/web has built no SITE or there is no
Chromium.
"""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

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

    def open(self, size=DESKTOP, fragment="", dark=False, keep=False):
        """Opens the page as a browser that never saw it, or, with `keep`, with what it has kept."""
        if not keep:
            self.page.forget(self.site)
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
                         ",".join(path.name for pattern in ("*.vsm", "lsump/*.lsump") for path in sorted((PROJECT / "kernels").glob(pattern)) if path.name != "gravity_jerk_136.vsm"))
        self.assertGreater(self.page.run('document.querySelectorAll("#editor .cm-comment").length'), 3)
        self.fits()
        self.page.picture(PICTURES / "playground-clocks.png")

    def test_a_kernel_in_lsump_is_compiled_beside_its_assembly(self):
        self.open(fragment="#kernel=gravity.lsump")
        self.assertFalse(self.page.run('document.querySelector("#effort").hidden'))
        self.assertTrue(self.page.run('document.querySelector("#schedule").hidden'))
        self.assertGreater(self.page.run('document.querySelectorAll("#editor .cm-keyword").length'), 3)
        self.run_and_compare("lsump/gravity.lsump")
        self.page.click("#tab-assembly")
        self.assertIn("kernel gravity", self.text("#assembly"))
        self.fits()
        self.page.picture(PICTURES / "playground-lsump.png")
        # Lines of LSUMP are stepped through.
        line = self.page.run('playground.editor.getValue().split("\\n").findIndex(line => line.startsWith("y = "))')
        self.page.click("#debug")
        self.page.wait('document.querySelector("#state table")')
        self.page.click(f"#editor .CodeMirror-code > div:nth-child({line + 1}) .CodeMirror-linenumber")
        self.page.wait(f'playground.stops.some(stop => stop.line === {line + 1})')
        self.page.click('[data-line="continue"]')
        self.page.wait(f'playground.editor.lineInfo({line}).bgClass')
        # A mistake has its place, and no assembly.
        self.page.run(f"playground.editor.focus(); playground.editor.setCursor({line}, 4)")
        self.page.type("nothing * ")
        self.page.wait(CHECKED + ' && document.querySelector("#problems pre")')
        self.assertIn(f"line {line + 1}", self.text("#problems"))
        self.assertIn("nothing", self.text("#problems"))
        self.assertTrue(self.page.run('document.querySelector("#run").disabled'))
        # Assembly has packing, and no tab for what a compiler wrote.
        self.open(fragment="#kernel=tutorial.vsm")
        self.assertTrue(self.page.run('document.querySelector("#tab-assembly").hidden'))
        self.assertFalse(self.page.run('document.querySelector("#schedule").hidden'))

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
            # The status line stands before the editor, numbers of lines included.
            self.assertTrue(self.page.run("""(() => { const box = document.querySelector("footer").getBoundingClientRect();
                return [24, 60, 200].every(x => document.elementFromPoint(x, box.y + 4).closest("footer")); })()"""))
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
        self.open(dark=True, keep=True)  # it stays as it was chosen
        self.assertNotEqual(self.page.run(ground), dark)

    def test_a_shared_link_brings_the_kernel_back(self):
        self.open()
        source = self.page.run("playground.editor.getValue()").replace("kernel tutorial", "kernel my_own") + "# ünïcode\n"
        self.page.run(f"playground.editor.setValue({source!r})")
        self.page.click("#share")
        self.page.wait("location.hash.includes('work=')")
        fragment = self.page.run("location.hash")
        self.open(fragment=fragment)
        self.assertEqual(self.page.run("playground.editor.getValue()"), source)
        self.page.wait("playground.checked.kernel.name === 'my_own'")

    def test_links_of_older_pages_are_read(self):
        packed = zlib.compressobj(wbits=-15)
        data = packed.compress(b"kernel older\n") + packed.flush()
        self.open(fragment="#name=older.vsm&source=" + base64.urlsafe_b64encode(data).decode().rstrip("="))
        self.assertEqual(self.page.run("playground.editor.getValue()"), "kernel older\n")

    def test_a_link_carries_particles_parameters_packing_and_the_place_in_the_debugger(self):
        self.open(fragment="#kernel=gravity.vsm")
        self.page.run("""{const field = name => document.querySelector(`[name="${name}"]`);
                          field("ni").value = 7; field("seed").value = 5; field("model").value = "random";
                          const lines = document.querySelector("#schedule"); lines.value = "list"; lines.dispatchEvent(new Event("change"));}""")
        self.page.wait("playground.checked.kernel && document.querySelector('#listing').innerText.length > 0")
        self.page.click("#debug")
        self.page.wait('document.querySelector("#state table")')
        self.page.click('[data-line="step"]')
        self.page.wait('document.querySelector("#state p").innerText.includes("line 1")')
        self.page.click("#share")
        self.page.wait("location.hash.includes('work=')")
        fragment = self.page.run("location.hash")
        state = self.text("#state")
        self.open(fragment=fragment)
        self.page.wait('document.querySelector("#state table")')
        self.page.wait('document.querySelector("#state p").innerText.includes("line 1")')
        self.assertEqual(self.text("#state"), state)
        values = 'document.querySelector(`[name="ni"]`).value + document.querySelector(`[name="model"]`).value + document.querySelector("#schedule").value'
        self.assertEqual(self.page.run(values), "7randomlist")

    def test_a_damaged_link_says_so(self):
        self.open()
        self.page.click("#share")
        self.page.wait("location.hash.includes('work=')")
        fragment = self.page.run("location.hash")
        for damaged in (fragment[:len(fragment) // 2], fragment[:60] + ("A" if fragment[60] != "A" else "B") + fragment[61:],
                        "#work=", "#work=%%%", "#source=!"):
            with self.subTest(damaged=damaged[:20]):
                self.open(fragment=damaged)
                self.page.wait('document.querySelector("#notice").innerText.includes("cannot be read")')
                self.assertIn("tutorial", self.page.run("playground.editor.getValue()"))

    def test_a_link_that_unpacks_to_too_much_is_refused(self):
        bomb = base64.urlsafe_b64encode(zlib.compress(b" " * (64 << 20), 9)).decode().rstrip("=")
        self.open(fragment="#work=" + bomb)
        self.page.wait('document.querySelector("#notice").innerText.includes("more than 8 MB")')

    def test_sources_are_kept_until_they_are_dropped(self):
        self.open()
        self.page.run('playground.editor.replaceRange("# mine\\n", {line: 0, ch: 0})')
        self.page.run('document.querySelector("#example").value = "gravity.vsm"; document.querySelector("#example").dispatchEvent(new Event("change"))')
        self.page.wait('playground.name === "gravity.vsm"')
        self.open(keep=True)
        self.assertTrue(self.page.run('playground.editor.getValue().startsWith("# mine")'))
        self.assertIn("Yours", self.page.run('document.querySelector("#example").innerHTML'))
        self.page.run("window.confirm = () => false")
        self.page.click("#reset")
        self.assertTrue(self.page.run('playground.editor.getValue().startsWith("# mine")'))
        self.page.run("window.confirm = () => true")
        self.page.click("#reset")
        self.page.wait('!playground.editor.getValue().startsWith("# mine")')
        self.open(keep=True)
        self.assertFalse(self.page.run('playground.editor.getValue().startsWith("# mine")'))

    def test_an_exercise_is_solved_and_judged_with_the_hash_of_gdr_judge(self):
        self.open(fragment="#exercise=nearest")
        self.page.wait('document.querySelector("#judge")')
        self.assertEqual(self.page.run('document.querySelector("#exercise").value'), "nearest")
        self.page.wait('playground.name === "my-nearest.vsm"')
        self.page.click("#judge")
        self.page.wait('document.querySelector("#verdict pre")')
        self.assertIn("RUN ERROR", self.text("#verdict"))
        solution = PROJECT / "course/exercises/nearest/solution.vsm"
        self.page.run(f"playground.editor.setValue({solution.read_text()!r})")
        self.page.click("#judge")
        self.page.wait('document.querySelector("#verdict .accepted")')
        done = subprocess.run([GDR, "judge", "nearest", solution, "--json", "-"], capture_output=True, text=True, check=True)
        self.assertIn(json.loads(done.stdout)["hash"], self.text("#verdict"))
        self.fits()
        self.page.picture(PICTURES / "playground-exercise.png")

    def test_own_particles_are_run(self):
        self.open()
        self.page.click("#tab-results")
        self.page.run("""document.querySelector("#own").open = true;
                         document.querySelector("#own-i").value = "xi\\n0.5\\n";
                         document.querySelector("#own-j").value = "xj,mj\\n1,2\\n0,4\\n";""")
        self.page.click("#run")
        self.page.wait('document.querySelector("#hash")')
        self.assertIn("1 × 2", self.text("#status"))
        self.assertIn("-1", self.text("#results tbody"))  # 2 (1 - 0.5) + 4 (0 - 0.5)
        self.fits()
        self.page.picture(PICTURES / "playground-own.png")

    def test_diagnostics_and_words_are_explained(self):
        self.open()
        line = self.page.run('playground.editor.getValue().split("\\n").findIndex(line => line.includes("fmul"))')
        self.page.run(f"playground.editor.focus(); playground.editor.setCursor({line}, 3)")
        self.page.key("F1", code="F1", windowsVirtualKeyCode=112)
        self.page.wait('document.querySelector("#dialog").open')
        self.assertIn("fmul", self.text("#dialog-text"))
        self.page.click("#dialog button")
        self.page.run(f'playground.editor.replaceRange("frob ; ", {{line: {line}, ch: 2}})')
        self.page.wait(CHECKED)
        self.page.click("#problems .explain")
        self.page.wait('document.querySelector("#dialog").open')
        self.assertRegex(self.text("#dialog-title"), r"E\d{4}")
        self.assertGreater(len(self.text("#dialog-text")), 100)

    def test_the_picture_of_the_machine_follows_the_steps(self):
        self.open(fragment="#kernel=tutorial.vsm")
        self.page.click("#debug")
        self.page.wait('document.querySelector("#machine svg")')
        self.assertIn("the adder works, reads the j-record", self.text("#machine figcaption"))
        self.page.picture(PICTURES / "playground-machine.png")
        self.page.click('[data-line="step"]')
        self.page.wait('document.querySelector("#machine figcaption").innerText.includes("multiplier")')
        self.page.click('[data-line="end"]')
        self.page.wait('document.querySelector("#machine figcaption").innerText.includes("tree")')
        self.assertEqual(self.page.run('document.querySelectorAll("#machine circle.on").length'), 15)

    def test_no_script_runs_but_those_of_the_page(self):
        self.open()
        self.page.run("""const script = document.createElement("script"); script.textContent = "window.intruded = true";
                         document.head.append(script); document.body.insertAdjacentHTML("beforeend", '<img src="no:" onerror="window.intruded = true">')""")
        self.page.run("new Promise(done => setTimeout(done, 300))")
        self.assertIsNone(self.page.run("window.intruded ?? null"))
        self.page.complaints.clear()  # the browser tells of what it has refused

    def test_views_are_chosen_by_arrow_keys(self):
        self.open()
        self.page.run('document.querySelector("#tab-clocks").focus()')
        for view in ("results", "step", "listing", "exercises", "clocks"):
            self.page.key("ArrowRight")
            self.assertEqual(self.page.run("document.activeElement.id"), f"tab-{view}")
            self.assertEqual(self.page.run('document.querySelectorAll("[role=tabpanel]:not([hidden])").length'), 1)
            self.assertFalse(self.page.run(f'document.querySelector("#panel-{view}").hidden'))

    def test_every_control_has_a_name(self):
        self.open()
        nameless = self.page.run("""[...document.querySelectorAll("button, select, input, textarea, meter")].filter(element =>
            !element.hidden && !element.labels?.length && !element.innerText && !element.getAttribute("aria-label")).map(element => element.outerHTML)""")
        self.assertEqual(nameless, [])


if __name__ == "__main__":
    if CHROMIUM is None or not (SITE / "gdr.wasm").is_file():
        reason = "no chromium is installed (scripts/setup ci)" if CHROMIUM is None else f"there is no playground in {SITE} (scripts/web builds it)"
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
