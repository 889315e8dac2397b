// What is made of a mapping: a rankfile for an MPI launcher, a schedule to simulate, a picture and a histogram of link
// loads.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// Open MPI's rankfile, one slot a node: `rank R=HOST slot=0`. `hosts` are the names of the nodes in their order;
/// without any, node N is called by its place in the host file, `+nN`. Throws gdr::Error if there are fewer hosts than
/// a node used asks for.
[[nodiscard]] std::string rankfile(const TaskMapping& mapping, std::span<const std::string> hosts = {});

/// The node of each task as CSV: the header task,node and a line for each.
[[nodiscard]] std::string mapping_csv(const TaskMapping& mapping);

/// What mapping_csv() writes, every task from 0 on once, in any order; `#` begins a comment. Throws gdr::Error
/// `NAME:LINE: ...` for another header, what is no whole number, tasks that are missing or come twice, and nodes from
/// `nodes` on or with a second task.
[[nodiscard]] TaskMapping parse_mapping(std::string_view text, std::string_view name, std::uint32_t nodes);

/// Names of hosts, one a line; what follows the name, empty lines and `#` comments are passed over. Throws gdr::Error
/// `NAME:LINE: ...` if the last line is cut off.
[[nodiscard]] std::vector<std::string> parse_hosts(std::string_view text, std::string_view name);

/// All of a graph's traffic at once, ranks being nodes: every node posts what its task sends and receives in one step.
/// What it lacks is the order of a real run's messages and their dependences.
[[nodiscard]] Schedule mapped_schedule(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid);

/// The platform whose routes are a grid's, its links all made of `cable`. Throws gdr::Error as torus() and mesh().
[[nodiscard]] Topology grid_topology(const Grid& grid, Cable cable, const GridRouting& routing = {});

/// How many links carry how many bytes, links without any included. Of a mesh only the links that it has.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> load_histogram(const Grid& grid,
                                                                    std::span<const std::uint64_t> loads);

/// Loads with a title.
struct LoadPanel {
  std::string title;
  std::span<const std::uint64_t> loads;  // by Grid's links
};

/// Heat map of link loads as SVG, all panels on one scale of colour, a row each; of a 3-D grid its planes side by side.
/// Links in a plane are lines between nodes, one for each direction; those across planes the two halves of a node.
[[nodiscard]] std::string load_picture(const Grid& grid, std::span<const LoadPanel> panels);

}  // namespace gdr::interconnect
