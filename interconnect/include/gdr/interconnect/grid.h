// Meshes and tori of up to three dimensions as task mapping sees them: positions, hops, and the one route of a message.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

using GridPosition = std::array<std::uint32_t, 3>;  // x, y, z; axes that a grid lacks are 0

/// Dimension-ordered routing.
struct GridRouting {
  TieRule tie = TieRule::direct;          // gives all comparable link loads of Sanno and Kise
  std::array<unsigned, 3> axes{0, 1, 2};  // order of the axes; 0 is x
};

class Grid {
 public:
  static constexpr unsigned kMostAxes = 3;
  static constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 22;

  /// One to three extents, x first. Throws gdr::Error if one is 0 or there are more than kMostNodes nodes.
  Grid(std::vector<std::uint32_t> extents, bool torus);

  /// Reads "torus:16x16x16", "mesh:8x8", ... Throws gdr::Error with the text and what is wrong.
  [[nodiscard]] static Grid parse(std::string_view text);
  /// The grid's name, as parse() reads it.
  [[nodiscard]] std::string name() const;

  [[nodiscard]] bool torus() const { return torus_; }
  [[nodiscard]] unsigned axes() const { return axes_; }
  [[nodiscard]] const GridPosition& extents() const { return extents_; }
  [[nodiscard]] std::uint32_t nodes() const { return extents_[0] * extents_[1] * extents_[2]; }
  /// Directed links are numbered (node * axes + axis) * 2 + (0: plus, 1: minus); on a mesh, links beyond the edge have
  /// a number but are not used.
  [[nodiscard]] std::uint32_t links() const { return nodes() * axes_ * 2; }

  /// node = x + X (y + Y z).
  [[nodiscard]] GridPosition position(std::uint32_t node) const {
    return {node % extents_[0], node / extents_[0] % extents_[1], node / (extents_[0] * extents_[1])};
  }
  [[nodiscard]] std::uint32_t node(const GridPosition& at) const {
    return at[0] + extents_[0] * (at[1] + extents_[1] * at[2]);
  }

  /// Hops if no link closed the rings of a torus.
  [[nodiscard]] static std::uint32_t mesh_hops(const GridPosition& a, const GridPosition& b) {
    const auto apart = [&](unsigned axis) { return a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis]; };
    return apart(0) + apart(1) + apart(2);
  }
  /// Hops that a message takes on this grid.
  [[nodiscard]] std::uint32_t hops(const GridPosition& a, const GridPosition& b) const {
    return ring_distance(0, a, b) + ring_distance(1, a, b) + ring_distance(2, a, b);
  }

  /// Calls visit(link) for each link from `from` to `to`, in order.
  template <class Visit>
  void for_each_link(std::uint32_t from, std::uint32_t to, const GridRouting& routing, Visit visit) const {
    GridPosition at = position(from);
    const GridPosition end = position(to);
    for (const unsigned axis : routing.axes) {
      const std::uint32_t extent = extents_[axis];
      const bool plus = torus_ ? goes_plus(extent, at[axis], end[axis], routing.tie) : end[axis] > at[axis];
      while (at[axis] != end[axis]) {
        visit((node(at) * axes_ + axis) * 2 + (plus ? 0 : 1));
        if (plus) {
          at[axis] = at[axis] + 1 == extent ? 0 : at[axis] + 1;
        } else {
          at[axis] = at[axis] == 0 ? extent - 1 : at[axis] - 1;
        }
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t ring_distance(unsigned axis, const GridPosition& a, const GridPosition& b) const {
    const std::uint32_t apart = a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis];
    return torus_ && 2 * apart > extents_[axis] ? extents_[axis] - apart : apart;
  }

  GridPosition extents_{1, 1, 1};
  unsigned axes_;
  bool torus_;
};

/// Reads an order of axes: "xyz", "zyx", ..., every axis once. Throws gdr::Error for other texts.
[[nodiscard]] std::array<unsigned, 3> parse_axis_order(std::string_view text);

}  // namespace gdr::interconnect
