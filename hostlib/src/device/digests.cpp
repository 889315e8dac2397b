#include "gdr/hostlib/digests.h"

#include <fmt/format.h>

#include <span>

#include "gdr/assembler/disassemble.h"
#include "gdr/base/digest.h"

namespace gdr::hostlib {
namespace {

std::string sha256(std::string_view text) { return base::sha256_hex(std::as_bytes(std::span(text))); }

}  // namespace

std::string kernel_digest(const isa::Program& program) { return sha256(assembler::disassemble(program)); }

std::string machine_digest(const emulator::MachineDescription& machine) {
  std::string parameters;
  for (const base::Parameter& parameter : machine.parameters) {
    parameters += fmt::format("{} = {}\n", parameter.key, parameter.value);
  }
  return sha256(parameters);
}

}  // namespace gdr::hostlib
