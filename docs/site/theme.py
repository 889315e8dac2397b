"""What Debian's Furo lacks."""

import pathlib
import re
import shutil

# Names for parts that would have none, a heading, no headings without a level, no heads of columns without a name, no role
# that is out of use, and no second label for the mouse: {what stands in a page: what should}.
PARTS = {
    '<label class="overlay ': '<label aria-hidden="true" class="overlay ',
    '<p class="caption" role="heading">': '<p class="caption">',
    '<th class="head"><p></p></th>': "<td></td>",
    ' role="doc-biblioentry"': "",
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Menu">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '\n\n<div id="search-results">': '\n<h1>Search</h1>\n<div id="search-results">',
}


def complete_style(static):
    """Its style sheet imports normalize.css from the root of a web server, and has lost the rule by which pages are dark where
    the reader's system is."""
    sheet = static / "styles/furo.css"
    rules = sheet.read_text(encoding="utf-8")
    imported = re.search(r"@import url\(/javascript/([^)]*)\);", rules)
    if imported:
        shutil.copyfile(pathlib.Path("/usr/share/javascript") / imported[1], static / "styles/normalize.css")
        rules = rules.replace(imported[0], "@import url(normalize.css);")
    if "prefers-color-scheme" not in rules:
        dark = re.search(r'body\[data-theme="dark"\] (\{[^}]*\})', rules)[1]
        rules += f'@media not print {{ @media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark} }} }}\n'
    sheet.write_text(rules, encoding="utf-8")


def complete_script(static):
    """Its script imports another one, which only modules may do. Modules would not do: browsers load none from a folder that no
    server serves."""
    script = static / "scripts/furo.js"
    text = script.read_text(encoding="utf-8")
    imported = re.match(r'import Gumshoe from "\./([^"]*)";\n', text)
    if imported:  # what is imported makes window.Gumshoe
        script.write_text(script.with_name(imported[1]).read_text(encoding="utf-8") + text[imported.end():], encoding="utf-8")


def complete(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    out = pathlib.Path(app.outdir)
    complete_style(out / "_static")
    complete_script(out / "_static")
    for page in out.rglob("*.html"):
        text = before = page.read_text(encoding="utf-8")
        for part, better in PARTS.items():
            text = text.replace(part, better)
        if text != before:
            page.write_text(text, encoding="utf-8")
