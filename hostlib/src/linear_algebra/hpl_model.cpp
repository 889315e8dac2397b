#include "gdr/hostlib/hpl_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr {
namespace {

/// `swap` returns the seconds of a panel's row swaps, from the panel's rows, its columns, and the columns to its right.
template <class Swap>
HplStages stages(HplNode node, double n, double nb, const Swap& swap) {
  if (!(n >= 1)) throw Error(fmt::format("n = {} is refused: it must be at least 1", n));
  if (!(nb >= 1)) throw Error(fmt::format("nb = {} is refused: it must be at least 1", nb));
  HplStages stages;
  for (double first = 0; first < n; first += nb) {
    const double columns = std::min(nb, n - first);
    const double rest = n - first - columns;
    stages.panel += node.panel(n - first, columns);
    if (rest == 0) break;
    stages.update += node.solve(columns, rest) + node.product(rest, rest, columns);
    stages.swap += swap(n - first, columns, rest);
  }
  stages.backsub = node.back_substitution(n);
  stages.clocks = node.clocks();
  return stages;
}

}  // namespace

double HplNode::product(double m, double n, double k) {
  if (board_ == nullptr || k < host_.narrowest) return 2 * m * n * k / (host_.dgemm_gflops * kGiga);
  const auto whole = [](double size) { return static_cast<std::uint64_t>(size); };
  const DgemmTimes times = board_->times(whole(m), whole(n), whole(k), transfer_);
  clocks_ += times.clocks;
  return times.total();
}

double HplNode::panel(double m, double columns, double nodes) {
  if (columns <= host_.narrowest) return columns * columns * (m - columns / nodes / 3) / (host_.narrow_gflops * kGiga);
  const double half = columns / 2;
  const double below = m - half / nodes;
  return panel(m, half, nodes) + solve(half, half) + product(below, half, half) + panel(below, half, nodes);
}

double HplNode::solve(double order, double columns) {
  if (order <= host_.narrowest) return order * order * columns / (host_.dgemm_gflops * kGiga);
  const double half = order / 2;
  return solve(half, columns) + product(half, columns, half) + solve(half, columns);
}

double HplNode::row_swaps(double rows, double nb, double columns) const {
  return swap_bytes(rows, nb, host_.cache_line) * columns / (host_.memory_mb * kMega);
}

double HplNode::back_substitution(double n) const { return n * n / 2 * kDoubleBytes / (host_.memory_mb * kMega); }

const base::DescriptionKind& host_kind() {
  static const base::DescriptionKind kind{"host",
                                          {{"dgemm_rate", "Gflops", 0.001, 1e6, false},
                                           {"narrow_panel_rate", "Gflops", 0.001, 1e6, false},
                                           {"row_swap_rate_alone", "MB/s", 0.001, 1e9, false},
                                           {"memory_rate", "MB/s", 0.001, 1e9, false},
                                           {"cache_line", "B", 8, 4096, true},
                                           {"board_min_k", "columns", 1, 65536, true}}};
  return kind;
}

HostDescription load_host(std::string_view name_or_file) {
  const base::Description description = base::load_description(name_or_file, {&host_kind(), 1});
  return {description.name,
          description.title,
          description.value("dgemm_rate"),
          description.value("narrow_panel_rate"),
          description.value("row_swap_rate_alone"),
          description.value("memory_rate"),
          description.value("cache_line"),
          description.value("board_min_k")};
}

double swap_bytes(double rows, double nb, double cache_line) {
  const double in_line = cache_line / kDoubleBytes;
  // Probability that no pivot hits any row of a line: (1 - 1 / rows) (1 - 1 / (rows - 1)) ... for each row.
  const double untouched = std::pow(1 - nb / rows, in_line);
  const double lines = nb / in_line + (rows - nb) / in_line * (1 - untouched);
  return 2 * cache_line * lines;
}

double hpl_flops(double n) { return 2.0 / 3 * n * n * n + 1.5 * n * n; }

HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb) {
  // Each row of the panel changes places with one below it, and both are read and written.
  const auto swap = [&](double, double columns, double rest) {
    return 4 * kDoubleBytes * columns * rest / (host.alone_swap_mb * kMega);
  };
  return stages(HplNode(host, nullptr, {}), static_cast<double>(n), static_cast<double>(nb), swap);
}

HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board, const DgemmTransfer& transfer,
                         std::uint64_t n, std::uint64_t nb) {
  const HplNode node(host, &board, transfer);
  const auto swap = [&](double rows, double columns, double rest) { return node.row_swaps(rows, columns, rest); };
  return stages(node, static_cast<double>(n), static_cast<double>(nb), swap);
}

}  // namespace gdr
