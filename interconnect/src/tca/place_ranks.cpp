// Nodes of the ranks of a halo exchange: by rules where neighbours can be one hop apart, else by a search.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "gdr/interconnect/halo_plan.h"

namespace gdr::interconnect {
namespace {

constexpr double kLeastGain = 1e-9;  // relative, so that rounding never makes a move a gain

std::vector<int> place_by_rules(const HaloShape& shape, const HaloSystem& system) {
  const int ranks = shape.ranks();
  if (ranks > system.nodes) {
    throw Error(fmt::format("{} ranks ({}) are refused: there are {} nodes", ranks, fmt::join(shape.split, ", "),
                            system.nodes));
  }
  const int along = system.sub_cluster.ring_nodes();
  const int rings = system.sub_cluster.rings();
  const int i = shape.split[0];
  const int jk = shape.split[1] * shape.split[2];
  const int usable_rings = ranks <= system.sub_cluster.nodes() ? rings : system.nodes / along;
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const int ci = rank / jk;
    const int cjk = rank % jk;
    int& node = nodes[static_cast<std::size_t>(rank)];
    if (i <= along && jk <= rings) {
      node = cjk * along + ci;
    } else if (jk <= along && i <= usable_rings) {
      node = ci * along + cjk;
    } else if ((i == 1 || jk == 1) && ranks <= 2 * along && rings == 2) {
      node = rank < along ? rank : 3 * along - 1 - rank;  // forward along one ring, back along the other
    } else {
      node = rank;
    }
  }
  return nodes;
}

/// Messages between neighbours, and the directed cables that a placement sends them over.
class PlacementSearch {
 public:
  PlacementSearch(const HaloShape& shape, const SubCluster& sub_cluster) : nodes_(sub_cluster.nodes()) {
    for (int from = 0; from < nodes_; ++from) {
      for (int to = 0; to < nodes_; ++to) {
        std::vector<std::size_t>& cables = cables_.emplace_back();
        const std::vector<int> route = sub_cluster.route(from, to);
        for (std::size_t k = 1; k < route.size(); ++k) cables.push_back(index(route[k - 1], route[k]));
      }
    }
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      const auto at = shape.coordinates(rank);
      for (int dimension = 0; dimension < kHaloDimensions; ++dimension) {
        const auto d = static_cast<std::size_t>(dimension);
        auto peer = at;
        if (++peer[d] >= shape.split[d] || shape.width[d] == 0) continue;
        const double bytes = face_elements(shape, dimension);
        messages_.push_back({rank, shape.rank(peer), bytes});
        messages_.push_back({shape.rank(peer), rank, bytes});
      }
    }
  }

  [[nodiscard]] bool has_long_route(const std::vector<int>& nodes) const {
    return std::ranges::any_of(messages_, [&](const Message& m) { return cables_of(nodes, m).size() > 1; });
  }

  /// Exchanges nodes, used or not, as long as one exchange lowers the cost: the sum of the squares of the cables'
  /// elements, so that long routes and shared cables both count.
  void descend(std::vector<int>& nodes) const {
    std::vector<int> all = nodes;  // ranks first, then the unused nodes
    for (int node = 0; node < nodes_; ++node) {
      if (std::ranges::find(nodes, node) == nodes.end()) all.push_back(node);
    }
    double least = cost(all);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        for (std::size_t b = a + 1; b < all.size(); ++b) {
          std::swap(all[a], all[b]);
          const double now = cost(all);
          if (now < least * (1 - kLeastGain)) {
            least = now;
            moved = true;
          } else {
            std::swap(all[a], all[b]);
          }
        }
      }
    }
    std::ranges::copy_n(all.begin(), static_cast<std::ptrdiff_t>(nodes.size()), nodes.begin());
  }

 private:
  struct Message {
    int from = 0;
    int to = 0;
    double elements = 0;
  };
  static double face_elements(const HaloShape& shape, int dimension) {
    double elements = static_cast<double>(shape.width[static_cast<std::size_t>(dimension)]);
    for (int other = 0; other < kHaloDimensions; ++other) {
      if (other != dimension) elements *= static_cast<double>(shape.local(other));
    }
    return elements;
  }
  [[nodiscard]] std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(to);
  }
  [[nodiscard]] const std::vector<std::size_t>& cables_of(const std::vector<int>& nodes, const Message& m) const {
    return cables_[index(nodes[static_cast<std::size_t>(m.from)], nodes[static_cast<std::size_t>(m.to)])];
  }
  [[nodiscard]] double cost(const std::vector<int>& nodes) const {
    std::vector<double> loads(cables_.size());
    for (const Message& m : messages_) {
      for (const std::size_t cable : cables_of(nodes, m)) loads[cable] += m.elements;
    }
    return std::inner_product(loads.begin(), loads.end(), loads.begin(), 0.0);
  }

  int nodes_ = 0;
  std::vector<std::vector<std::size_t>> cables_;  // shape: [from][to]
  std::vector<Message> messages_;
};

/// Time of an exchange with this placement, s.
double seconds_of(const HaloShape& shape, const HaloSystem& system, const std::vector<int>& nodes, HaloMethod method) {
  return exchange_time(plan_halo(shape, method, system, nodes), system).total;
}

}  // namespace

std::vector<int> place_ranks(const HaloShape& shape, const HaloSystem& system) {
  constexpr int kStarts = 16;  // descents from random placements
  std::vector<int> nodes = place_by_rules(shape, system);
  if (shape.ranks() > system.sub_cluster.nodes() || system.nodes < system.sub_cluster.nodes()) return nodes;
  try {
    shape.check();
    const PlacementSearch search(shape, system.sub_cluster);
    if (!search.has_long_route(nodes)) return nodes;
    const double hybrid_by_rules = seconds_of(shape, system, nodes, HaloMethod::hybrid);
    double least = seconds_of(shape, system, nodes, HaloMethod::tca);
    std::mt19937 random(1);  // every rank of a program finds the same placement
    std::vector<int> start = nodes;
    for (int n = 0; n < kStarts; ++n) {
      std::vector<int> tried = start;
      search.descend(tried);
      const double seconds = seconds_of(shape, system, tried, HaloMethod::tca);
      if (seconds < least * (1 - kLeastGain) &&
          seconds_of(shape, system, tried, HaloMethod::hybrid) <= hybrid_by_rules) {
        least = seconds;
        nodes = tried;
      }
      std::vector<int> all(static_cast<std::size_t>(system.sub_cluster.nodes()));
      std::iota(all.begin(), all.end(), 0);
      // Not std::shuffle, whose result depends on the library.
      for (std::size_t k = all.size() - 1; k > 0; --k) std::swap(all[k], all[random() % (k + 1)]);
      std::ranges::copy_n(all.begin(), static_cast<std::ptrdiff_t>(start.size()), start.begin());
    }
  } catch (const Error&) {
    // A cable is down, a chain is too long or the array is not divided: the plan says so.
  }
  return nodes;
}

}  // namespace gdr::interconnect
