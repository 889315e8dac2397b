// gdr net import: networks and task graphs in files of other programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/imported_network.h"
#include "gdr/interconnect/simulation.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::GraphFormat;
using interconnect::NetworkFormat;

struct NetImportOptions {
  ReportOptions report;
  std::string file;
  std::string format = "auto";
  std::string output;
  double bandwidth = 12.5;   // GB/s, of 100 Gbit Ethernet
  double latency = 0.5;      // us
  double node_speed = 1000;  // Gflops
};

/// What an import has made, for the report.
struct Imported {
  std::string format;
  bool is_network = false;
  std::size_t size = 0;   // nodes or tasks
  std::size_t edges = 0;  // cables, links or transfers
  std::vector<std::string> files;
  std::vector<std::string> notes;
};

/// The format of a file from its content.
std::string guess(std::string_view text, const std::string& name) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (has("<platform")) return "simgrid";
  if (has("<topology")) return "hwloc";
  if (has("switchguid=") || has("caguid=")) return "ibnetdiscover";
  if (has("SwitchName=") || has("switchname=")) return "slurm";
  return std::string(name_of(interconnect::guess_graph_format(text, name)));
}

std::string base_name(const std::string& file) {
  const std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}

Imported import_simgrid(const NetImportOptions& options) {
  const std::vector<std::string> beside = interconnect::imported_files(options.output, NetworkFormat::simgrid);
  const std::string& links = beside[0];
  const std::string& routes = beside[1];
  const std::string& hosts = beside[2];
  const std::string& speeds = beside[3];
  const interconnect::PlatformOfSimgrid found =
      interconnect::import_simgrid_platform(options.file, {links, routes, hosts, speeds});
  const std::string name = base_name(options.output);
  const std::string origin = "R: the platform of SimGrid that was imported";
  base::write_file(
      options.output,
      fmt::format("# A network made by gdr net import from a platform of SimGrid.\n\nname = \"{0}\"\ntitle = \"{0}\"\n"
                  "kind = \"table\"\n\n[parameters]\n"
                  "nodes      = {{ value = {1}, unit = \"1\", origin = \"{5}\" }}\n"
                  "bandwidth  = {{ value = {2:g}, unit = \"GB/s per node\", origin = \"{5}: of one link\" }}\n"
                  "latency    = {{ value = {3:g}, unit = \"us\", origin = \"O: not used, every link has its own\" }}\n"
                  "node_speed = {{ value = {4:g}, unit = \"Gflops\", origin = \"{5}: of the slowest host; not used, "
                  "every node has its own in the .speeds.csv beside this file\" }}\n",
                  name, found.nodes, found.bytes_per_second / kGiga, 0.0, found.flops_per_second / kGiga, origin));
  Imported made{"simgrid", true, found.nodes, 0, {options.output, links, routes, hosts, speeds}, found.notes};
  const std::string table = base::read_file(links);
  made.edges = static_cast<std::size_t>(std::ranges::count(table, '\n')) - 1;
  return made;
}

Imported import_network(const NetImportOptions& options, NetworkFormat format, const std::string& text) {
  if (!options.output.ends_with(".toml")) {
    throw UsageError(
        fmt::format("--output: '{}' is refused: a network needs a name that ends in .toml", options.output));
  }
  options.report.command->try_outputs("--output", interconnect::imported_files(options.output, format));
  if (format == NetworkFormat::simgrid) return import_simgrid(options);
  const interconnect::ImportedNetwork network =
      format == NetworkFormat::ibnetdiscover ? interconnect::parse_ibnetdiscover(text, options.file)
      : format == NetworkFormat::slurm       ? interconnect::parse_slurm_topology(text, options.file)
                                             : interconnect::parse_hwloc(text, options.file);
  const std::vector<std::string> files =
      write_imported(network, options.output, options.file, format,
                     {options.bandwidth * kGiga, options.latency * kMicro, options.node_speed * kGiga});
  // Refused here rather than by the next command.
  static_cast<void>(interconnect::load_platform(options.output));
  return {std::string(name_of(format)), true, network.hosts.size(), network.cables.size(), files, network.notes};
}

Imported import_graph(const NetImportOptions& options, GraphFormat format, const std::string& text) {
  const interconnect::GraphFile graph =
      interconnect::parse_foreign_graph(text, options.file, format, std::numeric_limits<interconnect::TaskId>::max());
  base::write_file(options.output, interconnect::graph_csv(graph.graph));
  std::vector<std::string> notes;
  if (graph.duplicates > 0) {
    notes.push_back(fmt::format("{}:{}: first of {} with bytes that were added to those of an earlier line",
                                options.file, graph.first_duplicate, base::counted(graph.duplicates, "line")));
  }
  return {std::string(name_of(format)),
          false,
          graph.graph.tasks(),
          graph.graph.transfers().size(),
          {options.output},
          std::move(notes)};
}

int import(const NetImportOptions& options) {
  const std::string text = base::read_file(options.file);
  const std::string format = options.format == "auto" ? guess(text, options.file) : options.format;
  const std::vector<std::string> networks = interconnect::network_format_names();
  const bool is_network = std::ranges::find(networks, format) != networks.end();
  const Imported made = is_network ? import_network(options, interconnect::network_format_named(format), text)
                                   : import_graph(options, interconnect::graph_format_named(format), text);
  Json json = options.report.begin(options.file, nullptr, true);
  json["format"] = made.format;
  json["holds"] = made.is_network ? "network" : "graph";
  json[made.is_network ? "nodes" : "tasks"] = made.size;
  json[made.is_network ? "links" : "transfers"] = made.edges;
  json["files"] = made.files;
  json["notes"] = made.notes;
  options.report.show(json, {{"files", fmt::format("{}", fmt::join(made.files, ", "))}});
  return kSuccess;
}

std::vector<std::string> all_formats() {
  std::vector<std::string> formats{"auto"};
  for (const auto& names : {interconnect::network_format_names(), interconnect::graph_format_names()}) {
    formats.insert(formats.end(), names.begin(), names.end());
  }
  return formats;
}

}  // namespace

void add_net_import(Command net) {
  const auto [command, options] =
      net.add_command<NetImportOptions>("import", "networks and task graphs in files of other programs",
                                        "gdr net import topology.conf -o cluster.toml", import);
  command.add_option("file=FILE", options->file, "file to read").required();
  command.add_option("--as", options->format, "format of the file; auto: by its content", one_of(all_formats()));
  command.add_output("-o,--output", options->output, "description of the network, FILE.toml, or task graph as CSV")
      .required();
  const Option bandwidth = command.add_option("--bandwidth", options->bandwidth,
                                              "GB/s of cables whose rate the file does not give", in_range(1e-6, 1e6));
  const Option latency = command.add_option("--latency", options->latency, "us of each cable", in_range(0, 1e6));
  const Option speed = command.add_option("--node-speed", options->node_speed, "Gflops of a node", in_range(1e-6, 1e9));
  command.refuse_if({bandwidth, latency, speed}, [options = options] {
    const bool has_own = options->format == "simgrid";
    const auto graphs = interconnect::graph_format_names();
    const bool is_graph = std::ranges::find(graphs, options->format) != graphs.end();
    return has_own || is_graph ? fmt::format("with --as {}", options->format) : "";
  });
  options->report.add_to(command);
}

}  // namespace gdr::cli
