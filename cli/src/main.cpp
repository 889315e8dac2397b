// The program gdr. Each subcommand has a file of its own.
#include <algorithm>
#include <array>
#include <cfenv>
#include <exception>
#include <new>

#include "command/command.h"
#include "command/report_shapes.h"
#include "gdr/commandline/terminal.h"
#include "gdr/hostlib/report_fields.h"

namespace gdr::cli {
namespace {

/// What other programs call a command.
constexpr std::array<commandline::Program::Words, 18> kOtherWords{{{"assemble", "as"},
                                                                   {"asm", "as"},
                                                                   {"compile", "cc"},
                                                                   {"build", "cc"},
                                                                   {"disasm", "objdump"},
                                                                   {"disassemble", "objdump"},
                                                                   {"dump", "objdump"},
                                                                   {"exec", "run"},
                                                                   {"emulate", "run"},
                                                                   {"gdb", "debug"},
                                                                   {"gemm", "dgemm"},
                                                                   {"matmul", "dgemm"},
                                                                   {"linpack", "hpl"},
                                                                   {"gravity", "nbody"},
                                                                   {"man", "manual"},
                                                                   {"test", "selftest"},
                                                                   {"check", "doctor"},
                                                                   {"info", "doctor"}}};

/// `gdr hpl --nodes P` is called `gdr cluster hpl --nodes P` now. It took panels of 2048 columns and knew
/// --timing-only. Returns a note, or an empty text if the words are no such ones.
std::string rename_hpl_on_nodes(std::vector<std::string>& words) {
  const auto named = [](const std::string& name) {
    return [=](const std::string& word) { return word == name || word.starts_with(name + "="); };
  };
  const auto has = [&](const std::string& name) { return std::ranges::any_of(words, named(name)); };
  if (words.front() != "hpl" || !has("--nodes") || has("--dat")) return "";
  std::erase(words, "--timing-only");
  if (!has("--nb")) words.insert(words.end(), {"--nb", "2048"});
  words.insert(words.begin(), "cluster");
  return "hpl --nodes is called cluster hpl --nodes now";
}

// The command line answers both before there are commands; the words are here for the lists of commands.
void add_help(Command program, const std::string& name) {
  program.add_command(name, "help of a command: gdr help net map", "gdr help run", [] { return kSuccess; });
}

void add_version(Command program, const std::string& name) {
  program.add_command(name, "the version, as --version", "gdr version", [] { return kSuccess; });
}

}  // namespace

const commandline::Program kProgram{"gdr",
                                    "the GRAPE-DR accelerator, emulated bit by bit",
                                    GDR_VERSION,
                                    kOtherWords,
                                    rename_hpl_on_nodes,
                                    report_shape,
                                    option_table,
                                    hostlib::fields_of_all_reports};

}  // namespace gdr::cli

int main(int argc, char** argv) {
  using namespace gdr::cli;
  // Results must be bit exact: a library loaded with the program may have changed the rounding mode.
  std::fesetenv(FE_DFL_ENV);
  try {
    return gdr::commandline::run_program(argc, argv, kProgram,
                                         {{"as", "Kernels", add_as},
                                          {"cc", "Kernels", add_cc},
                                          {"analyse", "Kernels", add_analyse},
                                          {"objdump", "Kernels", add_objdump},
                                          {"fmt", "Kernels", add_fmt},
                                          {"run", "Kernels", add_run},
                                          {"debug", "Kernels", add_debug},
                                          {"lsp", "Kernels", add_lsp},
                                          {"explain", "Kernels", add_explain},
                                          {"judge", "Kernels", add_judge},
                                          {"nbody", "N-body", add_nbody},
                                          {"force", "N-body", add_force},
                                          {"dgemm", "Linear algebra", add_dgemm},
                                          {"hpl", "Linear algebra", add_hpl},
                                          {"cluster", "Networks and clusters", add_cluster},
                                          {"net", "Networks and clusters", add_net},
                                          {"fp", "Numbers and machines", add_fp},
                                          {"machine", "Numbers and machines", add_machine},
                                          {"validate", "Numbers and machines", add_validate},
                                          {"selftest", "Tools", add_selftest},
                                          {"profile", "Tools", add_profile},
                                          {"doctor", "Tools", add_doctor},
                                          {"schema", "Tools", add_schema},
                                          // These describe all the others.
                                          {"completion", "Tools", add_completion, true},
                                          {"manual", "Tools", add_manual, true},
                                          {"help", "Tools", add_help},
                                          {"version", "Tools", add_version}});
  } catch (const UsageError& error) {
    gdr::commandline::print_error(kProgram.name, error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    gdr::commandline::print_error(kProgram.name, "the host's memory is exhausted");
    return kFailure;
  } catch (const std::exception& error) {
    gdr::commandline::print_error(kProgram.name, error.what());
    return kFailure;
  }
}
