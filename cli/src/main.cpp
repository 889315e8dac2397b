// The program gdr. Each subcommand has a file of its own.
#include <cfenv>
#include <exception>
#include <new>

#include "arguments/terminal.h"
#include "command/command.h"

int main(int argc, char** argv) {
  using namespace gdr::cli;
  // Results must be bit exact: a library loaded with the program may have changed the rounding mode.
  std::fesetenv(FE_DFL_ENV);
  try {
    return run_program(argc, argv,
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
                        {"manual", "Tools", add_manual, true}});
  } catch (const UsageError& error) {
    print_error(error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    print_error("the host's memory is exhausted");
    return kFailure;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kFailure;
  }
}
