"""site-*.png and playground*.png: the site and the playground as wide as a desktop and as a phone, from what the target docs
and scripts/web have built."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from figures import gdr

SHOWN = [("desktop", "index.html", 1400, 900, False), ("phone", "docs/guides/guide-nbody.html", 390, 844, True)]
TESTS = ["Page.test_a_kernel_is_stepped_through_line_by_line", "Page.test_it_fits_a_phone",
         "Page.test_an_exercise_is_solved_and_judged_with_the_hash_of_gdr_judge"]
PLAYGROUND = {"playground-step.png": "playground.png", "playground-phone-run-dark.png": "playground-phone.png",
              "playground-exercise.png": "playground-exercise.png"}


def draw():
    sys.path.append(str(gdr.PROJECT / "tests/web"))
    import browser
    build = gdr.PROGRAM.parent.parent
    with browser.served(str(build / "docs/html")) as site, \
            browser.page(shutil.which("chromium") or shutil.which("chromium-browser")) as page:
        for name, shown, width, height, dark in SHOWN:
            page.open(site + shown, width, height, dark=dark)
            page.wait("document.readyState === 'complete' && [...document.images].every(image => image.complete)")
            page.picture(gdr.PICTURES / f"site-{name}.png")
    # Pictures that the tests of the page make as they go
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", "tests/web/page_test.py", "build/web", gdr.PROGRAM, ".", *TESTS], cwd=gdr.PROJECT,
                       env=os.environ | {"GDR_ARTEFACTS": folder}, check=True)
        for made, shown in PLAYGROUND.items():
            shutil.copyfile(pathlib.Path(folder) / made, gdr.PICTURES / shown)
