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

#include "gdr/commandline/command_line.h"
#include "gdr/commandline/terminal.h"
#include "help.h"
#include "mistakes.h"
#include "registry.h"
#include "shape.h"

namespace gdr::commandline {
namespace {

/// True if standard output is a pipe whose reader has gone away, as `head` does.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// Returns `status`, or kFailure if standard output could not be written completely. If nobody reads it any more, the
/// program ends by SIGPIPE without a word, as other tools do.
int after_output(const Program& program, int status) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return status;
  if (reader_is_gone()) {
    // Commands with outputs to save, such as nbody, ignore the signal while they run.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::fprintf(stderr, "%s: standard output cannot be written\n", program.name);
  return kFailure;
}

/// `help net map` is `net map --help`, `help` and no words at all are `--help`, `version` is `--version`.
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

/// A message, in colour on a terminal, with a hint at the help of `command`.
std::string mistake_text(const Program& program, const std::string& message, const CLI::App& command) {
  return error_text(program.name, message) + fmt::format("Try '{} --help'.\n", path_of(command));
}

/// CLI11's message, or what is missing if that is why it refuses.
std::string message_of(const CLI::ParseError& error, const CLI::App& command) {
  const bool missing = error.get_name() == "RequiredError";
  const std::string message = missing ? what_is_missing(command) : "";
  return message.empty() ? error.what() : message;
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

std::string version_of(const Program& program) { return fmt::format("{} {}", program.name, program.version); }

void set_flags(CLI::App& app, const Program& program) {
  app.set_version_flag("--version", version_of(program), "print the version and exit");
  app.set_help_flag("-h,--help", "print this help and exit");
}

std::string text_of(const std::vector<std::string>& notes, const Program& program) {
  std::string text;
  if (!is_first_rank()) return text;
  for (const std::string& note : notes) text += fmt::format("{}: note: {}\n", program.name, note);
  return text;
}

/// Lets CLI11 parse the words, and run the command that they name.
Answer parsed(CLI::App& app, const Program& program, ReadWords read) {
  if (read.wrong) return {kUsage, "", mistake_text(program, *read.wrong, *read.command)};
  const HelpLook look{width_of(Stream::output), shows_colour(Stream::output)};
  const auto help = [&](auto text) {
    return Answer{kSuccess, text(shape_of(*read.command), path_of(*read.command), look), ""};
  };
  try {
    std::ranges::reverse(read.words);  // CLI11 takes them from the end
    app.parse(std::move(read.words));
    return {};
  } catch (const CLI::RuntimeError& status) {
    return {status.get_exit_code(), "", ""};
  } catch (const CLI::CallForHelp&) {
    return help(help_text);
  } catch (const CLI::CallForAllHelp&) {
    return help(help_text_of_all);
  } catch (const CLI::Success&) {
    return {kSuccess, version_of(program) + "\n", ""};
  } catch (const CLI::ParseError& error) {
    return {kUsage, "", mistake_text(program, message_of(error, *read.command), *read.command)};
  }
}

}  // namespace

int run_program(int argc, char** argv, const Program& program, const std::vector<Subcommand>& subcommands) {
  // A file that grows beyond the user's limit (ulimit -f) is an error with a name, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app(program.what, program.name);
  Registry registry{program};
  set_flags(app, program);
  app.set_help_all_flag("--help-all", "print the help of all commands outside groups, or of a group's commands");
  app.require_subcommand(1);
  std::vector<std::string> words = with_commands_as_options({argv + std::min(argc, 1), argv + argc});
  const std::string renamed = program.rename != nullptr ? program.rename(words) : "";
  const auto requested = std::ranges::find(subcommands, words.front(), &Subcommand::name);
  const auto add = [&](const Subcommand& each) {
    each.add(Command(&app, &registry), each.name);
    app.get_subcommand(each.name)->group(each.heading);
  };
  if (requested != subcommands.end() && !requested->tells_of_all) {
    add(*requested);
  } else if (words != std::vector<std::string>{"--version"}) {  // which scripts ask often, and no command answers
    std::ranges::for_each(subcommands, add);
  }
  ReadWords read = read_words(app, registry, words);
  if (!renamed.empty()) read.notes.insert(read.notes.begin(), renamed);
  if (!read.wrong) print_message(text_of(read.notes, program));
  const Answer answer = parsed(app, program, std::move(read));
  std::fputs(answer.message.c_str(), stderr);
  std::cout << answer.output;
  const bool is_over = answer.status && *answer.status != kSuccess;
  return is_over ? *answer.status : after_output(program, kSuccess);
}

Answer read_command_line(int argc, char** argv, const Program& program, const std::function<void(Command)>& add) {
  CLI::App app(program.what, program.name);
  Registry registry{program};
  set_flags(app, program);
  const Command command(&app, &registry);
  add(command);
  const ReadWords read = read_words(app, registry, {argv + std::min(argc, 1), argv + argc});
  Answer answer = parsed(app, program, read);
  if (answer.status) return answer;
  answer.message = text_of(read.notes, program);
  try {
    command.check_rules();
  } catch (const Error& refusal) {
    return {kUsage, "", error_text(program.name, refusal.what())};
  }
  return answer;
}

}  // namespace gdr::commandline
