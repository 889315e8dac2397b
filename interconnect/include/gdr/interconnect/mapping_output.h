// Output from a mapping: a rankfile for an MPI launcher, a schedule to simulate, a picture and a histogram of link
// loads.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// An Open MPI rankfile with one slot for each node: `rank R=HOST slot=0`. `hosts` are the names of the nodes, in the
/// order of their numbers; if it is empty, node N is named by its place in the host file, `+nN`. A host that is named
/// again gets the next slot. Throws gdr::Error if the mapping uses a node beyond the last host.
[[nodiscard]] std::string rankfile(const TaskMapping& mapping, std::span<const std::string> hosts = {});

/// The host of each rank, one a line, for Slurm's SLURM_HOSTFILE and for `mpirun --hostfile FILE --map-by seq`. Throws
/// gdr::Error as rankfile() does, and without hosts.
[[nodiscard]] std::string hosts_of_ranks(const TaskMapping& mapping, std::span<const std::string> hosts);

/// The node of each task as CSV: the header task,node and a line for each task.
[[nodiscard]] std::string mapping_csv(const TaskMapping& mapping);

/// Reads a mapping in the format of mapping_csv(): every task from 0 on once, in any order; `#` begins a comment.
/// Throws gdr::Error `NAME:LINE: ...` for another header, fields that are not whole numbers, tasks that are missing or
/// occur twice, and nodes that are not below `nodes` or already have a task.
[[nodiscard]] TaskMapping parse_mapping(std::string_view text, std::string_view name, std::uint32_t nodes);

/// Reads names of hosts, one on each line, as host files of MPI libraries have them: `node1`, `node1:4` and
/// `node1 slots=4` (the name four times), and Slurm's lists, `n[1-8,10]`. Further text after a name, empty lines and
/// `#` comments are ignored. Throws gdr::Error `NAME:LINE: ...` for slots that are not 1 to 1024, lists that
/// expand_hostlist() refuses, and if the last line has no line feed, because it may be cut off.
[[nodiscard]] std::vector<std::string> parse_hosts(std::string_view text, std::string_view name);

/// A schedule with all of a graph's traffic at once; its ranks are nodes. Every node posts all messages that its task
/// sends and receives in one step. The order of a real run's messages and their dependences are missing.
[[nodiscard]] Schedule mapped_schedule(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid);

/// A topology with the routes of a grid, in which every link is like `cable`. Throws gdr::Error as torus() and mesh()
/// do.
[[nodiscard]] Topology grid_topology(const Grid& grid, Cable cable, const GridRouting& routing = {});

/// Number of links for each number of bytes; links without traffic count too. For a mesh, only links that exist count.
/// `loads`: bytes by Grid's link number. Throws gdr::Error unless `loads` has grid.links() entries.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> load_histogram(const Grid& grid,
                                                                    std::span<const std::uint64_t> loads);

/// Loads of one mapping, with a title.
struct LoadPanel {
  std::string title;
  std::span<const std::uint64_t> loads;  // bytes, by Grid's link number
};

/// Heat map of link loads as SVG, one row for each panel and one colour scale for all; the planes of a 3-D grid are
/// side by side. Links within a plane are lines between nodes, one for each direction. Links between planes are the two
/// halves of a node's square.
[[nodiscard]] std::string load_picture(const Grid& grid, std::span<const LoadPanel> panels);

}  // namespace gdr::interconnect
