// gdr cluster hpl: High Performance LINPACK on many nodes, in doubles or by the rules of HPL-MxP.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/kernel_source.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/hostlib/hpl_model.h"
#include "hpl_options.h"

namespace gdr::cli {
using cluster::Cluster;
using cluster::HplRow;

HplRow hpl_row(const ClusterOptions& options, const HplOptions& hpl, const Cluster& cluster, std::uint64_t nodes,
               std::uint64_t n, const std::string& named) {
  cluster::HplKernels kernels{load_kernel(hpl.kernel), {}};
  if (hpl.mxp) kernels.singles = load_kernel("sgemm");
  const cluster::HplRowOptions how{
      .nb = hpl.nb,
      .fastest_nb = hpl.fastest_nb,
      .grid = from_command_line(
          "--grid",
          [&] { return cluster::grid_named(hpl.grid, static_cast<cluster::Rank>(nodes * cluster.ranks_per_node)); }),
      .lookahead = hpl.lookahead,
      .overlap_u = hpl.overlap_u,
      .transfer = options.transfer,
      .products = hpl.products.chosen(),
      .factors = options.flow_factors(),
      .refinement_steps = hpl.refinement_steps};
  const interconnect::Topology network = options.network(cluster, static_cast<interconnect::NodeId>(nodes));
  return from_command_line(named, [&] { return cluster::hpl_row(cluster, network, kernels, how, nodes, n); });
}

std::vector<Option> HplOptions::add_to(Command command) {
  return {command.add_option("--grid=PxQ", grid, "PxQ ranks; default: the grid nearest to a square"),
          command.add_option("--lookahead", lookahead,
                             "1: the hosts factorise the next panel while the boards update the rest",
                             whole_in_range(0, 1)),
          command.add_flag("--overlap-u", overlap_u, "exchange rows in parts while the boards update")};
}

namespace {

struct ClusterHplOptions {
  ClusterOptions cluster;
  HplOptions hpl;
  std::optional<std::uint64_t> nb;
  ReportOptions report;
  std::vector<std::uint64_t> nodes{64};
  std::vector<std::uint64_t> n;  // empty: those of kUsualHplOrders that fit the nodes
};

/// Of the text: of a run in full, in place of a table of one row, or of the table.
Json words_of(const ClusterHplOptions& options, const base::Report& report, const std::vector<HplRow>& rows) {
  const Cluster cluster = options.cluster.load(options.cluster.names.front());
  const HplRow& row = rows.front();
  Json words{{"products", in_words(row.asked.rule, cluster.host)}};
  if (rows.size() > 1) {
    words["table"] = report.table();
    words["nb"] = options.nb ? fmt::format("NB = {}", *options.nb) : "the fastest NB of each";
    return words;
  }
  words["one"] = true;
  words["title"] = cluster.title;
  words["watts"] = row.watts;
  if (row.hpl_seconds) words["hpl_gflops"] = row.gflops() * row.seconds() / *row.hpl_seconds;
  return words;
}

std::vector<HplRow> rows_of(const ClusterHplOptions& options) {
  HplOptions asked = options.hpl;
  asked.fastest_nb = !options.nb;
  asked.nb = options.nb.value_or(asked.nb);
  ModelProgress progress(options.report, options.cluster.names.size() * options.nodes.size());
  std::vector<HplRow> rows;
  for (const std::string& name : options.cluster.names) {
    const Cluster cluster = options.cluster.load(name);
    for (const std::uint64_t nodes : options.nodes) {
      const std::vector<std::uint64_t> orders =
          options.n.empty() ? cluster::usual_hpl_orders(cluster, nodes, options.hpl.mxp) : options.n;
      std::size_t modelled = 0;
      for (const std::uint64_t n : orders) {
        progress.part(modelled++, orders.size());
        if (options.nb) from_command_line("--nb", [&] { require_hpl_panel(*options.nb, n); });
        rows.push_back(hpl_row(options.cluster, asked, cluster, nodes, n));
      }
      progress.next();
    }
  }
  return rows;
}

int hpl(const ClusterHplOptions& options) {
  const std::vector<HplRow> rows = rows_of(options);
  base::Report report(cluster::hpl_report());
  report.set("lookahead", options.hpl.lookahead);
  report.set("overlap_u", options.hpl.overlap_u);
  report.set("transfer", name_of(options.cluster.transfer));
  for (const HplRow& row : rows) add_row(report, row);
  if (options.hpl.mxp) report.set("refinement_steps", options.hpl.refinement_steps);
  if (!options.hpl.mxp) report.set("refinement_steps", nullptr);
  show_rows(options.cluster, options.report, report, words_of(options, report, rows));
  return kSuccess;
}

}  // namespace

void add_cluster_hpl(Command group) {
  const auto [command, options] =
      group.add_command<ClusterHplOptions>("hpl", "High Performance LINPACK on many nodes, over sizes of the matrix",
                                           "gdr cluster hpl --nodes 64 --n 65536,131072,262144", hpl);
  command.add_option("--nodes cluster", options->nodes);
  command.add_option("--n order", options->n)
      .by_default(fmt::format("{}, as far as they fit", fmt::join(cluster::kUsualHplOrders, ", ")));
  command.add_option("--nb", options->nb).by_default("the fastest of 128 to 4096");
  const Option kernel = command.add_option("--kernel products", options->hpl.kernel);
  const Option mxp = command.add_flag("--mxp", options->hpl.mxp);
  command.add_option("--steps refinement", options->hpl.refinement_steps).needs(mxp);
  command.refuse_if({kernel},
                    [options = options] { return options->hpl.mxp ? "with --mxp, whose kernel is sgemm" : ""; });
  options->hpl.products.add_to(command);
  static_cast<void>(options->hpl.add_to(command));
  options->cluster.add_to(command);
  options->cluster.add_multipath_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
