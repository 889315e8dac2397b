"""How Sphinx makes the site; docs/CMakeLists.txt gives the version and the folder of Doxygen's XML in the environment."""

import os
import pathlib
import shutil
import sys

from pygments.lexer import RegexLexer, bygroups
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text

project = "gdr"
author = "the authors of gdr"
copyright = author
version = release = os.environ["GDR_VERSION"]

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import theme  # noqa: E402

extensions = ["myst_parser", "breathe", "lookup", "sphinxcontrib.bibtex", "slides"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
myst_heading_anchors = 4
bibtex_bibfiles = ["docs/references.bib"]
# One paper is known without its authors' names.
suppress_warnings = ["bibtex.missing_field"]

breathe_projects = {"gdr": os.environ["GDR_DOXYGEN_XML"]}
breathe_default_project = "gdr"
breathe_default_members = ("members",)

html_theme = "furo"
html_favicon = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../editor/clients/vscode/icon.svg")
html_title = f"gdr {version}"
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["gdr.css"]
html_js_files = ["site.js"]
pygments_style = "xcode"  # all of its colours can be read on white
html_copy_source = False
html_show_sphinx = False
highlight_language = "text"

man_pages = [
    ("docs/networks/gdr-summa", "gdr-summa", "parallel matrix product under MPI", [author], 1),
    ("docs/networks/gdr-stencil", "gdr-stencil", "Laplace and Himeno stencils under MPI", [author], 1),
]


class KernelLexer(RegexLexer):
    """Assembly of the PEs. It knows where an operation stands, not which there are: those are the TableGen records."""

    name = "vsm"
    tokens = {
        "root": [
            (r"#.*$", Comment.Single),
            (r"^(\s*)([A-Za-z_|]\w*)", bygroups(Text, Keyword)),
            (r"(;)(\s*)([A-Za-z_]\w*)", bygroups(Punctuation, Text, Keyword)),
            (r"[fh]?\"[^\"\n]*\"", String),
            (r"\$\w+(\.\w+)?", Name.Variable),
            (r"\b(0x[0-9a-fA-F]+|\d[\w.+-]*)", Number),
            (r"\w+", Name),
            (r"\n", Text),
            (r"[ \t]+", Text),
            (r".", Punctuation),
        ]
    }


def place_playground(app, exception):
    """The playground stands beside the pages, so that those of the exercises can hold it."""
    made = pathlib.Path(os.environ.get("GDR_SITE_PLAYGROUND") or "none")
    if exception is not None or app.builder.format != "html":
        return
    placed = pathlib.Path(app.outdir) / "playground"
    shutil.rmtree(placed, ignore_errors=True)
    if (made / "index.html").is_file():
        shutil.copytree(made, placed)


def setup(app):
    app.connect("build-finished", theme.complete)
    app.connect("build-finished", place_playground)
    app.add_lexer("vsm", KernelLexer)
    app.add_lexer("examples", TextLexer)  # rows of docs/machine/arithmetic.md that a test reads
