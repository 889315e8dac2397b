#include "gdr/cluster/himeno_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/isa/isa.h"

namespace gdr::cluster {
namespace {

using Direction = std::array<int, 3>;

constexpr std::array<std::pair<std::string_view, Extents>, 5> kSizes{{{"XS", {32, 32, 64}},
                                                                      {"S", {64, 64, 128}},
                                                                      {"M", {128, 128, 256}},
                                                                      {"L", {256, 256, 512}},
                                                                      {"XL", {512, 512, 1024}}}};
// The benchmark's own count of operations per point.
constexpr double kFlops = 34;
// Arrays of single precision: a (4), b (3), c (3), wrk1, bnd and p are read, wrk2 is written and copied to p.
constexpr double kArrays = 14;
constexpr double kArraysRead = 13;
constexpr double kElementBytes = 4;
constexpr double kShortWordsOfLong = 2;
// Numbers travel between host and board as doubles.
constexpr double kFieldBytes = 8;
// An adder and a multiplier in each PE.
constexpr double kUnits = 2;

double product_of(const Extents& extents) {
  return static_cast<double>(extents[0]) * static_cast<double>(extents[1]) * static_cast<double>(extents[2]);
}

Extents inner(const Extents& size) { return {size[0] - 2, size[1] - 2, size[2] - 2}; }

/// The blocks of the grid, one per rank.
class Blocks {
 public:
  explicit Blocks(const HimenoOptions& options) : inner_(inner(options.size)), split_(options.split) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (options.size[axis] < 3) {
        throw Error(fmt::format("size {}x{}x{} is refused: extents are at least 3", options.size[0], options.size[1],
                                options.size[2]));
      }
      if (split_[axis] < 1 || split_[axis] > inner_[axis]) {
        throw Error(fmt::format("split {}x{}x{} is refused: axis {} has {} points to share", split_[0], split_[1],
                                split_[2], axis, inner_[axis]));
      }
    }
  }

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(split_[0] * split_[1] * split_[2]); }
  [[nodiscard]] Extents place(Rank rank) const {
    return {rank % split_[0], rank / split_[0] % split_[1], rank / split_[0] / split_[1]};
  }
  /// Points of a rank along each axis.
  [[nodiscard]] Extents points(Rank rank) const {
    const Extents at = place(rank);
    Extents points;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points[axis] = (at[axis] + 1) * inner_[axis] / split_[axis] - at[axis] * inner_[axis] / split_[axis];
    }
    return points;
  }
  [[nodiscard]] std::optional<Rank> neighbour(Rank rank, const Direction& direction) const {
    Extents at = place(rank);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at[axis] += static_cast<std::uint64_t>(static_cast<std::int64_t>(direction[axis]));
      if (at[axis] >= split_[axis]) return std::nullopt;  // also for -1, which wraps around
    }
    return static_cast<Rank>(at[0] + split_[0] * (at[1] + split_[1] * at[2]));
  }
  /// Number of a rank's points whose neighbours are all its own.
  [[nodiscard]] double points_at_home(Rank rank) const {
    Extents home = points(rank);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        Direction direction{};
        direction[axis] = side;
        if (neighbour(rank, direction) && home[axis] > 0) --home[axis];
      }
    }
    return product_of(home);
  }

 private:
  Extents inner_;
  Extents split_;
};

struct Halo {
  Rank from;
  Rank to;
  double bytes;
};

/// Halos along one axis, sent after those of the axes before it: whole planes, with what came along the other axes.
std::vector<Halo> halos_along(const Blocks& blocks, std::size_t axis) {
  std::vector<Halo> halos;
  for (Rank rank = 0; rank < blocks.ranks(); ++rank) {
    const Extents points = blocks.points(rank);
    for (const int side : {-1, 1}) {
      Direction direction{};
      direction[axis] = side;
      const std::optional<Rank> to = blocks.neighbour(rank, direction);
      if (!to) continue;
      double bytes = kElementBytes;
      for (std::size_t other = 0; other < 3; ++other) {
        if (other != axis) bytes *= static_cast<double>(points[other] + 2);
      }
      halos.push_back({rank, *to, bytes});
    }
  }
  return halos;
}

/// Halos of all axes at once: the faces and edges that the 19-point stencil reaches. It does not reach corners.
std::vector<Halo> halos_at_once(const Blocks& blocks) {
  std::vector<Halo> halos;
  for (Rank rank = 0; rank < blocks.ranks(); ++rank) {
    const Extents points = blocks.points(rank);
    for (int code = 0; code < 27; ++code) {
      const Direction direction{code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
      const auto crossed = 3 - std::ranges::count(direction, 0);
      if (crossed != 1 && crossed != 2) continue;
      const std::optional<Rank> to = blocks.neighbour(rank, direction);
      if (!to) continue;
      double bytes = kElementBytes;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (direction[axis] == 0) bytes *= static_cast<double>(points[axis]);
      }
      halos.push_back({rank, *to, bytes});
    }
  }
  return halos;
}

/// Times that a rank needs for its points.
class Rates {
 public:
  Rates(const Cluster& cluster, const HimenoOptions& options)
      : host_(cluster.host), board_(cluster.board_of_rank()), options_(options) {
    chips_ = static_cast<double>(board_.chips) * cluster.boards_per_rank();
  }

  [[nodiscard]] double compute(double points) const {
    if (options_.place == HimenoPlace::host) return points * kArrays * kElementBytes / (host_.memory_mb * kMega);
    const double clock = board_.clock_mhz * kMega;
    const double words_in = kArraysRead / kShortWordsOfLong;
    const double words_out = 1 / kShortWordsOfLong;
    const double of_a_chip =
        std::max({words_in * board_.idp_clocks / clock, words_in / (board_.em_rate * kMega),
                  words_out * board_.odp_clocks / clock, kFieldBytes / (board_.result_dma_mb * kMega),
                  kFlops / (kUnits * isa::kBlocks * isa::kPesPerBlock * clock)});
    return points / chips_ * of_a_chip;
  }
  /// Time to write p, which the host has after each iteration, back to the boards.
  [[nodiscard]] double write(double points) const {
    if (options_.place == HimenoPlace::host) return 0;
    const double mb =
        options_.transfer == emulator::TransferMode::ideal ? board_.send_ideal_mb : board_.host_write_2009_mb;
    return points * kFieldBytes / (mb * kMega);
  }
  /// Points that fit into the external memories of a rank's boards.
  [[nodiscard]] double room() const {
    return std::floor(static_cast<double>(board_.em_words) * chips_ * kShortWordsOfLong / kArraysRead);
  }

 private:
  HostDescription host_;
  emulator::MachineDescription board_;
  const HimenoOptions& options_;
  double chips_ = 0;
};

/// Points of the largest block, which may not be that of rank 0.
Extents largest_block(const HimenoOptions& options) {
  Extents points = inner(options.size);
  for (std::size_t axis = 0; axis < 3; ++axis)
    points[axis] = (points[axis] + options.split[axis] - 1) / options.split[axis];
  return points;
}

void require_memory(const Cluster& cluster, const HimenoOptions& options) {
  const double points = product_of(largest_block(options));
  const double in_host = std::floor(cluster.host.memory / cluster.ranks_per_node / (kArrays * kElementBytes));
  if (points > in_host) {
    throw Error(
        fmt::format("size {}x{}x{} is refused: a rank has {:.0f} points, a node of {:g} GB holds {:.0f} for each of "
                    "its {} ranks",
                    options.size[0], options.size[1], options.size[2], points, cluster.host.memory / 1e9, in_host,
                    cluster.ranks_per_node));
  }
  const double in_boards = Rates(cluster, options).room();
  if (options.place == HimenoPlace::board && points > in_boards) {
    throw Error(
        fmt::format("size {}x{}x{} is refused: a rank has {:.0f} points, its boards hold {:.0f}: take more nodes",
                    options.size[0], options.size[1], options.size[2], points, in_boards));
  }
}

/// All splits of the grid over this many ranks that leave each of them a point; those with small halos first. Throws
/// gdr::Error if there is none.
std::vector<Extents> splits_by_halo(const Extents& size, Rank ranks) {
  const Extents points = inner(size);
  std::vector<std::pair<double, Extents>> splits;
  for (std::uint64_t a = 1; a <= std::min<std::uint64_t>(ranks, points[0]); ++a) {
    if (ranks % a != 0) continue;
    for (std::uint64_t b = 1; b <= std::min(ranks / a, points[1]); ++b) {
      if (ranks / a % b != 0) continue;
      const HimenoOptions options{.size = size, .split = {a, b, ranks / a / b}};
      if (options.split[2] > points[2]) continue;
      const Extents block = largest_block(options);
      double halo = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // A rank between two others sends in both directions.
        const double sides = static_cast<double>(std::min<std::uint64_t>(options.split[axis] - 1, 2));
        halo += sides * product_of(block) / static_cast<double>(block[axis]);
      }
      splits.emplace_back(halo, options.split);
    }
  }
  if (splits.empty()) {
    throw Error(fmt::format("{} ranks are refused: no split of {}x{}x{} points leaves each of them one", ranks,
                            points[0], points[1], points[2]));
  }
  std::ranges::stable_sort(splits, {}, &std::pair<double, Extents>::first);
  std::vector<Extents> sorted;
  sorted.reserve(splits.size());
  for (const auto& [halo, split] : splits) sorted.push_back(split);
  return sorted;
}

void exchange(RankGraph& graph, const std::vector<Halo>& halos, const auto& meanwhile) {
  std::vector<std::vector<ActivityId>> arrivals(graph.ranks());
  for (const Halo& halo : halos) arrivals[halo.to].push_back(graph.send(halo.from, halo.to, halo.bytes));
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    meanwhile(rank);
    if (!arrivals[rank].empty()) graph.receive(rank, arrivals[rank]);
  }
}

/// Writes p to the board, then computes on the board or the host.
void compute(RankGraph& graph, const Rates& rates, HimenoPlace place, Rank rank, double points) {
  graph.transfer(rank, rates.write(points));
  if (place == HimenoPlace::board) {
    graph.board(rank, rates.compute(points));
  } else {
    graph.host(rank, rates.compute(points));
  }
}

}  // namespace

Extents parse_extents(std::string_view text) {
  constexpr std::uint64_t kLargest = 1 << 20;
  Extents extents{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [stop, error] = std::from_chars(at, end, extents[axis]);
    const bool separated = axis == 2 ? stop == end : stop != end && *stop == 'x';
    if (error != std::errc() || !separated || extents[axis] < 1 || extents[axis] > kLargest) {
      throw Error(fmt::format("'{}' is refused: it must be AxBxC, each 1 to {}", text, kLargest));
    }
    at = stop + 1;
  }
  return extents;
}

Extents himeno_size(std::string_view text) {
  for (const auto& [name, extents] : kSizes) {
    if (text == name) return extents;
  }
  if (text.find('x') == std::string_view::npos) {
    throw Error(fmt::format("'{}' is refused: it must be XS, S, M, L, XL or AxBxC", text));
  }
  const Extents extents = parse_extents(text);
  if (std::ranges::min(extents) < 3) throw Error(fmt::format("'{}' is refused: extents are at least 3", text));
  return extents;
}

std::string_view name_of(HimenoPlace place) { return place == HimenoPlace::board ? "board" : "host"; }

Extents himeno_split(const Extents& size, Rank ranks) { return splits_by_halo(size, ranks).front(); }

RankGraph himeno_graph(const Cluster& cluster, const HimenoOptions& options) {
  return himeno_graph(cluster, options, false);
}

RankGraph himeno_graph(const Cluster& cluster, const HimenoOptions& options, bool relayed) {
  const Blocks blocks(options);
  require_memory(cluster, options);
  const Rates rates(cluster, options);
  RankGraph graph(cluster, blocks.ranks(), "himeno");
  graph.relayed(relayed);
  const auto nothing = [](Rank) {};
  if (options.overlap) {
    exchange(graph, halos_at_once(blocks),
             [&](Rank rank) { compute(graph, rates, options.place, rank, blocks.points_at_home(rank)); });
  } else {
    for (std::size_t axis = 3; axis-- > 0;) exchange(graph, halos_along(blocks, axis), nothing);
  }
  graph.relayed(false);
  Group all(blocks.ranks());
  std::iota(all.begin(), all.end(), 0);
  for (const Rank rank : all) {
    const double points = product_of(blocks.points(rank));
    compute(graph, rates, options.place, rank, options.overlap ? points - blocks.points_at_home(rank) : points);
  }
  // The residual is a number that all ranks need before they go on.
  if (all.size() > 1) allreduce(graph, {all}, kFieldBytes);
  return graph;
}

HimenoTimes himeno_times(const Cluster& cluster, const interconnect::Topology& topology, const HimenoOptions& options) {
  RankGraph graph = himeno_graph(cluster, options);
  if (cluster.nodes_of(graph.ranks()) > topology.nodes()) {
    throw Error(fmt::format("{} nodes are refused: {} has {}", cluster.nodes_of(graph.ranks()), topology.name(),
                            topology.nodes()));
  }
  interconnect::ActivityTimes path = run_critical_path(graph.graph(), topology, {options.factors});
  // Parts of messages that relays pass on; more of them take seconds for each split.
  constexpr double kMostParts = 3e7;
  const double parts = 2.0 * cluster.nodes_of(graph.ranks()) * static_cast<double>(graph.graph().messages());
  if (cluster.multipath && parts <= kMostParts) {
    RankGraph relaying = himeno_graph(cluster, options, true);
    interconnect::ActivityTimes over_relays = run_critical_path(relaying.graph(), topology, {options.factors});
    if (over_relays.seconds < path.seconds) {
      path = std::move(over_relays);
      graph = std::move(relaying);
    }
  }
  HimenoTimes times;
  times.seconds = path.seconds;
  times.parts = part_seconds(path);
  times.compute = Rates(cluster, options).compute(product_of(largest_block(options)));
  times.bytes = static_cast<double>(graph.bytes());
  times.gflops = kFlops * product_of(inner(options.size)) / times.seconds / 1e9;
  return times;
}

HimenoChoice fastest_himeno(const Cluster& cluster, const interconnect::Topology& topology, HimenoOptions options,
                            Rank ranks, const std::function<void(std::size_t done, std::size_t all)>& tried) {
  std::optional<HimenoChoice> fastest;
  std::optional<Error> refused;
  const std::vector<Extents> splits = splits_by_halo(options.size, ranks);
  for (std::size_t n = 0; n < splits.size(); ++n) {
    options.split = splits[n];
    try {
      const HimenoTimes times = himeno_times(cluster, topology, options);
      if (!fastest || times.seconds < fastest->times.seconds) fastest = {options.split, times};
    } catch (const Error& error) {
      if (!refused) refused = error;
    }
    if (tried) tried(n + 1, splits.size());
  }
  if (!fastest) throw Error(*refused);
  return *fastest;
}

std::vector<interconnect::Transfer> himeno_traffic(const HimenoOptions& options) {
  const Blocks blocks(options);
  std::map<std::pair<Rank, Rank>, double> bytes;
  const auto add = [&](const std::vector<Halo>& halos) {
    for (const Halo& halo : halos) bytes[{halo.from, halo.to}] += halo.bytes;
  };
  if (options.overlap) {
    add(halos_at_once(blocks));
  } else {
    for (std::size_t axis = 0; axis < 3; ++axis) add(halos_along(blocks, axis));
  }
  std::vector<interconnect::Transfer> transfers;
  transfers.reserve(bytes.size());
  for (const auto& [pair, sum] : bytes) {
    transfers.push_back({pair.first, pair.second, static_cast<std::uint64_t>(sum)});
  }
  return transfers;
}

}  // namespace gdr::cluster
