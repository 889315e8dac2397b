// Operator new of programs that simulate where they are linked with mimalloc, whose malloc is called here. mimalloc's
// own operator new is C as distributions build it: it cannot throw, and ends the process without a word when memory is
// exhausted.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

void* memory_or_null(std::size_t bytes, std::size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(bytes, 1));
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  return whole < bytes ? nullptr : std::aligned_alloc(alignment, whole);
}

void* memory(std::size_t bytes, std::size_t alignment = 1) {
  while (true) {
    if (void* const got = memory_or_null(bytes, alignment)) return got;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* memory_without_throwing(std::size_t bytes, std::size_t alignment = 1) noexcept {
  try {
    return memory(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::size_t size_of(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

// mimalloc has every form, so every form is replaced.
void* operator new(std::size_t bytes) { return memory(bytes); }
void* operator new[](std::size_t bytes) { return memory(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept { return memory_without_throwing(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return memory_without_throwing(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) { return memory(bytes, size_of(alignment)); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return memory(bytes, size_of(alignment)); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  return memory_without_throwing(bytes, size_of(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  return memory_without_throwing(bytes, size_of(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/, const std::nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/, const std::nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
