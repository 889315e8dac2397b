// Scripts that let shells complete commands, options and those values that can be listed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/commandline/pages.h"

namespace gdr::commandline {
namespace {

using Names = std::vector<std::string>;

/// The values of an option or argument that can be listed: all of them, or those that come with the program.
Names values_of(const CommandShape::Option& option, const KnownNames& known) {
  if (!option.choices.empty()) return option.choices;
  const std::string& name = option.names.empty() ? option.name : option.names.front();
  const auto found = known.find(name);
  if (found == known.end()) return {};
  try {
    return found->second();
  } catch (const Error&) {
    return {};  // the files that come with the program are not there
  }
}

/// Adds to `script` the words that may follow the command `path`, and those that may follow its options.
void append_words(const CommandShape& command, const std::string& path, const KnownNames& known, std::string& script) {
  Names words;
  Names files;  // options whose values cannot be listed: if they take a value, it may be a file name
  for (const CommandShape& subcommand : command.commands) words.push_back(subcommand.name);
  bool takes_files = false;  // besides the words
  for (const CommandShape::Option& option : command.options) {
    const Names values = values_of(option, known);
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
    append_words(subcommand, path + " " + subcommand.name, known, script);
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
std::string bash_script(const CommandShape& program, const KnownNames& known) {
  std::vector<std::string> paths;
  append_commands(program, program.name, paths);
  std::string table;
  append_words(program, program.name, known, table);
  return fmt::format(R"(_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path={0} words='' files='' i key
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
    {1}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  for key in "$path $previous" "$path"; do
    case "$key" in
{2}    esac
  done
  COMPREPLY=($(compgen $files -W "$words" -- "$word"))
  # A command whose words do not match takes a file.
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _{0} {0}
)",
                     program.name, fmt::join(paths, " | "), table);
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
void append_for_fish(const CommandShape& command, const std::string& path, const KnownNames& known,
                     std::string& script) {
  const std::string name = path.substr(0, path.find(' '));
  const std::string at =
      fmt::format("complete -c {} -n {}", name, quoted_for_fish(fmt::format("__{}_at {}", name, path)));
  for (const CommandShape& subcommand : command.commands) {
    script += fmt::format("{} -f -a {} -d {}\n", at, subcommand.name, quoted_for_fish(subcommand.what));
  }
  for (const CommandShape::Option& option : command.options) {
    const Names values = values_of(option, known);
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
    append_for_fish(subcommand, path + " " + subcommand.name, known, script);
  }
}

/// fish evaluates the condition of each line: is the command before the cursor this one?
std::string fish_script(const CommandShape& program, const KnownNames& known) {
  Names paths;
  append_commands(program, program.name, paths);
  std::string script = fmt::format(R"(function __{0}_at
  set -l path {0}
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
    case {1}
      set path "$path $word"
    end
  end
  test "$path" = "$argv"
end
)",
                                   program.name, fmt::join(paths, " "));
  append_for_fish(program, program.name, known, script);
  return script;
}

}  // namespace

std::string completion_script(std::string_view shell, const CommandShape& program, const KnownNames& known) {
  if (shell == "fish") return fish_script(program, known);
  // Z shell can read bash's scripts after these commands.
  const std::string head =
      shell == "zsh" ? fmt::format("#compdef {}\nautoload -U +X bashcompinit && bashcompinit\n", program.name) : "";
  return head + bash_script(program, known);
}

}  // namespace gdr::commandline
