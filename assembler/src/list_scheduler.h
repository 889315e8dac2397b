// A list scheduler: line by line, of the operations that are ready the most urgent ones that have unit and ports.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dependences.h"

namespace gdr::assembler {

/// Operations of each line, in the order of their units; an empty line waits for results.
using Packing = std::vector<std::vector<std::size_t>>;

/// Nothing if the scheduler needs `limit` lines or more.
[[nodiscard]] std::optional<Packing> pack(const SectionGraph& graph, std::size_t limit);

}  // namespace gdr::assembler
