// Lower limits of lines from the windows that are left to operations in a number of lines.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

/// A use of a resource in the line that is `offset` lines after the first one of a bundle.
struct ResourceUse {
  std::size_t bundle = 0;
  std::size_t offset = 0;
};

/// A unit, or ports of one kind. No two of the uses can be one read that serves both.
struct Resource {
  std::vector<ResourceUse> uses;
  std::size_t each = 1;  // uses that one line has room for
};

/// Why no order of bundles fits into `lines` lines.
struct NoRoom {
  std::size_t lines = 0;
  std::optional<std::size_t> resource;  // nothing: no line is left for `bundle`
  std::size_t uses = 0;                 // of the resource that would be in the lines from `first` to `last`
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t bundle = 0;
};

/// The largest number of lines from `least` on and below `most` that is known to be too small for all bundles. Nothing
/// is known if the dependences form a cycle, or if there are thousands of bundles.
[[nodiscard]] std::optional<NoRoom> too_few_lines(const BundleGraph& graph, const std::vector<Resource>& resources,
                                                  std::size_t least, std::size_t most);

}  // namespace gdr::assembler
