"""block.svg: i-data stay in the PEs of a block while j-records stream through the two halves of its broadcast memory;
tree.svg: the results of the blocks on their way out. Both move, unless the reader's system asks for no motion. How many
there are of each is read from the records of the instruction set."""

import re

from figures import gdr

SHOWN = 8  # PEs that are drawn
STYLE = """
    text { font: 14px sans-serif; text-anchor: middle; fill: #123 }
    .small { font-size: 12px; fill: #345 } .left { text-anchor: start } .name { font-weight: bold }
    .box { fill: #fff; stroke: #345; stroke-width: 1.5 } .group { fill: #eef3f8; stroke: #9ab } .unit { fill: #dbe8f4; stroke: #345 }
    .still { fill: #cfe8cf; stroke: #2a7d4c } .record { fill: #ffd9a0; stroke: #b06a00 } .way { stroke: #9ab; stroke-width: 1.5 }
    .used { stroke: #b06a00; stroke-width: 2 }
"""
# In the first half of a round the left record is in use while the next one arrives at the right, then the other way round.
HALVES = """
    .b { opacity: 0 }
    @media (prefers-reduced-motion: no-preference) {
      .a, .b, .in { animation: 6s steps(1) infinite } .a { animation-name: first } .b { animation-name: second }
      .in { animation: 3s linear infinite stream }
    }
    @keyframes first { 0% { opacity: 1 } 50% { opacity: 0 } }
    @keyframes second { 0% { opacity: 0 } 50% { opacity: 1 } }
    @keyframes stream { from { transform: translateX(0) } to { transform: translateX(72px) } }
"""
LEVELS = """
    @media (prefers-reduced-motion: no-preference) { .level { animation: 5s steps(1) infinite level } }
    @keyframes level { 0% { opacity: 1 } 20% { opacity: .25 } 95% { opacity: .25 } }
"""


def constants():
    records = (gdr.PROJECT / "isa/td/gdr.td").read_text(encoding="utf-8")
    found = {name: int(value) for name, value in re.findall(r'Constant<"(\w+)", (\d+)>', records)}
    return found | {"bm_words": int(re.search(r'Storage<"bm", "b", (\d+)', records)[1]) // 2}


def text(x, y, words, kind="small"):
    return f'<text x="{x}" y="{y}" class="{kind}">{words}</text>'


def box(kind, x, y, width, height, words=""):
    rectangle = f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="3"/>'
    return rectangle + (text(x + width / 2, y + height / 2 + 5, words) if words else "")


def line(x1, y1, x2, y2, kind="way"):
    return f'<path class="{kind}" d="M{x1} {y1}L{x2} {y2}"/>'


def group(kind, parts):
    return f'<g class="{kind}">{"".join(parts)}</g>'


def write(name, width, height, label, style, parts):
    drawing = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">\n'
               f"  <style>{STYLE}{style}  </style>\n  <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n  "
               + "\n  ".join(parts) + "\n</svg>\n")
    (gdr.PICTURES / name).write_text(drawing, encoding="utf-8")


def block(count):
    parts = [box("group", 130, 16, 690, 64), text(142, 36, "broadcast memory", "name left"),
             text(142, 62, f"{count['bm_words']:,} long words".replace(",", " "), "small left"),
             box("box", 300, 30, 150, 36), box("box", 460, 30, 150, 36), box("unit", 620, 30, 186, 36, "parameters, variables"),
             text(62, 30, "j-records", "name"), text(62, 84, "input port", "small")]
    # Where a record arrives it fills its half; the one in use is at all PEs at once.
    used = {"a": (300, 375), "b": (460, 535)}
    for kind, (left, middle) in used.items():
        other = 460 if kind == "a" else 300
        bus = [line(middle, 66, middle, 108, "used"), line(166, 108, 784, 108, "used")]
        bus += [line(166 + 88.3 * n, 108, 166 + 88.3 * n, 132, "used") for n in range(SHOWN)]
        parts.append(group(kind, [box("record", left, 30, 150, 36, "record in use"), text(other + 75, 53, "the next one arrives"), *bus]))
    parts.append('<svg x="10" y="38" width="120" height="30" viewBox="0 0 120 30">' +
                 group("in", [box("record", x, 4, 48, 22, "j") for x in (-72, 0, 72)]) + "</svg>")
    for n in range(SHOWN):
        x = 130 + 88.3 * n
        parts.append(box("box", x, 132, 72, 92))
        parts.append(text(x + 36, 150, f"PE {n if n < SHOWN - 1 else count['pes_per_block'] - 1}", "name"))
        parts += [box("still", x + 7 + 30 * (k % 2), 160 + 29 * (k // 2), 27, 24, "i") for k in range(count["vector_elements"])]
    parts.append(text(130 + 88.3 * 7 - 8, 185, "…", "name"))
    parts += [text(62, 170, "i-data", "name"), text(62, 190, f"{count['vector_elements']} for each PE"), text(62, 206, "stand still")]
    write("block.svg", 840, 236, "A block: i-data stay in the PEs, j-records stream through two halves of broadcast memory",
          HALVES, parts)


def tree(count):
    blocks = count["blocks"]
    levels = blocks.bit_length() - 1
    step = 800 / blocks

    def at(level, n):
        return 20 + (n + 0.5) * step * (1 << level), 200 - 42 * level

    parts = []
    for level in range(levels):
        lines = [line(*at(level, n), *at(level + 1, n // 2), "used") for n in range(blocks >> level)]
        parts.append(f'<g class="level" style="animation-delay: {level - 5}s">{"".join(lines)}</g>')
    for level in range(1, levels + 1):
        parts += [f'<circle class="unit" cx="{x}" cy="{y}" r="11"/>' + text(x, y + 4, "+")
                  for x, y in (at(level, n) for n in range(blocks >> level))]
    parts += [box("still", at(0, n)[0] - 20, 200, 40, 26, f"{n}") for n in range(blocks)]
    parts += [text(420, 250, f"{blocks} blocks, each with the sums over its own j-particles"),
              text(440, at(levels, 0)[1] + 5, "a result for each i-particle, to the host", "small left")]
    write("tree.svg", 840, 262, "The reduction tree adds up the results of the blocks on their way to the host", LEVELS, parts)


def draw():
    count = constants()
    block(count)
    tree(count)
