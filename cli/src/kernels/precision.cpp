#include "precision.h"

#include <fmt/format.h>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"

namespace gdr::cli {

compiler::PrecisionReport measure(const std::string& source, const compiler::CompileOptions& options,
                                  const RunInput& input, const isa::Program& program, ProgressShown progress_shown) {
  Device device;
  device.load(program);
  input.require_parameters(program);
  input.set_parameters(device);
  RunData data = input.read(device);
  const auto run = [&](const compiler::CompileResult& compiled) {
    assembler::AssembleResult assembled = assembler::assemble(compiled.source, compiled.kernel + ".vsm");
    if (!assembled.program) {
      throw Error(source +
                  ": the compiler wrote a kernel that the assembler refuses: this is a fault of the compiler\n" +
                  assembler::format_diagnostics(assembled));
    }
    device.load(*std::move(assembled.program));
    input.set_parameters(device);
    device.write_j(0, data.j_fields);
    return device.run(data.i_fields, data.records);
  };
  Progress progress("measuring", progress_shown);
  const auto told = [&](std::size_t done, std::size_t all) { progress.show_count(done, all, "kernels"); };
  return compiler::measure_precision(source, options, {data.i_fields, data.j_fields, input.parameter_values()}, run,
                                     told);
}

}  // namespace gdr::cli
