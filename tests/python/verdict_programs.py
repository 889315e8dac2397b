"""The same runs as C programs: by the stubs of a kernel, and as a loop that Goose gives to the board.

A run is a table of columns for i and for j, options of the device and values of parameters. A C program names the columns
that it fills, so that a column which the kernel does not have is refused by the host's compiler. What C has no way to say
is told with its reason (None): a field that is left out is 0, and an array that nothing reads is given to nobody.
"""

import os
import pathlib
import re
import subprocess

EVENTS = re.compile(r"\d+ (floating-point event|event of conversions|events of conversions)")
VARIABLES = {"machine": "GDR_MACHINE", "engine": "GDR_ENGINE", "boards": "GDR_BOARDS", "clock": "GDR_CLOCK",
             "threads": "GDR_THREADS"}

GOOSE = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))
{declarations}
int main(void) {{
  int i, j;
#pragma goose parallel for loopcounter(i, j) precision("double") result({results})
  for (i = 0; i < ni; i++) {{
    {result}[i] = 0;
    {key}
    for (j = 0; j < nj; j++) {term};
  }}
  for (i = 0; i < ni; i++) printf("%g\\n", (double){result}[i]);
  return 0;
}}
"""
KEY = "r2"  # a result beside that of kernel near: the least of all pairs
# By kernel: the result, its type, and the line of the loop.
LOOPS = {
    "spring": ("force", "double", "force[i] += kj[j] * (xj[j] - xi[i])"),
    "wrong": ("force", "double", "force[i] += kj[j] * (xj[j] -)"),
    "unknown_word": ("force", "double", "force[i] += kj[j] * (zj[j] - xi[i])"),
    "whole": ("sum", "int64_t", "sum[i] += nj_[j] + ni_[i]"),
    "near": ("near", "int64_t", "{ const double d = xj[j] - xi[i], d2 = d * d; if (d2 < r2[i]) { r2[i] = d2; near[i] = id[j]; } }"),
    "weighted": ("f", "double", "f[i] += h * (xj[j] - xi[i])"),
    "constant": ("f", "double", "f[i] += 2.0 * (xj[j] - xi[i])"),
    "undeclared": ("f", "double", "f[i] += h * (xj[j] - xi[i])"),
}


def literal(value, whole):
    """As a C program would have it."""
    if isinstance(value, str):
        return f'"{value}"'
    if whole:
        return "INT64_MIN" if int(value) == -(2**63) else f"INT64_C({int(value)})"
    return {"nan": "__builtin_nan(\"\")", "inf": "__builtin_inf()", "-inf": "-__builtin_inf()"}.get(
        str(float(value)), repr(float(value)))


class Programs:
    """C programs in folders below `folder`; `library` is the folder of libgdr, `include` those of its headers. A program
    whose text has been built before is not built again."""

    def __init__(self, gdr, library, include, folder):
        self.gdr, self.library, self.include = gdr, pathlib.Path(library), include
        self.folder = pathlib.Path(folder)
        self.built = {}  # by kernel and text: the program and whether there were warnings, or why it was refused

    def ended(self, words, folder, environment=None):
        usual = {"LIBRARY_PATH": str(self.library), "LD_LIBRARY_PATH": str(self.library),
                 "CPATH": ":".join(self.include)}
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=300,
                              cwd=folder, env=os.environ | usual | (environment or {}))

    def verdict(self, key, build, options):
        if key not in self.built:
            folder = self.folder / str(len(self.built))
            folder.mkdir()
            self.built[key] = build(folder)
        program, told = self.built[key]
        if program is None:
            return "refused", told
        environment = {"GDR_JIT": "off"}  # quicker for runs as short as these
        environment |= {"GDR_EVENTS": "tell"} if key[0] == "stub" else {}
        environment |= {VARIABLES[name]: str(value) for name, value in options.items() if name in VARIABLES}
        done = self.ended([program], program.parent, environment)
        if done.returncode != 0:
            return "refused", done.stderr
        return ("events" if EVENTS.search(done.stderr) else "warning" if "warning:" in told else "runs"), done.stderr

    # ---- Stubs

    def of_stub(self, kernel, source, i, j, options):
        """`source`: the kernel's text, in assembly language or LSUMP."""
        def build(folder):
            file = folder / f"{kernel}.vsm"
            if "/VAR" in source:
                function = folder / f"{kernel}.lsump"
                function.write_text(source, encoding="utf-8")
                compiled = self.ended([self.gdr, "cc", function, "-o", file], folder)
                if compiled.returncode != 0:
                    return None, compiled.stderr
            else:
                file.write_text(source, encoding="utf-8")
            made = self.ended([self.gdr, "as", file, "--stubs", folder], folder)
            if made.returncode != 0:
                return None, made.stderr
            header = next(folder.glob("*_grape.h"))
            name = header.name.removesuffix("_grape.h")
            text = self.stub_main(name, header.read_text(encoding="utf-8"), i, j, options)
            (folder / "main.c").write_text(text, encoding="utf-8")
            built = self.ended(["cc", "-O0", "main.c", f"{name}_grape.c", "-o", "stub", "-lgdr"], folder)
            return (folder / "stub", made.stderr) if built.returncode == 0 else (None, built.stderr)

        own = {name: value for name, value in options.items() if name not in VARIABLES}
        return self.verdict(("stub", kernel, str(i), str(j), str(own)), build, options)

    @staticmethod
    def stub_main(kernel, header, i, j, options):
        whole = set(re.findall(r"int64_t (\w+);", header))

        def records(kind, columns):
            rows = max(len(column) for column in columns.values())
            lines = [f"  static {kernel}_{kind} {kind}s[{max(rows, 1)}];"]
            for name, column in columns.items():
                lines += [f"  {kind}s[{row}].{name} = {literal(value, name in whole)};" for row, value in enumerate(column)]
            return rows, lines

        calls, body = [f"{kernel}_grape_init()"], []
        for name, value in options.items():
            if name not in VARIABLES and name not in ("turns", "steps"):
                calls.append(f"{kernel}_set_{name}({value})")
        experiment = f"{kernel}_experiments(" in header
        nj = 0
        if j is not None:
            nj, lines = records("j_particle", j)
            body += lines
            calls.append(f"{kernel}_send_elt_data0(j_particles, 0, {nj})")
        ni, lines = records("start" if experiment else "i_particle", i)
        body += lines
        if experiment:
            body.append(f"  static {kernel}_result results[{max(ni, 1)}];")
            steps = f", {options['steps']}" if "steps" in options else ""
            calls.append(f"{kernel}_experiments(starts, {ni}{steps}, results)")
        else:
            calls.append(f"{kernel}_send_i_particle(i_particles, {ni})")
        if not experiment and "steps" in options:
            calls.append(f"{kernel}_experiments(0, 0, {options['steps']}, 0)")
        if not experiment and ("turns" in options or f"{kernel}_type2_run(" in header):
            calls.append(f"{kernel}_type2_run({options.get('turns', '')})")
        elif not experiment:
            body.append(f"  static {kernel}_result results[{max(ni, 1)}];")
            calls += [f"{kernel}_grape_run({nj})", f"{kernel}_get_result(results, {ni})"]
        calls.append(f"{kernel}_grape_close()")
        tries = [f'  if ({call} != 0) {{ fprintf(stderr, "%s\\n", {kernel}_message()); return 1; }}' for call in calls]
        return "\n".join(["#include <stdio.h>", f'#include "{kernel}_grape.h"', "int main(void) {", *body, *tries,
                          "  return 0;", "}", ""])

    # ---- Goose

    def of_goose(self, kernel, i, j, options):
        text = self.goose_main(kernel, i, j, options)

        def build(folder):
            (folder / "loop.c").write_text(text, encoding="utf-8")
            made = self.ended([self.gdr, "cc", "--goose", "loop.c", "-o", "loop"], folder)
            return (folder / "loop", "") if made.returncode == 0 else (None, made.stderr)

        return self.verdict(("Goose", text), build, options)

    @staticmethod
    def goose_main(kernel, i, j, options):
        if kernel not in LOOPS:
            return "int main(void) { return 0; }\n" if kernel == "empty" else ""
        result, type_of, term = LOOPS[kernel]
        whole = kernel == "whole"
        lines = []
        for columns in (i, j):
            for name, column in columns.items():
                is_whole = whole or name == "id"
                values = ", ".join(literal(value, is_whole) for value in column)
                lines.append(f"{'int64_t' if is_whole else 'double'} {name}{'_' if whole else ''}[] = {{{values}}};")
        ni, nj = (max(len(column) for column in columns.values()) for columns in (i, j))
        lines += [f"int ni = {ni}, nj = {nj};", f"{type_of} {result}[{max(ni, 1)}];"]
        has_key = f"{KEY}[i]" in term
        lines += [f"double {KEY}[{max(ni, 1)}];"] if has_key else []
        lines += [f"double {name} = {value};" for name, value in options.items() if name not in VARIABLES]
        results = f"{result}[i], {KEY}[i]" if has_key else f"{result}[i]"
        return GOOSE.format(declarations="\n".join(lines), result=result, results=results, term=term,
                            key=f"{KEY}[i] = 1e300;" if has_key else "")
