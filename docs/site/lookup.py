"""Where Breathe looks for a declaration: in the compounds of Doxygen whose index names it.

Breathe itself walks all of Doxygen's XML for each of the 1,700 directives of the API pages, which takes half of the time of
the whole site. A name that the index does not have is looked for everywhere, as before.
"""

import copy
import re

from breathe.directives import setup as breathe_directives

NARROWED = ("Function", "Struct", "Class", "Variable", "Enum", "Typedef")


def last_part(name):
    """a::b< c::d >(e) -> b"""
    return re.split(r"[<(]", name, maxsplit=1)[0].rpartition("::")[2].strip()


class FinderFactory:
    """Breathe's, with finders that begin at the compounds that have a name."""

    compounds = {}  # of each index that has been read: {last part of a name: compounds}

    def __init__(self, factory, name):
        self.factory, self.name = factory, name

    def create_finder(self, project_info):
        root = self.factory.parser.parse(project_info)
        if id(root) not in self.compounds:
            places = self.compounds[id(root)] = {}
            for compound in root.get_compound():
                names = {last_part(name) for name in [compound.name, *(member.name for member in compound.get_member())]}
                for name in names:
                    places.setdefault(name, []).append(compound)
        found = self.compounds[id(root)].get(last_part(self.name))
        if found:
            root = copy.copy(root)
            root.compound = found
        return self.factory.create_finder_from_root(root, project_info)


def narrowed(directive):
    class Narrowed(directive):
        @property
        def finder_factory(self):
            return FinderFactory(super().finder_factory, self.arguments[0])

    return Narrowed


def setup(app):
    for kind in NARROWED:
        directive = getattr(breathe_directives, f"Doxygen{kind}Directive")
        app.add_directive(f"doxygen{kind.lower()}", narrowed(directive), override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
