#!/usr/bin/python3
"""The code of the pages on Python under a type checker, as their readers have it in an editor. 77 without mypy.

typing_test.py PACKAGE_FOLDER PAGE...
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

mypy = shutil.which("mypy", path="/usr/bin")
if mypy is None:
    print("mypy is not installed")
    sys.exit(77)
here = pathlib.Path(__file__).resolve().parent
with tempfile.TemporaryDirectory() as folder:
    files = []
    for page in sys.argv[2:]:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        # Blank lines in place of the text, so that mypy's lines are the page's.
        code, at = "", 0
        for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            code += "\n" * text[at : block.start(1)].count("\n") + block[1]
            at = block.end(1)
        file = pathlib.Path(folder, pathlib.Path(page).stem.replace("-", "_") + ".py")
        file.write_text(code, encoding="utf-8")
        files.append(file)
    command = [mypy, "--config-file", here / "mypy.ini", "--check-untyped-defs", "--cache-dir", os.devnull, *files]
    sys.exit(subprocess.run(command, env=os.environ | {"MYPYPATH": sys.argv[1]}, check=False).returncode)
