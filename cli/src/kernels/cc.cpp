#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/commandline/terminal.h"
#include "gdr/compiler/compiler.h"
#include "gdr/compiler/goose.h"
#include "gdr/compiler/precision.h"
#include "gdr/compiler/report_shape.h"
#include "gdr/compiler/xacc.h"
#include "gdr/isa/loop_bound.h"
#include "runs/run_input.h"

namespace gdr::cli {
namespace {

struct CcOptions {
  ReportOptions report;
  std::string source;
  std::string output;
  std::string emit;
  bool precision = false;
  bool goose = false;
  bool xacc = false;
  std::vector<std::string> host;  // arguments for the host's compiler
  RunInput data;                  // data for the precision report
  CompileArguments compile;
};

std::string output_name(const CcOptions& options, const std::string& kernel) {
  if (!options.output.empty()) return options.output;
  return kernel + (options.emit == "vsm" ? ".vsm" : ".gdro");
}

bool wants_source(const CcOptions& options) {
  if (options.output.empty() || options.output == "-") return options.emit != "gdro";
  const bool by_name = base::ending_of(options.output) == ".vsm";
  if (!by_name && base::ending_of(options.output) != ".gdro") {
    throw UsageError(fmt::format("-o: '{}' is refused: it must end in .vsm or .gdro, or be -", options.output));
  }
  if (!options.emit.empty() && by_name != (options.emit == "vsm")) {
    throw UsageError(fmt::format("--emit {} and -o {} say different things", options.emit, options.output));
  }
  return by_name;
}

Json head_of_report(const CcOptions& options) {
  Json json = options.report.begin();
  json["seed"] = options.compile.seed;
  json["effort"] = options.compile.effort;
  json["fast"] = options.compile.fast;
  return json;
}

Json report_of(const CompiledKernel& kernel, const std::optional<compiler::PrecisionReport>& costs,
               const CcOptions& options) {
  Json json = head_of_report(options);
  compiler::add_compiled(json, kernel.compiled, kernel.assembled.program, costs);
  return json;
}

/// The name after -o, or that of the source without its extension.
std::string program_name(const CcOptions& options) {
  if (!options.output.empty()) return options.output;
  const std::string name = std::filesystem::path(options.source).replace_extension().filename().string();
  options.report.command->try_outputs("source", {name});
  return name;
}

/// True if the output's name asks for the program's source, false if it asks for the result of the host's compiler.
bool wants_program_source(const CcOptions& options) {
  return options.output == "-" || compiler::is_program(options.output);
}

/// The kernels of marked loops in the report, and in words if `told`.
void add_loops(Json& json, const std::vector<compiler::GooseKernel>& kernels, const CcOptions& options, bool told) {
  json["loops"] = Json::array();
  for (const compiler::GooseKernel& one : kernels) {
    const compiler::CompileResult& compiled = one.compiled;
    json["loops"].push_back({{"line", one.line},
                             {"kernel", compiled.kernel},
                             {"lines", compiled.lines},
                             {"least_lines", compiled.least_lines}});
    if (!told || !options.report.speaks() || options.output == "-") continue;
    commandline::print_text(
        fmt::format("{}:{}: {}\n", options.source, one.line, base::counted(compiled.lines, "loop line")));
    if (options.precision) commandline::print_text(compiler::widths_text(compiled));
  }
}

/// Without loops for the board no kernel is searched for.
void refuse_kernel_options(const CcOptions& options) {
  const CompileArguments none;
  const auto refuse = [](const char* option) {
    throw UsageError(
        fmt::format("{}: with --xacc it is for loops that #pragma goose marks, and there is none", option));
  };
  if (options.compile.effort != none.effort) refuse("-O");
  if (options.compile.seed != none.seed) refuse("--seed");
  if (options.compile.fast) refuse("--fast");
  if (options.precision) refuse("--precision");
}

/// Writes what `compile` has made of a program, or builds it by the host's compiler. `xacc`: the program need have no
/// loops for the board.
template <class Result, class Choices>
int finish_program(const CcOptions& options, const Choices& choices, bool xacc,
                   Result (*compile)(const std::filesystem::path&, const Choices&),
                   compiler::HostBuild (*build)(const Result&, const std::filesystem::path&,
                                                const std::filesystem::path&, const Choices&)) {
  const std::string output = program_name(options);
  const Result result = compile(options.source, choices);
  commandline::print_diagnostics(compiler::format_diagnostics(result));
  bool done = !result.source.empty();
  const bool without_loops = xacc && result.kernels.empty();
  if (done && without_loops) refuse_kernel_options(options);
  if (done && wants_program_source(options)) {
    write_text(output, result.source);
  } else if (done) {
    const compiler::HostBuild built = build(result, options.source, output, choices);
    std::fputs(built.messages.c_str(), stderr);
    done = built.done;
  }
  Json json = head_of_report(options);
  if (without_loops) {
    json["seed"] = json["effort"] = nullptr;
  } else {
    add_loops(json, result.kernels, options, done);
  }
  json["output"] = done ? Json(output) : Json(nullptr);
  json["diagnostics"] = compiler::diagnostics_json(result.diagnostics);
  options.report.write(json);
  return done ? kSuccess : kFailure;
}

/// With --goose or --xacc.
int compile_program(const CcOptions& options) {
  if (options.goose && options.xacc) throw UsageError("--goose and --xacc: a file has one kind of directives");
  const char* const kind = options.goose ? "--goose" : "--xacc";
  if (!options.emit.empty()) {
    throw UsageError(fmt::format("--emit: with {} the name after -o says what is written", kind));
  }
  if (!options.compile.function.empty()) {
    throw UsageError(
        fmt::format("--function: with {} the {} choose the loops", kind, options.goose ? "pragmas" : "directives"));
  }
  if (options.data.given()) {
    throw UsageError(fmt::format("--i and --j: a program with {} has its own data", kind));
  }
  if (options.goose) {
    const compiler::GooseOptions goose{options.compile.options(), options.host};
    return finish_program(options, goose, false, compiler::compile_goose, compiler::build_goose);
  }
  const compiler::XaccOptions xacc{options.compile.options(), options.host};
  return finish_program(options, xacc, true, compiler::compile_xacc, compiler::build_xacc);
}

/// The error that short words cause on data. `program` is the program compiled from `source`; its variables determine
/// the columns of the data.
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

int compile(const CcOptions& options) {
  if (options.source.ends_with(".vsm")) {
    throw UsageError(options.source + ": a source in assembly language is assembled by gdr as, or run by gdr run");
  }
  if (options.goose || options.xacc) return compile_program(options);
  if (!options.host.empty()) {
    throw UsageError(
        fmt::format("'{}' is refused: arguments for the host's compiler take --goose or --xacc", options.host.front()));
  }
  if (!options.data.given() && (options.data.ignore_extra || !options.data.parameters.empty()))
    throw UsageError("--param and --ignore-extra take --i and --j");
  std::error_code none;
  if (options.data.given() && std::filesystem::exists(options.source, none) &&
      !std::filesystem::is_regular_file(options.source, none)) {
    throw UsageError(
        fmt::format("'{}' is refused: --precision with --i and --j compiles the source again, and a pipe "
                    "gives it once only; name a file",
                    options.source));
  }
  const bool source_wanted = wants_source(options);
  std::optional<compiler::PrecisionReport> costs;
  const CompiledKernel kernel = compile_kernel(kernel_path(options.source), options.compile.options(),
                                               source_wanted ? Wanted::source : Wanted::program);
  if (kernel.assembled.program) {
    if (options.output.empty() && !options.emit.empty()) {
      options.report.command->try_outputs("--emit", {output_name(options, kernel.compiled.kernel)});
    }
    if (options.output == "-") {
      std::fputs(kernel.compiled.source.c_str(), stdout);
    } else if (source_wanted && (!options.output.empty() || options.emit == "vsm")) {
      base::write_file(output_name(options, kernel.compiled.kernel), kernel.compiled.source);
    } else if (!options.output.empty() || options.emit == "gdro") {
      isa::write_object(*kernel.assembled.program, output_name(options, kernel.compiled.kernel));
    }
    if (options.report.speaks() && options.output != "-") {
      const isa::LoopBound bound = isa::loop_bound(*kernel.assembled.program);
      commandline::print_text(fmt::format("{}: {}, {} clocks per iteration (bound: {})\n", kernel.compiled.kernel,
                                          base::counted(bound.lines, "loop line"), bound.clocks(), bound.bound()));
      if (options.precision && !options.data.given()) commandline::print_text(compiler::widths_text(kernel.compiled));
    }
    if (options.data.given()) {
      costs = measure(kernel_path(options.source), options.compile.options(), options.data, *kernel.assembled.program,
                      options.report.progress_shown());
      if (options.report.speaks() && options.output != "-") commandline::print_text(compiler::precision_text(*costs));
    }
  }
  options.report.write(report_of(kernel, costs, options));
  return kernel.assembled.program ? kSuccess : kFailure;
}

}  // namespace

void add_cc(Command program, const std::string& name) {
  const auto [command, options] =
      program.add_command<CcOptions>(name, "compile a pair function to a kernel, or a program with marked loops",
                                     "gdr cc kernels/cc/gravity.cc -o gravity.vsm", compile);
  command
      .add_option("source=FILE", options->source,
                  "C++ (.cc, .cpp, .cxx), LLVM's code (.ll, .bc) or LSUMP's language (.lsump); with --goose a C or C++ "
                  "program, with --xacc a C program")
      .required();
  command.add_option("host=ARGUMENT", options->host,
                     "with --goose or --xacc, after --: arguments for the host's compiler");
  command.add_output_or_stdout(
      "-o,--output", options->output,
      "assembly source (.vsm) or object file (.gdro) to write, or - for standard output; with --goose or --xacc an "
      "executable, an object file (.o), or the program as the host's compiler takes it (.c, .cc)");
  command.add_flag("--goose", options->goose,
                   "compile the loops of a program that #pragma goose marks, and the program around them");
  command.add_flag("--xacc", options->xacc,
                   "compile a program with directives of XcalableMP and OpenACC to an MPI program; the board computes "
                   "loops in it that #pragma goose marks");
  command.add_option("--emit", options->emit, "output format if -o is not given; the file is named after the kernel",
                     one_of({"vsm", "gdro"}));
  const Option precision =
      command.add_flag("--precision", options->precision,
                       "report which operations round to short words; with --i and --j also the loss of accuracy");
  for (const Option& data : options->data.add_data_to(command)) data.needs(precision);
  options->compile.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
