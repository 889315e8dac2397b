"""mapping.svg: loads of the links when bruck runs on a torus of 8 x 8 x 8, in the order of ranks and refined."""

from figures import gdr


def draw():
    gdr.run("net", "map", "--graph", "bruck", "--topology", "torus:8x8x8", "--objective", "link", "--picture",
            gdr.PICTURES / "mapping.svg")
