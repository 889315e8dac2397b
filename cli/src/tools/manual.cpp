// gdr manual: a manual page for each command, made from the same data as its help.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <string>

#include "command/command.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
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

/// Sections that are true of the program as a whole. docs/reference/cli.md says more of each.
constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
.TP
\fBGDR_DATA_DIR\fR
folder in which machines, kernels and published numbers are searched first
.TP
\fBGDR_HOST_ISA\fR
instruction set of the vector engine: \fBportable\fR, \fBsse4_2\fR, \fBavx2\fR, \fBavx512\fR or \fBneon\fR
.TP
\fBGDR_JIT\fR
whether loop bodies are compiled: \fBauto\fR, \fBon\fR or \fBoff\fR
.TP
\fBGDR_CACHE_DIR\fR
folder in which compiled loop bodies and the header of pair functions, as clang has read it, are kept
.TP
\fBGDR_OPENCL_DEVICE\fR
device of the engine \fBopencl\fR: its index in \fBgdr machine devices\fR or a part of its name
.TP
\fBGDR_CLANG\fR, \fBCC\fR, \fBCXX\fR, \fBMPICC\fR
compilers that \fBgdr cc\fR starts
.TP
\fBGDR_MPI_PLUGIN\fR
library that \fBgdr nbody \-\-split\fR loads under \fBmpirun\fR
.TP
\fBSOURCE_DATE_EPOCH\fR
date, in seconds since 1970, of the pages that \fBgdr manual\fR writes
)";
constexpr const char* kFiles = R"(.SH FILES
.TP
\fIPREFIX/share/gdr\fR
machines, kernels, networks, exercises and published numbers
.TP
\fI~/.cache/gdr\fR
compiled loop bodies, and the header of pair functions as clang has read it
)";

/// The pages that a reader of a command's page may want next: its own commands, else those beside it.
std::string see_also(const CommandShape& command, const CommandShape* parent, const std::string& title) {
  std::vector<std::string> pages;
  if (parent == nullptr) return ".SH SEE ALSO\nThe pages of the project, below \\fI/usr/share/doc/gdr\\fR.\n";
  pages.push_back("gdr");
  const std::string around = title.substr(0, title.rfind('-' + command.name));
  if (around != "gdr") pages.push_back(around);
  if (around != "gdr") {
    for (const CommandShape& each : parent->commands) {
      if (each.name != command.name) pages.push_back(around + "-" + each.name);
    }
  }
  for (std::string& page : pages) page = "\\fB" + escaped(page) + "\\fR(1)";
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ", "));
}

/// `path` has the names of the command and of the commands around it: `gdr net summa`. `parent` is the command around
/// it, null for the program.
std::string page_of(const CommandShape& command, const CommandShape* parent, const std::string& path,
                    const std::string& date) {
  std::string title = path;
  std::ranges::replace(title, ' ', '-');
  std::string out = fmt::format(".TH {} 1 \"{}\" \"gdr {}\" \"gdr\"\n.SH NAME\n{} \\- {}\n", escaped(title), date,
                                GDR_VERSION, escaped(title), escaped(command.what));
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
  if (parent == nullptr) out += std::string(kEnvironment) + kFiles;
  return out + see_also(command, parent, title);
}

/// Writes the pages of a command and of all its subcommands.
void write_pages(const CommandShape& command, const CommandShape* parent, const std::string& path,
                 const std::filesystem::path& folder, const std::string& date) {
  std::string file = path + ".1";
  std::ranges::replace(file, ' ', '-');
  base::write_file(folder / file, page_of(command, parent, path, date));
  for (const CommandShape& each : command.commands) write_pages(each, &command, path + " " + each.name, folder, date);
}

}  // namespace

void add_manual(Command program, const std::string& name) {
  auto folder = std::make_shared<std::string>();
  const Command command = program.add_command(name, "write manual pages of all commands, made from their help texts",
                                              "gdr manual ~/.local/share/man/man1", [folder, program] {
                                                const std::string date = date_of_pages();
                                                base::make_folder(*folder);
                                                const CommandShape shape = program.shape();
                                                write_pages(shape, nullptr, shape.name, *folder, date);
                                                return kSuccess;
                                              });
  command
      .add_option("folder=DIRECTORY", *folder,
                  "folder for the pages gdr.1, gdr-run.1 and so on; it is created if it does not exist")
      .required();
}

}  // namespace gdr::cli
