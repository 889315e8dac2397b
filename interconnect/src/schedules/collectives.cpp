#include "gdr/interconnect/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

Schedule empty(const char* name, Rank nodes) {
  constexpr Rank kMostNodes = 4096;
  if (nodes < 2 || nodes > kMostNodes) {
    throw Error(fmt::format("nodes: {} is refused: it must be from 2 to {}", nodes, kMostNodes));
  }
  return {name, std::vector<std::vector<Step>>(nodes)};
}

/// Bytes of part number `part` of `parts` nearly equal parts.
std::uint64_t part_bytes(std::uint64_t bytes, Rank part, Rank parts) {
  return bytes * (part + 1) / parts - bytes * part / parts;
}

/// Adds a message unless it is empty or its sender is its receiver.
void send(Schedule& schedule, std::size_t step, Rank from, Rank to, std::uint64_t bytes, std::uint64_t piece) {
  if (from != to && bytes > 0) add_message(schedule, step, from, to, bytes, piece);
}

/// Rank `from` sends part p to rank p.
void scatter(Schedule& schedule, std::size_t step, Rank from, std::uint64_t bytes) {
  const auto nodes = static_cast<Rank>(schedule.ranks.size());
  for (Rank part = 0; part < nodes; ++part) {
    send(schedule, step, from, part, part_bytes(bytes, part, nodes), std::uint64_t{from} * nodes + part);
  }
}
/// Rank p sends part p to rank `to`.
void gather(Schedule& schedule, std::size_t step, Rank to, std::uint64_t bytes) {
  const auto nodes = static_cast<Rank>(schedule.ranks.size());
  for (Rank part = 0; part < nodes; ++part) send(schedule, step, part, to, part_bytes(bytes, part, nodes), part);
}

/// After `step`, a rank adds the data that `summands` others sent to its own.
void add(Schedule& schedule, std::size_t step, Rank rank, std::uint64_t bytes, Rank summands) {
  auto& steps = schedule.ranks[rank];
  if (steps.size() <= step) steps.resize(step + 1);
  steps[step].flops += static_cast<double>(bytes) / kDoubleBytes * summands;
}

}  // namespace

Schedule make_broadcast(Rank nodes, std::uint64_t bytes, Path path) {
  Schedule schedule = empty("broadcast", nodes);
  if (path == Path::multipath) {
    scatter(schedule, 0, 0, bytes);
    for (Rank to = 1; to < nodes; ++to) gather(schedule, 1, to, bytes);
  } else {
    for (Rank to = 1; to < nodes; ++to) send(schedule, 0, 0, to, bytes, 0);
  }
  return schedule;
}

Schedule make_tree_broadcast(Rank nodes, std::uint64_t bytes) {
  Schedule schedule = empty("broadcast", nodes);
  std::size_t step = 0;
  for (Rank have = 1; have < nodes; have *= 2, ++step) {
    for (Rank from = 0; from < have && from + have < nodes; ++from) send(schedule, step, from, from + have, bytes, 0);
  }
  return schedule;
}

Schedule make_reduce(Rank nodes, std::uint64_t bytes, Path path) {
  Schedule schedule = empty("reduce", nodes);
  if (path == Path::multipath) {
    for (Rank from = 0; from < nodes; ++from) {
      scatter(schedule, 0, from, bytes);
      add(schedule, 0, from, part_bytes(bytes, from, nodes), nodes - 1);
    }
    gather(schedule, 1, 0, bytes);
  } else {
    for (Rank from = 1; from < nodes; ++from) send(schedule, 0, from, 0, bytes, 0);
    add(schedule, 0, 0, bytes, nodes - 1);
  }
  return schedule;
}

Schedule make_allreduce(Rank nodes, std::uint64_t bytes, Path path) {
  Schedule schedule = empty("allreduce", nodes);
  if (path == Path::multipath) {
    for (Rank rank = 0; rank < nodes; ++rank) {
      scatter(schedule, 0, rank, bytes);
      add(schedule, 0, rank, part_bytes(bytes, rank, nodes), nodes - 1);
    }
    for (Rank rank = 0; rank < nodes; ++rank) gather(schedule, 1, rank, bytes);
  } else {
    for (Rank from = 0; from < nodes; ++from) {
      for (Rank to = 0; to < nodes; ++to) send(schedule, 0, from, to, bytes, 0);
      add(schedule, 0, from, bytes, nodes - 1);
    }
  }
  return schedule;
}

Schedule make_doubling_allreduce(Rank nodes, std::uint64_t bytes) {
  if (nodes == 1) return {"allreduce", std::vector<std::vector<Step>>(1)};
  Schedule schedule = empty("allreduce", nodes);
  const Rank power = std::bit_floor(nodes);
  const Rank beyond = nodes - power;
  std::size_t step = 0;
  const auto exchange = [&](Rank from, Rank to) {
    send(schedule, step, from, to, bytes, 0);
    add(schedule, step, to, bytes, 1);
  };
  for (Rank pair = 0; pair < beyond; ++pair) exchange(2 * pair, 2 * pair + 1);
  if (beyond > 0) ++step;
  // The ranks that go on: the odd one of each pair, and those that have none.
  const auto rank_at = [&](Rank place) { return place < beyond ? 2 * place + 1 : place + beyond; };
  for (Rank bit = 1; bit < power; bit *= 2, ++step) {
    for (Rank place = 0; place < power; ++place) exchange(rank_at(place), rank_at(place ^ bit));
  }
  for (Rank pair = 0; pair < beyond; ++pair) send(schedule, step, 2 * pair + 1, 2 * pair, bytes, 0);
  return schedule;
}

Schedule make_alltoall(Rank nodes, std::uint64_t bytes, AllgatherOrder order) {
  if (order != AllgatherOrder::posted && order != AllgatherOrder::pairwise)
    throw Error("an all-to-all is posted or pairwise");
  Schedule schedule = make_allgather(nodes, bytes, order);  // which has as many messages of the same size
  schedule.name = "all-to-all";
  return schedule;
}

Schedule make_send(Rank nodes, std::uint64_t bytes, Path path) {
  Schedule schedule = empty("send", nodes);
  if (path == Path::multipath) {
    scatter(schedule, 0, 0, bytes);
    gather(schedule, 1, 1, bytes);
  } else {
    send(schedule, 0, 0, 1, bytes, 0);
  }
  return schedule;
}

Schedule make_allgather(Rank nodes, std::uint64_t bytes, AllgatherOrder order) {
  Schedule schedule = empty("allgather", nodes);
  if (order == AllgatherOrder::bruck) {
    std::size_t step = 0;
    for (Rank have = 1; have < nodes; have *= 2, ++step) {
      const Rank blocks = std::min(have, nodes - have);
      for (Rank rank = 0; rank < nodes; ++rank) {
        send(schedule, step, rank, (rank + nodes - have) % nodes, bytes * blocks, rank);
      }
    }
    return schedule;
  }
  for (Rank distance = 1; distance < nodes; ++distance) {
    for (Rank rank = 0; rank < nodes; ++rank) {
      const std::size_t step = order == AllgatherOrder::posted ? 0 : distance - 1;
      const bool is_ring = order == AllgatherOrder::ring;
      const Rank to = (rank + (is_ring ? 1 : distance)) % nodes;
      send(schedule, step, rank, to, bytes, is_ring ? (rank + nodes - distance + 1) % nodes : rank);
    }
  }
  return schedule;
}

}  // namespace gdr::interconnect
