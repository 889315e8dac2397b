// Writes a kernel as an object file, reads it again, and goes through its variables and its code.
#include <gdr/hostlib/kernel_program.h>
#include <gdr/isa/program.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  using namespace gdr;
  // write_object() and read_object() do the same with files.
  const std::vector<std::byte> object = isa::serialize(hostlib::kernel_program("tutorial"));
  const isa::Program program = isa::deserialize(object, "tutorial.gdro");

  std::printf("kernel %s, %g flops per interaction\n", program.kernel.c_str(), program.flops);
  for (const isa::Variable& variable : program.variables) {
    std::printf("  %-3s in %s at address %2u, %s words\n", variable.name.c_str(),
                variable.memory == isa::Memory::bm ? "broadcast memory" : "local memory", variable.address,
                std::string(name_of(variable.width)).c_str());
  }
  for (const isa::Section section : {isa::Section::loop_initialization, isa::Section::loop_body}) {
    std::printf("%s\n", std::string(name_of(section)).c_str());
    for (const isa::ProgramLine& line : program.lines(section)) {
      std::printf("  source line %u: %s\n", line.position.line, isa::print(isa::decoded(line.word)).c_str());
    }
  }
}
