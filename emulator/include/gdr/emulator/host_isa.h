// The vector engine for one named instruction set of the host, where a caller wants to choose or to compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

/// What the vector engine's kernels can be compiled for. A build has those of its own architecture.
enum class HostIsa : std::uint8_t {
  portable,  // every host: two lanes in the compiler's own vectors
  sse4_2,    // x86-64 with SSE4.2: two lanes
  neon,      // 64-bit ARM: two lanes
  avx2,      // x86-64 with AVX2 and FMA: four lanes
  avx512     // x86-64 with AVX-512 F, DQ, BW, VL, CD: eight lanes
};

/// As the enumerator is spelled.
[[nodiscard]] std::string_view name_of(HostIsa isa);

/// Those that this host can run; `portable` is always first. The last is the fastest, used unless GDR_HOST_ISA names
/// another one.
[[nodiscard]] std::vector<HostIsa> available_host_isas();

/// The vector engine on this instruction set. Throws Error if the host lacks it.
[[nodiscard]] std::unique_ptr<Chip> make_simd_chip(HostIsa isa);

}  // namespace gdr::emulator
