// `gdr fmt`: the layout of assembly sources.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#include "command/command.h"
#include "gdr/assembler/format.h"
#include "gdr/base/file.h"
#include "gdr/base/quoted.h"

namespace gdr::cli {
namespace {

struct FmtOptions {
  std::vector<std::string> files;
  bool check = false;
};

int format_input(bool check) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const std::string tidy = assembler::formatted(text);
  if (!check) std::fputs(tidy.c_str(), stdout);
  return check && tidy != text ? kFailure : kSuccess;
}

int format_files(const FmtOptions& options) {
  bool differs = false;
  for (const std::string& file : options.files) {
    if (file == "-") {
      if (options.files.size() > 1) throw UsageError("-: standard input is formatted alone, without files");
      return format_input(options.check);
    }
    if (!file.ends_with(".vsm")) throw UsageError(file + ": assembly sources are formatted (.vsm)");
  }
  for (const std::string& file : options.files) {
    const std::string text = base::read_file(file);
    const std::string tidy = assembler::formatted(text);
    if (tidy == text) continue;
    differs = true;
    fmt::print("{}\n", base::on_one_line(file));
    if (!options.check) base::write_file(file, tidy);
  }
  return options.check && differs ? kFailure : kSuccess;
}

}  // namespace

void add_fmt(Command program, const std::string& name) {
  const auto [command, options] =
      program.add_command<FmtOptions>(name, "bring assembly sources into one layout: indentation and blanks",
                                      "gdr fmt --check kernels/gravity.vsm", format_files);
  command
      .add_option("files=FILE", options->files,
                  "assembly sources (.vsm) to rewrite, or - to format standard input to standard output")
      .required();
  command.add_flag("--check", options->check,
                   "write nothing; end with status 1 if a file has another layout, and name the file");
}

}  // namespace gdr::cli
