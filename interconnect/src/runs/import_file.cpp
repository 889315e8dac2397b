#include "gdr/interconnect/import_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/scratch_folder.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {
namespace {

std::string base_name(const std::string& file) {
  const std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}

Imported import_simgrid(const std::string& file, std::string_view text, const std::string& output) {
  const std::vector<std::string> beside = imported_files(output, NetworkFormat::simgrid);
  const std::string& links = beside[0];
  const std::string& routes = beside[1];
  const std::string& hosts = beside[2];
  const std::string& speeds = beside[3];
  const PlatformOfSimgrid found = import_simgrid_platform(file, text, {links, routes, hosts, speeds});
  const std::string name = base_name(output);
  const std::string origin = "R: the platform of SimGrid that was imported";
  base::write_file(
      output,
      fmt::format("# A network made by gdr net import from a platform of SimGrid.\n\nname = \"{0}\"\ntitle = \"{0}\"\n"
                  "kind = \"table\"\n\n[parameters]\n"
                  "nodes      = {{ value = {1}, unit = \"1\", origin = \"{5}\" }}\n"
                  "bandwidth  = {{ value = {2:g}, unit = \"GB/s per node\", origin = \"{5}: of one link\" }}\n"
                  "latency    = {{ value = {3:g}, unit = \"us\", origin = \"O: not used, every link has its own\" }}\n"
                  "node_speed = {{ value = {4:g}, unit = \"Gflops\", origin = \"{5}: of the slowest host; not used, "
                  "every node has its own in the .speeds.csv beside this file\" }}\n",
                  name, found.nodes, found.bytes_per_second / kGiga, 0.0, found.flops_per_second / kGiga, origin));
  Imported made{"simgrid", true, found.nodes, 0, {output, links, routes, hosts, speeds}, found.notes};
  const std::string table = base::read_file(links);
  made.edges = static_cast<std::size_t>(std::ranges::count(table, '\n')) - 1;
  return made;
}

Imported write_network(const std::string& file, std::string_view text, NetworkFormat format, const std::string& output,
                       const ImportOptions& options) {
  if (format == NetworkFormat::simgrid) return import_simgrid(file, text, output);
  const ImportedNetwork network = format == NetworkFormat::ibnetdiscover ? parse_ibnetdiscover(text, file)
                                  : format == NetworkFormat::slurm       ? parse_slurm_topology(text, file)
                                                                         : parse_hwloc(text, file);
  const std::vector<std::string> files = write_imported(network, output, file, format, options);
  return {std::string(name_of(format)), true, network.hosts.size(), network.cables.size(), files, network.notes};
}

/// Throws gdr::Error with the name of the file that was read if no command would take what was made of it.
void require_loadable(const std::string& made, const std::string& file, const std::string& folder) {
  try {
    static_cast<void>(load_platform(made));
  } catch (const Error& error) {
    std::string why = error.what();
    for (std::size_t at = why.find(folder); at != std::string::npos; at = why.find(folder))
      why.erase(at, folder.size());
    throw Error(fmt::format("{}: no network can be made of it: {}", file, why));
  }
}

/// Writes and loads the network elsewhere first, so that one which is refused replaces no file.
Imported import_network(const std::string& file, std::string_view text, NetworkFormat format, const std::string& output,
                        const ImportOptions& options) {
  refuse_other_tables(output, imported_files(output, format));
  const base::ScratchFolder scratch("gdr-net-import");
  const std::string trial = (scratch / std::filesystem::path(output).filename()).string();
  Imported made = write_network(file, text, format, trial, options);
  const std::string folder = (scratch / "").string();
  require_loadable(trial, file, folder);
  for (std::string& name : made.files) {
    std::string final_name = (std::filesystem::path(output).parent_path() / name.substr(folder.size())).string();
    base::write_file(final_name, base::read_file(name));
    name = std::move(final_name);
  }
  return made;
}

Imported import_graph(const std::string& file, std::string_view text, GraphFormat format, const std::string& output) {
  const GraphFile graph = parse_foreign_graph(text, file, format, std::numeric_limits<TaskId>::max());
  base::write_file(output, graph_csv(graph.graph));
  Imported made{std::string(name_of(format)), false, graph.graph.tasks(), graph.graph.transfers().size(), {output}, {}};
  if (graph.duplicates > 0) {
    made.notes.push_back(fmt::format("{}:{}: first of {} with bytes that were added to those of an earlier line", file,
                                     graph.first_duplicate, base::counted(graph.duplicates, "line")));
  }
  return made;
}

}  // namespace

std::vector<std::string> import_formats() {
  std::vector<std::string> formats{"auto"};
  for (const auto& names : {network_format_names(), graph_format_names()}) {
    formats.insert(formats.end(), names.begin(), names.end());
  }
  return formats;
}

std::string guess_import_format(std::string_view text, std::string_view name) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (has("<platform")) return "simgrid";
  if (has("<topology")) return "hwloc";
  if (has("switchguid=") || has("caguid=")) return "ibnetdiscover";
  if (is_slurm_topology(text)) return "slurm";
  return std::string(name_of(guess_graph_format(text, name)));
}

bool is_network_format(std::string_view name) {
  const std::vector<std::string> networks = network_format_names();
  return std::ranges::find(networks, name) != networks.end();
}

Imported import_file(const std::string& file, std::string_view text, std::string_view format, const std::string& output,
                     const ImportOptions& options) {
  if (is_network_format(format)) return import_network(file, text, network_format_named(format), output, options);
  return import_graph(file, text, graph_format_named(format), output);
}

void add_imported(base::Json& json, const Imported& imported) {
  json["format"] = imported.format;
  json["holds"] = imported.is_network ? "network" : "graph";
  json[imported.is_network ? "nodes" : "tasks"] = imported.size;
  json[imported.is_network ? "links" : "transfers"] = imported.edges;
  json["files"] = imported.files;
  json["notes"] = imported.notes;
}

}  // namespace gdr::interconnect
