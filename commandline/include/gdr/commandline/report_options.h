// Options of every command with a report: where it goes, and what a person sees of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/base/report.h"
#include "gdr/commandline/command_line.h"
#include "gdr/commandline/progress.h"

namespace gdr::commandline {

/// Writes text to a file, or to standard output if `file` is "-". Throws gdr::Error if it cannot be written.
void write_text(const std::string& file, std::string_view text);

struct ReportOptions {
  std::string json;  // file, or - for standard output
  std::string csv;   // the same, for the rows of a report that has some
  std::string html;  // the same, as a page
  bool quiet = false;
  bool progress = false;
  std::optional<Command> command;  // whose report it is; Program::shape_of() has the shape of the report
  std::vector<Option> of_rows;     // --csv, if the report has rows
  Stopwatch clock;                 // of the whole command

  void add_to(Command command);
  /// True if a summary for people goes to standard output.
  [[nodiscard]] bool speaks() const { return !quiet && !writes_to_stdout(); }
  /// True if standard output is for one of the files of the report alone.
  [[nodiscard]] bool writes_to_stdout() const { return json == "-" || csv == "-" || html == "-"; }
  /// Progress is shown on a terminal, unless --quiet or --progress changes that.
  [[nodiscard]] ProgressShown progress_shown() const;
  /// The fields with which every report begins; null are those that nothing computes.
  [[nodiscard]] base::Json begin(const base::Json& machine = nullptr, const base::Json& engine = nullptr,
                                 const base::Json& exact = nullptr) const;
  /// Writes the report to its files, if there are any, with its schema, the host's time and the options that were given
  /// as the field `options`. `page` is what --html writes if the command has a page of its own. Throws gdr::Error if a
  /// file cannot be written.
  void write(base::Json report, std::string_view page = {}) const;
  /// Prints the report as its shape's text if it speaks, then writes it. `words` are those of base::text_of().
  void show(base::Json report, const base::Json& words = {}) const;

 private:
  void write_files(base::Json report, std::string_view page, std::string_view text) const;
  [[nodiscard]] const base::ReportShape& shape() const;
  /// Sets the fields that are known at the end.
  void end(base::Json& report) const;
};

}  // namespace gdr::commandline
