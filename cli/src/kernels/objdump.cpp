#include <fmt/format.h>

#include "command/command.h"
#include "gdr/assembler/disassemble.h"
#include "gdr/base/quoted.h"
#include "gdr/hostlib/experiments.h"
#include "gdr/isa/experiment.h"

namespace gdr::cli {
namespace {

struct ObjdumpOptions {
  std::string file;
  bool raw = false;
};

int objdump(const ObjdumpOptions& options) {
  const auto& [file, raw] = options;
  if (!file.ends_with(".gdro")) {
    throw UsageError(fmt::format("{}: an object file's name ends in .gdro{}", file,
                                 file.ends_with(".vsm") ? "; gdr as with -o makes one of a source" : ""));
  }
  const isa::Program program = isa::read_object(file);
  fmt::print("# {}: kernel {}, object version {}, instruction set {}\n", base::on_one_line(file), program.kernel,
             isa::kObjectVersion, isa::kIsaVersion);
  fmt::print("# j-record {} long words, i-record {} fields, result {} fields\n", program.record_words,
             program.record_fields(isa::Transfer::hlt), program.record_fields(isa::Transfer::rrn));
  if (isa::is_experiment(program)) {
    fmt::print("# experiments: start {} fields, result {} fields\n", hostlib::start_columns(program).size(),
               hostlib::result_columns(program).size());
  }
  for (const isa::Variable& variable : program.variables) {
    fmt::print("# {} {} at {} {}\n", variable.vector ? "vector" : "scalar", variable.name,
               variable.memory == isa::Memory::bm   ? "BM"
               : variable.memory == isa::Memory::lm ? "LM"
                                                    : "GPR",
               variable.address);
  }
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    std::size_t n = 0;
    for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) {
      fmt::print("# {}:{} from {}:{}\n", isa::key_of(static_cast<isa::Section>(section)), n++,
                 base::on_one_line(program.files[line.position.file]), line.position.line);
    }
  }
  fmt::print("{}", raw ? assembler::disassemble(program) : assembler::disassemble_with_names(program));
  return kSuccess;
}

}  // namespace

void add_objdump(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<ObjdumpOptions>(
      name, "print an object file as source that assembles to the same words", "gdr objdump gravity.gdro", objdump);
  command.add_option("file=FILE", options->file, "object file (.gdro)").required();
  command.add_flag("--raw", options->raw, "print registers by number instead of names of variables");
}

}  // namespace gdr::cli
