// Descriptions of the whole memories of a PE, and checks that are common to all engines: PEs and addresses that a chip
// does not have are refused.
#pragma once

#include <fmt/format.h>

#include "gdr/emulator/chip.h"
#include "gdr/isa/effects.h"
#include "require.h"

namespace gdr::emulator {

inline constexpr PeWords kWholeGpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
inline constexpr PeWords kWholeLm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};

inline void require_pe(unsigned pe) { require(pe < kPesPerBlock, "pe", pe, 0, kPesPerBlock - 1); }

/// Throws gdr::Error unless all `where.count` words are inside the PE's memory.
inline void require_pe_words(const PeWords& where) {
  if (where.memory == isa::Memory::bm) throw Error("where.memory = bm is refused: it must be gpr or lm");
  const unsigned size = where.memory == isa::Memory::gpr ? isa::kGprShortWords : isa::kLmShortWords;
  const unsigned stride = isa::short_words(where.width);
  require(where.address + stride <= size, "where.address", where.address, 0, size - stride);
  if (where.address % stride != 0) {
    throw Error(fmt::format("where.address = {} is refused: a long word has an even one", where.address));
  }
  const unsigned most = (size - where.address) / stride;
  require(where.count >= 1 && where.count <= most, "where.count", where.count, 1, most);
}

inline void require_bm(unsigned address, std::size_t count) {
  constexpr unsigned kWords = isa::kBmShortWords / 2;
  require(address < kWords, "address", address, 0, kWords - 1);
  require(count <= kWords - address, "count", count, 0, kWords - address);
}

}  // namespace gdr::emulator
