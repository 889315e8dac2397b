// SUMMA with blocks that really move. It shows that a schedule brings every rank the blocks that the rank needs.
#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {
namespace {

/// Block (row, column) of an n x n matrix, padded with zeros beyond the matrix's edge.
std::vector<double> cut(const SummaPlan& plan, std::span<const double> matrix, std::uint32_t row,
                        std::uint32_t column) {
  const std::uint64_t n = plan.options.n;
  std::vector<double> block(plan.block * plan.block);
  for (std::uint64_t i = 0; i < plan.block; ++i) {
    for (std::uint64_t j = 0; j < plan.block; ++j) {
      const std::uint64_t from_row = row * plan.block + i;
      const std::uint64_t from_column = column * plan.block + j;
      if (from_row < n && from_column < n) block[i * plan.block + j] = matrix[from_row * n + from_column];
    }
  }
  return block;
}

void require_matrix(const SummaPlan& plan, std::span<const double> matrix, std::string_view name) {
  if (matrix.size() == plan.options.n * plan.options.n) return;
  throw Error(fmt::format("{}: {} elements are refused: there must be {} x {}", name, matrix.size(), plan.options.n,
                          plan.options.n));
}

bool is_cube(const SummaPlan& plan) { return plan.options.layout == SummaLayout::cube; }

}  // namespace

SummaRank::SummaRank(const SummaPlan& plan, Rank rank, std::span<const double> a, std::span<const double> b)
    : plan_(plan), rank_(rank) {
  require_matrix(plan, a, "A");
  require_matrix(plan, b, "B");
  const auto [row, column, layer] = position(plan, rank);
  if (layer == 0) {
    store({.matrix = Matrix::a, .row = row, .column = column}, cut(plan, a, row, column));
    store({.matrix = Matrix::b, .row = row, .column = column}, cut(plan, b, row, column));
  }
  const std::vector<double> zero(plan.block * plan.block);
  store({.matrix = Matrix::c, .row = row, .column = column, .layer = is_cube(plan) ? layer + 1 : 0}, zero);
}

void SummaRank::store(const Piece& piece, std::span<const double> elements) {
  Block& block = blocks_[{piece.matrix, piece.row, piece.column, piece.layer}];
  block.elements.resize(plan_.block * plan_.block);
  block.is_there.resize(plan_.block * plan_.block);
  const auto [begin, count] = extent_of(piece, block.elements.size());
  GDR_ASSERT(count == elements.size(), "a piece is as long as its extent");
  std::ranges::copy(elements, block.elements.begin() + static_cast<std::ptrdiff_t>(begin));
  std::fill_n(block.is_there.begin() + static_cast<std::ptrdiff_t>(begin), count, true);
}

std::vector<double> SummaRank::find(const Piece& piece) const {
  const auto [begin, count] = extent_of(piece, plan_.block * plan_.block);
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const auto last = static_cast<std::ptrdiff_t>(begin + count);
  const auto found = blocks_.find({piece.matrix, piece.row, piece.column, piece.layer});
  if (found != blocks_.end()) {
    const Block& block = found->second;
    if (std::all_of(block.is_there.begin() + first, block.is_there.begin() + last, [](bool there) { return there; })) {
      return {block.elements.begin() + first, block.elements.begin() + last};
    }
  }
  if (piece.matrix != Matrix::c || piece.layer != 0 || !is_cube(plan_)) {
    constexpr char kNames[] = {'A', 'B', 'C'};
    throw Error(fmt::format("SUMMA: rank {} does not have part {} of {} of {}({}, {})", rank_, piece.part, piece.parts,
                            kNames[static_cast<std::size_t>(piece.matrix)], piece.row, piece.column));
  }
  std::vector<double> sum(count);
  Piece of_layer = piece;
  for (of_layer.layer = 1; of_layer.layer <= plan_.side; ++of_layer.layer) {
    std::ranges::transform(find(of_layer), sum, sum.begin(), std::plus());
  }
  return sum;
}

std::vector<double> SummaRank::outgoing(const Message& message) const { return find(unpack(message.piece)); }

void SummaRank::incoming(const Message& message, std::span<const double> elements) {
  store(unpack(message.piece), elements);
}

void SummaRank::multiply(std::size_t step) {
  const auto [row, column, layer] = position(plan_, rank_);
  const std::uint64_t size = plan_.block;
  for (const BlockProduct& product : plan_.products[rank_][step]) {
    const std::vector<double> a = find({.matrix = Matrix::a, .row = row, .column = product.k});
    const std::vector<double> b = find({.matrix = Matrix::b, .row = product.k, .column = column});
    std::vector<double>& c = blocks_.at({Matrix::c, row, column, is_cube(plan_) ? layer + 1 : 0}).elements;
    for (std::uint64_t i = 0; i < size; ++i) {
      for (std::uint64_t k = 0; k < size; ++k) {
        for (std::uint64_t j = 0; j < size; ++j) c[i * size + j] += a[i * size + k] * b[k * size + j];
      }
    }
  }
}

bool SummaRank::has_result() const { return position(plan_, rank_).layer == 0; }

std::vector<double> SummaRank::result() const {
  GDR_ASSERT(has_result(), "a rank of layer 0 is asked for C");
  const auto [row, column, layer] = position(plan_, rank_);
  // Part by part: of each part, the rank has either the sum or all summands.
  std::vector<double> block;
  Piece piece{.matrix = Matrix::c, .row = row, .column = column, .parts = plan_.options.nodes};
  for (piece.part = 0; piece.part < piece.parts; ++piece.part) {
    const std::vector<double> part = find(piece);
    block.insert(block.end(), part.begin(), part.end());
  }
  return block;
}

void place_block(const SummaPlan& plan, Rank rank, std::span<const double> block, std::span<double> c) {
  const auto [row, column, layer] = position(plan, rank);
  const std::uint64_t n = plan.options.n;
  for (std::uint64_t i = 0; i < plan.block && row * plan.block + i < n; ++i) {
    for (std::uint64_t j = 0; j < plan.block && column * plan.block + j < n; ++j) {
      c[(row * plan.block + i) * n + column * plan.block + j] = block[i * plan.block + j];
    }
  }
}

std::vector<double> run_summa_blocks(const SummaPlan& plan, std::span<const double> a, std::span<const double> b) {
  const Schedule& schedule = plan.schedule;
  std::vector<SummaRank> ranks;
  ranks.reserve(schedule.ranks.size());
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) ranks.emplace_back(plan, rank, a, b);
  const std::size_t steps = schedule.ranks.empty() ? 0 : schedule.ranks[0].size();
  for (std::size_t step = 0; step < steps; ++step) {
    // All messages leave before any arrives, as in a real exchange.
    std::vector<std::tuple<Rank, Message, std::vector<double>>> in_flight;
    for (Rank rank = 0; rank < ranks.size(); ++rank) {
      for (const Message& message : schedule.ranks[rank][step].sends) {
        in_flight.emplace_back(message.peer, message, ranks[rank].outgoing(message));
      }
    }
    for (const auto& [to, message, elements] : in_flight) ranks[to].incoming(message, elements);
    for (SummaRank& rank : ranks) rank.multiply(step);
  }
  std::vector<double> c(plan.options.n * plan.options.n);
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].has_result()) place_block(plan, rank, ranks[rank].result(), c);
  }
  return c;
}

}  // namespace gdr::interconnect
