// The host's instruction sets for which vector code is compiled, and vector engines for a given instruction set, for
// callers that choose or compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

/// Instruction sets for which vector code, such as the vector engine's kernels, can be compiled. A build has those of
/// its own architecture.
enum class HostIsa : std::uint8_t {
  portable,  // every host: two lanes in the compiler's vector types
  sse4_2,    // x86-64 with SSE4.2: two lanes
  neon,      // 64-bit ARM: two lanes
  avx2,      // x86-64 with AVX2 and FMA: four lanes
  avx512     // x86-64 with AVX-512 F, DQ, BW, VL, CD: eight lanes
};

/// When the vector engine compiles loop bodies to functions of the host. Results are the same.
enum class JitUse : std::uint8_t {
  automatic,  // once so much has been computed that it pays, on hosts and in builds that can compile
  always,     // before the first run, for each body that can be compiled
  never
};

/// The enumerator's name.
[[nodiscard]] std::string_view name_of(HostIsa isa);

/// The instruction sets that this host can run. `portable` is always first. The last is the fastest; it is used unless
/// GDR_HOST_ISA names another one.
[[nodiscard]] std::vector<HostIsa> available_host_isas();

/// The fastest instruction set, or the one that GDR_HOST_ISA names. Throws Error if this host cannot run that one.
[[nodiscard]] HostIsa default_host_isa();

/// Throws Error, naming `caller`, if the host lacks this instruction set.
void require_host_isa(const char* caller, HostIsa isa);

/// True if loop bodies can be compiled for this instruction set: it is AVX2, AVX-512 or NEON, the host has it, and the
/// library gdr_jit is there.
[[nodiscard]] bool can_compile_loops(HostIsa isa);
/// The same for the host's fastest instruction set.
[[nodiscard]] bool can_compile_loops();

/// A chip of the vector engine for this instruction set. Throws Error if the host lacks the instruction set, or if
/// `jit` is JitUse::always and loop bodies cannot be compiled for it.
[[nodiscard]] std::unique_ptr<Chip> make_simd_chip(HostIsa isa, JitUse jit = JitUse::never);
/// The same for the engine native. Its compiled loop bodies give the same bits as its interpreter.
[[nodiscard]] std::unique_ptr<Chip> make_native_chip(HostIsa isa, JitUse jit = JitUse::never);

}  // namespace gdr::emulator
