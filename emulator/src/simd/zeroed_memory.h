// Memory of chips. Programs do not touch most of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace gdr::emulator::simd {

/// An array of zeroed elements. New pages cost time only where they are used, since the host clears a page when it is
/// first touched. Memory that the heap reuses causes no page faults, which would take longer than clearing it.
template <class Element>
class ZeroedMemory {
 public:
  static_assert(std::is_trivially_copyable_v<Element>);

  ZeroedMemory() = default;
  /// Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t count) : ZeroedMemory(std::calloc(room_of(count), 1), count) {}
  ZeroedMemory(const ZeroedMemory& other)
      : ZeroedMemory(std::malloc(room_of(other.elements_.size())), other.elements_.size()) {
    std::ranges::copy(other.elements_, elements_.begin());
  }
  ZeroedMemory(ZeroedMemory&& other) noexcept
      : block_(std::move(other.block_)), elements_(std::exchange(other.elements_, {})) {}
  ZeroedMemory& operator=(ZeroedMemory other) noexcept {
    std::swap(block_, other.block_);
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~ZeroedMemory() = default;

  [[nodiscard]] Element* data() { return elements_.data(); }
  [[nodiscard]] const Element* data() const { return elements_.data(); }

 private:
  /// Bytes to allocate. The heap's alignment is smaller than that of vectors.
  static constexpr std::size_t room_of(std::size_t count) { return count * sizeof(Element) + alignof(Element); }

  /// Takes ownership of the block, which has room for `count` elements.
  ZeroedMemory(void* block, std::size_t count) : block_(block) {
    if (block == nullptr) throw std::bad_alloc();
    std::size_t room = room_of(count);
    elements_ = {static_cast<Element*>(std::align(alignof(Element), count * sizeof(Element), block, room)), count};
  }

  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  std::unique_ptr<void, Free> block_;
  std::span<Element> elements_;
};

}  // namespace gdr::emulator::simd
