#include <fmt/format.h>

#include "command.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/network.h"

namespace gdr::cli {
namespace {

/// Boards and networks.
std::vector<base::DescriptionKind> all_kinds() {
  std::vector<base::DescriptionKind> kinds = interconnect::network_kinds();
  kinds.insert(kinds.begin(), {emulator::board_kind(), host_kind()});
  return kinds;
}

int list() {
  for (const std::string& name : base::description_names(all_kinds())) {
    const base::Description machine = base::load_description(name, all_kinds());
    fmt::print("{:<18} {:<14} {}\n", name, machine.kind, machine.title);
  }
  return kSuccess;
}

int show(const std::string& name, const ReportOptions& report) {
  const std::vector<base::DescriptionKind> kinds = all_kinds();
  require_known(name, base::description_names(kinds), "name");
  const base::Description machine = base::load_description(name, kinds);
  Json json{{"tool", "gdr machine show"},
            {"version", GDR_VERSION},
            {"machine", machine.name},
            {"kind", machine.kind},
            {"title", machine.title}};
  for (const base::Parameter& parameter : machine.parameters) {
    json["parameters"][parameter.key] = {
        {"value", parameter.value}, {"unit", parameter.unit}, {"origin", parameter.origin}};
  }
  if (report.speaks()) {
    fmt::print("{}: {}\n", machine.name, machine.title);
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
