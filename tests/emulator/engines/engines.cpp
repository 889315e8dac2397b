#include "engines.h"

#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/lockstep.h"
#include "naive_chip.h"

namespace gdr::tests {

std::vector<ExactEngine> exact_engines() {
  using Form = ExactEngine::Form;
  std::vector<ExactEngine> engines{{Form::reference, "reference", [] { return emulator::make_reference_chip(); }}};
  for (const emulator::HostIsa isa : emulator::available_host_isas()) {
    engines.push_back(
        {Form::interpreted, std::string(emulator::name_of(isa)), [isa] { return emulator::make_simd_chip(isa); }});
  }
  for (const emulator::HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    engines.push_back({Form::compiled, "compiled_for_" + std::string(emulator::name_of(isa)),
                       [isa] { return emulator::make_simd_chip(isa, emulator::JitUse::always); }});
  }
  engines.push_back({Form::lockstep, "lockstep", [] {
                       return emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip());
                     }});
  engines.push_back({Form::naive, "naive", make_naive_chip});
  return engines;
}

}  // namespace gdr::tests
