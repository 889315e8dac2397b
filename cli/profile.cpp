#include <fmt/format.h>

#include "command.h"
#include "gdr/base/file.h"

namespace gdr::cli {
namespace {

Json read_profile(const std::string& path) {
  Json json;
  try {
    json = Json::parse(base::read_file(path));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: no profile: {}", path, error.what()));
  }
  if (!json.is_object() || json.value("tool", "") != "gdr profile") throw Error(path + ": no profile of gdr");
  return json;
}

int compare(const std::string& first, const std::string& second, const ReportOptions& report) {
  const Json a = read_profile(first);
  const Json b = read_profile(second);
  Json json{{"tool", "gdr profile compare"}, {"version", GDR_VERSION}, {"rows", Json::array()}};
  const auto add = [&](const std::string& name, const Json& left, const Json& right) {
    const auto x = left.get<double>();
    const auto y = right.get<double>();
    json["rows"].push_back({{"name", name}, {"a", x}, {"b", y}, {"ratio", x != 0 ? Json(y / x) : Json(nullptr)}});
  };
  try {
    add("emulated_seconds", a.at("emulated_seconds"), b.at("emulated_seconds"));
    add("emulated_gflops", a.at("emulated_gflops"), b.at("emulated_gflops"));
    for (const char* group : {"stages", "clocks", "stall_clocks"}) {
      for (const auto& [key, value] : a.at(group).items())
        add(std::string(group) + "." + key, value, b.at(group).at(key));
    }
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} and {}: {}", first, second, error.what()));
  }
  report.write(json);
  if (!report.speaks()) return kSuccess;
  fmt::print("{:<32} {:>16} {:>16} {:>8}\n", "", "A", "B", "B / A");
  for (const Json& row : json["rows"]) {
    fmt::print("{:<32} {:>16.9g} {:>16.9g} {:>8}\n", row["name"].get<std::string>(), row["a"].get<double>(),
               row["b"].get<double>(),
               row["ratio"].is_null() ? "-" : fmt::format("{:.3f}", row["ratio"].get<double>()));
  }
  fmt::print("A: {}\nB: {}\n", a.value("verdict", ""), b.value("verdict", ""));
  return kSuccess;
}

}  // namespace

void add_profile(CLI::App& program) {
  CLI::App* profile = program.add_subcommand("profile", "profiles that run, force and nbody wrote (--profile F.json)");
  profile->require_subcommand(1);
  auto first = std::make_shared<std::string>();
  auto second = std::make_shared<std::string>();
  auto report = std::make_shared<ReportOptions>();
  CLI::App* command = add_command(*profile, "compare", "two runs side by side", "gdr profile compare a.json b.json",
                                  [=] { return compare(*first, *second, *report); });
  command->add_option("a", *first, "a profile as JSON")->required();
  command->add_option("b", *second, "another")->required();
  report->add_to(*command);
}

}  // namespace gdr::cli
