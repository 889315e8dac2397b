"""python-*.png: the figures of docs/guides/python-tutorial.md, by the page's own examples."""

import os
import subprocess

from figures import gdr


def draw():
    build = gdr.PROGRAM.parent.parent
    environment = os.environ | {"PYTHONPATH": f"{build}/lib/python", "GDR_DATA_DIR": str(gdr.PROJECT), "MPLBACKEND": "agg"}
    # Debian's interpreter: it has Matplotlib from scripts/setup
    subprocess.run(["/usr/bin/python3", "-B", "tests/python/page_test.py", "docs/guides/python-tutorial.md", "--pictures", gdr.PICTURES],
                   cwd=gdr.PROJECT, env=environment, check=True)
