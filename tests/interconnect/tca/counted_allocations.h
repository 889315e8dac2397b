// Counts what a program that is linked with it allocates through operator new.
#pragma once

#include <cstddef>

namespace gdr::interconnect {

/// Calls of operator new since the program began.
std::size_t allocations();

}  // namespace gdr::interconnect
