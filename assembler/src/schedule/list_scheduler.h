// A list scheduler: for each line in turn, it takes the most urgent ready operations whose unit and ports are free.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "flow/dependences.h"

namespace gdr::assembler {

/// Indices of the operations of each line, ordered by unit. An empty line only waits for results.
using Packing = std::vector<std::vector<std::size_t>>;

/// Nothing if the scheduler needs `limit` lines or more.
[[nodiscard]] std::optional<Packing> pack(const SectionGraph& graph, std::size_t limit);

}  // namespace gdr::assembler
