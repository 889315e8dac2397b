#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/compiler/compiler.h"
#include "gdr/isa/loop_bound.h"
#include "kernel_source.h"

namespace gdr::cli {
namespace {

struct Options {
  ReportOptions report;
  std::string source;
  std::string output;
  std::string emit;
  bool precision = false;
  CompileArguments compile;
};

std::string output_name(const Options& options, const std::string& kernel) {
  if (!options.output.empty()) return options.output;
  return kernel + (options.emit == "vsm" ? ".vsm" : ".gdro");
}

bool wants_source(const Options& options) {
  if (options.output.empty() || options.output == "-") return options.emit != "gdro";
  const bool by_name = options.output.ends_with(".vsm");
  if (!by_name && !options.output.ends_with(".gdro")) {
    throw UsageError(fmt::format("-o: '{}' is refused: it must end in .vsm or .gdro, or be -", options.output));
  }
  if (!options.emit.empty() && by_name != (options.emit == "vsm")) {
    throw UsageError(fmt::format("--emit {} and -o {} say different things", options.emit, options.output));
  }
  return by_name;
}

Json report_of(const compiler::CompileResult& compiled, const assembler::AssembleResult* assembled,
               const Options& options, double host_seconds) {
  Json json = envelope("cc", "", "", false);
  for (const char* of_a_run : {"machine", "engine", "exact"}) json[of_a_run] = nullptr;
  json["host_seconds"] = host_seconds;
  json["seed"] = options.compile.seed;
  json["effort"] = options.compile.effort;
  for (const char* own : {"kernel", "lines", "least_lines", "clocks_per_iteration", "bound"}) json[own] = nullptr;
  if (assembled != nullptr && assembled->program) {
    const isa::LoopBound bound = isa::loop_bound(*assembled->program);
    json["kernel"] = compiled.kernel;
    json["lines"] = Json::object();
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      const auto named = static_cast<isa::Section>(section);
      json["lines"][std::string(isa::key_of(named))] = assembled->program->lines(named).size();
    }
    json["least_lines"] = compiled.least_lines;
    json["clocks_per_iteration"] = bound.clocks();
    json["bound"] = bound.bound();
  }
  json["precision"] = Json::array();
  for (const compiler::PrecisionRow& row : compiled.precision) {
    json["precision"].push_back({{"name", row.name},
                                 {"line", row.line},
                                 {"operation", row.operation},
                                 {"width", row.is_short ? "short" : "long"}});
  }
  json["diagnostics"] = Json::array();
  for (const compiler::Diagnostic& diagnostic : compiled.diagnostics) {
    json["diagnostics"].push_back({{"severity", "error"},
                                   {"file", diagnostic.file},
                                   {"line", diagnostic.line},
                                   {"column", diagnostic.column},
                                   {"message", diagnostic.message}});
  }
  return json;
}

void print_precision(const compiler::CompileResult& compiled) {
  fmt::print("{:<6} {:<6} {:<8} {}\n", "line", "word", "operation", "value");
  for (const compiler::PrecisionRow& row : compiled.precision) {
    fmt::print("{:<6} {:<6} {:<8}  {}\n", row.line, row.is_short ? "short" : "long", row.operation, row.name);
  }
}

int compile(const Options& options) {
  const Stopwatch watch;
  const bool source_wanted = wants_source(options);
  const CompiledKernel kernel = compile_kernel(options.source, options.compile.options());
  if (kernel.assembled.program) {
    if (options.output == "-") {
      std::fputs(kernel.compiled.source.c_str(), stdout);
    } else if (source_wanted && (!options.output.empty() || options.emit == "vsm")) {
      base::write_file(output_name(options, kernel.compiled.kernel), kernel.compiled.source);
    } else if (!options.output.empty() || options.emit == "gdro") {
      isa::write_object(*kernel.assembled.program, output_name(options, kernel.compiled.kernel));
    }
    if (options.report.speaks() && options.output != "-") {
      const isa::LoopBound bound = isa::loop_bound(*kernel.assembled.program);
      fmt::print("{}: {} loop lines, {} clocks per iteration (bound: {})\n", kernel.compiled.kernel, bound.lines,
                 bound.clocks(), bound.bound());
      if (options.precision) print_precision(kernel.compiled);
    }
  }
  options.report.write(report_of(kernel.compiled, &kernel.assembled, options, watch.seconds()));
  return kernel.assembled.program ? kSuccess : kFailure;
}

}  // namespace

void add_cc(Command program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("cc", "compile a pair function in C++ to a kernel",
                          "gdr cc kernels/cc/gravity.cc -o gravity.vsm", [options] { return compile(*options); });
  command.add_option("source", options->source, "C++ (.cc, .cpp, .cxx), or LLVM's code (.ll, .bc)").required();
  command.add_output_or_stdout("-o,--output", options->output,
                               "assembly source (.vsm) or object file (.gdro) to write, or - for standard output");
  command.add_option("--emit", options->emit, "vsm or gdro, into a file of the kernel's name where -o is not given")
      .check(one_of({"vsm", "gdro"}));
  command.add_flag("--precision", options->precision, "tell which operations round to short words");
  options->compile.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
