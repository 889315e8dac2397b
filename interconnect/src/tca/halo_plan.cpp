// Plans of halo exchanges: faces, patterns, carriers and order.
#include "gdr/interconnect/halo_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace gdr::interconnect {

std::string_view name_of(HaloMethod method) {
  constexpr std::array<std::string_view, 3> kNames{"tca", "mv2gdr", "hybrid"};
  return kNames.at(static_cast<std::size_t>(method));
}

std::optional<HaloMethod> halo_method_named(std::string_view name) {
  for (const HaloMethod method : {HaloMethod::tca, HaloMethod::mv2gdr, HaloMethod::hybrid}) {
    if (name_of(method) == name) return method;
  }
  return {};
}

std::string_view name_of(Carrier carrier) { return carrier == Carrier::tca ? "TCA" : "MPI"; }

std::array<std::int64_t, kHaloDimensions> parse_halo_extents(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  std::array<std::int64_t, kHaloDimensions> values{1, 1, 1};
  std::size_t count = 0;
  for (std::string_view rest = text; count < values.size();) {
    const std::string_view part = rest.substr(0, rest.find_first_of(",x"));
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), values[count]);
    if (error != std::errc() || stop != part.data() + part.size() || values[count] < 1 || values[count] > kMost) break;
    ++count;
    if (part.size() == rest.size()) return values;
    rest.remove_prefix(part.size() + 1);
  }
  throw Error(
      fmt::format("'{}' is refused: it must be one to three whole numbers from 1 to {}, with x or commas between them",
                  text, kMost));
}

void HaloShape::check() const {
  for (std::size_t d = 0; d < kHaloDimensions; ++d) {
    if (extent[d] < 1 || split[d] < 1 || width[d] < 0 || element_bytes < 1) {
      throw Error(
          fmt::format("extent {}, split {}, halo {} of dimension {} with elements of {} bytes is refused: sizes are "
                      "at least 1 and halos at least 0",
                      extent[d], split[d], width[d], d, element_bytes));
    }
    if (extent[d] % split[d] != 0) {
      throw Error(fmt::format("split {} of dimension {} is refused: it does not divide its {} elements", split[d], d,
                              extent[d]));
    }
    if (split[d] > 1 && width[d] > extent[d] / split[d]) {
      throw Error(fmt::format("a halo of {} in dimension {} is refused: the block has {} elements there", width[d], d,
                              extent[d] / split[d]));
    }
  }
}

std::int64_t HaloShape::local(int dimension) const {
  const auto d = static_cast<std::size_t>(dimension);
  return extent[d] / split[d];
}

std::int64_t HaloShape::padded(int dimension) const {
  return local(dimension) + 2 * width[static_cast<std::size_t>(dimension)];
}

std::array<int, kHaloDimensions> HaloShape::coordinates(int rank) const {
  return {rank / (split[1] * split[2]), rank / split[2] % split[1], rank % split[2]};
}

int HaloShape::rank(const std::array<int, kHaloDimensions>& c) const {
  return (c[0] * split[1] + c[1]) * split[2] + c[2];
}

HaloRegion region_of_box(const std::array<std::int64_t, 3>& pitch, const std::array<std::int64_t, 3>& first,
                         const std::array<std::int64_t, 3>& length) {
  HaloRegion region;
  if (std::ranges::min(length) <= 0) return region;
  region.offset = first[0] * pitch[0] + first[1] * pitch[1] + first[2];
  region.run = length[2];
  // From the fastest dimension outwards.
  std::vector<std::pair<std::int64_t, std::int64_t>> levels;  // count, pitch
  for (const std::size_t d : {std::size_t{1}, std::size_t{0}}) {
    if (length[d] == 1) continue;
    if (levels.empty() && pitch[d] == region.run) {
      region.run *= length[d];
    } else if (!levels.empty() && pitch[d] == levels.back().first * levels.back().second) {
      levels.back().first *= length[d];
    } else {
      levels.emplace_back(length[d], pitch[d]);
    }
  }
  if (!levels.empty()) std::tie(region.inner, region.inner_pitch) = levels[0];
  if (levels.size() > 1) std::tie(region.outer, region.outer_pitch) = levels[1];
  return region;
}

namespace {

HaloRegion region_of(const HaloShape& shape, const std::array<std::int64_t, 3>& first,
                     const std::array<std::int64_t, 3>& length) {
  return region_of_box({shape.padded(1) * shape.padded(2), shape.padded(2), 1}, first, length);
}

HaloRegion face(const HaloShape& shape, int dimension, int side, bool halo) {
  std::array<std::int64_t, 3> first{};
  std::array<std::int64_t, 3> length{};
  for (int d = 0; d < kHaloDimensions; ++d) {
    first[static_cast<std::size_t>(d)] = shape.width[static_cast<std::size_t>(d)];
    length[static_cast<std::size_t>(d)] = shape.local(d);
  }
  const auto d = static_cast<std::size_t>(dimension);
  const std::int64_t width = shape.width[d];
  length[d] = width;
  if (side < 0) {
    first[d] = halo ? 0 : width;
  } else {
    first[d] = halo ? width + shape.local(dimension) : shape.local(dimension);
  }
  return region_of(shape, first, length);
}

std::string direction_name(const HaloDirection& direction) {
  return fmt::format("{}{}", "ijk"[direction.dimension], direction.side < 0 ? '-' : '+');
}

}  // namespace

Pattern classify(const HaloRegion& region) {
  if (region.rows() == 1) return Pattern::block;
  return region.run == 1 ? Pattern::stride : Pattern::block_stride;
}

std::int64_t HaloPlan::bytes(std::optional<Pattern> pattern) const {
  std::int64_t sum = 0;
  for (const HaloDirection& direction : directions) {
    if (!pattern || direction.pattern == *pattern) sum += direction.bytes;
  }
  return sum;
}

HaloSystem HaloSystem::load() {
  const Peach2 board = load_peach2();
  const HaPacsTca cluster = load_ha_pacs_tca();
  return {board, cluster, SubCluster(cluster.rings, cluster.ring_nodes, board.window_bytes, board.devices),
          cluster.nodes};
}

bool HaloSystem::joined(int a, int b) const {
  if (sub_cluster_of(a) != sub_cluster_of(b)) return false;
  if (sub_cluster_of(a) != 0) return true;
  try {
    static_cast<void>(sub_cluster.route(a, b));
    static_cast<void>(sub_cluster.route(b, a));
    return true;
  } catch (const LinkDown&) {
    return false;
  }
}

namespace {

class Planner {
 public:
  Planner(const HaloShape& shape, HaloMethod method, const HaloSystem& system, std::vector<int> nodes)
      : system_(system), plans_{shape, method, std::move(nodes), {}, {}} {}

  Planner(HaloPlans plans, const HaloSystem& system) : system_(system), plans_(std::move(plans)) {}

  /// Completes all directions of plans that exist.
  HaloPlans complete() {
    for (std::size_t rank = 0; rank < plans_.ranks.size(); ++rank) {
      for (HaloDirection& d : plans_.ranks[rank].directions) complete(static_cast<int>(rank), d);
      require_room(static_cast<int>(rank), plans_.ranks[rank]);
    }
    return std::move(plans_);
  }

  HaloPlans run() {
    for (int rank = 0; rank < plans_.shape.ranks(); ++rank) plans_.ranks.push_back(plan_of(rank));
    return std::move(plans_);
  }

 private:
  HaloPlan plan_of(int rank) {
    HaloPlan plan;
    const auto at = plans_.shape.coordinates(rank);
    for (int dimension = 0; dimension < kHaloDimensions; ++dimension) {
      const auto d = static_cast<std::size_t>(dimension);
      if (plans_.shape.split[d] == 1 || plans_.shape.width[d] == 0) continue;
      // Even ranks turn to the higher neighbour first, odd ranks to the lower, so that pairs exchange at the same time.
      const int first = at[d] % 2 == 0 ? +1 : -1;
      for (const int side : {first, -first}) {
        auto peer = at;
        peer[d] += side;
        if (peer[d] < 0 || peer[d] >= plans_.shape.split[d]) continue;
        plan.directions.push_back(direction(rank, plans_.shape.rank(peer), dimension, side));
      }
    }
    require_room(rank, plan);
    return plan;
  }

  void require_room(int rank, const HaloPlan& plan) const {
    int descriptors = 0;
    for (const HaloDirection& d : plan.directions) descriptors += d.descriptors;
    if (descriptors > system_.cluster.own_descriptor_max) {
      throw Error(fmt::format("{} descriptors of rank {} are refused: the chip holds {}", descriptors, rank,
                              system_.cluster.own_descriptor_max));
    }
  }

  HaloDirection direction(int rank, int peer, int dimension, int side) {
    HaloDirection d;
    d.dimension = dimension;
    d.side = side;
    d.peer = peer;
    d.send = face(plans_.shape, dimension, side, false);
    d.receive = face(plans_.shape, dimension, side, true);
    complete(rank, d);
    return d;
  }

  void complete(int rank, HaloDirection& d) {
    d.pattern = classify(d.send);
    d.bytes = d.send.elements() * static_cast<std::int64_t>(plans_.shape.element_bytes);
    d.carrier = carrier(rank, d);
    // The DMA controller handles rows by itself, but not single elements. MPI packs every face that has rows.
    d.packed = d.pattern == Pattern::stride || (d.carrier == Carrier::mpi && d.pattern == Pattern::block_stride);
    if (d.carrier == Carrier::tca) d.descriptors = d.packed ? 1 : static_cast<int>(d.send.outer);
  }

  Carrier carrier(int rank, const HaloDirection& d) {
    const int from = plans_.nodes[static_cast<std::size_t>(rank)];
    const int to = plans_.nodes[static_cast<std::size_t>(d.peer)];
    switch (plans_.method) {
      case HaloMethod::mv2gdr:
        return Carrier::mpi;
      case HaloMethod::hybrid:
        if (d.pattern == Pattern::block) return Carrier::mpi;
        if (system_.joined(from, to)) return Carrier::tca;
        plans_.notes.push_back(reason_of_fallback(rank, from, to, d));
        return Carrier::mpi;
      case HaloMethod::tca:
        break;
    }
    if (system_.sub_cluster_of(from) != system_.sub_cluster_of(to)) {
      throw Error(fmt::format("rank {} (node {}) is unreachable from rank {} (node {}) by TCA: sub-clusters {} and {}",
                              d.peer, to, rank, from, system_.sub_cluster_of(to), system_.sub_cluster_of(from)));
    }
    if (system_.sub_cluster_of(from) == 0) static_cast<void>(system_.sub_cluster.route(from, to));
    return Carrier::tca;
  }

  [[nodiscard]] std::string reason_of_fallback(int rank, int from, int to, const HaloDirection& d) const {
    std::string why = fmt::format("nodes {} and {} lie in different sub-clusters", from, to);
    if (system_.sub_cluster_of(from) == system_.sub_cluster_of(to)) {
      for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
        try {
          static_cast<void>(system_.sub_cluster.route(a, b));
        } catch (const LinkDown& down) {
          why = down.what();
          break;
        }
      }
    }
    return fmt::format("rank {} {}: over InfiniBand, since {}", rank, direction_name(d), why);
  }

  const HaloSystem& system_;
  HaloPlans plans_;
};

}  // namespace

HaloPlans plan_halo(const HaloShape& shape, HaloMethod method, const HaloSystem& system) {
  shape.check();
  return Planner(shape, method, system, place_ranks(shape, system)).run();
}

HaloPlans plan_halo(const HaloShape& shape, HaloMethod method, const HaloSystem& system, std::vector<int> nodes) {
  shape.check();
  std::vector<bool> used(static_cast<std::size_t>(system.nodes));
  bool fits = nodes.size() == static_cast<std::size_t>(shape.ranks());
  for (const int node : nodes) {
    fits = fits && node >= 0 && node < system.nodes && !used[static_cast<std::size_t>(node)];
    if (!fits) break;
    used[static_cast<std::size_t>(node)] = true;
  }
  if (!fits) {
    throw Error(fmt::format("nodes {} are refused: they must be {} different ones from 0 to {}", fmt::join(nodes, ", "),
                            shape.ranks(), system.nodes - 1));
  }
  return Planner(shape, method, system, std::move(nodes)).run();
}

void choose_carriers(HaloPlans& plans, const HaloSystem& system) {
  plans = Planner(std::move(plans), system).complete();
}

namespace {

/// Chains of one sub-cluster, and the rank of each.
struct Chains {
  std::vector<TimedChain> chains;
  std::vector<std::size_t> ranks;
};

}  // namespace

double wire_bytes(const HaloDirection& d, const HaloShape& shape, const Peach2& board) {
  const double run = d.packed ? static_cast<double>(d.bytes)
                              : static_cast<double>(d.send.run) * static_cast<double>(shape.element_bytes);
  return static_cast<double>(d.bytes) * board.burst_factor(run);
}

HaloStart halo_start(const HaloPlan& plan, const HaPacsTca& m) {
  double tca_packed = 0;
  double mpi_packed = 0;
  HaloStart start;
  for (const HaloDirection& d : plan.directions) {
    if (d.packed) (d.carrier == Carrier::tca ? tca_packed : mpi_packed) += static_cast<double>(d.bytes);
    // MPI_Startall comes first, with a send and a receive for each message; then the chain is started.
    if (d.carrier == Carrier::mpi) start.posts += 2 * m.request;
  }
  if (tca_packed > 0) start.pack += m.tca_pack(tca_packed);
  if (mpi_packed > 0) start.pack += m.mpi_pack(mpi_packed);
  return start;
}

HaloTime exchange_time(const HaloPlans& plans, const HaloSystem& system) {
  const HaPacsTca& m = system.cluster;
  // With the hybrid method, data are on the GPU beside PEACH2, so that MPI crosses QPI. MPI alone uses the GPU beside
  // its adapter.
  const GdrPath path = plans.method == HaloMethod::hybrid ? GdrPath::qpi_tuned : GdrPath::same_socket;
  HaloTime time;
  std::vector<HaloStart> starts;
  std::vector<double> mpi;
  std::vector<Chains> sub_clusters(static_cast<std::size_t>(system.nodes / system.sub_cluster.nodes() + 1));
  for (std::size_t rank = 0; rank < plans.ranks.size(); ++rank) {
    starts.push_back(halo_start(plans.ranks[rank], m));
    std::vector<double> messages;
    TimedChain chain{plans.nodes[rank] % system.sub_cluster.nodes(),
                     starts.back().pack + starts.back().posts,
                     m.own_descriptors,
                     {}};
    for (const HaloDirection& d : plans.ranks[rank].directions) {
      if (d.carrier == Carrier::tca) {
        chain.puts.push_back({plans.nodes[static_cast<std::size_t>(d.peer)] % system.sub_cluster.nodes(),
                              wire_bytes(d, plans.shape, system.board), m.tca_rate});
      } else {
        messages.push_back(static_cast<double>(d.bytes));
      }
    }
    mpi.push_back(m.mpi_messages(messages, path));
    if (chain.puts.empty()) continue;
    Chains& chains = sub_clusters.at(static_cast<std::size_t>(system.sub_cluster_of(plans.nodes[rank])));
    chains.chains.push_back(std::move(chain));
    chains.ranks.push_back(rank);
  }
  std::vector<double> done(plans.ranks.size(), 0);
  for (std::size_t s = 0; s < sub_clusters.size(); ++s) {
    const Chains& chains = sub_clusters[s];
    if (chains.chains.empty()) continue;
    const SubCluster whole(system.sub_cluster.rings(), system.sub_cluster.ring_nodes(),
                           system.sub_cluster.window().bytes(), system.board.devices);
    const std::vector<TimedResult> results =
        run_chains(s == 0 ? system.sub_cluster : whole, {m.tca_rate, m.collision, m.hop}, chains.chains);
    for (std::size_t c = 0; c < results.size(); ++c) {
      done[chains.ranks[c]] = results[c].finished;
      time.tca = std::max(time.tca, results[c].finished - chains.chains[c].start);
      time.collided = time.collided || results[c].collided;
    }
  }
  bool exchanges = false;
  for (std::size_t rank = 0; rank < plans.ranks.size(); ++rank) {
    exchanges = exchanges || !plans.ranks[rank].directions.empty();
    time.pack = std::max(time.pack, starts[rank].pack);
    time.mpi = std::max(time.mpi, mpi[rank]);
    time.total = std::max({time.total, starts[rank].pack + mpi[rank], done[rank]});
  }
  time.overhead = exchanges ? m.exchange_overhead : 0;
  time.total += time.overhead;
  return time;
}

std::string describe(const HaloPlans& plans, int rank) {
  std::string text;
  for (const HaloDirection& d : plans.ranks.at(static_cast<std::size_t>(rank)).directions) {
    text +=
        fmt::format("{} to rank {} (node {}): {} rows of {} elements, gap {}: {}, {} bytes, {}{}\n", direction_name(d),
                    d.peer, plans.nodes[static_cast<std::size_t>(d.peer)], d.send.rows(), d.send.run, d.send.gap(),
                    name_of(d.pattern), d.bytes, name_of(d.carrier), d.packed ? ", packed" : "");
  }
  for (const std::string& note : plans.notes) text += note + "\n";
  return text;
}

}  // namespace gdr::interconnect
