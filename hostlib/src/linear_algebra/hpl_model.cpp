#include "gdr/hostlib/hpl_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factorisation.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr {
namespace {

constexpr base::Names<ProductRule> kRuleNames({{ProductRule::faster, "faster"}, {ProductRule::record, "record"}});
/// Order of the triangles that the host solves under ProductRule::faster, as in libgdrblas.
constexpr double kHostTriangle = 64;

/// Seconds of a factorisation, and of the solution by its factors.
template <class Swap>
HplStages stages(const HplNode& node, double memory, std::uint64_t order, std::uint64_t width, const Swap& swap) {
  HplStages stages = factorisation_stages(node, {order, width, kDoubleBytes, memory}, swap);
  stages.backsub = node.back_substitution(static_cast<double>(order));
  return stages;
}

}  // namespace

std::string_view name_of(ProductRule rule) { return kRuleNames[rule]; }
std::string in_words(ProductRule rule, const HostDescription& host) {
  switch (rule) {
    case ProductRule::faster:
      return "each by host or board, whichever is faster";
    case ProductRule::record:
      break;
  }
  return fmt::format("as in the published run: the board computes those of K >= {}, the host all others",
                     host.narrowest);
}

std::optional<ProductRule> product_rule_named(std::string_view name) { return kRuleNames.find(name); }

NodeSeconds& NodeSeconds::operator+=(const NodeSeconds& other) {
  host += other.host;
  board += other.board;
  clocks += other.clocks;
  return *this;
}

double HplNode::seconds_of_memory(double elements) const { return elements * kDoubleBytes / (host_.memory_mb * kMega); }

NodeSeconds HplNode::product(double m, double n, double k) const {
  const double flops = 2 * m * n * k;
  const NodeSeconds by_host{std::max(flops / (host_.dgemm_gflops * kGiga), seconds_of_memory(2 * m * n)), 0, 0};
  const auto whole = [](double size) { return static_cast<std::uint64_t>(size); };
  const auto by_board = [](const DgemmTimes& times) { return NodeSeconds{0, times.total(), times.clocks}; };
  if (board_ == nullptr) return by_host;
  switch (rule_) {
    case ProductRule::record:
      return k < host_.narrowest ? by_host : by_board(board_->times(whole(m), whole(n), whole(k), transfer_));
    case ProductRule::faster:
      break;
  }
  const NodeSeconds ours = by_board(board_->product(whole(m), whole(n), whole(k), transfer_).times);
  return ours.board < by_host.host ? ours : by_host;
}

NodeSeconds HplNode::panel(double m, double columns, double nodes) const {
  if (columns <= host_.narrowest) {
    const double operations = columns * columns * (m - columns / nodes / 3) / (host_.narrow_gflops * kGiga);
    return {std::max(operations, seconds_of_memory(m * columns)), 0, 0};
  }
  const double half = columns / 2;
  const double below = m - half / nodes;
  NodeSeconds seconds = panel(m, half, nodes);
  seconds += solve(half, half);
  seconds += product(below, half, half);
  seconds += panel(below, half, nodes);
  return seconds;
}

NodeSeconds HplNode::solve(double order, double columns) const {
  const NodeSeconds by_host{order * order * columns / (host_.dgemm_gflops * kGiga), 0, 0};
  const bool recorded = rule_ == ProductRule::record || board_ == nullptr;
  if (order <= (recorded ? host_.narrowest : kHostTriangle)) return by_host;
  const double half = order / 2;
  const NodeSeconds triangle = solve(half, columns);
  NodeSeconds by_halves = triangle;
  by_halves += product(half, columns, half);
  by_halves += triangle;
  return recorded || by_halves.total() < by_host.total() ? by_halves : by_host;
}

double HplNode::row_swaps(double rows, double nb, double columns) const {
  return swap_bytes(rows, nb, host_.cache_line) * columns / (host_.memory_mb * kMega);
}

double HplNode::back_substitution(double n) const { return seconds_of_memory(n * n / 2); }

const base::DescriptionKind& host_kind() {
  static const base::DescriptionKind kind{"host",
                                          {{"dgemm_rate", "Gflops", 0.001, 1e6, false},
                                           {"narrow_panel_rate", "Gflops", 0.001, 1e6, false},
                                           {"row_swap_rate_alone", "MB/s", 0.001, 1e9, false},
                                           {"memory_rate", "MB/s", 0.001, 1e9, false},
                                           {"memory", "GB", 1e-3, 1e9, false},
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
          description.value("memory") * kGiga,
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

void require_hpl_panel(std::uint64_t nb, std::uint64_t n) {
  if (nb > n) throw Error(fmt::format("{} is refused: it must be at most n = {}", nb, n));
}

HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb) {
  // Each row of the panel changes places with one below it, and both are read and written.
  const auto swap = [&](double, double columns, double rest) {
    return 4 * kDoubleBytes * columns * rest / (host.alone_swap_mb * kMega);
  };
  return stages(HplNode(host, nullptr, {}, ProductRule::faster), host.memory, n, nb, swap);
}

HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board, const DgemmTransfer& transfer,
                         ProductRule rule, std::uint64_t n, std::uint64_t nb) {
  const HplNode node(host, &board, transfer, rule);
  const auto swap = [&](double rows, double columns, double rest) { return node.row_swaps(rows, columns, rest); };
  return stages(node, host.memory, n, nb, swap);
}

}  // namespace gdr
