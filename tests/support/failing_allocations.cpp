#include "failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr std::ptrdiff_t kNever = -1;
std::atomic<std::ptrdiff_t> left = kNever;  // to serve before the one that fails
std::atomic<std::ptrdiff_t> live = 0;

void* served(std::size_t bytes, std::size_t alignment) {
  if (left.load() >= 0 && left.fetch_sub(1) == 0) return nullptr;
  void* const memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory != nullptr) ++live;
  return memory;
}

void freed(void* memory) {
  if (memory != nullptr) --live;
  std::free(memory);
}

}  // namespace

// All forms that the library does not pass on: a sanitizer's operator new must not meet our operator delete.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept { return served(bytes, 0); }
void* operator new(std::size_t bytes) {
  if (void* const memory = served(bytes, 0)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const memory = served(bytes, static_cast<std::size_t>(alignment))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { freed(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { freed(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept { freed(memory); }

namespace gdr::tests {

void fail_allocation_after(std::size_t count) { left = static_cast<std::ptrdiff_t>(count); }
bool serve_all_allocations() { return left.exchange(kNever) >= 0; }
std::ptrdiff_t live_allocations() { return live; }

}  // namespace gdr::tests
