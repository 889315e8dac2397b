"""Networks between boards: models of the time of collectives, task mappings and N-body runs on clusters.

    net = grapedr.network.Network("optical-hub-64")
    net.collective("allgather", 1 << 20)["seconds"]
    grapedr.network.map_tasks("cg", "torus:8x8").max_link_bytes
    grapedr.network.cluster_nbody("grape-dr-64", nodes=16, n=100_000, algorithm="2d")["efficiency"]
"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _models
from ._arrays import as_doubles, path, plain, real, text, whole
from ._core import Error
from ._figures import picture_html, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Mapping", "Network", "cluster_names", "cluster_nbody", "map_tasks", "sum_value", "sum_words"]

MOST_BYTES = 2**40  # of a rank in a collective
_MOST_NODES = 2**32 - 1


class Network:
    """A network, by its name (`gdr net` lists them) or from a TOML file. `nodes` replaces the description's number of nodes."""

    def __init__(self, name: str, nodes: int | None = None) -> None:
        self._core = _models.Platform(path("name", name), None if nodes is None else whole("nodes", nodes, 1, _MOST_NODES))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def nodes(self) -> int:
        return self._core.nodes

    @property
    def links(self) -> int:
        """Number of directed links."""
        return self._core.links

    @property
    def node_bytes_per_second(self) -> float:
        """Bandwidth of all ports of a node together, in bytes per second."""
        return self._core.node_bytes_per_second

    def route(self, start: int, end: int) -> list[int]:
        """Links on the path of a message from node `start` to node `end`, in order."""
        return self._core.route(whole("start", start, 0, _MOST_NODES), whole("end", end, 0, _MOST_NODES))

    def collective(self, operation: str, bytes: int, method: str | None = None, simulate: bool = False) -> dict[str, Any]:
        """Seconds of a collective call on all nodes: "allgather" (`bytes` of each node; `method` "bruck", "doubling",
        "pairwise", "posted", "ring"), "broadcast" ("direct", "multipath", "scatter-doubling", "scatter-ring", "tree"),
        "allreduce" ("direct", "doubling", "halving", "multipath"), "alltoall" ("bruck", "pairwise", "posted"), "reduce" and
        "send" ("direct", "multipath"). Without a method, as with "auto", it is the choice of MPICH 3.1.3, the default of
        `gdr net` as well; of "reduce" and "send", it is "direct".

        `seconds` is a closed form that assumes that all ranks work in step, or with `simulate` the result of SimGrid. The
        other values are `lockstep_seconds`, `link_bound_seconds` (a lower bound), and the number of `messages` and `bytes`."""
        way = _models.AUTO_METHOD if method is None else text("method", method)
        return self._core.collective(text("operation", operation), whole("bytes", bytes, 1, MOST_BYTES), way, bool(simulate))

    def __repr__(self) -> str:
        return f"<grapedr.network.Network {self.name}: {self.nodes} nodes, {self.links} links>"


@dataclasses.dataclass(frozen=True)
class Mapping:
    """A mapping of tasks to nodes."""

    topology: str
    nodes: NDArray[np.int64]
    """Node of each task, of shape (tasks,); node = x + X (y + Y z)."""
    cost_hop_bytes: int
    """Sum of bytes x hops on the mesh."""
    cost_torus_hop_bytes: int
    """Sum of bytes x hops on the paths of the messages."""
    max_link_bytes: int
    """Load of the busiest directed link in bytes."""
    link_bytes: NDArray[np.int64]
    """Load of each link in bytes, of shape (links,); link = (node * axes + axis) * 2 + (0: plus, 1: minus)."""

    def plot(self) -> Figure:
        """Draws a histogram of the loads of the links with matplotlib."""
        figure, axes = pyplot().subplots(figsize=(5, 3), layout="constrained")
        axes.hist(self.link_bytes / 1e6, bins=30, color="#4878a8")
        axes.set_xlabel("load / MB")
        axes.set_ylabel("directed links")
        axes.set_title(f"{self.topology}: busiest link {self.max_link_bytes / 1e6:.3g} MB", fontsize=10)
        return figure

    def _repr_html_(self) -> str:
        told = {"machine": self.topology, "tasks": len(self.nodes), "cost_hop_bytes": self.cost_hop_bytes}
        told |= {"cost_torus_hop_bytes": self.cost_torus_hop_bytes, "max_link_bytes": self.max_link_bytes}
        return _models.report_html("net map", told) + picture_html(self.plot)


def map_tasks(
    graph: str | os.PathLike[str] | ArrayLike,
    topology: str,
    method: str = "refined",
    objective: str | None = None,
    *,
    bytes: int | None = None,
    npb_class: str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    effort: float | None = None,
) -> Mapping:
    """Maps each task of a program to a node, so that messages use short paths and share few links (docs/networks/mapping.md).

    `graph` is "bruck" (with `bytes` a task, 2048 by default), "cg", "sp" (with `npb_class`, "B" by default), a CSV file, or a
    matrix (tasks, tasks) of the bytes that the task of the row sends to that of the column. `topology` is such as
    "torus:8x8x8" or "mesh:4x4", `method` "xyz", "none", "mincost", "minlink", "scotch" or "refined". The last has an
    `objective`, "cost" (by default) or "link", and searches with `threads`, `seed` and `effort`, each 1 by default; the result
    does not depend on `threads`. Arguments without effect are refused."""
    topology, way = text("topology", topology), text("method", method)
    searching = {"objective": objective, "threads": threads, "seed": seed, "effort": effort}
    if way in _models.MAPPING_METHODS and way != "refined":
        _refuse_without_effect(searching, f"method = '{way}'")
    told = repr(graph) if isinstance(graph, str) else "this graph"
    if not isinstance(graph, str) or graph != "bruck":
        _refuse_without_effect({"bytes": bytes}, f"graph = {told}")
    if not isinstance(graph, str) or graph not in ("cg", "sp"):
        _refuse_without_effect({"npb_class": npb_class}, f"graph = {told}")
    if isinstance(graph, (str, os.PathLike)):
        size = whole("bytes", _or(bytes, 2048), 1, MOST_BYTES)
        tasks = _models.TaskGraph.named(path("graph", graph), topology, size, text("npb_class", _or(npb_class, "B")))
    else:
        matrix = np.asarray(graph)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "iu":
            raise Error(f"graph has type {matrix.dtype} and shape {matrix.shape}: it must be a square matrix of integers")
        if (matrix < 0).any():
            place = tuple(int(n) for n in np.argwhere(matrix < 0)[0])
            raise Error(f"graph is {matrix[place]} at {place}: it must be at least 0")
        pairs = np.argwhere(matrix)
        tasks = _models.TaskGraph(len(matrix), [(int(a), int(b), int(matrix[a, b])) for a, b in pairs])
    goal, tries = text("objective", _or(objective, "cost")), real("effort", _or(effort, 1.0))
    threads, seed = whole("threads", _or(threads, 1), 0, 1024), whole("seed", _or(seed, 1), 0, 2**64 - 1)
    made = _models.map_tasks(tasks, topology, way, goal, threads, seed, tries)
    made["nodes"] = np.array(made["nodes"], dtype=np.int64)
    made["link_bytes"] = np.array(made["link_bytes"], dtype=np.int64)
    return Mapping(topology=topology, **made)


def _or(given: Any, default: Any) -> Any:
    return default if given is None else given


def _refuse_without_effect(arguments: dict[str, Any], beside: str) -> None:
    for name, given in arguments.items():
        if given is not None:
            raise Error(f"{name} has no effect with {beside}")


def cluster_names() -> list[str]:
    """Names of the clusters that come with gdr."""
    return _models.cluster_names()


def cluster_nbody(
    cluster: str,
    nodes: int,
    n: int,
    algorithm: str = "2d",
    kernel_name: str = "gravity_jerk",
    *,
    t_end: float = 1.0,
    grow_network: bool = False,
) -> dict[str, Any]:
    """Models the emulated time of an N-body run of `n` particles from t = 0 to `t_end`, with individual steps on `nodes` nodes:
    `seconds`, `gflops`, `efficiency`, `bound_by`, and `parts` of the critical path in seconds, as `gdr cluster nbody`
    gives them. `algorithm` is "copy", "j", "2d", "systolic" or "hyper" (docs/networks/cluster.md). With `grow_network` a network
    that has too few nodes is made larger, if its kind can be. Raises `grapedr.Error` for more nodes than the network
    has, and for particles that do not fit into the boards."""
    names = text("algorithm", algorithm), text("kernel_name", kernel_name)
    nodes = whole("nodes", nodes, 1, 65536)
    particles = whole("n", int(n) if real("n", n).is_integer() else n, 2, 10**9)
    return _models.cluster_nbody(path("cluster", cluster), nodes, float(particles), *names, real("t_end", t_end), bool(grow_network))


def sum_words(terms: ArrayLike) -> NDArray[np.int64]:
    """The sum of the terms without rounding, as 71 integers. Integers of several ranks are added as they are, for example by
    mpi4py's `Allreduce` with `MPI.SUM`; `sum_value()` of their sum is the sum of all terms. Terms are doubles or integers of
    64 bits, in an array of any shape."""
    array = plain("terms", terms)
    if array.dtype.kind not in "iufb":
        raise Error(f"terms has type {array.dtype}: it must hold real numbers")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:  # two doubles hold what one may not
        bits = array.dtype.type
        return _models.sum_words(np.stack([(array >> bits(32)) * 2.0**32, (array & bits(2**32 - 1)) * 1.0]))
    return _models.sum_words(as_doubles("terms", array, terms))


def sum_value(words: ArrayLike) -> float:
    """The sum that these words hold, rounded once, to nearest even: the same for every order of the terms and every number of
    ranks (docs/networks/interconnect.md)."""
    array = plain("words", words)
    if array.shape != (_models.SUM_WORDS,) or array.dtype != np.int64:
        raise Error(f"words has shape {array.shape} and type {array.dtype}: it must be ({_models.SUM_WORDS},) of int64")
    return _models.sum_value(np.ascontiguousarray(array))
