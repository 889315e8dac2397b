// Memory of chips. Programs do not touch most of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gdr::emulator::simd {

struct FreeMemory {
  std::size_t mapped = 0;  // bytes; 0 if they are the heap's
  void operator()(void* memory) const;
};

/// Zeroed words, aligned for the widest host vector. Many words come straight from the system, in huge pages where it
/// has them, since page by page a chip's memory takes longer to get than many programs take to run. Pages that nobody
/// may touch stand before and behind such memory.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// `words`: a multiple of kVectorWords. Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t words);

  [[nodiscard]] std::uint64_t* data() const { return words_; }

 private:
  std::unique_ptr<void, FreeMemory> memory_;
  std::uint64_t* words_ = nullptr;
};

}  // namespace gdr::emulator::simd
