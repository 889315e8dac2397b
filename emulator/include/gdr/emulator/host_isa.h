// The instruction sets of the host that vector code is compiled for, and the vector engine for one of them, where a
// caller wants to choose or to compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

/// What vector code, the vector engine's kernels among it, can be compiled for. A build has those of its own
/// architecture.
enum class HostIsa : std::uint8_t {
  portable,  // every host: two lanes in the compiler's own vectors
  sse4_2,    // x86-64 with SSE4.2: two lanes
  neon,      // 64-bit ARM: two lanes
  avx2,      // x86-64 with AVX2 and FMA: four lanes
  avx512     // x86-64 with AVX-512 F, DQ, BW, VL, CD: eight lanes
};

/// Whether the vector engine compiles loop bodies to functions of their own. Results are the same.
enum class JitUse : std::uint8_t {
  automatic,  // when so much has been computed that it pays, on hosts and in builds that can
  always,     // before the first run, wherever a body can be compiled
  never
};

/// As the enumerator is spelled.
[[nodiscard]] std::string_view name_of(HostIsa isa);

/// Those that this host can run; `portable` is always first. The last is the fastest, used unless GDR_HOST_ISA names
/// another one.
[[nodiscard]] std::vector<HostIsa> available_host_isas();

/// The fastest, or the one that GDR_HOST_ISA names. Throws Error if it names one that this host cannot run.
[[nodiscard]] HostIsa default_host_isa();

/// Throws Error, on behalf of `caller`, if the host lacks it.
void require_host_isa(const char* caller, HostIsa isa);

/// True if loop bodies can be compiled for this instruction set, AVX2, AVX-512 or NEON, which the host has, and the
/// library gdr_jit is there.
[[nodiscard]] bool can_compile_loops(HostIsa isa);
/// The same of the host's fastest one.
[[nodiscard]] bool can_compile_loops();

/// The vector engine on this instruction set. Throws Error if the host lacks it, and for JitUse::always if loop bodies
/// cannot be compiled for it.
[[nodiscard]] std::unique_ptr<Chip> make_simd_chip(HostIsa isa, JitUse jit = JitUse::never);
/// The engine native in the same way; its compiled bodies give the bits that its interpreter gives.
[[nodiscard]] std::unique_ptr<Chip> make_native_chip(HostIsa isa, JitUse jit = JitUse::never);

}  // namespace gdr::emulator
