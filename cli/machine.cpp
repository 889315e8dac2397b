#include <fmt/format.h>

#include <algorithm>

#include "command.h"
#include "gdr/cluster/cluster.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/network.h"

namespace gdr::cli {
namespace {

/// Boards, hosts and networks.
std::vector<base::DescriptionKind> kinds_of_one() {
  std::vector<base::DescriptionKind> kinds = interconnect::network_kinds();
  kinds.insert(kinds.begin(), {emulator::board_kind(), host_kind()});
  return kinds;
}

/// The same, and what is put together from them.
std::vector<base::DescriptionKind> all_kinds() {
  std::vector<base::DescriptionKind> kinds = kinds_of_one();
  kinds.push_back(cluster::cluster_kind().kind);
  return kinds;
}

/// A description of any kind, without parts if it has none.
base::DescriptionOfParts load_any(const std::string& name) {
  const std::vector<std::string> clusters = cluster::cluster_names();
  const bool is_file = name.ends_with(".toml");
  if (std::ranges::find(clusters, name) != clusters.end()) {
    return base::load_description_of_parts(name, cluster::cluster_kind());
  }
  try {
    return {base::load_description(name, kinds_of_one()), {}};
  } catch (const Error&) {
    if (!is_file || !base::is_of_kind(name, cluster::cluster_kind().kind.name)) throw;
    return base::load_description_of_parts(name, cluster::cluster_kind());
  }
}

int list() {
  for (const std::string& name : base::description_names(all_kinds())) {
    const base::Description machine = load_any(name).description;
    fmt::print("{:<18} {:<14} {}\n", name, machine.kind, machine.title);
  }
  return kSuccess;
}

int show(const std::string& name, const ReportOptions& report) {
  require_known(name, base::description_names(all_kinds()), "name");
  const auto [machine, parts] = load_any(name);
  Json json{{"tool", "gdr machine show"},
            {"version", GDR_VERSION},
            {"machine", machine.name},
            {"kind", machine.kind},
            {"title", machine.title}};
  for (const auto& [key, part] : parts) json["parts"][key] = part;
  for (const base::Parameter& parameter : machine.parameters) {
    json["parameters"][parameter.key] = {
        {"value", parameter.value}, {"unit", parameter.unit}, {"origin", parameter.origin}};
  }
  if (report.speaks()) {
    fmt::print("{}: {}\n", machine.name, machine.title);
    for (const auto& [key, part] : parts) fmt::print("  {:<18} {}\n", key, part);
    for (const base::Parameter& parameter : machine.parameters) {
      fmt::print("  {:<18} {:>12g} {:<24} {}\n", parameter.key, parameter.value, parameter.unit, parameter.origin);
    }
  }
  report.write(json);
  return kSuccess;
}

}  // namespace

void add_machine(Command program) {
  const Command machine = program.add_group("machine", "machine descriptions");
  machine.add_command("list", "names of all descriptions", "gdr machine list", [] { return list(); });
  auto name = std::make_shared<std::string>();
  auto report = std::make_shared<ReportOptions>();
  const Command command = machine.add_command("show", "every parameter of a description, with unit and origin",
                                              "gdr machine show model1800", [=] { return show(*name, *report); });
  command.add_option("name", *name, "a name or FILE.toml").required();
  report->add_to(command);
}

}  // namespace gdr::cli
