// gdr completion: a shell script that completes commands, options and those values that can be listed. It is made from
// the commands themselves, so that it always matches this program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/command.h"

namespace gdr::cli {
namespace {

/// Adds to `script` the words that may follow the command `path`, and those that may follow its options.
void append_words(const CommandShape& command, const std::string& path, std::string& script) {
  std::vector<std::string> words;
  std::vector<std::string> files;  // options whose values cannot be listed: if they take a value, it may be a file name
  for (const CommandShape& subcommand : command.commands) words.push_back(subcommand.name);
  for (const CommandShape::Option& option : command.options) {
    if (option.names.empty()) words.insert(words.end(), option.choices.begin(), option.choices.end());
    for (const std::string& name : option.names) {
      words.push_back(name);
      if (!option.takes_value) continue;
      const std::string key = fmt::format("'{} {}'", path, name);
      if (option.choices.empty()) {
        files.push_back(key);
      } else {
        script += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", key,
                              fmt::join(option.choices, " "));
      }
    }
  }
  if (!files.empty()) {
    script += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", fmt::join(files, " | "));
  }
  script += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words, " "));
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
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path=gdr words='' i key
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
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  # A command whose words do not match takes a file.
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _gdr gdr
)",
                     fmt::join(paths, " | "), table);
}

int completion(const std::string& shell, const Command& program) {
  // Z shell can read bash's scripts after these commands.
  if (shell == "zsh") fmt::print("#compdef gdr\nautoload -U +X bashcompinit && bashcompinit\n");
  fmt::print("{}", bash_script(program.shape()));
  return kSuccess;
}

}  // namespace

void add_completion(Command program, const std::string& name) {
  auto shell = std::make_shared<std::string>();
  const Command command =
      program.add_command(name, "print a script that lets the shell complete commands, options and values of gdr",
                          "gdr completion bash > ~/.local/share/bash-completion/completions/gdr",
                          [shell, program] { return completion(*shell, program); });
  command.add_option("shell", *shell, "shell to write the script for").required().check(one_of({"bash", "zsh"}));
}

}  // namespace gdr::cli
