#include <fmt/format.h>

#include "command.h"

namespace gdr::cli {
namespace {

int list() {
  for (const std::string& name : emulator::machine_names()) {
    fmt::print("{:<12} {}\n", name, emulator::load_machine(name).title);
  }
  return kSuccess;
}

int show(const std::string& name, const ReportOptions& report) {
  require_machine(name, "name");
  const emulator::MachineDescription machine = emulator::load_machine(name);
  Json json{
      {"tool", "gdr machine show"}, {"version", GDR_VERSION}, {"machine", machine.name}, {"title", machine.title}};
  for (const emulator::MachineParameter& parameter : machine.parameters) {
    json["parameters"][parameter.key] = {
        {"value", parameter.value}, {"unit", parameter.unit}, {"origin", parameter.origin}};
  }
  if (report.speaks()) {
    fmt::print("{}: {}\n", machine.name, machine.title);
    for (const emulator::MachineParameter& parameter : machine.parameters) {
      fmt::print("  {:<18} {:>12g} {:<24} {}\n", parameter.key, parameter.value, parameter.unit, parameter.origin);
    }
  }
  report.write(json);
  return kSuccess;
}

}  // namespace

void add_machine(CLI::App& program) {
  CLI::App* machine = program.add_subcommand("machine", "machine descriptions");
  machine->require_subcommand(1);
  add_command(*machine, "list", "names of all descriptions", "gdr machine list", [] { return list(); });
  auto name = std::make_shared<std::string>();
  auto report = std::make_shared<ReportOptions>();
  CLI::App* command = add_command(*machine, "show", "every parameter of a description, with unit and origin",
                                  "gdr machine show model1800", [=] { return show(*name, *report); });
  command->add_option("name", *name, "a name or FILE.toml")->required();
  report->add_to(*command);
}

}  // namespace gdr::cli
