// Memory of one rank that the others may write, and the memory of others that this rank has reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "shared_block.h"
#include "tca_api.h"

namespace gdr::interconnect {

/// An error with the code that the C interface gives for it.
class TcaRefusal : public Error {
 public:
  TcaRefusal(tcaresult code, const std::string& what) : Error(what), code_(code) {}
  [[nodiscard]] tcaresult code() const { return code_; }

 private:
  tcaresult code_;
};

[[nodiscard]] inline TcaRefusal invalid(const std::string& what) { return {TCA_ERROR_INVALID_VALUE, what}; }

class RankMemory {
 public:
  /// Memory behind a handle. It stays mapped as long as the place exists, also if its owner has freed it.
  struct Place {
    std::shared_ptr<const SharedBlock> block;
    std::uint64_t serial = 0;
    std::byte* data = nullptr;
  };

  RankMemory() = default;
  /// `processes`: number of every rank's process. `slot_bytes`: most memory of a device.
  RankMemory(int rank, std::vector<long> processes, std::uint64_t slot_bytes)
      : rank_(rank), processes_(std::move(processes)), slot_bytes_(slot_bytes) {}

  /// These throw TcaRefusal for what is not there and for memory of another kind.
  [[nodiscard]] void* allocate(std::size_t bytes, tcaMemoryType kind);
  void release(const void* memory, tcaMemoryType kind);
  [[nodiscard]] tcaHandle handle(const void* memory, std::size_t bytes, tcaMemoryType kind) const;

  /// Throws TcaRefusal, naming `argument`, unless handle() made it on a rank that exists.
  void require(const tcaHandle& handle, const char* argument) const;
  /// Throws TcaRefusal if the memory is freed.
  [[nodiscard]] Place place(const tcaHandle& handle, const char* argument);
  [[nodiscard]] static bool is_alive(const Place& place);

 private:
  struct Header;  // in front of all memory that is shared
  [[nodiscard]] static Header& header_of(const SharedBlock& block);
  [[nodiscard]] int ranks() const { return static_cast<int>(processes_.size()); }

  int rank_ = 0;
  std::vector<long> processes_;  // by rank
  std::uint64_t slot_bytes_ = 0;
  std::map<const std::byte*, std::shared_ptr<SharedBlock>> own_;  // by the memory that the program knows
  std::map<std::pair<int, unsigned long long>, std::shared_ptr<SharedBlock>> others_;  // by rank and serial number
  std::array<std::uint64_t, 2> used_{};                                                // bytes, by kind
  std::uint64_t serial_ = 0;
};

}  // namespace gdr::interconnect
