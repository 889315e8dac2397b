"""The pages of the course: one for each exercise, made of its files in course/exercises and of its lesson in the page of the
course. Nothing on them is written anywhere else."""

import csv
import re
import tomllib

COURSE = "docs/guides/course.md"
MOST_ROWS = 6  # of a table of shown data


def source(name):
    """The file that a link to the exercise leads to, and that its page of the site stands for."""
    return f"course/exercises/{name}/task.md"


def place(name):
    return f"course/{name}.md"


def names(project):
    listed = project / "course/course.toml"
    return tomllib.loads(listed.read_text(encoding="utf-8"))["exercises"] if listed.is_file() else []


def folded(summary, text):
    return f"<details>\n<summary>{summary}</summary>\n\n{text.strip()}\n\n</details>\n"


def fenced(language, text):
    return f"```{language}\n{text.rstrip()}\n```\n"


def table(path):
    """A CSV file as a table in Markdown: its first rows, and how many more there are."""
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    shown = [[f"`{name}`" for name in head], ["---:"] * len(head), *rows[:MOST_ROWS]]
    text = "".join(f"| {' | '.join(row)} |\n" for row in shown)
    more = len(rows) - MOST_ROWS
    return text + (f"\n{more} more rows follow.\n" if more > 0 else "")


def shown_data(folder, name, exercise):
    case = exercise["cases"][0]
    parameters = [f"`{key}` = {value}" for key, value in case.items() if key not in ("ni", "nj")]
    text = f"The judge's first case{', with ' + ' and '.join(parameters) if parameters else ''}. " \
           f"`gdr judge {name} --data DIR` writes its files; the other cases are hidden.\n"
    for title, file in (("i-particles", "i.csv"), ("j-particles", "j.csv"), ("Right results", "results.csv")):
        if (folder / "shown" / file).is_file():
            text += f"\n{title} (`{file}`):\n\n{table(folder / 'shown' / file)}"
    return text


def bounds(exercise):
    par, bound = exercise["par"], exercise["bound"]
    counted = "in all sections" if "counted" in exercise else "in the loop body"
    proved = "and no order of its operations has fewer with its registers" if par == bound else \
        f"and no order of its operations has fewer than {bound} with its registers"
    allowed = f" A kernel may have {exercise['most_lines']} lines." if "most_lines" in exercise else ""
    return f"Par: the solution below has **{par}** lines {counted}, {proved} ([how that is proved](../docs/kernels/assembly.md#" \
           f"what-limits-a-loop)).{allowed} A result may be wrong by {exercise['tolerance']:g} times the sum of the magnitudes " \
           "of its terms.\n"


def trial(name, has_playground):
    """The playground inside the page, which docs/site/static/site.js frames; the link alone where no script runs."""
    commands = fenced("sh", f"gdr judge {name} --start > {name}.vsm   # the declarations to begin with\n"
                            f"gdr judge {name} {name}.vsm")
    if not has_playground:
        return f"Write the kernel in an editor, and let the judge look at it:\n\n{commands}\n" \
               "The [playground](../docs/kernels/playground.md) does both in a browser, with the same verdict and hash. A site " \
               "that is made with it has it here.\n"
    address = f"../playground/index.html#exercise={name}"
    return f'<div class="playground" data-address="{address}" data-title="Playground with the exercise {name}">\n' \
           f'<p><a href="{address}">Open the exercise in the playground</a>: write the kernel there, and press Judge.</p>\n' \
           f"</div>\n\nOn the command line, with the same verdict and hash:\n\n{commands}"


def lesson(project, name):
    """Heading and text of the lesson about an exercise, out of the page of the course."""
    page = (project / COURSE).read_text(encoding="utf-8")
    found = re.search(rf"^### \d+\. ([^\n]*): \[`{name}`\]\([^)]*\)\n+(.*?)(?=^##)", page + "\n##", re.MULTILINE | re.DOTALL)
    if found is None:
        raise LookupError(f"{COURSE}: has no lesson of the exercise {name}")
    return found.groups()


def page(project, number, name, has_playground, follow):
    """The page of an exercise in Markdown; `follow` turns links of the page of the course into those of this one."""
    folder = project / "course/exercises" / name
    exercise = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
    title, _, task = (folder / "task.md").read_text(encoding="utf-8").partition("\n")
    heading, text = lesson(project, name)
    hints = "\n".join(folded(f"Hint {n}", hint) for n, hint in enumerate(exercise["hints"], 1))
    solution = folded("Solution", fenced("vsm", (folder / "solution.vsm").read_text(encoding="utf-8")))
    reference = folded("The reference in NumPy", fenced("python", (folder / "reference.py").read_text(encoding="utf-8")))
    parts = ["---\nhide-toc: true\n---\n", f"# {number}. {title.removeprefix('# ')}\n", task.strip() + "\n", bounds(exercise), f"## {heading}\n", follow(text),
             "## Try it\n", trial(name, has_playground), "## Hints\n", hints, "## Data\n", shown_data(folder, name, exercise),
             "## Solution\n", solution, reference]
    return "\n".join(parts)
