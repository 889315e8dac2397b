#!/usr/bin/python3
"""Type hints and stubs of the module grapedr against what it has when it runs, by mypy's stubtest. 77 without mypy.

stubs_test.py PACKAGE_FOLDER
"""

import os
import pathlib
import shutil
import subprocess
import sys

stubtest = shutil.which("stubtest", path="/usr/bin")
if stubtest is None:
    print("stubtest is not installed")
    sys.exit(77)
here = pathlib.Path(__file__).resolve().parent
command = [stubtest, "grapedr", "--concise", "--mypy-config-file", here / "mypy.ini"]
command += ["--allowlist", here / "stubtest_allowed.txt", "--ignore-unused-allowlist"]
sys.exit(subprocess.run(command, env=os.environ | {"MYPYPATH": sys.argv[1]}, check=False).returncode)
