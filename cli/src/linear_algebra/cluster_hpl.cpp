// gdr cluster hpl: High Performance LINPACK on many nodes, in doubles or by the rules of HPL-MxP.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "command/kernel_source.h"
#include "gdr/base/counted.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/hostlib/node_memory.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

using cluster::Cluster;
using cluster::HplRow;

/// Parses PxQ; the default is the grid nearest to a square.
cluster::ProcessGrid grid_of(const std::string& text, cluster::Rank ranks) {
  if (text.empty()) return cluster::square_grid(ranks);
  cluster::ProcessGrid grid{0, 0};
  const char* const end = text.data() + text.size();
  const auto [after_rows, bad_rows] = std::from_chars(text.data(), end, grid.rows);
  const bool has_cross = bad_rows == std::errc() && after_rows != end && *after_rows == 'x';
  if (has_cross) {
    const auto [after, bad] = std::from_chars(after_rows + 1, end, grid.columns);
    if (bad == std::errc() && after == end && std::uint64_t{grid.rows} * grid.columns == ranks) return grid;
  }
  throw UsageError(fmt::format("--grid: '{}' is refused: it must be PxQ with P Q = {} ranks", text, ranks));
}

}  // namespace

HplRow hpl_row(const ClusterOptions& options, const HplOptions& hpl, const Cluster& cluster, std::uint64_t nodes,
               std::uint64_t n, const std::string& named) {
  const isa::Program program = load_kernel(hpl.mxp ? "sgemm" : hpl.kernel);
  Cluster used = cluster;
  if (hpl.mxp) used.host = in_single_precision(cluster.host);
  const DgemmModel board(program, cluster.board_of_rank(), cluster.boards_per_rank());
  const auto ranks = static_cast<cluster::Rank>(nodes * cluster.ranks_per_node);
  const std::uint64_t nb = std::min(hpl.nb, n);
  const ProductRule rule = hpl.rule();
  const DgemmTransfer transfer{.mode = options.transfer, .small_depths = hpl.products.depths_of(rule)};
  HplRow row{cluster.name,
             nodes,
             {.grid = grid_of(hpl.grid, ranks),
              .n = n,
              .nb = nb,
              .lookahead = hpl.lookahead,
              .overlap_u = hpl.overlap_u,
              .transfer = transfer,
              .rule = rule,
              .factors = options.flow_factors(),
              .element_bytes = hpl.mxp ? kMxpElementBytes : double{sizeof(double)},
              .pivots = !hpl.mxp},
             {},
             board.kernel_gflops() * cluster.boards_per_rank() * ranks,
             cluster.power(static_cast<double>(nodes)),
             peak_gflops_in_doubles(cluster.board, cluster.boards_per_rank() * ranks)};
  const interconnect::Topology network = options.network(cluster, static_cast<interconnect::NodeId>(nodes));
  from_command_line(named, [&] {
    if (hpl.fastest_nb) {
      const cluster::HplChoice fastest = cluster::fastest_hpl(used, network, board, row.asked);
      row.asked.nb = fastest.nb;
      row.times = fastest.times;
    } else {
      row.times = hpl_times(used, network, board, row.asked);
    }
    return true;
  });
  if (!hpl.mxp) return row;
  row.refinement_seconds = cluster::mxp_refinement_seconds_on(cluster, network, row.asked, hpl.refinement_steps);
  HplOptions in_doubles = hpl;
  in_doubles.mxp = false;
  row.hpl_seconds = hpl_row(options, in_doubles, cluster, nodes, n, named).times.seconds;
  return row;
}

std::vector<Option> HplOptions::add_to(Command command) {
  return {command.add_option("--grid", grid, "PxQ ranks; default: the grid nearest to a square").value_name("PxQ"),
          command
              .add_option("--lookahead", lookahead,
                          "1: the hosts factorise the next panel while the boards update the rest")
              .check(whole_in_range(0, 1))
              .capture_default_str(),
          command.add_flag("--overlap-u", overlap_u, "exchange rows in parts while the boards update")};
}

namespace {

struct ClusterHplOptions {
  ClusterOptions cluster;
  HplOptions hpl;
  std::optional<std::uint64_t> nb;
  ReportOptions report;
  std::vector<std::uint64_t> nodes{64};
  std::vector<std::uint64_t> n;  // empty: those of kUsualOrders that fit the nodes
};

constexpr std::array<std::uint64_t, 5> kUsualOrders{16384, 32768, 65536, 131072, 262144};

/// The orders that are asked for; the smallest usual one even if it does not fit, which is then said.
std::vector<std::uint64_t> orders_of(const ClusterHplOptions& options, const Cluster& cluster, std::uint64_t nodes) {
  if (!options.n.empty()) return options.n;
  const double element_bytes = options.hpl.mxp ? kMxpElementBytes : double{sizeof(double)};
  const std::uint64_t largest = largest_hpl_order(element_bytes, static_cast<double>(nodes), cluster.host.memory);
  std::vector<std::uint64_t> orders{kUsualOrders.front()};
  std::copy_if(kUsualOrders.begin() + 1, kUsualOrders.end(), std::back_inserter(orders),
               [&](std::uint64_t n) { return n <= largest; });
  return orders;
}

std::string head_of(const ClusterHplOptions& options) {
  return fmt::format("look-ahead {}{}", options.hpl.lookahead, options.hpl.overlap_u ? ", U overlapped" : "");
}

/// A run in full, in place of a table of one row.
void print_one(const ClusterHplOptions& options, const HplRow& row, const Cluster& cluster) {
  const auto stage = [&](cluster::HplStage which) { return row.times.stages[static_cast<std::size_t>(which)]; };
  const auto time = [&](cluster::HplStage which) { return seconds_text(stage(which)); };
  using cluster::HplStage;
  fmt::print("N = {}, NB = {}{} on {} ranks of {}, {}\n", row.asked.n, row.asked.nb,
             options.hpl.mxp ? " in short words" : "", text_of(row.asked.grid), cluster.title, head_of(options));
  if (options.hpl.mxp) {
    fmt::print("  emulated time   {} s, on the critical path: panel {}, broadcast {}, update {}; then refinement {}\n",
               seconds_text(row.seconds()), time(HplStage::panel), time(HplStage::broadcast), time(HplStage::update),
               seconds_text(row.refinement_seconds));
    fmt::print("  emulated speed  {:.1f} Gflops as HPL counts; the factorisation is bound by {}\n", row.gflops(),
               cluster::bound_by(row.times.parts));
    fmt::print("  HPL in doubles  {} s, {:.1f} Gflops, on the same machine\n", seconds_text(*row.hpl_seconds),
               row.gflops() * row.seconds() / *row.hpl_seconds);
  } else {
    fmt::print(
        "  emulated time   {} s, on the critical path: panel {}, broadcast {}, swap {}, update {}, back-substitution "
        "{}\n",
        seconds_text(row.seconds()), time(HplStage::panel), time(HplStage::broadcast), time(HplStage::swap),
        time(HplStage::update), time(HplStage::backsub));
    fmt::print(
        "  emulated speed  {:.1f} Gflops, {:.1f} % of what the boards do in products; boards at work for {:.1f} %; "
        "bound by {}\n",
        row.gflops(), 100 * row.efficiency(), 100 * row.times.board_busy / row.seconds(),
        cluster::bound_by(row.times.parts));
  }
  fmt::print("  products        {}\n", in_words(row.asked.rule, cluster.host));
  if (options.hpl.mxp)
    fmt::print("  refinement      {} counted\n", base::counted(options.hpl.refinement_steps, "step"));
  fmt::print("  power           {:.0f} W, {:.3f} Gflops/W\n", row.watts, row.gflops() / row.watts);
}

int hpl(const ClusterHplOptions& options) {
  const Stopwatch watch;
  HplOptions asked = options.hpl;
  asked.fastest_nb = !options.nb;
  asked.nb = options.nb.value_or(asked.nb);
  std::vector<HplRow> rows;
  for (const std::string& name : options.cluster.names) {
    const Cluster cluster = options.cluster.load(name);
    for (const std::uint64_t nodes : options.nodes) {
      for (const std::uint64_t n : orders_of(options, cluster, nodes)) {
        rows.push_back(hpl_row(options.cluster, asked, cluster, nodes, n));
      }
    }
  }
  base::Report report(cluster::hpl_report());
  report.set("lookahead", options.hpl.lookahead);
  report.set("overlap_u", options.hpl.overlap_u);
  report.set("transfer", name_of(options.cluster.transfer));
  for (const HplRow& row : rows) add_row(report, row);
  if (options.hpl.mxp) report.set("refinement_steps", options.hpl.refinement_steps);
  if (!options.hpl.mxp) report.set("refinement_steps", nullptr);
  if (options.report.speaks()) {
    const Cluster cluster = options.cluster.load(options.cluster.names.front());
    if (rows.size() == 1) {
      print_one(options, rows.front(), cluster);
    } else {
      fmt::print("HPL{}, {}, {}: time alone\n", options.hpl.mxp ? "-MxP" : "",
                 options.nb ? fmt::format("NB = {}", *options.nb) : "the fastest NB of each", head_of(options));
      fmt::print("  products {}\n{}", in_words(rows.front().asked.rule, cluster.host), report.table());
    }
  }
  write_rows(options.cluster, options.report, report, watch);
  return kSuccess;
}

}  // namespace

void add_cluster_hpl(Command group) {
  auto options = std::make_shared<ClusterHplOptions>();
  const Command command =
      group.add_command("hpl", "High Performance LINPACK on many nodes, over sizes of the matrix",
                        "gdr cluster hpl --nodes 64 --n 65536,131072,262144", [options] { return hpl(*options); });
  add_nodes(command, options->nodes);
  command
      .add_option("-n,--n", options->n,
                  fmt::format("orders of the matrix, with commas between them; default: {}, as far as they fit",
                              fmt::join(kUsualOrders, ", ")))
      .delimiter(',')
      .check(whole_in_range(1, 1 << 24));
  command.add_option("--nb", options->nb, "columns of a panel; at most n; default: the fastest of 128 to 4096")
      .check(whole_in_range(1, 1 << 16));
  const Option kernel = add_product_kernel(command, options->hpl.kernel);
  const Option mxp =
      command.add_flag("--mxp", options->hpl.mxp,
                       "factorise in short words without pivots and refine in doubles, by the rules of HPL-MxP");
  command.add_option("--steps", options->hpl.refinement_steps, "steps of refinement that are counted with --mxp")
      .check(whole_in_range(0, kMxpMostSteps))
      .capture_default_str()
      .needs(mxp);
  command.refuse_if({kernel}, [options] { return options->hpl.mxp ? "with --mxp, whose kernel is sgemm" : ""; });
  options->hpl.products.add_to(command);
  static_cast<void>(options->hpl.add_to(command));
  options->cluster.add_to(command);
  options->cluster.add_multipath_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
