#!/usr/bin/env python3
"""Runs the commands of a document's `console` blocks and compares what they print with what the document shows.

    run_console_blocks.py DOCUMENT [--project DIR] [--path DIR]

A block opens with ```console. Its lines that begin with "$ " are commands for bash (a line that ends in a backslash goes on
in the next); the lines after a command are its expected output, standard output and standard error as a terminal would
mix them. A command without expected lines must print nothing. Every command must end with status 0, unless its last expected
line is "[exit status N]".

Digits that differ from host to host or from run to run are named beside the block, so that readers see a real output: a
comment directly above it, such as

    <!-- may differ: host time; host, s -->

says that in lines with one of these texts (between semicolons) every number may be another one, and blanks another number
of blanks. <!-- may differ --> says it of all lines of the block. In documents that are not --complete, "..." matches anything
within a line, a line of "..." alone any number of lines.

All blocks of a document share one scratch directory, in which the project's files and folders are reachable by their names.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXIT_STATUS = re.compile(r"\[exit status (\d+)\]")
MASK = re.compile(r" *<!-- may differ(?:: (.*?))? *-->")
NUMBER = re.compile(r"(?<![A-Za-z])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|\b[0-9a-f]{64}\b")
ANY_NUMBER = r"(?:[0-9a-f]{64}|[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)"


class Example:
    """A command, the line of the document where it stands, the lines that it is said to print, and those whose numbers may differ."""

    def __init__(self, line, command, mask=None):
        self.line = line
        self.command = command
        self.expected = []
        self.mask = mask  # None, or texts; a line with one of them may differ in its numbers

    def may_differ(self, line):
        return self.mask is not None and any(text in line for text in self.mask)


def examples_of(text):
    """The examples of a document's console blocks, in order. Raises ValueError for a block that is not well formed."""
    examples = []
    fence = None  # the closing fence of the block we are in, whatever its language
    is_console = False
    continues = False
    mask = above = None  # of this block; of the line before
    for number, line in enumerate(text.splitlines(), 1):
        opening = re.fullmatch(r" *(`{3,}|~{3,})\s*(\S*).*", line)
        if fence is None:
            if opening:
                fence, is_console, continues = opening.group(1), opening.group(2) == "console", False
                first = len(examples)
                if above is not None and not is_console:
                    raise ValueError(f"line {number - 1}: 'may differ' does not stand above a console block")
                mask = above
            elif above is not None:
                raise ValueError(f"line {number - 1}: 'may differ' does not stand above a console block")
            found = MASK.fullmatch(line)
            above = ([text.strip() for text in found.group(1).split(";")] if found.group(1) else [""]) if found else None
            continue
        if line.strip() == fence:
            if is_console and len(examples) == first:
                raise ValueError(f"line {number}: a console block without a command")
            for text in mask or []:
                if not any(text in line for example in examples[first:] for line in example.expected):
                    raise ValueError(f"line {number}: no line of the block has '{text}', which is said to differ")
            fence = None
        elif not is_console:
            continue
        elif continues:
            examples[-1].command += "\n" + line
            continues = line.endswith("\\")
        elif line.startswith("$ "):
            examples.append(Example(number, line[2:], mask))
            continues = line.endswith("\\")
        elif len(examples) == first:
            raise ValueError(f"line {number}: a console block begins with output, not with '$ '")
        else:
            examples[-1].expected.append(line)
    if fence is not None:
        raise ValueError("the last block is never closed")
    return examples


def pattern_of(example, expected):
    """A regular expression for the whole output."""
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        elif example.may_differ(line):
            texts = (r"[ \t]+".join(re.escape(word) for word in re.split(r"[ \t]+", text)) for text in NUMBER.split(line.rstrip()))
            # A longer number may leave no blank before it that a shorter one had.
            parts.append(r"[ \t]*" + ANY_NUMBER.join(texts) + r"[ \t]*\n")
        else:
            pieces = (re.escape(piece) for piece in line.rstrip().split("..."))
            parts.append(r"[^\n]*?".join(pieces) + r"[ \t]*\n")
    return re.compile("".join(parts))


def complaint_about(example, output, status):
    """What is wrong with a finished command, or None."""
    expected = list(example.expected)
    expected_status = 0
    if expected and (told := EXIT_STATUS.fullmatch(expected[-1].strip())):
        expected_status = int(told.group(1))
        expected.pop()
    if status != expected_status:
        return f"exit status {status} instead of {expected_status}"
    if output and not output.endswith("\n"):
        output += "\n"
    if not expected and output:
        return "it is shown to print nothing"
    if expected and not pattern_of(example, expected).fullmatch(output):
        return "output differs from\n" + "".join(f"    | {line}\n" for line in expected)
    return None


def run_document(document, project, path, complete=False):
    """Runs every example of `document`; returns the number of wrong ones. A complete document shows whole outputs."""
    examples = examples_of(document.read_text(encoding="utf-8"))
    for example in examples:
        if complete and any("..." in line for line in example.expected):
            raise ValueError(f"line {example.line}: '...' stands for output; show all of it, and say above the block what may differ")
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    if path:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for entry in project.iterdir():
            if entry.name not in ("build", ".git"):
                os.symlink(entry, os.path.join(scratch, entry.name))
        for example in examples:
            run = subprocess.run(
                ["bash", "-c", example.command],
                cwd=scratch,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
            complaint = complaint_about(example, run.stdout, run.returncode)
            if complaint:
                wrong += 1
                print(f"{document}:{example.line}: $ {example.command}\n  {complaint}")
                print("  it printed\n" + "".join(f"    | {line}\n" for line in run.stdout.splitlines()))
    print(f"{document}: {len(examples)} commands, {wrong} wrong")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--project", type=pathlib.Path, help="root of the project, linked into the scratch directory")
    parser.add_argument("--complete", action="store_true", help="refuse '...' in outputs")
    parser.add_argument("--path", help="directory to put before PATH")
    arguments = parser.parse_args()
    document = arguments.document.resolve()
    project = (arguments.project or document.parent).resolve()
    try:
        return 1 if run_document(document, project, arguments.path, arguments.complete) else 0
    except ValueError as error:
        print(f"{document}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
