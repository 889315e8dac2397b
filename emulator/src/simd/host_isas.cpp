// host_isas.inc, made from the list in cmake/GdrHostIsas.cmake, has a line for each instruction set that kernels are
// compiled for: GDR_HOST_ISA(name, whether this host has it).
#include "host_isas.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "line/micro_op.h"

namespace gdr::emulator {
namespace simd {

#define GDR_HOST_ISA(isa, supported) Kernel find_kernel_##isa(const KernelKey& key);
#include "host_isas.inc"
#undef GDR_HOST_ISA

Kernel find_kernel(HostIsa isa, const KernelKey& key) {
#define GDR_HOST_ISA(name, supported) \
  if (isa == HostIsa::name) return find_kernel_##name(key);
#include "host_isas.inc"
#undef GDR_HOST_ISA
  GDR_ASSERT(false, "kernels exist for the instruction sets of the host's architecture alone");
}

JitUse default_jit_use() {
  const std::string wanted = base::environment("GDR_JIT");
  if (wanted.empty() || wanted == "auto") return JitUse::automatic;
  if (wanted == "on") return JitUse::always;
  if (wanted == "off") return JitUse::never;
  throw Error(fmt::format("GDR_JIT: '{}' is refused: it must be auto, on or off", wanted));
}

}  // namespace simd

std::string_view name_of(HostIsa isa) {
  switch (isa) {
    case HostIsa::portable:
      return "portable";
    case HostIsa::sse4_2:
      return "sse4_2";
    case HostIsa::neon:
      return "neon";
    case HostIsa::avx2:
      return "avx2";
    case HostIsa::avx512:
      break;
  }
  return "avx512";
}

std::vector<HostIsa> available_host_isas() {
  std::vector<HostIsa> isas;
#define GDR_HOST_ISA(isa, supported) \
  if (supported) isas.push_back(HostIsa::isa);
#include "host_isas.inc"
#undef GDR_HOST_ISA
  return isas;
}

HostIsa default_host_isa() {
  const std::vector<HostIsa> available = available_host_isas();
  const std::string wanted = base::environment("GDR_HOST_ISA");
  if (wanted.empty()) return available.back();
  std::string names;
  for (const HostIsa isa : available) {
    if (name_of(isa) == wanted) return isa;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(isa));
  }
  throw Error(fmt::format("GDR_HOST_ISA: '{}' is refused: it must be one of {} on this host", wanted, names));
}

void require_host_isa(const char* caller, HostIsa isa) {
  const std::vector<HostIsa> available = available_host_isas();
  if (std::find(available.begin(), available.end(), isa) == available.end()) {
    throw Error(fmt::format("{}: this host has no {}", caller, name_of(isa)));
  }
}

}  // namespace gdr::emulator
