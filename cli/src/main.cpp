// The program gdr. Each subcommand has a file of its own.
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "command/command.h"
#include "gdr/base/quoted.h"

int main(int argc, char** argv) {
  using namespace gdr::cli;
  // Results must be bit exact: a library loaded with the program may have changed the rounding mode.
  std::fesetenv(FE_DFL_ENV);
  // If the reader of a pipe has ended, that is reported like any other output that cannot be written.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run_program(argc, argv,
                       {{"as", add_as},
                        {"cc", add_cc},
                        {"analyse", add_analyse},
                        {"objdump", add_objdump},
                        {"run", add_run},
                        {"debug", add_debug},
                        {"lsp", add_lsp},
                        {"nbody", add_nbody},
                        {"force", add_force},
                        {"dgemm", add_dgemm},
                        {"hpl", add_hpl},
                        {"validate", add_validate},
                        {"fp", add_fp},
                        {"machine", add_machine},
                        {"net", add_net},
                        {"cluster", add_cluster},
                        {"judge", add_judge},
                        {"profile", add_profile},
                        {"selftest", add_selftest},
                        {"explain", add_explain},
                        // These tell of all the others.
                        {"completion", add_completion, true},
                        {"manual", add_manual, true}});
  } catch (const UsageError& error) {
    std::fprintf(stderr, "gdr: %s\n", gdr::base::without_controls(error.what()).c_str());
    return kUsage;
  } catch (const std::bad_alloc&) {
    std::fputs("gdr: the host's memory is exhausted\n", stderr);
    return kFailure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gdr: %s\n", gdr::base::without_controls(error.what()).c_str());
    return kFailure;
  }
}
