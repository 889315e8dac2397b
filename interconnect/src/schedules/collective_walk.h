// Collective communication step by step, for schedules that are kept and for closed forms that only count. A walk tells
// its sink each message and each sum, in the order of the steps; `again` tells that the last step is repeated.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "gdr/interconnect/collectives.h"

namespace gdr::interconnect {

/// Bytes of part number `part` of `parts` nearly equal parts.
inline std::uint64_t part_bytes(std::uint64_t bytes, Rank part, Rank parts) {
  return bytes / parts * part + bytes % parts * part / parts;
}
inline std::uint64_t bytes_of_part(std::uint64_t bytes, Rank part, Rank parts) {
  return part_bytes(bytes, part + 1, parts) - part_bytes(bytes, part, parts);
}

/// Sink::send(step, from, to, bytes, piece), Sink::add(step, rank, bytes, summands) and Sink::again(times), which
/// returns true if it counted the repetitions, so that they need not be told.
template <class Sink>
class CollectiveWalk {
 public:
  CollectiveWalk(Rank nodes, std::uint64_t bytes, Sink& sink) : nodes_(nodes), bytes_(bytes), sink_(sink) {}

  void broadcast_directly() {
    for (Rank to = 1; to < nodes_; ++to) sink_.send(0, 0, to, bytes_, 0);
  }
  void broadcast_over_all() {
    scatter(0, 0);
    for (Rank to = 1; to < nodes_; ++to) gather(1, to);
  }
  void broadcast_by_tree() {
    std::size_t step = 0;
    for (std::uint64_t have = 1; have < nodes_; have *= 2, ++step) {
      for (std::uint64_t from = 0; from < have && from + have < nodes_; ++from) {
        sink_.send(step, static_cast<Rank>(from), static_cast<Rank>(from + have), bytes_, 0);
      }
    }
  }
  /// By a tree to each rank its part, then an all-gather of the parts [Thakur et al. 2005, section 5].
  void broadcast_by_parts(AllgatherOrder order) {
    const std::uint64_t part = (bytes_ + nodes_ - 1) / nodes_;
    std::size_t step = 0;
    for (std::uint64_t half = std::bit_ceil(nodes_) / 2; half > 0; half /= 2, ++step) {
      for (std::uint64_t from = 0; from + half < nodes_; from += 2 * half) {
        const std::uint64_t blocks = std::min(half, nodes_ - from - half);
        sink_.send(step, static_cast<Rank>(from), static_cast<Rank>(from + half), blocks * part, 0);
      }
    }
    gather_all(order, part, step);
  }

  void reduce_directly() {
    for (Rank from = 1; from < nodes_; ++from) sink_.send(0, from, 0, bytes_, 0);
    sink_.add(0, 0, bytes_, nodes_ - 1);
  }
  void reduce_over_all() {
    scatter_all_and_add();
    gather(1, 0);
  }
  void allreduce_directly() {
    for (Rank from = 0; from < nodes_; ++from) {
      for (Rank to = 0; to < nodes_; ++to) sink_.send(0, from, to, bytes_, 0);
      sink_.add(0, from, bytes_, nodes_ - 1);
    }
  }
  void allreduce_over_all() {
    scatter_all_and_add();
    for (Rank rank = 0; rank < nodes_; ++rank) gather(1, rank);
  }
  /// `by_halves`: each step of a reduce-scatter halves what a rank exchanges, and an all-gather doubles it again
  /// [Thakur et al. 2005, section 7]; otherwise each step exchanges everything.
  void allreduce_by_doubling(bool by_halves) {
    const Rank power = std::bit_floor(nodes_);
    const Rank beyond = nodes_ - power;
    std::size_t step = 0;
    for (Rank pair = 0; pair < beyond; ++pair) exchange(step, 2 * pair, 2 * pair + 1, bytes_, true);
    if (beyond > 0) ++step;
    // The ranks that go on: the odd one of each pair, and those that have none.
    const auto rank_at = [&](Rank place) { return place < beyond ? 2 * place + 1 : place + beyond; };
    const auto all_exchange = [&](Rank bit, std::uint64_t bytes, bool adds) {
      for (Rank place = 0; place < power; ++place) exchange(step, rank_at(place), rank_at(place ^ bit), bytes, adds);
      ++step;
    };
    const std::uint64_t part = (bytes_ + power - 1) / power;
    if (by_halves) {
      for (Rank bit = power / 2; bit > 0; bit /= 2) all_exchange(bit, part * bit, true);
    }
    for (Rank bit = 1; bit < power; bit *= 2) all_exchange(bit, by_halves ? part * bit : bytes_, !by_halves);
    for (Rank pair = 0; pair < beyond; ++pair) exchange(step, 2 * pair + 1, 2 * pair, bytes_, false);
  }

  void send_directly() { sink_.send(0, 0, 1, bytes_, 0); }
  void send_over_all() {
    scatter(0, 0);
    gather(1, 1);
  }

  void allgather(AllgatherOrder order) { gather_all(order, bytes_, 0); }
  /// First between the groups, ranks with the same place in each, then within each group what its ranks have.
  void allgather_by_levels(Rank group) {
    const Rank groups = nodes_ / group;
    const AllgatherOrder order = bytes_ * nodes_ < kShortAllgather ? AllgatherOrder::bruck : AllgatherOrder::ring;
    std::size_t step = 0;
    const auto level = [&](Rank members, std::uint64_t bytes, const auto& rank_of, Rank rows) {
      for (std::uint64_t have = 1, sent = 1; have < members; have += sent, ++step) {
        sent = order == AllgatherOrder::ring ? 1 : std::min<std::uint64_t>(have, members - have);
        const auto hop = static_cast<Rank>(order == AllgatherOrder::ring ? 1 : have);
        for (Rank row = 0; row < rows; ++row) {
          for (Rank n = 0; n < members; ++n) {
            sink_.send(step, rank_of(row, n), rank_of(row, (n + members - hop) % members), bytes * sent, step);
          }
        }
        if (order == AllgatherOrder::ring && have == 1 && sink_.again(members - 2)) {
          step += members - 1;
          return;
        }
      }
    };
    level(groups, bytes_, [&](Rank place, Rank n) { return n * group + place; }, group);
    level(group, bytes_ * groups, [&](Rank row, Rank n) { return row * group + n; }, groups);
  }

  void alltoall_by_bruck() {
    std::size_t step = 0;
    for (std::uint64_t hop = 1; hop < nodes_; hop *= 2, ++step) {
      // The blocks for ranks whose distance has this bit.
      const std::uint64_t rest = nodes_ % (2 * hop);
      const std::uint64_t blocks = nodes_ / (2 * hop) * hop + (rest > hop ? rest - hop : 0);
      for (Rank rank = 0; rank < nodes_; ++rank) {
        sink_.send(step, rank, static_cast<Rank>((rank + hop) % nodes_), bytes_ * blocks, 0);
      }
    }
  }

 private:
  /// Rank `from` sends part p to rank p.
  void scatter(std::size_t step, Rank from) {
    for (Rank part = 0; part < nodes_; ++part) {
      sink_.send(step, from, part, bytes_of_part(bytes_, part, nodes_), std::uint64_t{from} * nodes_ + part);
    }
  }
  /// Rank p sends part p to rank `to`.
  void gather(std::size_t step, Rank to) {
    for (Rank part = 0; part < nodes_; ++part) sink_.send(step, part, to, bytes_of_part(bytes_, part, nodes_), part);
  }
  void scatter_all_and_add() {
    for (Rank rank = 0; rank < nodes_; ++rank) {
      scatter(0, rank);
      sink_.add(0, rank, bytes_of_part(bytes_, rank, nodes_), nodes_ - 1);
    }
  }
  void exchange(std::size_t step, Rank from, Rank to, std::uint64_t bytes, bool adds) {
    sink_.send(step, from, to, bytes, 0);
    if (adds) sink_.add(step, to, bytes, 1);
  }

  void gather_all(AllgatherOrder order, std::uint64_t bytes, std::size_t first) {
    switch (order) {
      case AllgatherOrder::bruck:
      case AllgatherOrder::doubling:
        for (std::uint64_t have = 1; have < nodes_; have *= 2, ++first) {
          const std::uint64_t blocks = std::min<std::uint64_t>(have, nodes_ - have);
          for (Rank rank = 0; rank < nodes_; ++rank) {
            const auto to = order == AllgatherOrder::bruck ? (rank + nodes_ - have) % nodes_ : rank ^ have;
            sink_.send(first, rank, static_cast<Rank>(to), bytes * blocks, rank);
          }
        }
        return;
      case AllgatherOrder::posted:
      case AllgatherOrder::pairwise:
        for (Rank distance = 1; distance < nodes_; ++distance) {
          const std::size_t step = first + (order == AllgatherOrder::posted ? 0 : distance - 1);
          for (Rank rank = 0; rank < nodes_; ++rank) sink_.send(step, rank, (rank + distance) % nodes_, bytes, rank);
        }
        return;
      case AllgatherOrder::ring:
        for (Rank turn = 1; turn < nodes_; ++turn) {
          for (Rank rank = 0; rank < nodes_; ++rank) {
            sink_.send(first + turn - 1, rank, (rank + 1) % nodes_, bytes, (rank + nodes_ - turn + 1) % nodes_);
          }
          if (turn == 1 && sink_.again(nodes_ - 2)) return;
        }
        return;
    }
  }

  Rank nodes_;
  std::uint64_t bytes_;
  Sink& sink_;
};

/// How the number of messages grows with the number of ranks.
enum class Growth : std::uint8_t {
  linear,       // one for each rank
  logarithmic,  // one for each rank and each bit of their number
  ring,         // one for each rank in each of as many equal steps
  square,       // one for each pair
};

/// An algorithm of an operation. This table decides which there are.
template <class Sink>
struct WalkRow {
  CollectiveOperation operation;
  CollectiveAlgorithm algorithm;
  Growth growth;
  void (*run)(CollectiveWalk<Sink>& walk, const Collective& collective);
};

template <class Sink>
constexpr auto walk_rows() {
  using enum CollectiveAlgorithm;
  using enum CollectiveOperation;
  using Walk = CollectiveWalk<Sink>;
  using Row = WalkRow<Sink>;
  return std::array{
      Row{allgather, bruck, Growth::logarithmic,
          [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::bruck); }},
      Row{allgather, doubling, Growth::logarithmic,
          [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::doubling); }},
      Row{allgather, levels, Growth::ring, [](Walk& w, const Collective& c) { w.allgather_by_levels(c.group); }},
      Row{allgather, pairwise, Growth::square,
          [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::pairwise); }},
      Row{allgather, posted, Growth::square, [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::posted); }},
      Row{allgather, ring, Growth::ring, [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::ring); }},
      Row{allreduce, direct, Growth::square, [](Walk& w, const Collective&) { w.allreduce_directly(); }},
      Row{allreduce, doubling, Growth::logarithmic, [](Walk& w, const Collective&) { w.allreduce_by_doubling(false); }},
      Row{allreduce, halving, Growth::logarithmic, [](Walk& w, const Collective&) { w.allreduce_by_doubling(true); }},
      Row{allreduce, multipath, Growth::square, [](Walk& w, const Collective&) { w.allreduce_over_all(); }},
      Row{alltoall, bruck, Growth::logarithmic, [](Walk& w, const Collective&) { w.alltoall_by_bruck(); }},
      // As many messages of the same size as of an all-gather.
      Row{alltoall, pairwise, Growth::square,
          [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::pairwise); }},
      Row{alltoall, posted, Growth::square, [](Walk& w, const Collective&) { w.allgather(AllgatherOrder::posted); }},
      Row{broadcast, direct, Growth::linear, [](Walk& w, const Collective&) { w.broadcast_directly(); }},
      Row{broadcast, multipath, Growth::square, [](Walk& w, const Collective&) { w.broadcast_over_all(); }},
      Row{broadcast, scatter_doubling, Growth::logarithmic,
          [](Walk& w, const Collective&) { w.broadcast_by_parts(AllgatherOrder::doubling); }},
      Row{broadcast, scatter_ring, Growth::ring,
          [](Walk& w, const Collective&) { w.broadcast_by_parts(AllgatherOrder::ring); }},
      Row{broadcast, tree, Growth::linear, [](Walk& w, const Collective&) { w.broadcast_by_tree(); }},
  };
}

}  // namespace gdr::interconnect
