#include "direct_sums.h"

#include "gdr/base/error.h"
#include "gdr/emulator/host_isa.h"

namespace gdr::hostlib::simd {

#define GDR_HOST_ISA(isa, supported) DirectLoops direct_loops_##isa();
#include "host_isas.inc"
#undef GDR_HOST_ISA

DirectLoops direct_loops(emulator::HostIsa isa) {
  using emulator::HostIsa;
#define GDR_HOST_ISA(name, supported) \
  if (isa == HostIsa::name) return direct_loops_##name();
#include "host_isas.inc"
#undef GDR_HOST_ISA
  GDR_ASSERT(false, "loops exist for the instruction sets of the host's architecture alone");
}

}  // namespace gdr::hostlib::simd
