// The program's command line as a whole: help, version, mistakes, and the command that is run.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <string_view>

#include "command_line.h"
#include "help.h"
#include "mistakes.h"
#include "registry.h"
#include "shape.h"
#include "terminal.h"

namespace gdr::cli {
namespace {

constexpr std::string_view kVersion = "gdr " GDR_VERSION "\n";

/// True if standard output is a pipe whose reader has gone away, as `head` does.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// Returns `status`, or kFailure if standard output could not be written completely. If nobody reads it any more, the
/// program ends by SIGPIPE without a word, as other tools do.
int after_output(int status) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return status;
  if (reader_is_gone()) {
    // Commands with outputs to save, such as nbody, ignore the signal while they run.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::fputs("gdr: standard output cannot be written\n", stderr);
  return kFailure;
}

/// `gdr help net map` is `gdr net map --help`, `gdr help` and `gdr` alone are `gdr --help`, `gdr version` is
/// `gdr --version`.
std::vector<std::string> with_commands_as_options(std::vector<std::string> words) {
  if (words.empty()) return {"--help"};
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if ((words.front() == "version" || words.front() == "-V") && words.size() == 1) {
    words.front() = "--version";
  }
  return words;
}

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

/// Prints a message, in colour on a terminal, with a hint at the help of `command`.
void print_mistake(const std::string& message, const CLI::App& command) {
  print_error(message);
  std::fprintf(stderr, "Try '%s --help'.\n", path_of(command).c_str());
}

/// CLI11's message, or what is missing if that is why it refuses.
std::string message_of(const CLI::ParseError& error, const CLI::App& command) {
  const bool missing = error.get_name() == "RequiredError";
  const std::string message = missing ? what_is_missing(command) : "";
  return message.empty() ? error.what() : message;
}

void add_help(const Command& program) {
  // Both are read before commands are; the words are here for the lists of commands.
  program.add_command("help", "help of a command: gdr help net map", "gdr help run", [] { return kSuccess; })
      .under("Tools");
  program.add_command("version", "the version, as --version", "gdr version", [] { return kSuccess; }).under("Tools");
}

/// False for ranks beyond the first that mpirun started, which would repeat what the first one says. Open MPI and MPICH
/// give their ranks these variables.
bool is_first_rank() {
  return std::ranges::none_of(std::initializer_list<const char*>{"OMPI_COMM_WORLD_RANK", "PMI_RANK"},
                              [](const char* name) {
                                const char* const rank = std::getenv(name);
                                return rank != nullptr && std::string_view(rank) != "0";
                              });
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Subcommand>& subcommands) {
  CLI::App program("the GRAPE-DR accelerator, emulated bit by bit", "gdr");
  Registry registry;
  program.set_version_flag("--version", std::string(kVersion.substr(0, kVersion.size() - 1)),
                           "print the version and exit");
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_help_all_flag("--help-all", "print the help of all commands outside groups, or of a group's commands");
  program.require_subcommand(1);
  std::vector<std::string> words = with_commands_as_options({argv + std::min(argc, 1), argv + argc});
  const std::string renamed = rename_hpl_on_nodes(words);
  const auto requested = std::ranges::find(subcommands, words.front(), &Subcommand::name);
  const auto add = [&](const Subcommand& each) {
    each.add(Command(&program, &registry), each.name);
    program.get_subcommand(each.name)->group(each.heading);
  };
  if (requested != subcommands.end() && !requested->tells_of_all) {
    add(*requested);
  } else {
    std::ranges::for_each(subcommands, add);
    add_help(Command(&program, &registry));
  }
  ReadWords read = read_words(program, registry, words);
  if (read.wrong) {
    print_mistake(*read.wrong, *read.command);
    return kUsage;
  }
  if (!renamed.empty()) read.notes.insert(read.notes.begin(), renamed);
  if (is_first_rank()) {
    for (const std::string& note : read.notes) std::fprintf(stderr, "gdr: note: %s\n", note.c_str());
  }
  const HelpLook look{width_of(Stream::output), shows_colour(Stream::output)};
  const auto help = [&](auto text) {
    std::cout << text(shape_of(*read.command), path_of(*read.command), look);
    return after_output(kSuccess);
  };
  try {
    std::ranges::reverse(read.words);  // CLI11 takes them from the end
    program.parse(std::move(read.words));
    return after_output(kSuccess);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::CallForHelp&) {
    return help(help_text);
  } catch (const CLI::CallForAllHelp&) {
    return help(help_text_of_all);
  } catch (const CLI::Success&) {
    std::cout << kVersion;
    return after_output(kSuccess);
  } catch (const CLI::ParseError& error) {
    print_mistake(message_of(error, *read.command), *read.command);
    return kUsage;
  }
}

}  // namespace gdr::cli
