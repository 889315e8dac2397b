// gdr schema: JSON Schemas of reports, made of the tables of fields from which the reports themselves are made.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "command/command.h"
#include "command/report_shapes.h"
#include "gdr/base/file.h"
#include "gdr/base/nearest.h"
#include "gdr/base/report_page.h"
#include "gdr/hostlib/report_fields.h"

namespace gdr::cli {
namespace {

using base::ReportShape;
using hostlib::fields_of_all_reports;

struct SchemaOptions {
  std::vector<std::string> words;  // of the command's name
  std::string folder;
  bool page = false;
};

std::string schema_of(const ReportShape& shape) {
  base::check_text(shape.text, shape, fields_of_all_reports());
  return base::json_schema(shape, fields_of_all_reports()).text() + "\n";
}

void write_all(const std::filesystem::path& folder) {
  base::make_folder(folder);
  for (const ReportShape* const shape : report_shapes()) {
    std::string file = shape->name;
    std::ranges::replace(file, ' ', '-');
    base::write_file(folder / (file + ".schema.json"), schema_of(*shape));
  }
}

int schema(const SchemaOptions& options) {
  const std::string name = fmt::format("{}", fmt::join(options.words, " "));
  if (!options.folder.empty()) {
    write_all(options.folder);
  } else if (options.page) {
    write_text("-", base::fields_page(report_shapes(), fields_of_all_reports()));
  } else if (name.empty()) {
    for (const ReportShape* const shape : report_shapes()) fmt::print("{}\n", shape->name);
  } else {
    std::vector<std::string> known;
    for (const ReportShape* const shape : report_shapes()) {
      known.push_back(shape->name);
      if (shape->name != name) continue;
      write_text("-", schema_of(*shape));
      return kSuccess;
    }
    throw UsageError(fmt::format("command: '{}' is refused: reports with a schema are those of {}{}", name,
                                 fmt::join(known, ", "), base::did_you_mean(name, known)));
  }
  return kSuccess;
}

}  // namespace

void add_schema(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<SchemaOptions>(
      name, "JSON Schemas of reports, to validate them or to make readers of them", "gdr schema cluster nbody", schema);
  const Option words = command.add_option("command=COMMAND", options->words,
                                          "name of the command; without one, those that have a report are listed");
  const Option folder = command
                            .add_option("--all=DIRECTORY", options->folder,
                                        "write the schemas of all commands to this folder, a file each")
                            .excludes(words);
  command.add_flag("--page", options->page, "print all fields as tables in Markdown").excludes(words).excludes(folder);
}

}  // namespace gdr::cli
