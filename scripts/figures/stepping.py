"""stepping.svg: the playground's picture of the machine at each line of a kernel's loop and behind its end, from the page
that scripts/web has built. It moves, unless the reader's system asks for no motion."""

import html
import json
import shutil
import sys

from figures import gdr

KERNEL = "tutorial.vsm"
SECONDS = 2.5  # for each line
WIDTH, HEIGHT = 680, 386  # of the page's picture
LINE = 22
# The playground's light colours
STYLE = """
    rect { fill: #f4f5f7; stroke: #d0d7de } line { stroke: #d0d7de; stroke-width: 1.5 } circle { fill: #f4f5f7; stroke: #d0d7de }
    text { fill: #1b1f24; font: 11px sans-serif; text-anchor: middle } .left { text-anchor: start }
    rect.on, circle.on { fill: #fff3c4; stroke: #0550ae; stroke-width: 2 } line.on { stroke: #0550ae; stroke-width: 3 }
    .source { font: 14px monospace; text-anchor: start } .words { font-size: 14px; text-anchor: start }
    .ground { fill: #fff; stroke: none } .here { fill: #fff3c4; stroke: none } .frame { opacity: 0 } .first { opacity: 1 }
"""


def loop_body():
    """The lines of the kernel's loop, without their comments."""
    source = (gdr.PROJECT / "kernels" / KERNEL).read_text(encoding="utf-8").split("loop body", 1)[1]
    return [words for words in (line.partition("#")[0].strip() for line in source.splitlines()) if words]


def frames(page, site, lines):
    """(picture, words) of the page before each line, and behind the last one."""
    page.open(f"{site}#kernel={KERNEL}", 1400, 900)
    page.wait("window.playground && playground.checked")
    page.click("#debug")
    found = []
    for number in range(lines + 1):
        before = json.dumps(found[-1][1] if found else "")
        page.wait(f"document.querySelector('#machine svg') && document.querySelector('#machine figcaption').innerText !== {before}")
        found.append(page.run("[document.querySelector('#machine svg').innerHTML, document.querySelector('#machine figcaption').innerText]"))
        page.click('[data-line="step"]' if number + 1 < lines else '[data-line="end"]')
    return found


def draw():
    sys.path.append(str(gdr.PROJECT / "tests/web"))
    import browser
    source = loop_body()
    with browser.served(str(gdr.PROJECT / "build/web")) as site, \
            browser.page(shutil.which("chromium") or shutil.which("chromium-browser")) as page:
        shown = frames(page, site, len(source))
    below = LINE * len(source) + 24
    height = below + HEIGHT + 44
    parts = [f'<rect class="ground" width="{WIDTH}" height="{height}"/>']
    for number, (drawing, words) in enumerate(shown):
        here = f'<rect class="here" x="12" y="{12 + LINE * number}" width="{WIDTH - 24}" height="{LINE}"/>' if number < len(source) else ""
        lines = "".join(f'<text class="source" x="20" y="{28 + LINE * n}">{html.escape(line)}</text>' for n, line in enumerate(source))
        parts.append(f'<g class="frame{"" if number else " first"}" style="animation-delay: {(number - len(shown)) * SECONDS}s">{here}{lines}'
                     f'<svg y="{below}" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{drawing}</svg>'
                     f'<text class="words" x="20" y="{below + HEIGHT + 24}">{html.escape(words)}</text></g>')
    motion = (f"    @media (prefers-reduced-motion: no-preference) {{ .frame {{ animation: {SECONDS * len(shown)}s steps(1) infinite shown }} }}\n"
              f"    @keyframes shown {{ 0% {{ opacity: 1 }} {100 / len(shown)}% {{ opacity: 0 }} }}\n")
    label = "Stepping through a kernel: the words and units that each line uses, and the tree at the end"
    (gdr.PICTURES / "stepping.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">\n'
        f"  <style>{STYLE}{motion}  </style>\n  " + "\n  ".join(parts) + "\n</svg>\n", encoding="utf-8")
