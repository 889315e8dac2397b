"""Gathers what the site is made of in one folder, which Sphinx then reads.

    stage.py --project DIR --generated PAGE... --library COMPONENT... --doxygen DIR [--playground DIR] --out DIR

README.md and the other pages keep their places under --out, with README.md as index.md; pages that the build makes
come from --generated. The reference has the public headers of the components of --library: what Doxygen's XML in
--doxygen says of each, and its example of docs/examples/api. Each exercise of the course has a page (lessons.py), with the
playground in it if --playground holds one. Links between Markdown files become links between pages; a
link to another file of the project keeps its text alone, for that file is no page; a link to nothing is an error with
file and line. A file is written only if its text changed, so that Sphinx reads no page twice.
"""

import argparse
import itertools
import pathlib
import re
import shutil
import sys
import tomllib
from xml.etree import ElementTree

sys.dont_write_bytecode = True
import lessons  # noqa: E402

LINK = re.compile(r"(?<!\\)\[((?:[^\[\]`]|`[^`]*`|!\[[^\]]*\]\([^)]*\))*)\]\(([^()\s]+)\)")
# Breathe's directive for each kind of Doxygen's members.
DIRECTIVES = {"function": "doxygenfunction", "enum": "doxygenenum", "typedef": "doxygentypedef", "variable": "doxygenvariable"}
FENCE = re.compile(r"^\s*(```|~~~)")


def head_of(header):
    """What a header says of itself in its first comment, as reStructuredText."""
    text = header.read_text(encoding="utf-8")
    if text.startswith("/*"):
        lines = text[2:].partition("*/")[0].splitlines()
    else:
        lines = itertools.takewhile(lambda line: line.startswith("//"), text.splitlines())
    paragraphs = "\n".join(line.strip("/* ") for line in lines).split("\n\n")
    # Text between backquotes is code, the rest stands for itself.
    parts = (re.split("`([^`]*)`", " ".join(paragraph.split())) for paragraph in paragraphs)
    return "".join("".join(f"``{part}``" if n % 2 else re.sub(r"([\\*_`|])", r"\\\1", part) for n, part in enumerate(each)) + "\n\n"
                   for each in parts)


def site_path(page):
    """Where a page of the project stands in the site's source."""
    exercise = re.fullmatch(r"course/exercises/(\w+)/task\.md", page)
    if exercise:
        return lessons.place(exercise[1])
    return page.removesuffix("README.md") + "index.md" if page.endswith("README.md") else page


class Stage:
    def __init__(self, project, generated, library, doxygen, out, playground=None):
        self.project, self.library, self.doxygen, self.out = project, library, doxygen, out
        self.has_playground = playground is not None and (playground / "index.html").is_file()
        self.parts = tomllib.loads((project / "docs/site/navigation.toml").read_text(encoding="utf-8"))["part"]
        # Every folder of the project's top that has public headers or a README is a component or a folder beside them.
        self.components = sorted(path.name for path in project.iterdir()
                                 if (path / "README.md").is_file() and path.name != "docs")
        pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        pages += sorted(str(path.relative_to(project)) for path in (*project.glob("docs/*.md"), *project.glob("docs/*/*.md")))
        pages += [f"{name}/README.md" for name in self.components]
        self.source = {page: project / page for page in pages}
        self.exercises = {lessons.source(name): (number, name) for number, name in enumerate(lessons.names(project), 1)}
        self.source.update({page: project / page for page in self.exercises})
        # They stand in the build tree as in the project.
        self.source.update({"docs/" + path.as_posix().rpartition("/docs/")[2]: path for path in generated})
        self.errors = []
        self.written = set()

    def write(self, name, text):
        path = self.out / name
        self.written.add(path)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, name):
        path = self.out / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.project / name
        if not path.is_file() or path.read_bytes() != source.read_bytes():
            shutil.copyfile(source, path)

    def destination(self, page, target):
        """The path in the project that a link on a page leads to, or None if it leaves the project."""
        parts = []
        for part in (pathlib.PurePosixPath(page).parent / target).parts:
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part != ".":
                parts.append(part)
        return "/".join(parts)

    def link(self, page, line, match, onto=None):
        """A link on a page of the project, as it is on the page `onto` of the site."""
        text, target = match.groups()
        if re.match(r"[a-zA-Z][\w+.-]*:|#", target):
            return match.group(0)
        path, mark, fragment = target.partition("#")
        wanted = self.destination(page, path)
        if wanted == "docs/references.bib":
            wanted = "docs/references.md"
        if wanted is not None and wanted + "/README.md" in self.source:
            wanted += "/README.md"
        if wanted in self.source:
            here = pathlib.PurePosixPath(onto or site_path(page)).parent
            up = "../" * len(here.parts) if here.parts else ""
            return f"[{text}]({up}{site_path(wanted)}{mark}{fragment})"
        if wanted is not None and (self.project / wanted).exists():
            if self.is_picture(wanted):
                self.copy(wanted)
                return match.group(0)
            return text
        self.errors.append(f"{page}:{line}: links to {target}, which does not exist")
        return text

    @staticmethod
    def is_picture(path):
        return path.endswith((".svg", ".png"))

    def follow(self, name, text, onto=None):
        """The text of a page with its links followed."""
        lines, fenced = [], False
        for number, line in enumerate(text.split("\n"), 1):
            if FENCE.match(line):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                line = LINK.sub(lambda match: self.link(name, number, match, onto), line)
            lines.append(line)
        return "\n".join(lines)

    def page(self, name):
        if name in self.exercises:
            number, exercise = self.exercises[name]
            try:
                return lessons.page(self.project, number, exercise, self.has_playground,
                                    lambda text: self.follow(lessons.COURSE, text, onto=site_path(name)))
            except LookupError as error:
                self.errors.append(error.args[0])
                return ""
        return self.follow(name, self.source[name].read_text(encoding="utf-8"))

    def menu(self):
        """The hidden tables of contents that make the site's menu; every page stands in one of them once."""
        placed, text = {"README.md"}, ""
        for part in self.parts:
            entries = []
            for page in part["pages"]:
                several = {"components": [f"{name}/README.md" for name in self.components], "lessons": [*self.exercises]}.get(page)
                if several is not None:
                    entries += several
                elif page == "api":
                    entries.append("api/index.md")
                    continue
                else:
                    entries.append(page)
                for entry in [page] if several is None else several:
                    if entry not in self.source:
                        self.errors.append(f"docs/site/navigation.toml: names {entry}, which is no page")
                    elif entry in placed:
                        self.errors.append(f"docs/site/navigation.toml: names {entry} twice")
                    placed.add(entry)
            listed = "\n".join(site_path(entry).removesuffix(".md") for entry in entries)
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {part['title']}\n\n{listed}\n```\n"
        for page in self.source:
            if page not in placed:
                self.errors.append(f"docs/site/navigation.toml: {page} stands in no part")
        return text

    def declarations(self):
        """What each public header declares outside of classes, as Breathe's directives: {header: [directive]}."""
        found = {}
        for entry in ElementTree.parse(self.doxygen / "index.xml").getroot():
            kind, name = entry.get("kind"), entry.findtext("name")
            if kind not in ("class", "struct", "namespace", "file") or "detail" in name.split("::"):
                continue
            compound = ElementTree.parse(self.doxygen / (entry.get("refid") + ".xml")).find("compounddef")
            if kind in ("class", "struct"):
                outer = name.partition("<")[0].rpartition("::")[0]
                if outer not in self.classes and not name.startswith("std::"):
                    options = "   :members:\n   :undoc-members:\n"
                    found.setdefault(compound.find("location").get("file"), []).append(f".. doxygen{kind}:: {name}\n{options}")
                continue
            for member in compound.iterfind("sectiondef/memberdef"):
                directive = DIRECTIVES.get(member.get("kind"))
                shown = member.findtext("qualifiedname") or member.findtext("name")
                # A class by the same name has been shown: this is C's typedef of it, or a deduction guide.
                if directive is None or shown in self.classes:
                    continue
                if member.get("kind") == "function":
                    shown += member.findtext("argsstring")
                header = member.find("location").get("declfile") or member.find("location").get("file")
                found.setdefault(header, []).append(f".. {directive}:: {shown}\n")
        return found

    def example(self, component, header):
        """The program of docs/examples/api that shows a header, with what it prints; empty if there is none."""
        source = self.project / f"docs/examples/api/{component}/{header.stem}.cpp"
        if source not in self.examples:
            return ""
        self.examples.remove(source)

        def block(language, text):
            return f".. code-block:: {language}\n\n" + "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())

        printed = source.with_suffix(".txt").read_text(encoding="utf-8")
        return (f"An example:\n\n{block('c++', source.read_text(encoding='utf-8'))}\n"
                f"It prints:\n\n{block('text', printed)}\n")

    def api(self):
        """A page for each component with public headers."""
        self.classes = {entry.findtext("name") for entry in ElementTree.parse(self.doxygen / "index.xml").getroot()
                        if entry.get("kind") in ("class", "struct")}
        declarations = self.declarations()
        self.examples = set((self.project / "docs/examples/api").rglob("*.cpp"))
        includes = {name: self.project / name / "include" for name in self.library}
        includes["kernels"] = self.project / "kernels/cc"
        for name, include in includes.items():
            title = f"{name}: public headers"
            text = f"{title}\n{'=' * len(title)}\n"
            for header in sorted(include.rglob("*.h")):
                path = str(header.relative_to(self.project))
                heading = f"``{header.relative_to(include)}``"
                text += f"\n{heading}\n{'-' * len(heading)}\n\n" + head_of(header) + self.example(name, header)
                text += "\n".join(declarations.get(path, []))
            self.write(f"api/{name}.rst", text)
        self.errors += [f"{path.relative_to(self.project)}: an example of no public header" for path in sorted(self.examples)]
        listed = "\n".join(self.library)
        # Its contents are pages only, among which the theme's script finds no place of the reader.
        self.write("api/index.md", "---\nhide-toc: true\n---\n\n# API reference\n\nThe public headers, made from their comments. Programs link the shared "
                   "library `libgdr`, in which all of these components are; `gdr::mapping` (task mapping) and "
                   "`gdr::simulation` (SimGrid) are static libraries beside it:\n\n"
                   f"```{{toctree}}\n:maxdepth: 2\n\n{listed}\n```\n\n"
                   "Pair functions that `gdr cc` compiles include one header, and link nothing:\n\n"
                   "```{toctree}\n:maxdepth: 2\n\nkernels\n```\n")

    def run(self):
        self.source["docs/references.md"] = None
        menu = self.menu()
        del self.source["docs/references.md"]
        pages = dict.fromkeys(self.source)
        self.source["docs/references.md"] = None
        for page in pages:
            text = self.page(page)
            self.write(site_path(page), text + menu if page == "README.md" else text)
        self.write("docs/references.md", "# References\n\nThe literature that pages and code cite.\n\n"
                   "```{bibliography}\n:all:\n```\n")
        self.copy("docs/references.bib")
        self.api()
        for old in sorted(self.out.rglob("*"), reverse=True):
            if old.is_file() and old not in self.written:
                old.unlink()
            elif old.is_dir() and not any(old.iterdir()):
                old.rmdir()
        for error in self.errors:
            print(error, file=sys.stderr)
        return 1 if self.errors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--project", type=pathlib.Path, required=True)
    parser.add_argument("--generated", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--library", nargs="+", required=True)
    parser.add_argument("--doxygen", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--playground", type=pathlib.Path)
    sys.exit(Stage(**vars(parser.parse_args())).run())


if __name__ == "__main__":
    main()
