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

/// Pages of memory from the system. Huge ones serve if most words are used: page by page a chip's memory takes longer
/// to get than many programs take to run. Small ones serve if few are, since a page is cleared as a whole.
enum class Pages : std::uint8_t { small, huge };

/// Zeroed words, aligned for the widest host vector. Many words come straight from the system. Such words end right
/// before a page that nobody may touch; what is before them may be accessible.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// `words`: a multiple of kVectorWords. Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t words, Pages pages = Pages::huge);

  [[nodiscard]] std::uint64_t* data() const { return words_.get(); }

 private:
  std::unique_ptr<std::uint64_t[], FreeMemory> words_;
};

}  // namespace gdr::emulator::simd
