#include "run_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gdr/hostlib/run_rules.h"
#include "gdr/hostlib/table.h"

namespace gdr::cli {
namespace {

using isa::Transfer;

/// The records of a file; empty for a kernel that has no such data.
std::vector<std::uint64_t> records(const Device& device, Transfer transfer, const std::string& file,
                                   std::string_view option, const hostlib::TableReadOptions& reading) {
  const auto columns = hostlib::columns_of(device.program(), transfer);
  if (columns.empty() != file.empty()) {
    throw UsageError(columns.empty() ? fmt::format("{}: kernel {} takes no such data", option, device.program().kernel)
                                     : fmt::format("{} is missing: kernel {} takes a file with such data", option,
                                                   device.program().kernel));
  }
  return columns.empty() ? std::vector<std::uint64_t>()
                         : hostlib::fields_of(hostlib::read_table(file == "-" ? "/dev/stdin" : file, columns, reading));
}

}  // namespace

std::vector<Option> RunInput::add_data_to(Command command) {
  return {
      command.add_option(
          "--i=FILE", i_file,
          fmt::format("i-data: {} with the kernel's hlt variables as columns, also compressed by gzip, or - for CSV on "
                      "standard input",
                      hostlib::table_formats())),
      command.add_option(
          "--j=FILE", j_file,
          fmt::format("j-data: {} with the kernel's elt variables as columns, also compressed by gzip, or - as --i",
                      hostlib::table_formats())),
      command.add_option("--param=NAME=NUMBER", parameters, "set a parameter of the kernel: NAME=NUMBER (repeatable)"),
      command.add_flag("--ignore-extra", ignore_extra, "skip columns that the kernel does not know")};
}

void RunInput::add_to(Command command, bool required) {
  const Option name = command.add_option("kernel=FILE", kernel, kKernelFile);
  if (required) name.required();
  command.heading("Data");
  add_data_to(command);
  command.add_option("--turns", turns, "loop iterations of a Type II kernel; default: number of its j-records",
                     whole_in_range(1, 1000000000000));
  command.heading(kUsualHeading);
  assemble.add_with_compile_options(command);
}

LoadedKernel RunInput::load() const {
  LoadedKernel loaded = load_kernel_file(kernel, assemble);
  if (compiler::is_source(kernel)) require_parameters(loaded.program);
  return loaded;
}

void RunInput::require_parameters(const isa::Program& program) const {
  std::vector<std::string> given;
  for (const auto& [name, value] : parameter_values()) given.push_back(name);
  const std::vector<std::string> missing = hostlib::missing_parameters(program, given);
  if (missing.empty()) return;
  const bool one = missing.size() == 1;
  throw UsageError(fmt::format("--param {}=NUMBER {} missing: kernel {} takes {}", fmt::join(missing, "=NUMBER "),
                               one ? "is" : "are", program.kernel, one ? "that parameter" : "these parameters"));
}

std::vector<std::pair<std::string, double>> RunInput::parameter_values() const {
  return commandline::named_numbers("--param", parameters);
}

void RunInput::set_parameters(Device& device) const {
  for (const auto& parameter : parameter_values()) {
    from_command_line("--param", [&] {
      device.set_parameter(parameter.first, parameter.second);
      return true;
    });
  }
}

RunData RunInput::read(const Device& device) const {
  if (i_file == "-" && j_file == "-") throw UsageError("--i and --j both read standard input: give one of them a file");
  RunData data;
  hostlib::TableReadOptions reading{ignore_extra, hostlib::RowLimit{device.j_capacity(), "external memory"}};
  data.j_fields = records(device, Transfer::elt, j_file, "--j", reading);
  reading.limit.reset();
  data.i_fields = records(device, Transfer::hlt, i_file, "--i", reading);
  const std::size_t j_record = device.fields(Transfer::elt);
  const std::size_t i_record = device.fields(Transfer::hlt);
  data.nj = j_record == 0 ? 0 : data.j_fields.size() / j_record;
  data.ni = i_record == 0 ? emulator::kParticlesPerRun : data.i_fields.size() / i_record;
  data.records = data.nj;
  if (!device.program().is_type2()) {
    if (turns) throw UsageError(fmt::format("--turns: kernel {} is of Type I", device.program().kernel));
    return data;
  }
  const std::optional<std::size_t> asked = turns ? std::optional<std::size_t>(*turns) : std::nullopt;
  try {
    data.records = hostlib::turns_of(device.program(), device.chips(), data.nj, asked, "--j", "--turns");
  } catch (const Error& refusal) {
    throw UsageError(refusal.what());
  }
  return data;
}

}  // namespace gdr::cli
