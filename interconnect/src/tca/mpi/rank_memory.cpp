// Allocation and sharing of a rank's memory.
#include "rank_memory.h"

#include <fmt/format.h>

#include <atomic>

namespace gdr::interconnect {
namespace {

constexpr unsigned kMark = 0x74636168;  // a handle that tcaCreateHandle() filled
constexpr std::size_t kPage = 4096;

const char* name_of_kind(int kind) { return kind == tcaMemoryGPU ? "tcaMemoryGPU" : "tcaMemoryCPU"; }

void require_kind(int kind) {
  if (kind != tcaMemoryCPU && kind != tcaMemoryGPU) {
    throw invalid(fmt::format("kind {} is refused: it must be tcaMemoryCPU or tcaMemoryGPU", kind));
  }
}

}  // namespace

struct RankMemory::Header {
  std::uint64_t serial;  // 0: released
  std::int64_t kind;     // tcaMemoryType
};

RankMemory::Header& RankMemory::header_of(const SharedBlock& block) { return *reinterpret_cast<Header*>(block.data()); }

void* RankMemory::allocate(std::size_t bytes, tcaMemoryType kind) {
  require_kind(kind);
  if (bytes == 0) throw invalid("0 bytes are refused: memory has 1 byte or more");
  std::uint64_t& used = used_.at(static_cast<std::size_t>(kind));
  if (bytes > slot_bytes_ - used) {
    throw TcaRefusal(TCA_ERROR_OUT_OF_MEMORY,
                     fmt::format("{} bytes of {} on node {} are refused: {} bytes of its slot in the window are left",
                                 bytes, name_of_kind(kind), rank_, slot_bytes_ - used));
  }
  SharedBlock block = SharedBlock::create(kPage + bytes);
  std::byte* memory = block.data() + kPage;
  Header& header = header_of(block);
  header.kind = kind;
  std::atomic_ref(header.serial).store(++serial_, std::memory_order_release);
  own_.emplace(memory, std::make_shared<SharedBlock>(std::move(block)));
  used += bytes;
  return memory;
}

void RankMemory::release(const void* memory, tcaMemoryType kind) {
  require_kind(kind);
  const auto found = own_.find(static_cast<const std::byte*>(memory));
  if (found == own_.end()) {
    throw invalid(fmt::format("memory {} is refused: tcaMalloc() did not give it, or it is freed", memory));
  }
  Header& header = header_of(*found->second);
  if (header.kind != kind) {
    throw invalid(fmt::format("memory {} as {} is refused: it is {}", memory, name_of_kind(kind),
                              name_of_kind(static_cast<int>(header.kind))));
  }
  std::atomic_ref(header.serial).store(0, std::memory_order_release);  // other nodes still map it
  used_.at(static_cast<std::size_t>(kind)) -= found->second->bytes() - kPage;
  own_.erase(found);
}

tcaHandle RankMemory::handle(const void* memory, std::size_t bytes, tcaMemoryType kind) const {
  require_kind(kind);
  const auto* begin = static_cast<const std::byte*>(memory);
  auto found = own_.upper_bound(begin);
  const SharedBlock* block = found == own_.begin() ? nullptr : std::prev(found)->second.get();
  const std::size_t place = block == nullptr ? 0 : static_cast<std::size_t>(begin - block->data());
  if (block == nullptr || place >= block->bytes()) {
    throw invalid(fmt::format("memory {} is refused: tcaMalloc() did not give it, or it is freed", memory));
  }
  const Header& header = header_of(*block);
  if (header.kind != kind) {
    throw invalid(fmt::format("memory {} as {} is refused: it is {}", memory, name_of_kind(kind),
                              name_of_kind(static_cast<int>(header.kind))));
  }
  if (bytes == 0 || bytes > block->bytes() - place) {
    throw invalid(
        fmt::format("{} bytes from {} on are refused: it must be 1 to {}", bytes, memory, block->bytes() - place));
  }
  return {rank_, kind, block->file(), kMark, header.serial, place, bytes};
}

void RankMemory::require(const tcaHandle& handle, const char* argument) const {
  if (handle.mark != kMark) throw invalid(fmt::format("{} is refused: tcaCreateHandle() did not fill it", argument));
  if (handle.node < 0 || handle.node >= ranks()) {
    throw invalid(fmt::format("{} on node {} is refused: the nodes are 0 to {}", argument, handle.node, ranks() - 1));
  }
  require_kind(handle.kind);
}

RankMemory::Place RankMemory::place(const tcaHandle& handle, const char* argument) {
  std::shared_ptr<SharedBlock> block;
  try {
    if (handle.node == rank_) {
      for (const auto& [memory, own] : own_) {
        if (header_of(*own).serial == handle.serial) block = own;
      }
    } else {
      const std::pair key(handle.node, handle.serial);
      auto found = others_.find(key);
      if (found == others_.end()) {
        const long process = processes_[static_cast<std::size_t>(handle.node)];
        found = others_.emplace(key, std::make_shared<SharedBlock>(SharedBlock::open(process, handle.file))).first;
      }
      block = found->second;
    }
  } catch (const Error&) {
    block.reset();  // its file is closed; the refusal below says so
  }
  if (block != nullptr && block->bytes() > kPage && handle.place >= kPage && handle.place < block->bytes() &&
      handle.bytes <= block->bytes() - handle.place) {
    const Place found{block, handle.serial, block->data() + handle.place};
    if (is_alive(found)) return found;
  }
  if (handle.node != rank_) others_.erase({handle.node, handle.serial});
  throw invalid(fmt::format("{} on node {} is refused: its memory is freed", argument, handle.node));
}

bool RankMemory::is_alive(const Place& place) {
  return std::atomic_ref(header_of(*place.block).serial).load(std::memory_order_acquire) == place.serial;
}

}  // namespace gdr::interconnect
