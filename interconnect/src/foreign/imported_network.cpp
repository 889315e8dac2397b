#include "gdr/interconnect/imported_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {
namespace {

constexpr base::Names<NetworkFormat> kNetworkFormats({{NetworkFormat::ibnetdiscover, "ibnetdiscover"},
                                                      {NetworkFormat::slurm, "slurm"},
                                                      {NetworkFormat::hwloc, "hwloc"},
                                                      {NetworkFormat::simgrid, "simgrid"}});

/// A switch's name in a table: without commas and blanks, and no number, which would be a node.
std::string name_in_table(const std::string& name) {
  std::string changed = name;
  std::ranges::replace_if(
      changed, [](unsigned char c) { return c == ',' || c == '"' || c == '#' || std::isspace(c) != 0; }, '_');
  const bool is_number = std::ranges::all_of(changed, [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_number ? "switch" + changed : changed;
}

std::string stem_of(const std::string& file) {
  return file.ends_with(".toml") ? file.substr(0, file.size() - 5) : file;
}

}  // namespace

std::string_view name_of(NetworkFormat format) { return kNetworkFormats[format]; }

std::vector<std::string> network_format_names() { return {kNetworkFormats.begin(), kNetworkFormats.end()}; }

NetworkFormat network_format_named(std::string_view name) {
  if (const auto format = kNetworkFormats.find(name)) return *format;
  throw Error(fmt::format("format '{}' is refused: it must be one of {}", name, fmt::join(kNetworkFormats, ", ")));
}

std::vector<std::string> imported_files(const std::string& file, NetworkFormat format) {
  const std::string stem = stem_of(file);
  if (format != NetworkFormat::simgrid) return {stem + ".links.csv", stem + ".hosts.txt"};
  return {stem + ".links.csv", stem + ".routes.csv", stem + ".hosts.txt", stem + ".speeds.csv"};
}

std::vector<std::string> write_imported(const ImportedNetwork& network, const std::string& file, std::string_view from,
                                        NetworkFormat format, const ImportOptions& options) {
  if (network.hosts.empty()) throw Error(fmt::format("{}: there is no node", from));
  std::map<std::string, std::string> shown;
  for (std::size_t node = 0; node < network.hosts.size(); ++node) {
    if (!shown.emplace(network.hosts[node], std::to_string(node)).second) {
      throw Error(fmt::format("{}: node {} is there twice", from, network.hosts[node]));
    }
  }
  std::string links = "from,to,bandwidth,latency\n";
  for (const ImportedCable& cable : network.cables) {
    for (const std::string& end : {cable.from, cable.to}) shown.emplace(end, name_in_table(end));
    links += fmt::format("{},{},{:g},{:g}\n", shown.at(cable.from), shown.at(cable.to),
                         (cable.bytes_per_second > 0 ? cable.bytes_per_second : options.bytes_per_second) / kGiga,
                         options.latency_seconds / kMicro);
  }
  if (shown.size() > kMostGraphVertices) {
    throw Error(fmt::format("{}: {} nodes and switches are refused: a graph has at most {}", from, shown.size(),
                            kMostGraphVertices));
  }
  const std::string stem = stem_of(file);
  const std::string name = stem.substr(stem.find_last_of('/') + 1);
  const std::string description = fmt::format(
      "# A network made by gdr net import. The numbers of nodes and their names are in {1}.hosts.txt.\n\nname = "
      "\"{0}\"\n"
      "title = \"{0}\"\nkind = \"graph\"\n\n[parameters]\n"
      "nodes      = {{ value = {2}, unit = \"1\", origin = \"R: the file that was imported, of {3}\" }}\n"
      "bandwidth  = {{ value = {4:g}, unit = \"GB/s per node\", origin = \"O: given to gdr net import; of cables "
      "without a rate\" }}\n"
      "latency    = {{ value = {5:g}, unit = \"us\", origin = \"O: given to gdr net import; of each cable\" }}\n"
      "node_speed = {{ value = {6:g}, unit = \"Gflops\", origin = \"O: given to gdr net import\" }}\n",
      name_in_table(name), name, network.hosts.size(), name_of(format), options.bytes_per_second / kGiga,
      options.latency_seconds / kMicro, options.flops_per_second / kGiga);
  const std::vector<std::string> beside = imported_files(file, format);
  refuse_other_tables(stem + ".toml", beside);
  base::write_file(stem + ".toml", description);
  base::write_file(beside[0], links);
  base::write_file(beside[1], fmt::format("{}\n", fmt::join(network.hosts, "\n")));
  return {stem + ".toml", beside[0], beside[1]};
}

}  // namespace gdr::interconnect
