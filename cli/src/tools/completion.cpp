// gdr completion: a shell script that completes commands, options and those values that can be listed. It is made from
// the commands themselves, so that it always matches this program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/base/description.h"
#include "gdr/cluster/cluster.h"
#include "gdr/course/exercise.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/interconnect/network.h"
#include "gdr/validation/report.h"

namespace gdr::cli {
namespace {

using Names = std::vector<std::string>;

Names described(const std::vector<base::DescriptionKind>& kinds) { return base::description_names(kinds); }

/// Names of things that come with gdr, by the options and arguments that take them. A file may stand in place of most.
const std::map<std::string, std::function<Names()>, std::less<>>& known_names() {
  static const std::map<std::string, std::function<Names()>, std::less<>> names{
      {"--machine", [] { return described({emulator::board_kind()}); }},
      {"--host", [] { return described({host_kind()}); }},
      {"--cluster", [] { return cluster::cluster_names(); }},
      {"--network", [] { return described(interconnect::network_kinds()); }},
      {"--factors", [] { return described({interconnect::network_kind("flow-factors")}); }},
      {"--graph", [] { return Names{"bruck", "cg", "sp"}; }},
      {"--only", [] { return validation::wholes(validation::read_data(validation::Models())); }},
      {"kernel", hostlib::kernel_names},
      {"source", hostlib::kernel_names},
      {"exercise", [] { return course::exercise_names(); }},
      {"code", [] { return assembler::explained_names(); }},
      {"name",
       [] {  // of machine show, which describes all kinds
         std::vector<base::DescriptionKind> kinds = interconnect::network_kinds();
         kinds.insert(kinds.end(), {emulator::board_kind(), host_kind(), cluster::cluster_kind().kind});
         return described(kinds);
       }},
  };
  return names;
}

/// The values of an option or argument that can be listed: all of them, or those that come with gdr.
Names values_of(const CommandShape::Option& option) {
  if (!option.choices.empty()) return option.choices;
  const std::string& name = option.names.empty() ? option.name : option.names.front();
  const auto found = known_names().find(name);
  if (found == known_names().end()) return {};
  try {
    return found->second();
  } catch (const Error&) {
    return {};  // the files that come with gdr are not there
  }
}

/// Adds to `script` the words that may follow the command `path`, and those that may follow its options.
void append_words(const CommandShape& command, const std::string& path, std::string& script) {
  Names words;
  Names files;  // options whose values cannot be listed: if they take a value, it may be a file name
  for (const CommandShape& subcommand : command.commands) words.push_back(subcommand.name);
  bool takes_files = false;  // besides the words
  for (const CommandShape::Option& option : command.options) {
    const Names values = values_of(option);
    if (option.names.empty()) {
      words.insert(words.end(), values.begin(), values.end());
      takes_files = takes_files || option.choices.empty();
    }
    for (const std::string& name : option.names) {
      words.push_back(name);
      if (!option.takes_value) continue;
      const std::string key = fmt::format("'{} {}'", path, name);
      if (values.empty()) {
        files.push_back(key);
      } else {
        script += fmt::format("    {}) COMPREPLY=($(compgen {}-W '{}' -- \"$word\")); return ;;\n", key,
                              option.choices.empty() ? "-f " : "", fmt::join(values, " "));
      }
    }
  }
  if (!files.empty()) {
    script += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", fmt::join(files, " | "));
  }
  script += fmt::format("    '{}') words='{}'{} ;;\n", path, fmt::join(words, " "), takes_files ? " files=-f" : "");
  for (const CommandShape& subcommand : command.commands) {
    append_words(subcommand, path + " " + subcommand.name, script);
  }
}

void append_commands(const CommandShape& command, const std::string& path, std::vector<std::string>& paths) {
  for (const CommandShape& subcommand : command.commands) {
    paths.push_back(fmt::format("'{} {}'", path, subcommand.name));
    append_commands(subcommand, path + " " + subcommand.name, paths);
  }
}

/// The script follows the words of the command line to find the command's path; a table has the words that may come
/// next.
std::string bash_script(const CommandShape& program) {
  std::vector<std::string> paths;
  append_commands(program, program.name, paths);
  std::string table;
  append_words(program, program.name, table);
  return fmt::format(R"(_gdr() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path=gdr words='' files='' i key
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
    {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  for key in "$path $previous" "$path"; do
    case "$key" in
{}    esac
  done
  COMPREPLY=($(compgen $files -W "$words" -- "$word"))
  # A command whose words do not match takes a file.
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _gdr gdr
)",
                     fmt::join(paths, " | "), table);
}

/// A text in single quotes of fish.
std::string quoted_for_fish(std::string_view text) {
  std::string quoted = "'";
  for (const char each : text) {
    if (each == '\'' || each == '\\') quoted += '\\';
    quoted += each;
  }
  return quoted + "'";
}

/// Adds to `script` what may follow the command `path`: a line for each subcommand, option and argument.
void append_for_fish(const CommandShape& command, const std::string& path, std::string& script) {
  const std::string at = fmt::format("complete -c gdr -n {}", quoted_for_fish("__gdr_at " + path));
  for (const CommandShape& subcommand : command.commands) {
    script += fmt::format("{} -f -a {} -d {}\n", at, subcommand.name, quoted_for_fish(subcommand.what));
  }
  for (const CommandShape::Option& option : command.options) {
    const Names values = values_of(option);
    const std::string offered =
        values.empty() ? "" : fmt::format(" -a {}", quoted_for_fish(fmt::format("{}", fmt::join(values, " "))));
    if (option.names.empty()) {
      if (!values.empty()) script += fmt::format("{}{}{}\n", at, option.choices.empty() ? "" : " -f", offered);
      continue;
    }
    std::string names;
    for (const std::string& name : option.names) {
      names += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
    }
    const char* const value = !option.takes_value ? "" : option.choices.empty() ? " -r -F" : " -x";
    script += fmt::format("{}{}{}{} -d {}\n", at, names, value, offered, quoted_for_fish(option.what));
  }
  for (const CommandShape& subcommand : command.commands) {
    append_for_fish(subcommand, path + " " + subcommand.name, script);
  }
}

/// fish evaluates the condition of each line: is the command before the cursor this one?
std::string fish_script(const CommandShape& program) {
  Names paths;
  append_commands(program, program.name, paths);
  std::string script = fmt::format(R"(function __gdr_at
  set -l path gdr
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
    case {}
      set path "$path $word"
    end
  end
  test "$path" = "$argv"
end
)",
                                   fmt::join(paths, " "));
  append_for_fish(program, program.name, script);
  return script;
}

int completion(const std::string& shell, const Command& program) {
  // Z shell can read bash's scripts after these commands.
  if (shell == "zsh") fmt::print("#compdef gdr\nautoload -U +X bashcompinit && bashcompinit\n");
  fmt::print("{}", shell == "fish" ? fish_script(program.shape()) : bash_script(program.shape()));
  return kSuccess;
}

}  // namespace

void add_completion(Command program, const std::string& name) {
  auto shell = std::make_shared<std::string>();
  const Command command =
      program.add_command(name, "print a script that lets the shell complete commands, options and values of gdr",
                          "gdr completion bash > ~/.local/share/bash-completion/completions/gdr",
                          [shell, program] { return completion(*shell, program); });
  command.add_option("shell", *shell, "shell to write the script for", one_of({"bash", "zsh", "fish"})).required();
}

}  // namespace gdr::cli
