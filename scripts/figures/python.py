"""python-*.png: the figures of docs/guides/python-tutorial.md and docs/reference/python.md, by the pages' own examples."""

import os
import subprocess

from figures import gdr


def draw():
    build = gdr.PROGRAM.parent.parent
    environment = os.environ | {"PYTHONPATH": f"{build}/lib/python", "GDR_DATA_DIR": str(gdr.PROJECT), "MPLBACKEND": "agg"}
    # Debian's interpreter: it has Matplotlib from scripts/setup
    for page in ("docs/guides/python-tutorial.md", "docs/reference/python.md"):
        subprocess.run(["/usr/bin/python3", "-B", "tests/python/page_test.py", page, "--pictures", gdr.PICTURES],
                       cwd=gdr.PROJECT, env=environment, check=True)
