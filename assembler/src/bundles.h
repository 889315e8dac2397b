// Operations that keep their places to each other.
#pragma once

#include <cstddef>
#include <vector>

#include "dependences.h"

namespace gdr::assembler {

/// Operations that keep their places to each other: the two lines of a long product, and operations of one line each of
/// which reads what the next writes, all the way round.
struct Bundle {
  struct Member {
    std::size_t operation = 0;
    std::size_t offset = 0;  // lines behind the bundle's first
  };
  std::vector<Member> members;
  std::size_t earliest = 0;
};

/// Between bundles; `lines` may be negative where a long product's second line is what waits.
struct Edge {
  std::size_t to = 0;
  std::ptrdiff_t lines = 0;
};

/// Of a section's operations. Throws nothing; dependences between bundles close no circle.
class Bundles {
 public:
  explicit Bundles(const SectionGraph& graph);

  [[nodiscard]] const std::vector<Bundle>& all() const { return bundles_; }
  [[nodiscard]] const std::vector<std::vector<Edge>>& edges() const { return edges_; }
  /// Of each bundle, from how many others it waits.
  [[nodiscard]] std::vector<unsigned> predecessors() const;
  /// Lines of the longest way from each bundle to the section's end.
  [[nodiscard]] std::vector<std::ptrdiff_t> ways() const;

 private:
  [[nodiscard]] std::size_t line_of(std::size_t operation) const { return graph_.operations[operation].line; }
  void join(std::size_t a, std::size_t b);
  void join_circles();
  void join_products();
  void collect();

  const SectionGraph& graph_;
  std::vector<std::size_t> group_;  // each operation's, named by its first member
  std::vector<Bundle> bundles_;
  std::vector<std::vector<Edge>> edges_;
};

}  // namespace gdr::assembler
