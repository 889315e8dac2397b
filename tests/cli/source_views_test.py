#!/usr/bin/env python3
"""All views of a kernel from C++ say the same of each of its lines: which lines of the loop body it became, when they are
issued, and what they wait for.

    source_views_test.py GDR PROJECT [TestCase...]
"""

import collections
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402
from lsp_client import LspTest  # noqa: E402

PAIR = """#include <gdr/kernel.h>
struct I { double x[3]; float h; };
struct J { double x[3]; float m; };
struct F { double f[3]; double pot; int near; };
static float softened(float r2, float h) {
  const float y = gdr::rsqrt(r2 + h * h);
  return y * y;
}
void pull(const I& i, const J& j, F& f) {
  float d[3], r2 = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    r2 += d[k] * d[k];
  }
  const float y2 = softened(r2, i.h);
  float g;
  if (r2 < 4) {
    g = j.m * y2;
    f.near += 1;
  } else {
    g = j.m * softened(r2, j.m);
  }
  f.pot -= g;
  for (int k = 0; k < 3; ++k) f.f[k] += static_cast<double>(g) * d[k];
}
"""

EXPERIMENT = """#include <gdr/kernel.h>
struct Start { double x, v; };
struct State { double x, v; float n; };
struct End { double x, v; };
static double force(double x) {
  return -x * (1 + x * x);
}
void begin(const Start& start, State& state) {
  state.x = start.x;
  state.v = start.v;
  state.n = 0;
}
void step(State& state) {
  const double v = state.v + force(state.x) * 0.01;
  state.x += v * 0.02;
  state.v = v + force(state.x) * 0.01;
  state.n = v > 0 ? state.n + 1 : state.n;
}
bool done(const State& state) {
  return state.n > 40;
}
void end(const State& state, End& end) {
  end.x = state.x;
  end.v = state.v;
}
"""

CLOCKS_OF_LINE = 4  # a word for each element of the vector: docs/machine/machine.md


class SourceViews(LspTest):
    def lines_of(self, sources):
        return {each["line"] for source in sources for each in [source, *source["calls"]] if each["file"].endswith(self.name)}

    def by_source_line(self, lines):
        """From the source lines of each line of the loop body to the lines of each source line."""
        found = collections.defaultdict(list)
        for number, of_line in enumerate(lines):
            for line in of_line:
                found[line].append(number)
        return dict(found)

    def analysed(self):
        body = json.loads(self.succeeds("analyse", self.source, "--json", "-").out)["body"]
        self.assertEqual([line["clock"] for line in body], [CLOCKS_OF_LINE * n for n in range(len(body))])
        return self.by_source_line([self.lines_of(line["sources"]) for line in body])

    def in_text(self):
        """The table of `gdr analyse`, and why operations are no earlier."""
        text = self.succeeds("analyse", self.source).out
        rows = text.split("units  source\n")[1].split("\n\n")[0].split("\n")
        lines = []
        for row in rows:
            begins = re.match(r"\s+(\d+)\s+(\d+|-)\s+\d+\s+\d+\s+\S{4}\s", row)
            if begins:
                self.assertEqual(int(begins.group(1)), len(lines))
                lines.append(set())
            if lines and not re.match(r"\s+= ", row):
                lines[-1] |= {int(line) for line in re.findall(re.escape(self.name) + r":(\d+): ", row)}
        held = collections.defaultdict(list)
        for line, operation, reason in re.findall(r"(?m)^  +(\d+)  (\S+) +(.*)$", text.split("why no earlier\n")[1]):
            held[int(line)].append(f"{operation}: {reason}")
        return self.by_source_line(lines), dict(held)

    def on_page(self):
        page = self.scratch / "page.html"
        self.succeeds("analyse", self.source, "--html", page)
        text = page.read_text(encoding="utf-8")
        own = re.search(r'data-at="(\d+):\d+"><td class=n>', text.split(f"{self.name}</b>")[1]).group(1)
        lines = []
        for number, places in re.findall(r'data-line=(\d+) data-at="([^"]*)"', text):
            self.assertEqual(int(number), len(lines))
            lines.append({int(place.split(":")[1]) for place in places.split() if place.split(":")[0] == own})
        marked = {int(line) for line in re.findall(rf'<tr class=code data-at="{own}:(\d+)">', text)}
        shown = self.by_source_line(lines)
        self.assertEqual(marked, set(shown))
        return shown

    def profiled(self, *arguments):
        profile = self.scratch / "profile.json"
        self.succeeds("run", self.source, *arguments, "--profile", profile)
        body = [line for line in json.loads(profile.read_text(encoding="utf-8"))["lines"] if line["section"] == "loop body"]
        issued = {line["clocks"] - line["stall"] for line in body}
        self.assertEqual(len(issued), 1)  # each as often as the others
        self.assertEqual(issued.pop() % CLOCKS_OF_LINE, 0)
        return self.by_source_line([self.lines_of(line["sources"]) for line in body])

    def hovered(self, text):
        """Lines, clocks and reasons at each line of the source; of lines with many, how many there are."""
        self.begun()
        uri, found = self.opened(self.name, text)
        self.assertEqual(found, [])
        shown, reasons, counts = {}, {}, {}
        for line in range(1, text.count("\n") + 1):
            told = self.client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": line - 1, "character": 2})
            if told is None:
                continue
            value = told["contents"]["value"]
            lines = []
            for number, first, last, rest in re.findall(r"(?m)^- loop body, line (\d+), clocks (\d+) to (\d+): (.*)$", value):
                self.assertEqual((int(first), int(last)), (CLOCKS_OF_LINE * int(number), CLOCKS_OF_LINE * int(number) + CLOCKS_OF_LINE - 1))
                lines.append(int(number))
                reasons[int(number)] = rest.split("; slack ")[1].split("; ")[1:]
            more = re.search(r"(?m)^- and (\d+) more$", value)
            if lines:
                shown[line] = lines
                counts[line] = value.count("\n- loop ") + value.startswith("- loop ") + (int(more.group(1)) if more else 0)
        return shown, reasons, counts

    def compare(self, name, text, *run):
        self.name = name
        self.source = self.file(name, text)
        analysed = self.analysed()
        self.assertGreater(len(analysed), 5)
        in_text, held = self.in_text()
        self.assertEqual(in_text, analysed)
        self.assertEqual(self.on_page(), analysed)
        self.assertEqual(self.profiled(*run), analysed)
        shown, reasons, _ = self.hovered(text)
        self.assertEqual(set(shown), set(analysed))
        for line, numbers in shown.items():
            self.assertEqual(numbers, analysed[line][:len(numbers)], line)
        self.assertGreater(len(reasons), 5)
        for number, each in reasons.items():
            self.assertEqual(each, held.get(number, []), number)
        return analysed

    def test_of_a_pair_function(self):
        i = self.file("i.csv", "xi[0],xi[1],xi[2],h\n0,0,0,1\n1,0,0,1\n")
        j = self.file("j.csv", "xj[0],xj[1],xj[2],m\n0.5,0,0,1\n0,2,1,2\n")
        analysed = self.compare("pull.cc", PAIR, "--i", i, "--j", j)
        self.assertTrue({6, 7, 12, 13, 15, 17, 18, 19, 21, 23, 24} <= set(analysed), analysed)

    def test_of_an_experiment(self):
        i = self.file("i.csv", "x_start,v_start\n1,0\n2,0\n")
        analysed = self.compare("spring.cc", EXPERIMENT, "--i", i, "--steps", "50")
        self.assertTrue({6, 14, 15, 16, 17, 20} <= set(analysed), analysed)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
