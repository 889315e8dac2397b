#!/usr/bin/python3
"""Runs the Python examples of a page, one after the other in one namespace: page_test.py PAGE"""

import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1])
text = page.read_text(encoding="utf-8")
names = {}
blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
if not blocks:
    sys.exit(f"{page}: no example")
for block in blocks:
    line = text[: block.start(1)].count("\n")
    exec(compile("\n" * line + block[1], str(page), "exec"), names)
print(f"{page}: {len(blocks)} examples")
