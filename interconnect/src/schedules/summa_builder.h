// The steps of SUMMA: every message and product, kept as a schedule or counted on a topology.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/summa.h"
#include "gdr/interconnect/summa_closed_form.h"
#include "step_loads.h"

namespace gdr::interconnect {

inline constexpr std::uint64_t kElementBytes = 8;  // double precision, Urino 2020, section 4.4

/// Builds the schedule of one plan, or counts its messages on a topology without keeping them. Each build function
/// follows the flow in one of the paper's figures.
class SummaBuilder {
 public:
  explicit SummaBuilder(const SummaOptions& options) : SummaBuilder(options, nullptr, 0) {
    if (options.nodes > 1U << 13)
      throw Error(fmt::format("nodes: {} is refused: it must be at most 8192", options.nodes));
    refuse_too_many_messages();
    plan_.schedule.ranks.resize(options.nodes);
    plan_.products.resize(options.nodes);
  }
  SummaBuilder(const SummaOptions& options, const Topology& topology, double flops_per_second)
      : SummaBuilder(options, &topology, flops_per_second) {
    if (options.nodes > topology.nodes()) {
      throw Error(fmt::format("nodes: {} is refused: {} has {}", options.nodes, topology.name(), topology.nodes()));
    }
    counted_.loads.resize(topology.links().size());
    flops_.resize(options.nodes);
  }

 private:
  SummaBuilder(const SummaOptions& options, const Topology* topology, double flops_per_second)
      : topology_(topology),
        flops_per_second_(flops_per_second),
        plan_{.options = options, .schedule = {}, .products = {}} {
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
    refuse_undefined();
  }

 public:
  SummaPlan build() && {
    make_steps();
    for (Rank rank = 0; rank < nodes(); ++rank) {
      plan_.schedule.ranks[rank].resize(steps_);
      plan_.products[rank].resize(steps_);
    }
    return std::move(plan_);
  }

  SummaClosedForm count() && {
    make_steps();
    end_step();
    counted_.padded_n = plan_.padded_n;
    divide_by_ways(counted_.loads, *topology_);
    counted_.times.link_bound_seconds = link_bound_seconds(counted_.loads, *topology_);
    return std::move(counted_);
  }

 private:
  void make_steps() {
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
  }

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
    const double messages = summa_size(plan_.options).messages;
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

  /// Transfers of one step: kept for the schedule, or counted on the topology.
  class Transfers {
   public:
    /// `times`: number of steps with the pairs and sizes of these, each of which is exchanged.
    explicit Transfers(const SummaBuilder& builder, std::uint32_t times = 1) : builder_(&builder), times_(times) {
      if (builder.topology_ != nullptr) counted_ = std::make_shared<StepLoads>(*builder.topology_);
    }
    /// Transfers that may be exchanged together with `other`: then both are counted in one place.
    Transfers(const SummaBuilder& builder, const Transfers& other) : Transfers(builder, other, other.times_) {}

    void push_back(const Transfer& transfer) {
      if (!counted_) {
        kept_.push_back(transfer);
      } else if (const std::uint64_t bytes = builder_->bytes_of(transfer); bytes > 0) {
        counted_->add(transfer.from, transfer.to, bytes);
      }
    }
    [[nodiscard]] const std::vector<Transfer>& kept() const { return kept_; }
    /// False if this step's messages have the pairs and sizes of the last step's, which are counted already.
    [[nodiscard]] bool must_be_made() {
      kept_.clear();
      return !counted_ || !seconds_;
    }
    /// Links carry all repetitions from the first on; only the time is added by every step.
    void count_in(SummaBuilder& builder) {
      if (!seconds_) {
        counted_->add_to(builder.counted_.loads, times_);
        seconds_ = counted_->seconds();
      }
      builder.count_step(*seconds_, counted_->messages(), counted_->bytes());
    }

   private:
    Transfers(const SummaBuilder& builder, const Transfers& other, std::uint32_t times)
        : builder_(&builder), times_(times) {
      if (builder.topology_ == nullptr) return;
      counted_ = builder.plan_.options.a_with_b ? other.counted_ : std::make_shared<StepLoads>(*builder.topology_);
    }

    const SummaBuilder* builder_;
    std::uint32_t times_;
    std::vector<Transfer> kept_;
    std::shared_ptr<StepLoads> counted_;
    std::optional<double> seconds_;  // of a step, once it was exchanged
  };

  /// Bytes of a message; 0 if there is none, as from a rank to itself.
  [[nodiscard]] std::uint64_t bytes_of(const Transfer& transfer) const {
    if (transfer.from == transfer.to) return 0;
    return extent_of(transfer.piece, plan_.block * plan_.block).count * kElementBytes;
  }

  /// Transfers that take place at once.
  void exchange(const std::vector<Transfer>& transfers) {
    if (topology_ != nullptr) {
      if (!step_loads_) step_loads_.emplace(*topology_);
      step_loads_->clear();
      for (const Transfer& transfer : transfers) {
        if (const std::uint64_t bytes = bytes_of(transfer); bytes > 0)
          step_loads_->add(transfer.from, transfer.to, bytes);
      }
      step_loads_->add_to(counted_.loads, 1);
      count_step(step_loads_->seconds(), step_loads_->messages(), step_loads_->bytes());
      return;
    }
    for (const Transfer& transfer : transfers) {
      const std::uint64_t bytes = bytes_of(transfer);
      if (bytes == 0) continue;
      add_message(plan_.schedule, steps_, transfer.from, transfer.to, bytes, pack(transfer.piece));
    }
    ++steps_;
  }
  void exchange(Transfers& transfers) {
    if (topology_ != nullptr) {
      transfers.count_in(*this);
    } else {
      exchange(transfers.kept());
    }
  }

  /// True if transfers that exchange_both() takes together must be made. Both forget what they kept.
  [[nodiscard]] bool must_be_made(Transfers& of_a, Transfers& of_b) const {
    const bool is_a_new = of_a.must_be_made();
    const bool is_b_new = of_b.must_be_made() && !plan_.options.a_with_b;
    return is_a_new || is_b_new;
  }
  /// Exchanges A and B, at once or one after the other. `of_b` was made with `of_a`.
  void exchange_both(Transfers& of_a, Transfers& of_b) {
    if (!plan_.options.a_with_b) {
      exchange(of_a);
      exchange(of_b);
    } else if (topology_ != nullptr) {
      exchange(of_a);
    } else {
      std::vector<Transfer> both = of_a.kept();
      both.insert(both.end(), of_b.kept().begin(), of_b.kept().end());
      exchange(both);
    }
  }

  void count_step(double seconds, std::uint64_t messages, std::uint64_t bytes) {
    end_step();
    step_seconds_ = seconds;
    counted_.traffic.messages += messages;
    counted_.traffic.bytes += bytes;
    ++steps_;
  }
  /// Adds the time of the step before, whose products are known by now.
  void end_step() {
    if (steps_ == 0) return;
    double most = 0;
    for (double& flops : flops_) {
      most = std::max(most, flops);
      counted_.traffic.flops += flops;
      flops = 0;
    }
    counted_.times.lockstep_seconds += step_seconds_ + (flops_per_second_ > 0 ? most / flops_per_second_ : 0);
  }

  /// The rank multiplies A(row, k) by B(k, column) once all steps so far are done.
  void multiply(Rank rank, std::uint32_t k) {
    const auto block = static_cast<double>(plan_.block);
    const double flops = 2 * block * block * block;
    if (topology_ != nullptr) {
      flops_[rank] += flops;
      return;
    }
    auto& steps = plan_.schedule.ranks[rank];
    if (steps.size() < steps_) steps.resize(steps_);
    auto& products = plan_.products[rank];
    if (products.size() < steps_) products.resize(steps_);
    products[steps_ - 1].push_back({k});
    steps[steps_ - 1].flops += flops;
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
  static void scatter(Transfers& transfers, Rank from, Piece piece, std::uint32_t relays, const RelayAt& relay_at) {
    piece.parts = relays;
    for (piece.part = 0; piece.part < relays; ++piece.part) transfers.push_back({from, relay_at(piece.part), piece});
  }
  /// Sends the parts of a block from its relays to one node.
  template <class RelayAt>
  static void gather(Transfers& transfers, Rank to, Piece piece, std::uint32_t relays, const RelayAt& relay_at) {
    piece.parts = relays;
    for (piece.part = 0; piece.part < relays; ++piece.part) transfers.push_back({relay_at(piece.part), to, piece});
  }
  static Rank every_node(std::uint32_t relay) { return relay; }

  void build_relayed_broadcasts() {
    Transfers gather_a(*this, side());
    Transfers gather_b(*this, gather_a);
    for (std::uint32_t k = 0; k < side(); ++k) {
      Transfers scatter_a(*this);
      Transfers scatter_b(*this, scatter_a);
      const bool must_gather = must_be_made(gather_a, gather_b);
      for (std::uint32_t line = 0; line < side(); ++line) {
        const Piece a{.matrix = Matrix::a, .row = line, .column = k};
        const Piece b{.matrix = Matrix::b, .row = k, .column = line};
        scatter(scatter_a, at(line, k), a, nodes(), every_node);
        scatter(scatter_b, at(k, line), b, nodes(), every_node);
        if (!must_gather) continue;
        // To all nodes of the line, the owner included: an allgather.
        for (std::uint32_t place = 0; place < side(); ++place) {
          gather(gather_a, at(line, place), a, nodes(), every_node);
          gather(gather_b, at(place, line), b, nodes(), every_node);
        }
      }
      exchange_both(scatter_a, scatter_b);
      exchange_both(gather_a, gather_b);
      multiply_all(k);
    }
  }

  /// Each node keeps a part of every block. In each later round, every node gathers one block of A and one of B.
  void build_cached_broadcasts() {
    const bool split = plan_.options.by_rows_and_columns;
    const std::uint32_t relays = split ? side() : nodes();
    const auto row_relay = [&](std::uint32_t row) {
      return [this, split, row](std::uint32_t relay) { return split ? at(row, relay) : relay; };
    };
    const auto column_relay = [&](std::uint32_t column) {
      return [this, split, column](std::uint32_t relay) { return split ? at(relay, column) : relay; };
    };
    {
      Transfers scatter_a(*this);
      Transfers scatter_b(*this, scatter_a);
      for (std::uint32_t row = 0; row < side(); ++row) {
        for (std::uint32_t column = 0; column < side(); ++column) {
          scatter(scatter_a, at(row, column), {.matrix = Matrix::a, .row = row, .column = column}, relays,
                  row_relay(row));
          scatter(scatter_b, at(row, column), {.matrix = Matrix::b, .row = row, .column = column}, relays,
                  column_relay(column));
        }
      }
      exchange_both(scatter_a, scatter_b);
    }
    Transfers gather_a(*this, side() - 1);
    Transfers gather_b(*this, gather_a);
    for (std::uint32_t round = 0; round + 1 < side(); ++round) {
      const bool must_gather = must_be_made(gather_a, gather_b);
      for (Rank rank = 0; must_gather && rank < nodes(); ++rank) {
        const std::uint32_t row = rank / side();
        const std::uint32_t column = rank % side();
        const Pair pair = pair_of_round(row, column, round);
        gather(gather_a, rank, {.matrix = Matrix::a, .row = row, .column = pair.of_a}, relays, row_relay(row));
        gather(gather_b, rank, {.matrix = Matrix::b, .row = pair.of_b, .column = column}, relays, column_relay(column));
      }
      exchange_both(gather_a, gather_b);
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
    // Round r takes the r-th k that is neither the row nor the column.
    std::uint32_t k = round;
    if (k >= std::min(row, column)) ++k;
    if (row != column && k >= std::max(row, column)) ++k;
    if (k < side()) return {k, k};
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
    Transfers scatter_a(*this);
    Transfers scatter_b(*this);
    Transfers gather_a(*this);
    Transfers gather_b(*this);
    Transfers partial_sums(*this);
    Transfers sums(*this);
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

  const Topology* topology_;  // on which messages are counted; null: the schedule is made
  double flops_per_second_;
  SummaPlan plan_;
  std::size_t steps_ = 0;
  SummaClosedForm counted_;
  std::optional<StepLoads> step_loads_;  // of steps that are exchanged as vectors
  double step_seconds_ = 0;              // of the messages of the last step
  std::vector<double> flops_;            // of the last step so far; shape: [ranks]
};

}  // namespace gdr::interconnect
