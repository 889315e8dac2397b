// The program gdr. Each subcommand has a file of its own.
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "command.h"

int main(int argc, char** argv) {
  using namespace gdr::cli;
  // Results must be bit exact: a library loaded with the program may have changed the rounding mode.
  std::fesetenv(FE_DFL_ENV);
  // If the reader of a pipe has ended, that is reported like any other output that cannot be written.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run_program(argc, argv,
                       {add_as,    add_cc,      add_analyse, add_objdump,  add_run,      add_debug,      add_lsp,
                        add_nbody, add_force,   add_dgemm,   add_hpl,      add_validate, add_fp,         add_machine,
                        add_net,   add_cluster, add_profile, add_selftest, add_explain,  add_completion, add_manual});
  } catch (const UsageError& error) {
    std::fprintf(stderr, "gdr: %s\n", error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    std::fputs("gdr: the host's memory is exhausted\n", stderr);
    return kFailure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gdr: %s\n", error.what());
    return kFailure;
  }
}
