// Networks in files of other programs: ibnetdiscover, Slurm's topology.conf, hwloc's XML. Each becomes a description of
// kind "graph", with its cables beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

enum class NetworkFormat : std::uint8_t { ibnetdiscover, slurm, hwloc, simgrid };
[[nodiscard]] std::string_view name_of(NetworkFormat format);  // as the enumerators
[[nodiscard]] std::vector<std::string> network_format_names();
/// Throws gdr::Error with the known names for any other.
[[nodiscard]] NetworkFormat network_format_named(std::string_view name);

/// A cable between two nodes or switches, which carries both ways.
struct ImportedCable {
  std::string from;  // a host of ImportedNetwork, or a switch
  std::string to;
  double bytes_per_second = 0;  // 0: the file does not say
};
struct ImportedNetwork {
  std::vector<std::string> hosts;  // node n of the network is the n-th of these
  std::vector<ImportedCable> cables;
  std::vector<std::string> notes;  // what the file has and the network does not
};

/// What `ibnetdiscover` prints: switches (Switch), adapters (Ca) and their ports. Adapters are nodes, under the name of
/// their host and, if a host has several, the number of the adapter; those that switches have inside (aggregation nodes
/// of SHARP) are left out. Routers (Rt) are switches. Each cable has the data rate of its width and speed. `name` is
/// used in error messages. Throws gdr::Error `NAME:LINE: ...`, also for a width or speed that is not known.
[[nodiscard]] ImportedNetwork parse_ibnetdiscover(std::string_view text, std::string_view name);

/// Slurm's topology.conf of the plugin topology/tree: lines SwitchName=... with Nodes=... or Switches=..., with Slurm's
/// ranges in brackets. A switch may be under several. Throws gdr::Error `NAME:LINE: ...`, also for a node of two
/// switches, for switches that are not joined, and for the other files of Slurm that is_slurm_topology() knows:
/// topology.conf of topology/block and topology.yaml.
[[nodiscard]] ImportedNetwork parse_slurm_topology(std::string_view text, std::string_view name);
[[nodiscard]] bool is_slurm_topology(std::string_view text);

/// XML of hwloc 1 and 2 (`lstopo FILE.xml`): the cores of a machine are nodes; caches, packages and groups that hold
/// several of them are switches. Throws gdr::Error `NAME:LINE: ...`, and if gdr was built without libxml2.
[[nodiscard]] ImportedNetwork parse_hwloc(std::string_view text, std::string_view name);

/// The names that Slurm's ranges stand for: "n[1-3,07]x" is n1x, n2x, n3x, n07x. Throws gdr::Error for brackets that
/// are not closed, ranges that fall, and more than `most` names.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view list, std::size_t most);

/// What the description of an imported network takes where the file is silent.
struct ImportOptions {
  double bytes_per_second = 12.5e9;  // of cables without a rate, and of a node
  double latency_seconds = 0.5e-6;   // of each cable
  double flops_per_second = 1e12;    // of a node
};
/// The names of the files that are written beside the description FILE.toml of an imported network: FILE.links.csv and
/// FILE.hosts.txt; for a platform of SimGrid FILE.routes.csv between them, and FILE.speeds.csv at the end.
[[nodiscard]] std::vector<std::string> imported_files(const std::string& file, NetworkFormat format);
/// Writes FILE.toml, FILE.links.csv and FILE.hosts.txt, the names of the nodes by their numbers. `from` is the name of
/// the file that was read, `format` its format; both stand in the origins. Returns the names of the files. Throws
/// gdr::Error as refuse_other_tables(), if a file cannot be written, or the network has no nodes or more vertices than
/// shortest_paths() takes.
std::vector<std::string> write_imported(const ImportedNetwork& network, const std::string& file, std::string_view from,
                                        NetworkFormat format, const ImportOptions& options);

}  // namespace gdr::interconnect
