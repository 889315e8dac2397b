#!/usr/bin/env python3
"""Passes if a command ends with a status and says something: ends_with.py STATUS PATTERN COMMAND...

PATTERN is a regular expression for both outputs together. CTest alone looks at one of the two.
"""

import re
import subprocess
import sys

status, pattern, *command = sys.argv[1:]
outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
print(outcome.stdout, end="")
if outcome.returncode != int(status):
    sys.exit(f"ended with {outcome.returncode}, not {status}")
if not re.search(pattern, outcome.stdout):
    sys.exit(f"does not say {pattern}")
