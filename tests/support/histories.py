"""The histories of histories.h, for tests in Python."""

import os
import subprocess
import unittest


class Histories(unittest.TestCase):
    """A subclass plays histories: `play(program, count, player)` makes a player(seed) of each and calls its step()."""

    def play(self, program, count, player):
        seed = int(os.environ.get("GDR_TEST_SEED", "15"))
        count = int(os.environ.get("GDR_TEST_HISTORIES", count))
        text = subprocess.run([program, str(seed), str(count)], capture_output=True, text=True, check=True).stdout
        for number, history in enumerate(text.rstrip().split("\n\n")):
            lines = history.split("\n")
            own = player(seed + number)
            for n, line in enumerate(lines):
                action, *settings = line.split()
                step = {key: int(value) for key, _, value in (setting.partition("=") for setting in settings)}
                try:
                    own.step(action, step)
                except Exception as error:
                    jit = f" GDR_JIT={os.environ['GDR_JIT']}" if "GDR_JIT" in os.environ else ""
                    steps = "\n  ".join(lines[: n + 1])
                    self.fail(f"{error}\nagain: GDR_TEST_SEED={seed + number} GDR_TEST_HISTORIES=1{jit}\n  {steps}")
        print(f"{count} histories from GDR_TEST_SEED={seed}")
