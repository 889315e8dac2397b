// gdr: the program. Each subcommand stands in a file of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <numeric>

#include "command.h"

namespace {

/// `status`, or that of a failure if standard output did not take everything.
int after_output(int status) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return status;
  std::fputs("gdr: standard output cannot be written\n", stderr);
  return gdr::cli::kFailure;
}

/// Least number of letters to insert, delete or replace that makes `a` into `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// What is wrong with the command line of `command`; a word where a subcommand was due is named.
std::string message_of(const CLI::ParseError& error, const CLI::App& command) {
  const auto known = command.get_subcommands([](const CLI::App*) { return true; });
  const std::vector<std::string> rest = command.remaining();
  if (known.empty() || rest.empty() || rest.front().starts_with('-')) return error.what();
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const CLI::App* a, const CLI::App* b) {
    return edit_distance(rest.front(), a->get_name()) < edit_distance(rest.front(), b->get_name());
  });
  return fmt::format("unknown subcommand '{}'; the nearest is '{}'", rest.front(), (*nearest)->get_name());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gdr::cli;
  CLI::App program("gdr: the GRAPE-DR accelerator, emulated bit by bit", "gdr");
  program.set_version_flag("--version", "gdr " GDR_VERSION);
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "help of all subcommands");
  for (const auto add : {&add_as, &add_objdump, &add_run, &add_nbody, &add_force, &add_dgemm, &add_hpl, &add_validate,
                         &add_fp, &add_machine, &add_net, &add_profile, &add_explain}) {
    add(program);
  }
  try {
    program.parse(argc, argv);
    return after_output(kSuccess);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::Success& asked_for_help) {
    return after_output(program.exit(asked_for_help));
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    std::string name = command->get_name();
    for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent()) {
      name = parent->get_name() + " " + name;
    }
    std::fprintf(stderr, "gdr: %s\nTry '%s --help'.\n", message_of(error, *command).c_str(), name.c_str());
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
