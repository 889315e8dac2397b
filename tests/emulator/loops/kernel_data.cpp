#include "kernel_data.h"

#include <cmath>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/emulator/conversion.h"

namespace gdr::tests {

isa::Program kernel(const std::string& file, const std::map<std::string, std::string>& definitions) {
  assembler::AssembleOptions options;
  options.definitions = definitions;
  assembler::AssembleResult result = assembler::assemble_file(GDR_KERNELS_DIR "/" + file, options);
  if (!result.program) throw Error(file + " does not assemble");
  return *std::move(result.program);
}

isa::Program program_of(std::string_view source) {
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  assembler::AssembleResult result = assembler::assemble(source, "source of a test", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *std::move(result.program);
}

std::string name_of(Data data) {
  const char* names[] = {"random",   "pairs_of_one", "planar", "lattice",     "single_precision",
                         "integers", "huge",         "tiny",   "mixed_scales"};
  return names[static_cast<int>(data)];
}

double value_of(Data data, std::mt19937_64& random, bool third_coordinate) {
  const double uniform = std::uniform_real_distribution<>(-1, 1)(random);
  switch (data) {
    case Data::random:
    case Data::pairs_of_one:
      return uniform;
    case Data::planar:
      return third_coordinate ? 0 : uniform;
    case Data::lattice:
      return std::round(uniform * 1024) / 1024;
    case Data::single_precision:
      return static_cast<float>(uniform);
    case Data::integers:
      return std::round(uniform * 100);
    case Data::huge:
      return uniform * 0x1p300;
    case Data::tiny:
      return uniform * 0x1p-300;
    case Data::mixed_scales:
      return std::ldexp(uniform, static_cast<int>(random() % 200) - 100);
  }
  return 0;
}

isa::LongWord word_of(const isa::Variable& variable, double value) {
  switch (variable.conversion.value_or(isa::Conversion::FLT64TO72)) {
    case isa::Conversion::FLT64TO36:
      return isa::widen(emulator::flt64to36(value).value);
    case isa::Conversion::FIX64TO36:
      return isa::widen(emulator::fix64to36(static_cast<std::int64_t>(value)).value);
    case isa::Conversion::FLT64TO72:
    case isa::Conversion::FIX64TO72:
    case isa::Conversion::FLT72TO64:
    case isa::Conversion::FLT36TO64:
    case isa::Conversion::FIX72TO64:
    case isa::Conversion::FIX36TO64:
    case isa::Conversion::NONE:
      break;
  }
  return emulator::flt64to72(value).value;
}

}  // namespace gdr::tests
