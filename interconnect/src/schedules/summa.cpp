#include "gdr/interconnect/summa.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint64_t kElementBytes = 8;  // double precision, Urino 2020, section 4.4

/// Builds the schedule of one plan. Each build function follows the flow in one of the paper's figures.
class Builder {
 public:
  explicit Builder(const SummaOptions& options) : plan_{.options = options, .schedule = {}, .products = {}} {
    const bool is_cube = options.layout == SummaLayout::cube;
    plan_.side =
        is_cube ? cube_side(options.nodes, "nodes for a cube") : square_side(options.nodes, "nodes for a square");
    if (plan_.side < 2)
      throw Error(fmt::format("nodes: {} is refused: there must be at least two along a side", options.nodes));
    if (options.tree_radix < 2)
      throw Error(fmt::format("tree_radix: {} is refused: it must be at least 2", options.tree_radix));
    if (options.n == 0) throw Error("n: 0 is refused: it must be at least 1");
    plan_.block = (options.n + plan_.side - 1) / plan_.side;
    plan_.padded_n = plan_.block * plan_.side;
    plan_.schedule.name = "SUMMA";
    plan_.schedule.ranks.resize(options.nodes);
    plan_.products.resize(options.nodes);
    if (options.nodes > 1U << 13)
      throw Error(fmt::format("nodes: {} is refused: it must be at most 8192", options.nodes));
    refuse_undefined();
    refuse_too_many_messages();
  }

  SummaPlan build() && {
    if (plan_.options.layout == SummaLayout::cube) {
      build_cube();
    } else {
      switch (plan_.options.algorithm) {
        case SummaAlgorithm::ca0:
          build_library_broadcasts();
          break;
        case SummaAlgorithm::ca1:
          build_direct_broadcasts();
          break;
        case SummaAlgorithm::ca2:
          build_one_broadcast();
          break;
        case SummaAlgorithm::ca3:
          build_relayed_broadcasts();
          break;
        case SummaAlgorithm::ca4:
          build_cached_broadcasts();
          break;
      }
    }
    for (Rank rank = 0; rank < nodes(); ++rank) {
      plan_.schedule.ranks[rank].resize(steps_);
      plan_.products[rank].resize(steps_);
    }
    return std::move(plan_);
  }

 private:
  struct Transfer {
    Rank from;
    Rank to;
    Piece piece;
  };

  void refuse_undefined() const {
    const SummaOptions& options = plan_.options;
    const bool is_cube = options.layout == SummaLayout::cube;
    if (is_cube && options.algorithm != SummaAlgorithm::ca1 && options.algorithm != SummaAlgorithm::ca3) {
      throw Error("algorithm: only CA1 and CA3 are defined for the 2.5-dimensional layout");
    }
    if (options.by_rows_and_columns && (is_cube || options.algorithm != SummaAlgorithm::ca4)) {
      throw Error("algorithm: relays within rows and columns are defined for CA4 in the two-dimensional layout alone");
    }
  }

  /// Called before the first message is made.
  void refuse_too_many_messages() const {
    constexpr double kBytesPerMessage = 2 * sizeof(Message) * 1.5;  // both halves of a message, in vectors that grow
    constexpr double kMostBytes = 4e9;
    const double ranks = nodes();
    const double lines = side();
    double messages = 0;
    if (plan_.options.layout == SummaLayout::cube) {
      messages =
          plan_.options.algorithm == SummaAlgorithm::ca1 ? 3 * ranks : 4 * ranks * ranks + 2 * ranks * lines * lines;
    } else if (plan_.options.algorithm == SummaAlgorithm::ca3) {
      messages = 2 * lines * ranks * (lines + ranks);
    } else if (plan_.options.algorithm == SummaAlgorithm::ca4) {
      messages = 2 * lines * ranks * (plan_.options.by_rows_and_columns ? lines : ranks);
    } else {
      messages = 2 * lines * ranks;
    }
    if (messages * kBytesPerMessage <= kMostBytes) return;
    throw Error(
        fmt::format("nodes: {} is refused: the schedule would have {:.3g} messages and take {:.1f} GB; it may take "
                    "{:.0f} GB",
                    nodes(), messages, messages * kBytesPerMessage / kGiga, kMostBytes / kGiga));
  }

  [[nodiscard]] Rank nodes() const { return plan_.options.nodes; }
  [[nodiscard]] std::uint32_t side() const { return plan_.side; }
  [[nodiscard]] Rank at(std::uint32_t row, std::uint32_t column, std::uint32_t layer = 0) const {
    return (layer * side() + row) * side() + column;
  }

  /// Transfers that take place at once. A transfer from a rank to itself needs no message.
  void exchange(const std::vector<Transfer>& transfers) {
    for (const Transfer& transfer : transfers) {
      if (transfer.from == transfer.to) continue;
      const std::uint64_t bytes = extent_of(transfer.piece, plan_.block * plan_.block).count * kElementBytes;
      if (bytes == 0) continue;
      add_message(plan_.schedule, steps_, transfer.from, transfer.to, bytes, pack(transfer.piece));
    }
    ++steps_;
  }

  /// Exchanges A and B, at once or one after the other.
  void exchange_both(std::vector<Transfer> of_a, const std::vector<Transfer>& of_b) {
    if (plan_.options.a_with_b) {
      of_a.insert(of_a.end(), of_b.begin(), of_b.end());
      exchange(of_a);
    } else {
      exchange(of_a);
      exchange(of_b);
    }
  }

  /// The rank multiplies A(row, k) by B(k, column) once all steps so far are done.
  void multiply(Rank rank, std::uint32_t k) {
    auto& steps = plan_.schedule.ranks[rank];
    if (steps.size() < steps_) steps.resize(steps_);
    auto& products = plan_.products[rank];
    if (products.size() < steps_) products.resize(steps_);
    products[steps_ - 1].push_back({k});
    const auto block = static_cast<double>(plan_.block);
    steps[steps_ - 1].flops += 2 * block * block * block;
  }
  void multiply_all(std::uint32_t k) {
    for (Rank rank = 0; rank < nodes(); ++rank) multiply(rank, k);
  }

  /// A(row, k) goes from its owner to all ranks of its row, B(k, column) to all ranks of its column.
  [[nodiscard]] std::vector<Transfer> row_broadcasts(std::uint32_t k) const {
    std::vector<Transfer> transfers;
    for (std::uint32_t row = 0; row < side(); ++row) {
      for (std::uint32_t column = 0; column < side(); ++column) {
        transfers.push_back({at(row, k), at(row, column), {.matrix = Matrix::a, .row = row, .column = k}});
      }
    }
    return transfers;
  }
  [[nodiscard]] std::vector<Transfer> column_broadcasts(std::uint32_t k) const {
    std::vector<Transfer> transfers;
    for (std::uint32_t row = 0; row < side(); ++row) {
      for (std::uint32_t column = 0; column < side(); ++column) {
        transfers.push_back({at(k, column), at(row, column), {.matrix = Matrix::b, .row = k, .column = column}});
      }
    }
    return transfers;
  }

  void build_direct_broadcasts() {
    for (std::uint32_t k = 0; k < side(); ++k) {
      exchange(row_broadcasts(k));
      exchange(column_broadcasts(k));
      multiply_all(k);
    }
  }

  void build_one_broadcast() {
    std::vector<Transfer> transfers;
    for (std::uint32_t k = 0; k < side(); ++k) {
      std::ranges::move(row_broadcasts(k), std::back_inserter(transfers));
      std::ranges::move(column_broadcasts(k), std::back_inserter(transfers));
    }
    exchange(transfers);
    for (std::uint32_t k = 0; k < side(); ++k) multiply_all(k);
  }

  /// Each broadcast uses a k-nomial tree, in which a rank sends to all its children at once. Places count from the
  /// root. The number of a place's parent is that of the place with its lowest nonzero digit set to 0.
  void build_library_broadcasts() {
    for (std::uint32_t k = 0; k < side(); ++k) {
      broadcast_by_tree(row_broadcasts(k),
                        [&](std::uint32_t row, std::uint32_t place) { return at(row, (k + place) % side()); });
      broadcast_by_tree(column_broadcasts(k),
                        [&](std::uint32_t column, std::uint32_t place) { return at((k + place) % side(), column); });
      multiply_all(k);
    }
  }

  /// `direct` gives the piece of every line; rank_at(line, place) is the rank at a place.
  template <class RankAt>
  void broadcast_by_tree(const std::vector<Transfer>& direct, const RankAt& rank_at) {
    const std::uint32_t radix = plan_.options.tree_radix;
    std::vector<std::vector<Transfer>> by_depth;
    for (const Transfer& transfer : direct) {
      const bool is_a = transfer.piece.matrix == Matrix::a;
      const std::uint32_t line = is_a ? transfer.piece.row : transfer.piece.column;
      const std::uint32_t own = is_a ? transfer.to % side() : transfer.to / side();
      const std::uint32_t root = is_a ? transfer.piece.column : transfer.piece.row;
      const std::uint32_t place = (own + side() - root) % side();
      if (place == 0) continue;
      std::uint32_t digit = 1;
      while (place / digit % radix == 0) digit *= radix;
      const std::uint32_t parent = place - place / digit % radix * digit;
      std::uint32_t depth = 0;
      for (std::uint32_t rest = parent; rest > 0; rest /= radix) depth += rest % radix == 0 ? 0 : 1;
      if (by_depth.size() <= depth) by_depth.resize(depth + 1);
      by_depth[depth].push_back({rank_at(line, parent), transfer.to, transfer.piece});
    }
    for (const std::vector<Transfer>& level : by_depth) exchange(level);
  }

  /// Sends a block to all nodes of a group of relays, one part to each.
  template <class RelayAt>
  static void scatter(std::vector<Transfer>& transfers, Rank from, Piece piece, std::uint32_t relays,
                      const RelayAt& relay_at) {
    piece.parts = relays;
    for (piece.part = 0; piece.part < relays; ++piece.part) transfers.push_back({from, relay_at(piece.part), piece});
  }
  /// Sends the parts of a block from its relays to one node.
  template <class RelayAt>
  static void gather(std::vector<Transfer>& transfers, Rank to, Piece piece, std::uint32_t relays,
                     const RelayAt& relay_at) {
    piece.parts = relays;
    for (piece.part = 0; piece.part < relays; ++piece.part) transfers.push_back({relay_at(piece.part), to, piece});
  }
  static Rank every_node(std::uint32_t relay) { return relay; }

  void build_relayed_broadcasts() {
    for (std::uint32_t k = 0; k < side(); ++k) {
      std::vector<Transfer> scatter_a;
      std::vector<Transfer> scatter_b;
      std::vector<Transfer> gather_a;
      std::vector<Transfer> gather_b;
      for (std::uint32_t line = 0; line < side(); ++line) {
        const Piece a{.matrix = Matrix::a, .row = line, .column = k};
        const Piece b{.matrix = Matrix::b, .row = k, .column = line};
        scatter(scatter_a, at(line, k), a, nodes(), every_node);
        scatter(scatter_b, at(k, line), b, nodes(), every_node);
        // To all nodes of the line, the owner included: an allgather.
        for (std::uint32_t place = 0; place < side(); ++place) {
          gather(gather_a, at(line, place), a, nodes(), every_node);
          gather(gather_b, at(place, line), b, nodes(), every_node);
        }
      }
      exchange_both(std::move(scatter_a), scatter_b);
      exchange_both(std::move(gather_a), gather_b);
      multiply_all(k);
    }
  }

  /// Each node keeps a part of every block. In each later round, every node gathers one block of A and one of B.
  void build_cached_broadcasts() {
    const bool split = plan_.options.by_rows_and_columns;
    const std::uint32_t relays = split ? side() : nodes();
    std::vector<Transfer> scatter_a;
    std::vector<Transfer> scatter_b;
    const auto row_relay = [&](std::uint32_t row) {
      return [this, split, row](std::uint32_t relay) { return split ? at(row, relay) : relay; };
    };
    const auto column_relay = [&](std::uint32_t column) {
      return [this, split, column](std::uint32_t relay) { return split ? at(relay, column) : relay; };
    };
    for (std::uint32_t row = 0; row < side(); ++row) {
      for (std::uint32_t column = 0; column < side(); ++column) {
        scatter(scatter_a, at(row, column), {.matrix = Matrix::a, .row = row, .column = column}, relays,
                row_relay(row));
        scatter(scatter_b, at(row, column), {.matrix = Matrix::b, .row = row, .column = column}, relays,
                column_relay(column));
      }
    }
    exchange_both(std::move(scatter_a), scatter_b);
    for (std::uint32_t round = 0; round + 1 < side(); ++round) {
      std::vector<Transfer> gather_a;
      std::vector<Transfer> gather_b;
      for (Rank rank = 0; rank < nodes(); ++rank) {
        const std::uint32_t row = rank / side();
        const std::uint32_t column = rank % side();
        const Pair pair = pair_of_round(row, column, round);
        gather(gather_a, rank, {.matrix = Matrix::a, .row = row, .column = pair.of_a}, relays, row_relay(row));
        gather(gather_b, rank, {.matrix = Matrix::b, .row = pair.of_b, .column = column}, relays, column_relay(column));
      }
      exchange_both(std::move(gather_a), gather_b);
      for (Rank rank = 0; rank < nodes(); ++rank) {
        const Pair pair = pair_of_round(rank / side(), rank % side(), round);
        multiply(rank, pair.of_a);
        if (pair.of_a != pair.of_b) multiply(rank, pair.of_b);
      }
    }
    // On the diagonal, a node's own blocks are partners. They are multiplied last, so that no node waits for them: the
    // last round brings two products to the other nodes.
    for (std::uint32_t k = 0; k < side(); ++k) multiply(at(k, k), k);
  }

  /// The block of A's row and the block of B's column that a node gathers in a round. A node has A(row, column) and
  /// B(row, column) itself. It gathers partners together, so that neither has to wait in memory for the other. Off the
  /// diagonal, one round brings A(row, row) and B(column, column), whose partners are its own blocks.
  struct Pair {
    std::uint32_t of_a;
    std::uint32_t of_b;
  };
  [[nodiscard]] Pair pair_of_round(std::uint32_t row, std::uint32_t column, std::uint32_t round) const {
    std::uint32_t left = round;
    for (std::uint32_t k = 0; k < side(); ++k) {
      if (k == row || k == column) continue;
      if (left-- == 0) return {k, k};
    }
    return {row, column};
  }

  /// 2.5 dimensions: layer l computes the products with k = l; A, B and C lie on layer 0 (Urino 2020, section 3.4).
  void build_cube() {
    if (plan_.options.algorithm == SummaAlgorithm::ca1) {
      build_direct_cube();
    } else {
      build_relayed_cube();
    }
  }

  template <class Take>
  void for_each_node(const Take& take) const {
    for (std::uint32_t layer = 0; layer < side(); ++layer) {
      for (std::uint32_t row = 0; row < side(); ++row) {
        for (std::uint32_t column = 0; column < side(); ++column) take(layer, row, column);
      }
    }
  }
  void multiply_layers() {
    for_each_node(
        [&](std::uint32_t layer, std::uint32_t row, std::uint32_t column) { multiply(at(row, column, layer), layer); });
  }

  void build_direct_cube() {
    std::vector<Transfer> of_a;
    std::vector<Transfer> of_b;
    std::vector<Transfer> of_c;
    for_each_node([&](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
      const Rank rank = at(row, column, layer);
      of_a.push_back({at(row, layer), rank, {.matrix = Matrix::a, .row = row, .column = layer}});
      of_b.push_back({at(layer, column), rank, {.matrix = Matrix::b, .row = layer, .column = column}});
      of_c.push_back({rank, at(row, column), {.matrix = Matrix::c, .row = row, .column = column, .layer = layer + 1}});
    });
    exchange(of_a);
    exchange(of_b);
    multiply_layers();
    exchange(of_c);
  }

  void build_relayed_cube() {
    std::vector<Transfer> scatter_a;
    std::vector<Transfer> scatter_b;
    std::vector<Transfer> gather_a;
    std::vector<Transfer> gather_b;
    std::vector<Transfer> partial_sums;
    std::vector<Transfer> sums;
    for (std::uint32_t row = 0; row < side(); ++row) {
      for (std::uint32_t column = 0; column < side(); ++column) {
        scatter(scatter_a, at(row, column), {.matrix = Matrix::a, .row = row, .column = column}, nodes(), every_node);
        scatter(scatter_b, at(row, column), {.matrix = Matrix::b, .row = row, .column = column}, nodes(), every_node);
      }
    }
    // Gathers are allgathers here too: the owners of a block take part, and for the sums all layers.
    for_each_node([&](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
      const Rank rank = at(row, column, layer);
      gather(gather_a, rank, {.matrix = Matrix::a, .row = row, .column = layer}, nodes(), every_node);
      gather(gather_b, rank, {.matrix = Matrix::b, .row = layer, .column = column}, nodes(), every_node);
      scatter(partial_sums, rank, {.matrix = Matrix::c, .row = row, .column = column, .layer = layer + 1}, nodes(),
              every_node);
      gather(sums, rank, {.matrix = Matrix::c, .row = row, .column = column}, nodes(), every_node);
    });
    // One matrix after the other, as in table 7 and unlike in two dimensions.
    exchange(scatter_a);
    exchange(gather_a);
    exchange(scatter_b);
    exchange(gather_b);
    multiply_layers();
    exchange(partial_sums);
    exchange(sums);
  }

  SummaPlan plan_;
  std::size_t steps_ = 0;
};

// Widths of the fields of a packed piece.
constexpr unsigned kMatrixBits = 2;
constexpr unsigned kLineBits = 13;
constexpr unsigned kLayerBits = 7;
constexpr unsigned kPartBits = 14;

}  // namespace

std::uint64_t pack(const Piece& piece) {
  std::uint64_t packed = 0;
  const auto push = [&](std::uint64_t field, unsigned bits) {
    GDR_ASSERT(field >> bits == 0, "a field of a piece fits its bits");
    packed = packed << bits | field;
  };
  push(static_cast<std::uint64_t>(piece.matrix), kMatrixBits);
  push(piece.row, kLineBits);
  push(piece.column, kLineBits);
  push(piece.layer, kLayerBits);
  push(piece.part, kPartBits);
  push(piece.parts, kPartBits);
  return packed;
}

Piece unpack(std::uint64_t packed) {
  const auto pop = [&](unsigned bits) {
    const auto field = static_cast<std::uint32_t>(packed & ((std::uint64_t{1} << bits) - 1));
    packed >>= bits;
    return field;
  };
  Piece piece;
  piece.parts = pop(kPartBits);
  piece.part = pop(kPartBits);
  piece.layer = pop(kLayerBits);
  piece.column = pop(kLineBits);
  piece.row = pop(kLineBits);
  piece.matrix = static_cast<Matrix>(pop(kMatrixBits));
  return piece;
}

Extent extent_of(const Piece& piece, std::uint64_t elements) {
  const std::uint64_t begin = elements * piece.part / piece.parts;
  return {begin, elements * (piece.part + 1) / piece.parts - begin};
}

std::uint32_t load_tree_radix(std::string_view name_or_file) {
  return static_cast<std::uint32_t>(load_network(name_or_file, "mpi-library").value("bcast_radix"));
}

SummaPlan make_summa(const SummaOptions& options) { return Builder(options).build(); }

Rank owner(const SummaPlan& plan, std::uint32_t row, std::uint32_t column) { return row * plan.side + column; }

BlockPosition position(const SummaPlan& plan, Rank rank) {
  const std::uint32_t in_layer = rank % (plan.side * plan.side);
  return {in_layer / plan.side, in_layer % plan.side, rank / (plan.side * plan.side)};
}

}  // namespace gdr::interconnect
