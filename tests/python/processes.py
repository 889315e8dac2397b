"""Processes that tests wait for."""

import os
import pathlib
import time


def processor_seconds(pid):
    """What a process has used of all processors so far."""
    # Behind the name, which stands in parentheses: the 12th and 13th field are ticks as a user and in the kernel.
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def work(process, seconds):
    """Waits until the process has computed for so long, however busy the host is, or has ended."""
    enough = processor_seconds(process.pid) + seconds
    while process.poll() is None and processor_seconds(process.pid) < enough:
        time.sleep(0.01)
