#!/usr/bin/env python3
"""gdr as WebAssembly under Node.js against gdr itself: processor time of an interaction, and sizes.

    bench/web_speed.py SITE WEB_ANSWERS

SITE is what scripts/web built, WEB_ANSWERS the test program of that name. Both answer the same requests, in one thread and
without the compiler of loop bodies; of gdr itself the kernels for every host and those for this one's are timed. A time is
the difference of two runs with few and with many i-particles, the least of five, so that assembling and the making of
particles fall out.
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
NJ, FEW, MANY, TIMES = 4096, 128, 2048, 5


class Answers:
    def __init__(self, command, **settings):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "GDR_JIT": "off", **settings})

    def processor_seconds(self):
        """Of the thread that computes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9

    def seconds(self, request):
        begin = self.processor_seconds()
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(answer["error"])
        self.hash = answer["hash"]
        return self.processor_seconds() - begin

    def nanoseconds(self, kernel):
        request = {"call": "run", "name": kernel, "source": (PROJECT / "kernels" / f"{kernel}.vsm").read_text(), "model": "random", "nj": NJ}
        few, many = (min(self.seconds({**request, "ni": ni}) for _ in range(TIMES)) for ni in (FEW, MANY))
        return (many - few) / ((MANY - FEW) * NJ) * 1e9


def main():
    site, native = sys.argv[1:]
    module = Answers(["node", str(PROJECT / "tests/web/answers.mjs"), site])
    portable = Answers([native], GDR_HOST_ISA="portable")
    fastest = Answers([native])
    print("| kernel | in WebAssembly | natively, portable kernels | natively, this host's | WebAssembly / portable |\n|---|---|---|---|---|")
    for kernel in ("tutorial", "gravity", "gravity_jerk", "vdw"):
        times = [answers.nanoseconds(kernel) for answers in (module, portable, fastest)]
        if len({module.hash, portable.hash, fastest.hash}) != 1:
            sys.exit(f"{kernel}: the hashes differ")
        print(f"| `{kernel}` | " + " | ".join(f"{each:.1f} ns" for each in times) + f" | {times[0] / times[1]:.2f} |")
    print()
    for file in ("gdr.wasm", "gdr.js", "app.js", "codemirror/codemirror.js"):
        content = (pathlib.Path(site) / file).read_bytes()
        print(f"{file}: {len(content)} bytes, {len(gzip.compress(content, 9))} compressed by gzip")


if __name__ == "__main__":
    main()
