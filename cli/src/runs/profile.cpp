#include "gdr/hostlib/profile.h"
#include "command/command.h"
#include "gdr/base/file.h"

namespace gdr::cli {
namespace {

struct CompareOptions {
  std::string first;
  std::string second;
  ReportOptions report;
};

int compare(const CompareOptions& options) {
  const hostlib::ComparedProfiles compared = hostlib::compared_profiles(
      {options.first, base::read_file(options.first)}, {options.second, base::read_file(options.second)});
  Json json = options.report.begin();
  json["rows"] = compared.rows;
  options.report.show(json, {{"text", compared.text}});
  return kSuccess;
}

}  // namespace

void add_profile(Command program, const std::string& name) {
  const Command profile = program.add_group(name, "profiles that run, force and nbody wrote (--profile F.json)");
  const auto [command, options] = profile.add_command<CompareOptions>("compare", "two runs side by side",
                                                                      "gdr profile compare a.json b.json", compare);
  command.add_option("a", options->first, "a profile as JSON").required();
  command.add_option("b", options->second, "another").required();
  options->report.add_to(command);
}

}  // namespace gdr::cli
