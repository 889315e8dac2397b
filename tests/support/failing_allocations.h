// Operator new that fails when a test wants it to, for programs that are linked with failing_allocations.cpp.
#pragma once

#include <cstddef>

namespace gdr::tests {

/// The allocation after `count` more fails, once; all others are served. On whatever thread.
void fail_allocation_after(std::size_t count);
/// Back to serving all. True if none was refused since fail_allocation_after().
bool serve_all_allocations();
/// Allocations that have not been freed.
std::ptrdiff_t live_allocations();

}  // namespace gdr::tests
