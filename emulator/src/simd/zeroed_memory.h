// Memory of chips. Programs do not touch most of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gdr::emulator::simd {

struct FreeMemory {
  void* memory = nullptr;  // the words are part of it
  std::size_t mapped = 0;  // its bytes; 0 if they are the heap's
  void operator()(const std::uint64_t* words) const;
};

/// Zeroed words, aligned for the widest host vector. Many words come straight from the system, in huge pages where it
/// has them, since page by page a chip's memory takes longer to get than many programs take to run. Such words end
/// right before a page that nobody may touch; what is before them may be accessible.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// `words`: a multiple of kVectorWords. Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t words);

  [[nodiscard]] std::uint64_t* data() const { return words_.get(); }

 private:
  std::unique_ptr<std::uint64_t[], FreeMemory> words_;
};

}  // namespace gdr::emulator::simd
