// gdr: the program. Each subcommand stands in a file of its own.
#include <cstdio>
#include <exception>

#include "command.h"

int main(int argc, char** argv) {
  using namespace gdr::cli;
  CLI::App program("gdr: the GRAPE-DR accelerator, emulated bit by bit", "gdr");
  program.set_version_flag("--version", "gdr " GDR_VERSION);
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "help of all subcommands");
  for (const auto add :
       {&add_as, &add_objdump, &add_run, &add_nbody, &add_force, &add_validate, &add_fp, &add_machine, &add_explain}) {
    add(program);
  }
  try {
    program.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::Success& asked_for_help) {
    return program.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    std::string name = command->get_name();
    for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent()) {
      name = parent->get_name() + " " + name;
    }
    std::fprintf(stderr, "gdr: %s\nTry '%s --help'.\n", error.what(), name.c_str());
    return kUsage;
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
