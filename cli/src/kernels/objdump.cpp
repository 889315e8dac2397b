#include <fmt/format.h>

#include "command/command.h"
#include "gdr/assembler/disassemble.h"
#include "gdr/commandline/terminal.h"
#include "gdr/hostlib/experiments.h"

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
  commandline::print_text(hostlib::object_comment(program, file));
  commandline::print_text(raw ? assembler::disassemble(program) : assembler::disassemble_with_names(program));
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
