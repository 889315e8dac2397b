// gdr cluster: times of programs on a cluster of boards; no results are computed. Each subcommand has a file of its
// own, cluster_*.cpp.
#include "cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "command/kernel_source.h"
#include "command/network_options.h"
#include "gdr/commandline/terminal.h"

namespace gdr::cli {
namespace {

constexpr double kLongestPause = 4.0;  // seconds between lines of progress

constexpr const char* kFree = "with --free-network, on which messages take no time";

}  // namespace

Option ClusterOptions::add_clusters_to(Command command) {
  command.heading("Clusters");
  command.add_option("--cluster", names);
  command.add_option("--clock", clock_mhz).by_default("that of the machine");
  using emulator::TransferMode;
  command.add_choice("--transfer", transfer, {TransferMode::as_of_2009, TransferMode::ideal});
  const Option of_sizes = command.add_option("--factors", factors);
  command.heading(kUsualHeading);
  return of_sizes;
}

void ClusterOptions::add_to(Command command) {
  const Option of_sizes = add_clusters_to(command);
  command.heading("Clusters");
  const Option growing =
      command.add_flag("--grow-network", grows, "enlarge a network with too few nodes, if its kind allows it");
  command.add_flag("--free-network", free, "assume that messages take no time");
  command.heading(kUsualHeading);
  command.refuse_if({of_sizes, growing}, [this] { return free ? kFree : ""; });
}

void ClusterOptions::add_multipath_to(Command command) {
  command.heading("Clusters");
  const Option parts = command.add_flag(
      "--multipath", multipath, "also send messages in parts over all nodes as relays, if that makes the run faster");
  command.heading(kUsualHeading);
  command.refuse_if({parts}, [this] { return free ? kFree : ""; });
}

cluster::Cluster ClusterOptions::load(const std::string& name) const {
  require_known(name, cluster::cluster_names(), "--cluster");
  cluster::Cluster cluster = cluster::load_cluster(name);
  if (clock_mhz) cluster.board.clock_mhz = *clock_mhz;
  cluster.multipath = multipath;
  return cluster;
}

interconnect::Topology ClusterOptions::network(const cluster::Cluster& cluster, interconnect::NodeId nodes) const {
  if (free) return cluster::free_network(nodes);
  return from_command_line("--nodes", [&] {
    interconnect::Platform platform = cluster::platform_for(cluster, nodes, grows);
    if (!platform.warning.empty()) commandline::print_message(fmt::format("gdr: warning: {}\n", platform.warning));
    return std::move(platform.topology);
  });
}

interconnect::FlowFactors ClusterOptions::flow_factors() const { return cli::flow_factors(factors); }

void PlacementOptions::add_to(Command command) {
  command.add_option("--map", map);
  command.add_output("--save-graph", save_graph);
}

interconnect::Topology PlacementOptions::placed(interconnect::Topology network) const {
  if (map.empty()) return network;
  return interconnect::placed(network, nodes_in_map(map, network.nodes()));
}

ModelProgress::ModelProgress(const ReportOptions& report, std::size_t runs)
    : runs_(runs), bar_("modelling", report.progress_shown(), kLongestPause), pauses_([this] {
        show();
        return true;
      }) {}

void ModelProgress::part(std::size_t done, std::size_t all) {
  share_ = static_cast<double>(done) / static_cast<double>(all);
  show();
}

void ModelProgress::next() {
  ++done_;
  share_ = 0;
  show();
}

void ModelProgress::show() { bar_.show((static_cast<double>(done_) + share_) / static_cast<double>(runs_)); }

void show_rows(const ClusterOptions& clusters, const ReportOptions& options, const base::Report& report, Json words) {
  Json json = options.begin(fmt::format("{}", fmt::join(clusters.names, ",")), "model", false);
  report.add_to(json);
  json["emulated_seconds"] = report.of_one_row("seconds");
  json["emulated_gflops"] = report.of_one_row("gflops");
  options.show(json, words);
}

void add_cluster(Command program, const std::string& name) {
  const Command group = program.add_group(name, "clusters of boards: time of large runs on many nodes");
  add_cluster_advise(group);
  add_cluster_nbody(group);
  add_cluster_hpl(group);
  add_cluster_summa(group);
  add_cluster_himeno(group);
}

}  // namespace gdr::cli
