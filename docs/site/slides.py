"""Makes slides of a page: one HTML file that needs nothing else, with a slide for each part of the page.

The page stays on the site, where a link leads to its slides. Pictures, style and script stand in the file; a content security
policy forbids everything else.
"""

import base64
import hashlib
import html
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PAGE, DECK = "docs/guides/slides", "docs/guides/slides-deck.html"
KINDS = {".svg": "image/svg+xml", ".png": "image/png"}


def remember(app, page, template, context, doctree):
    """Keeps what Sphinx has made of the page, and puts the link to the slides above it."""
    if page == PAGE and app.builder.format == "html":
        app.slides = (context["title"], context["body"])
        deck = pathlib.PurePosixPath(DECK).name
        context["body"] = f'<p class="deck"><a href="{deck}">Show this page as slides</a></p>\n' + context["body"]


def slides_of(body):
    """The page's head and its parts, each a section by itself."""
    head, *parts = [part for part in re.split(r"(?=<section id=)", body[body.index("<section id="):]) if part]
    parts[-1] = parts[-1].rstrip().removesuffix("</section>")
    return [head + "</section>", *parts]


def write(app, exception):
    if exception is not None or not hasattr(app, "slides"):
        return
    out = pathlib.Path(app.outdir)
    title, body = app.slides

    def embedded(match):
        picture = out / "_images" / pathlib.PurePosixPath(match[1]).name
        data = base64.b64encode(picture.read_bytes()).decode()
        return f'src="data:{KINDS[picture.suffix]};base64,{data}"'

    body = re.sub(r'<a class="headerlink".*?</a>', "", body)
    body = "".join(re.sub(r'src="([^"]*)"', embedded, slide) for slide in slides_of(body))
    style = (HERE / "slides.css").read_text(encoding="utf-8") + app.builder.highlighter.get_stylesheet()
    script = "\n" + (HERE / "slides.js").read_text(encoding="utf-8")
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{script_hash}'"
    (out / DECK).write_text(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(re.sub('<[^>]*>', '', title), quote=False)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"</main>\n<script>{script}</script>\n</body>\n</html>\n", encoding="utf-8")


def setup(app):
    app.connect("html-page-context", remember)
    app.connect("build-finished", write)
