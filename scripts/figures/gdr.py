"""Runs of the program, and where its pictures go."""

import json
import pathlib
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = PROJECT / "docs/pictures"
PROGRAM = PROJECT / "build/release/bin/gdr"  # scripts/pictures sets it


def run(*arguments):
    """What `gdr ARGUMENTS` prints; a run that fails ends the script."""
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout


def report(*arguments):
    """The report of `gdr ARGUMENTS`, read from its JSON."""
    return json.loads(run(*arguments, "--json", "-"))
