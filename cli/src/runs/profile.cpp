#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command/command.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/profile.h"

namespace gdr::cli {
namespace {

using Read = nlohmann::ordered_json;

Read read_profile(const std::string& path) {
  const std::string text = base::read_file(path);
  hostlib::require_profile(text, path);
  try {
    return Read::parse(text);
  } catch (const Read::exception& error) {
    throw Error(fmt::format("{}: no profile: {}", path, error.what()));
  }
}

struct ProfileRow {
  std::string name;
  double a;
  double b;

  [[nodiscard]] std::optional<double> ratio() const { return a != 0 ? std::optional(b / a) : std::nullopt; }
};

struct CompareOptions {
  std::string first;
  std::string second;
  ReportOptions report;
};

int compare(const CompareOptions& options) {
  const auto& [first, second, report] = options;
  const Read a = read_profile(first);
  const Read b = read_profile(second);
  std::vector<ProfileRow> rows;
  const auto add = [&](const std::string& name, const Read& left, const Read& right) {
    rows.push_back({name, left.get<double>(), right.get<double>()});
  };
  try {
    add("emulated_seconds", a.at("emulated_seconds"), b.at("emulated_seconds"));
    add("emulated_gflops", a.at("emulated_gflops"), b.at("emulated_gflops"));
    for (const char* group : {"stages", "clocks", "stall_clocks"}) {
      for (const auto& [key, value] : a.at(group).items())
        add(std::string(group) + "." + key, value, b.at(group).at(key));
    }
  } catch (const Read::exception& error) {
    throw Error(fmt::format("{} and {}: {}", first, second, error.what()));
  }
  Json json = report.begin();
  json["rows"] = Json::array();
  for (const ProfileRow& row : rows) {
    const std::optional<double> ratio = row.ratio();
    json["rows"].push_back(
        {{"name", row.name}, {"a", row.a}, {"b", row.b}, {"ratio", ratio ? Json(*ratio) : Json(nullptr)}});
  }
  report.write(json);
  if (!report.speaks()) return kSuccess;
  fmt::print("{:<32} {:>16} {:>16} {:>8}\n", "", "A", "B", "B / A");
  for (const ProfileRow& row : rows) {
    const std::optional<double> ratio = row.ratio();
    fmt::print("{:<32} {:>16.9g} {:>16.9g} {:>8}\n", row.name, row.a, row.b,
               ratio ? fmt::format("{:.3f}", *ratio) : "-");
  }
  fmt::print("A: {}\nB: {}\n", a.value("verdict", ""), b.value("verdict", ""));
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
