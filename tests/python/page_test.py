#!/usr/bin/python3
"""Runs the Python examples of a page, one after the other in one namespace, in a folder of their own:

page_test.py PAGE [--pictures FOLDER]

Every picture python-*.png of the page must be drawn by its examples, and show something. --pictures keeps them.
"""

import linecache
import os
import pathlib
import re
import shutil
import sys
import tempfile

page = pathlib.Path(sys.argv[1]).resolve()
kept = pathlib.Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--pictures"] else None
text = page.read_text(encoding="utf-8")
names = {}
blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
pictures = re.findall(r"\((?:\.\./)*pictures/(python-[a-z-]+\.png)\)", text)
if not blocks:
    sys.exit(f"{page}: no example")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        # Functions of the page have their source there, as in a notebook.
        source = "\n" * line + block[1]
        name = f"{page.name}, line {line + 1}"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), names)
    for picture in pictures:
        from matplotlib import image

        shades = image.imread(picture)[..., :3].mean(axis=-1)
        if not (shades < 0.5).mean() > 0.002:
            sys.exit(f"{page}: {picture} is empty")
        if kept:
            shutil.copy(picture, kept)
    os.chdir("/")
print(f"{page}: {len(blocks)} examples, {len(pictures)} pictures")
