#include <fmt/format.h>

#include "command/command.h"
#include "gdr/cluster/cluster.h"
#include "gdr/commandline/terminal.h"
#include "gdr/emulator/opencl.h"

namespace gdr::cli {
namespace {

constexpr double kGibibyte = 0x1p30;

int list() {
  for (const std::string& name : base::description_names(cluster::all_kinds())) {
    const base::Description machine = cluster::load_any(name).description;
    commandline::print_text(fmt::format("{:<18} {:<14} {}\n", name, machine.kind, machine.title));
  }
  return kSuccess;
}

struct MachineShowOptions {
  std::string name;
  ReportOptions report;
};

int show_machine(const MachineShowOptions& options) {
  const auto& [name, report] = options;
  require_known(name, base::description_names(cluster::all_kinds()), "name");
  const auto [machine, parts] = cluster::load_any(name);
  Json json = report.begin();
  json["machine"] = machine.name;
  json["kind"] = machine.kind;
  json["title"] = machine.title;
  for (const auto& [key, part] : parts) json["parts"][key] = part;
  for (const auto& [key, choice] : machine.choices) json["choices"][key] = choice;
  for (const base::Parameter& parameter : machine.parameters) {
    json["parameters"][parameter.key] = {
        {"value", parameter.value}, {"unit", parameter.unit}, {"origin", parameter.origin}};
  }
  Json texts = Json::array();
  for (const auto& [key, part] : parts) texts.push_back({{"key", key}, {"value", part}});
  for (const auto& [key, choice] : machine.choices) texts.push_back({{"key", key}, {"value", choice}});
  Json parameters = Json::array();
  for (const base::Parameter& parameter : machine.parameters) {
    parameters.push_back(
        {{"key", parameter.key}, {"value", parameter.value}, {"unit", parameter.unit}, {"origin", parameter.origin}});
  }
  report.show(json, {{"texts", texts}, {"parameters", parameters}});
  return kSuccess;
}

int devices(const ReportOptions& report) {
  const std::vector<emulator::OpenClDevice> found = emulator::opencl_devices();
  Json json = report.begin();
  json["devices"] = Json::array();
  for (const emulator::OpenClDevice& device : found) {
    json["devices"].push_back({{"name", device.name},
                               {"platform", device.platform},
                               {"version", device.version},
                               {"kind", device.kind},
                               {"fp64", device.fp64},
                               {"memory_bytes", device.memory_bytes},
                               {"largest_buffer_bytes", device.largest_buffer_bytes},
                               {"compute_units", device.compute_units},
                               {"doubles_in_vector", device.doubles_in_vector},
                               {"largest_group", device.largest_group},
                               {"usable", device.refusal.empty()},
                               {"refusal", device.refusal}});
  }
  if (report.speaks()) {
    if (found.empty()) commandline::print_text("OpenCL finds no device on this host\n");
    for (std::size_t n = 0; n < found.size(); ++n) {
      const emulator::OpenClDevice& device = found[n];
      commandline::print_text(fmt::format("{}: {}\n", n, device.name));
      commandline::print_text(fmt::format("  {:<18} {}\n", "platform", device.platform));
      commandline::print_text(fmt::format("  {:<18} {}\n", "version", device.version));
      commandline::print_text(fmt::format("  {:<18} {}\n", "kind", device.kind));
      commandline::print_text(
          fmt::format("  {:<18} {}\n", "fp64", device.fp64 ? "yes" : "no: everything is done in integers"));
      commandline::print_text(fmt::format("  {:<18} {:.1f} GiB, {:.1f} GiB in one buffer\n", "memory",
                                          static_cast<double>(device.memory_bytes) / kGibibyte,
                                          static_cast<double>(device.largest_buffer_bytes) / kGibibyte));
      commandline::print_text(fmt::format("  {:<18} {}\n", "compute units", device.compute_units));
      commandline::print_text(
          fmt::format("  {:<18} {}\n", "usable", device.refusal.empty() ? "yes" : "no: " + device.refusal));
    }
  }
  report.write(json);
  return kSuccess;
}

}  // namespace

void add_machine(Command program, const std::string& name) {
  const Command machine = program.add_group(name, "machine descriptions");
  machine.add_command("list", "list the names of all descriptions", "gdr machine list", [] { return list(); });
  const auto [show, options] =
      machine.add_command<MachineShowOptions>("show", "print every parameter of a description, with unit and origin",
                                              "gdr machine show model1800", show_machine);
  show.add_option("name", options->name, "a name or FILE.toml").required();
  options->report.add_to(show);
  const auto [listing, of_devices] = machine.add_command<ReportOptions>(
      "devices", "devices of OpenCL, which the engine opencl runs on, and whether it can", "gdr machine devices",
      devices);
  of_devices->add_to(listing);
}

}  // namespace gdr::cli
