// The host's part of a reduction over chips, on the 64-bit fields that the chips send.
#pragma once

#include <cstdint>

#include "gdr/isa/isa.h"

namespace gdr::emulator {

/// Reduces `a` and `b` with `op`: doubles with one rounding, 64-bit integers modulo 2^64.
[[nodiscard]] std::uint64_t reduce_on_host(isa::Op op, std::uint64_t a, std::uint64_t b);

}  // namespace gdr::emulator
