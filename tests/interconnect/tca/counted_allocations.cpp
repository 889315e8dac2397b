#include "counted_allocations.h"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}

// All forms are replaced: a sanitizer's operator new must not meet our operator delete.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  ++count;
  return std::malloc(bytes);
}
void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }

namespace gdr::interconnect {

std::size_t allocations() { return count; }

}  // namespace gdr::interconnect
