#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/listing.h"
#include "gdr/assembler/report_shapes.h"
#include "gdr/assembler/stubs.h"
#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/commandline/terminal.h"
#include "gdr/isa/loop_bound.h"

namespace gdr::cli {
namespace {

struct AsOptions {
  ReportOptions report;
  std::string source;
  std::string object;
  std::string stubs;
  std::string listing;
  AssembleArguments assemble;
};

Json report_of(const AsOptions& options, const assembler::AssembleResult& result) {
  Json json = options.report.begin();
  assembler::add_assembled(json, result);
  return json;
}

/// A kernel's header, source and module, in this order.
std::vector<std::string> stub_files(const isa::Program& program, const AsOptions& options) {
  std::vector<std::string> files;
  for (const char* ending : {"_grape.h", "_grape.c", "_grape.f90"}) {
    files.push_back(std::filesystem::path(options.stubs) / (program.kernel + ending));
  }
  return files;
}

void write_stubs(const isa::Program& program, const AsOptions& options) {
  base::make_folder(options.stubs);
  const assembler::Stubs stubs = assembler::generate_stubs(program);
  const std::vector<std::string> files = stub_files(program, options);
  base::write_file(files[0], stubs.header);
  base::write_file(files[1], stubs.source);
  base::write_file(files[2], stubs.fortran);
}

assembler::AssembleResult read_source(const std::string& source, const assembler::AssembleOptions& options) {
  if (source != "-") {
    const std::string path = kernel_path(source);
    require_source(path);
    return assembler::assemble_file(path, options);
  }
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // the same limit as for an included file
  std::string text(kMostBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (text.size() > kMostBytes) throw Error(fmt::format("standard input: more than {} bytes", kMostBytes));
  return assembler::assemble(text, "<stdin>", options);
}

void write_bytes_to_stdout(const std::vector<std::byte>& bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }

int assemble(const AsOptions& options) {
  const assembler::AssembleResult result = read_source(options.source, options.assemble.options());
  commandline::print_diagnostics(assembler::format_diagnostics(result));
  if (result.program) {
    const isa::Program& program = *result.program;
    if (!options.stubs.empty()) options.report.command->try_outputs("--stubs", stub_files(program, options));
    if (options.object == "-") {
      write_bytes_to_stdout(isa::serialize(program));
    } else if (!options.object.empty()) {
      isa::write_object(program, options.object);
    }
    if (!options.listing.empty()) {
      write_text(options.listing, assembler::listing(program, result.files));
    }
    if (!options.stubs.empty()) write_stubs(program, options);
    if (options.report.speaks() && options.object != "-") {
      const isa::LoopBound bound = isa::loop_bound(program);
      commandline::print_text(fmt::format("{}: {}, {} clocks per iteration (bound: {})\n", program.kernel,
                                          base::counted(bound.lines, "loop line"), bound.clocks(), bound.bound()));
    }
  }
  options.report.write(report_of(options, result));
  return result.program ? kSuccess : kFailure;
}

}  // namespace

void add_as(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<AsOptions>(
      name, "assemble a kernel and prove it legal",
      "gdr as kernels/gravity.vsm -o gravity.gdro --stubs . --listing gravity.lst", assemble);
  command
      .add_option("source=FILE", options->source,
                  "assembly source (.vsm), the name of a kernel that comes with gdr, or - for standard input")
      .required();
  command.add_output_or_stdout("-o,--output", options->object,
                               "object file to write (.gdro), or - for standard output");
  command.add_option("--stubs=DIRECTORY", options->stubs,
                     "directory for the generated C header, C source and Fortran module");
  command.add_output_or_stdout("--listing", options->listing,
                               "listing with words, clocks, units and bound to FILE, or - for standard output");
  options->assemble.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
