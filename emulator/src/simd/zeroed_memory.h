// Memory of chips, most of which no program touches.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define GDR_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GDR_ADDRESS_SANITIZER 1
#endif
#endif

namespace gdr::emulator::simd {

/// Zeroed elements on pages of their own. The host gives and clears a page when it is touched first, so a large memory
/// costs what is used of it.
template <class Element>
class ZeroedMemory {
 public:
  static_assert(std::is_trivially_copyable_v<Element>);

  ZeroedMemory() = default;
  /// Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t count) : elements_(allocate(count), count) {}
  ZeroedMemory(const ZeroedMemory& other) : ZeroedMemory(other.elements_.size()) {
    std::ranges::copy(other.elements_, elements_.begin());
  }
  ZeroedMemory(ZeroedMemory&& other) noexcept : elements_(std::exchange(other.elements_, {})) {}
  ZeroedMemory& operator=(ZeroedMemory other) noexcept {
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~ZeroedMemory() { release(elements_); }

  [[nodiscard]] Element* data() { return elements_.data(); }
  [[nodiscard]] const Element* data() const { return elements_.data(); }

 private:
#ifdef GDR_ADDRESS_SANITIZER  // which watches the ends of what `new` gives
  static Element* allocate(std::size_t count) { return new Element[count](); }
  static void release(std::span<Element> elements) { delete[] elements.data(); }
#else
  static Element* allocate(std::size_t count) {
    if (count == 0) return nullptr;
    void* const pages =
        mmap(nullptr, count * sizeof(Element), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Element*>(pages);
  }
  static void release(std::span<Element> elements) {
    if (!elements.empty()) munmap(elements.data(), elements.size_bytes());
  }
#endif

  std::span<Element> elements_;
};

}  // namespace gdr::emulator::simd
