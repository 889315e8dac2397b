"""cold-collapse.png: the report page of a cold sphere that collapses, as a browser shows it."""

import pathlib
import shutil
import subprocess
import tempfile

from figures import gdr


def draw():
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        gdr.run("nbody", "--start", "cold", "--n", 512, "--eps", 0.05, "--t-end", 10, "--out-every", 0.0625, "--report", page,
                "--quiet")
        subprocess.run([shutil.which("chromium") or "chromium-browser", "--headless", "--no-sandbox", "--disable-gpu",
                        f"--user-data-dir={folder}/browser", "--hide-scrollbars", "--window-size=1400,960",
                        f"--screenshot={gdr.PICTURES / 'cold-collapse.png'}", page.as_uri()],
                       stderr=subprocess.DEVNULL, check=True)
