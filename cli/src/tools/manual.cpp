// gdr manual: a manual page for each command, made from the same data as its help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "command/command.h"
#include "gdr/base/file.h"

namespace gdr::cli {
namespace {

/// Escapes text for roff: no character starts a request, and dashes stay ASCII dashes.
std::string escaped(std::string_view text) {
  std::string out;
  bool at_begin = true;
  for (const char letter : text) {
    if (at_begin && (letter == '.' || letter == '\'')) out += "\\&";
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
    at_begin = letter == '\n';
  }
  return out;
}

std::string heading(const CommandShape::Option& option) {
  const bool is_argument = option.names.empty();
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + escaped(name) + "\\fR");
  std::string text = is_argument ? "\\fI" + escaped(option.name) + "\\fR" : fmt::format("{}", fmt::join(names, ", "));
  if (!is_argument && option.takes_value) text += " \\fI" + escaped(option.value) + "\\fR";
  if (!is_argument && !option.takes_value && !option.value.empty()) {
    text += "[=\\fI" + escaped(option.value) + "\\fR]";
  }
  return text;
}

std::string entry(const CommandShape::Option& option) {
  return fmt::format(".TP\n{}\n{}\n", heading(option), escaped(option.what));
}

/// `path` has the names of the command and of the commands around it: `gdr net summa`.
std::string page_of(const CommandShape& command, const std::string& path) {
  std::string title = path;
  std::ranges::replace(title, ' ', '-');
  std::string out = fmt::format(".TH {} 1 \"\" \"gdr {}\" \"gdr\"\n.SH NAME\n{} \\- {}\n", escaped(title), GDR_VERSION,
                                escaped(title), escaped(command.what));
  std::string synopsis = "\\fB" + escaped(path) + "\\fR";
  std::string arguments;
  std::string options;
  for (const CommandShape::Option& option : command.options) {
    if (!option.names.empty()) {
      options += entry(option);
      continue;
    }
    arguments += entry(option);
    const bool required = option.required;
    synopsis += fmt::format(" {}{}{}", required ? "" : "[", heading(option), required ? "" : "]");
  }
  if (!options.empty()) synopsis += " [\\fIoptions\\fR]";
  if (!command.commands.empty()) synopsis += " \\fIcommand\\fR";
  out += fmt::format(".SH SYNOPSIS\n{}\n", synopsis);
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  if (!command.commands.empty()) {
    out += ".SH COMMANDS\n";
    for (const CommandShape& each : command.commands) {
      out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(title + "-" + each.name), escaped(each.what));
    }
  }
  if (!options.empty()) out += ".SH OPTIONS\n" + options;
  if (!command.example.empty()) out += fmt::format(".SH EXAMPLE\n.nf\n{}\n.fi\n", escaped(command.example));
  out +=
      ".SH EXIT STATUS\n0; 1 for anything wrong in a file, a program or the run; 2 for anything wrong on the command "
      "line.\n";
  return path == title ? out : out + ".SH SEE ALSO\n.BR gdr (1)\n";
}

/// Writes the pages of a command and of all its subcommands.
void write_pages(const CommandShape& command, const std::string& path, const std::filesystem::path& folder) {
  std::string file = path + ".1";
  std::ranges::replace(file, ' ', '-');
  base::write_file(folder / file, page_of(command, path));
  for (const CommandShape& each : command.commands) write_pages(each, path + " " + each.name, folder);
}

}  // namespace

void add_manual(Command program, const std::string& name) {
  auto folder = std::make_shared<std::string>();
  const Command command = program.add_command(name, "write manual pages of all commands, made from their help texts",
                                              "gdr manual ~/.local/share/man/man1", [folder, program] {
                                                base::make_folder(*folder);
                                                write_pages(program.shape(), program.shape().name, *folder);
                                                return kSuccess;
                                              });
  command
      .add_option("folder", *folder,
                  "folder for the pages gdr.1, gdr-run.1 and so on; it is created if it does not exist")
      .value_name("DIRECTORY")
      .required();
}

}  // namespace gdr::cli
