// The host's part of a reduction over chips, on the 64-bit fields that leave them.
#pragma once

#include <cstdint>

#include "gdr/isa/isa.h"

namespace gdr::emulator {

/// `a` op `b` of a reduction: on doubles with one rounding, on 64-bit integers modulo 2^64.
[[nodiscard]] std::uint64_t reduce_on_host(isa::Op op, std::uint64_t a, std::uint64_t b);

}  // namespace gdr::emulator
