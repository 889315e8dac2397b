#include "zeroed_memory.h"

#include <cstdlib>
#include <new>

#include "line/micro_op.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gdr::emulator::simd {
namespace {

constexpr std::size_t kAlignment = kVectorWords * sizeof(std::uint64_t);  // bytes

std::uint64_t* words_at(std::byte* place) { return reinterpret_cast<std::uint64_t*>(place); }

std::byte* aligned(void* memory, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (alignment - address % alignment) % alignment;
}

#ifdef __linux__
constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes, on x86-64 and, beside pages of 4 KiB, on 64-bit ARM
#endif

}  // namespace

void FreeMemory::operator()(const std::uint64_t*) const {
#ifdef __linux__
  if (mapped != 0) {
    munmap(memory, mapped);
    return;
  }
#endif
  std::free(memory);
}

ZeroedMemory::ZeroedMemory(std::size_t words, [[maybe_unused]] Pages pages) {
  const std::size_t bytes = words * sizeof(std::uint64_t);
#ifdef __linux__
  if (bytes >= kHugePage) {
    const std::size_t usable = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    // One huge page more than is needed, for the alignment. What is left of it stays inaccessible: always something
    // behind the words, and nothing before them where the mapping is aligned by itself.
    const std::size_t mapped = usable + kHugePage;
    void* const memory = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    std::byte* const first = aligned(memory, kHugePage);
    words_ = {words_at(first + (usable - bytes)), FreeMemory{memory, mapped}};
    if (mprotect(first, usable, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    if (pages == Pages::huge) madvise(first, usable, MADV_HUGEPAGE);  // refused by a system without them
    return;
  }
#endif
  void* const memory = std::calloc(bytes + kAlignment, 1);
  if (memory == nullptr) throw std::bad_alloc();
  words_ = {words_at(aligned(memory, kAlignment)), FreeMemory{memory, 0}};
}

}  // namespace gdr::emulator::simd
