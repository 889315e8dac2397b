// A manual page for each command, made from the same data as its help.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <string>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/commandline/pages.h"

namespace gdr::commandline {
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

/// The date of the pages, in UTC: that of SOURCE_DATE_EPOCH, by which the same sources give the same files
/// (reproducible-builds.org, specification of that variable), else today. Throws gdr::Error if the variable is no time.
std::string date_of_pages() {
  constexpr long long kLatest = 253402300799;  // the last second of the year 9999, with which ISO 8601's dates end
  long long seconds = std::time(nullptr);
  const std::string given = base::environment("SOURCE_DATE_EPOCH");
  if (!given.empty()) {
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seconds);
    if (error != std::errc{} || end != given.data() + given.size() || seconds < 0 || seconds > kLatest) {
      throw Error(fmt::format("SOURCE_DATE_EPOCH: '{}' is refused: it must be a whole number of seconds, 0 to {}",
                              given, kLatest));
    }
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// The pages that a reader of a command's page may want next: the program's, and those beside it in its group.
std::string see_also(const CommandShape& command, const CommandShape& parent, const std::string& title,
                     const std::string& program) {
  const std::string around = title.substr(0, title.rfind('-' + command.name));
  std::vector<std::string> pages{program};
  if (around != program) {
    pages.push_back(around);
    for (const CommandShape& each : parent.commands) {
      if (each.name != command.name) pages.push_back(around + "-" + each.name);
    }
  }
  for (std::string& page : pages) page = "\\fB" + escaped(page) + "\\fR(1)";
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ", "));
}

/// The program, for the pages.
struct Pages {
  const Program& program;
  std::string_view end;  // of the program's page
  std::string date = date_of_pages();
};

/// `path` has the names of the command and of the commands around it: `gdr net summa`. `parent` is the command around
/// it, null for the program.
std::string page_of(const CommandShape& command, const CommandShape* parent, const std::string& path,
                    const Pages& pages) {
  std::string title = path;
  std::ranges::replace(title, ' ', '-');
  std::string out = fmt::format(".TH {0} 1 \"{1}\" \"{2} {3}\" \"{2}\"\n.SH NAME\n{0} \\- {4}\n", escaped(title),
                                pages.date, pages.program.name, pages.program.version, escaped(command.what));
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
  return out + (parent == nullptr ? std::string(pages.end) : see_also(command, *parent, title, pages.program.name));
}

/// Writes the pages of a command and of all its subcommands.
void write_pages(const CommandShape& command, const CommandShape* parent, const std::string& path,
                 const std::filesystem::path& folder, const Pages& pages) {
  std::string file = path + ".1";
  std::ranges::replace(file, ' ', '-');
  base::write_file(folder / file, page_of(command, parent, path, pages));
  for (const CommandShape& each : command.commands) write_pages(each, &command, path + " " + each.name, folder, pages);
}

}  // namespace

void write_manual(const Program& program, const CommandShape& shape, std::string_view end,
                  const std::filesystem::path& folder) {
  const Pages pages{program, end};
  base::make_folder(folder);
  write_pages(shape, nullptr, shape.name, folder, pages);
}

}  // namespace gdr::commandline
