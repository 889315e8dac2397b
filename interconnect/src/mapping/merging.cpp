#include "merging.h"

#include <algorithm>
#include <numeric>

namespace gdr::interconnect {

std::vector<Orientation> orientations_of(const Cell& extents) {
  std::vector<Orientation> turns;
  std::array<unsigned, 3> axis{0, 1, 2};
  do {
    if (extents[axis[0]] != extents[0] || extents[axis[1]] != extents[1] || extents[axis[2]] != extents[2]) continue;
    for (unsigned flips = 0; flips < 8; ++flips) {
      const std::array<bool, 3> flip{(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0};
      const bool idle = (flip[0] && extents[0] == 1) || (flip[1] && extents[1] == 1) || (flip[2] && extents[2] == 1);
      if (!idle) turns.push_back({axis, flip});
    }
  } while (std::ranges::next_permutation(axis).found);
  return turns;
}

Join::Join(unsigned along, const Cell& a, const Cell& b)
    : axis(along), a_extents(a), b_extents(b), a_turns(orientations_of(a)), b_turns(orientations_of(b)) {
  // Reflecting the joined box across another axis changes no hops and no largest load, so group a keeps its sides
  // there.
  std::erase_if(a_turns,
                [&](const Orientation& turn) { return turn.flip[(along + 1) % 3] || turn.flip[(along + 2) % 3]; });
}

namespace {

using Signed = std::int64_t;

std::uint32_t apart(std::uint32_t x, std::uint32_t y) { return x > y ? x - y : y - x; }

/// Sums over the crossing pairs, axis by axis. They give hops x bytes for every choice of turns.
struct AxisSums {
  Signed bytes = 0;
  std::array<Signed, 3> a{};  // bytes x coordinate along each axis of group a
  std::array<Signed, 3> b{};
  // [axis of a][axis of b][0: both in the same direction, 1: one of them backwards]: bytes x distance
  std::array<std::array<std::array<Signed, 2>, 3>, 3> between{};

  AxisSums(const Join& join, const Merge& merge) {
    // Axes of different extents never lie side by side, but summing them costs no more than a test.
    for (const TaskPair& pair : merge.crossing) {
      const auto weight = static_cast<Signed>(pair.a_to_b + pair.b_to_a);
      const Cell& u = merge.cells[pair.a];
      const Cell& v = merge.cells[pair.b];
      bytes += weight;
      for (unsigned i = 0; i < 3; ++i) {
        a[i] += weight * u[i];
        b[i] += weight * v[i];
        for (unsigned j = 0; j < 3; ++j) {
          between[i][j][0] += weight * apart(u[i], v[j]);
          between[i][j][1] += weight * apart(u[i] + v[j] + 1, join.b_extents[j]);
        }
      }
    }
  }

  [[nodiscard]] Signed hop_bytes(const Join& join, const Orientation& a_turn, const Orientation& b_turn) const {
    Signed sum = 0;
    for (unsigned t = 0; t < 3; ++t) {
      const unsigned i = a_turn.axis[t];
      const unsigned j = b_turn.axis[t];
      if (t != join.axis) {
        sum += between[i][j][a_turn.flip[t] != b_turn.flip[t] ? 1 : 0];
        continue;
      }
      const Signed a_last = Signed{join.a_extents[i]} - 1;
      const Signed b_last = Signed{join.b_extents[j]} - 1;
      const Signed a_sum = a_turn.flip[t] ? bytes * a_last - a[i] : a[i];
      const Signed b_sum = b_turn.flip[t] ? bytes * b_last - b[j] : b[j];
      sum += bytes * (a_last + 1) - a_sum + b_sum;
    }
    return sum;
  }
};

}  // namespace

Turns LeastHops::choose(const Join& join, const Merge& merge) {
  Turns best;
  if (merge.crossing.empty()) return best;
  const AxisSums sums(join, merge);
  Signed least = std::numeric_limits<Signed>::max();
  for (std::size_t a = 0; a < join.a_turns.size(); ++a) {
    for (std::size_t b = 0; b < join.b_turns.size(); ++b) {
      const Signed hop_bytes = sums.hop_bytes(join, join.a_turns[a], join.b_turns[b]);
      if (hop_bytes < least) {
        least = hop_bytes;
        best = {a, b};
      }
    }
  }
  return best;
}

}  // namespace gdr::interconnect
