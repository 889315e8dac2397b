// Runs of a kernel on particles that are made for it.
#include <fmt/format.h>

#include <span>

#include "answers.h"
#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "gdr/emulator/chip.h"
#include "gdr/hostlib/table.h"

namespace gdr::web {
namespace {

using isa::Transfer;

constexpr std::size_t kShownRows = 16;
constexpr unsigned kThreads = 1;  // the only one a page's module has

DeviceOptions device_options() {
  DeviceOptions options;
  options.threads = kThreads;
  return options;
}

assembler::AssembleResult assembled(const Source& source) {
  Built made = built(source);
  if (!made.assembled.program) throw Error("the kernel has errors: it cannot run");
  return std::move(made.assembled);
}

/// The `nj` of Device::run(): j-records, or turns of a kernel of Type II.
std::size_t records_of(const isa::Program& program, std::uint64_t nj, unsigned chips) {
  if (!program.is_type2()) return static_cast<std::size_t>(nj);
  const std::uint64_t of_turn = std::uint64_t{emulator::kBlocks} * chips;
  if (nj % of_turn != 0) {
    throw Error(
        fmt::format("j-particles: {} is refused: a kernel of Type II takes {} in each turn, 16 for each of {} chips",
                    nj, of_turn, chips));
  }
  return static_cast<std::size_t>(nj / of_turn);
}

Json cells_of(const hostlib::Table& table) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < std::min(table.rows(), kShownRows); ++row) {
    Json cells = Json::array();
    for (const hostlib::Column& column : table.columns()) {
      std::visit([&](const auto& numbers) { cells.push_back(fmt::format("{}", numbers[row])); }, column.numbers);
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

/// Of the interactions that the PEs had time for, how many were computed.
double occupancy_of(const Device& device, std::uint64_t ni, std::uint64_t nj) {
  const double places = static_cast<double>(device.emulated().iterations()) * device.chips() * emulator::kBlocks *
                        emulator::kParticlesPerRun;
  return places > 0 ? static_cast<double>(ni) * static_cast<double>(nj) / places : 0;
}

/// Emulated time. The page shows it with interactions, which kernels of Type II do not count.
Json time_of(const Device& device, std::uint64_t ni, std::uint64_t nj) {
  if (device.program().is_type2()) return nullptr;
  const emulator::BoardTime& emulated = device.emulated();
  const emulator::StageSeconds& stages = emulated.seconds();
  const double flops = device.program().flops * static_cast<double>(emulated.interactions());
  return {{"seconds", stages.total()},
          {"i_send", stages.i_send},
          {"j_send", stages.j_send},
          {"compute", stages.compute},
          {"add", stages.add},
          {"clocks", emulated.clocks().total()},
          {"gflops", flops > 0 && stages.total() > 0 ? Json(flops / stages.total() / 1e9) : Json()},
          {"occupancy", occupancy_of(device, ni, nj)}};
}

Json units_of(const emulator::Counters& counters) {
  const auto share = [&](std::uint64_t lines) {
    return counters.lines == 0 ? 0.0 : static_cast<double>(lines) / static_cast<double>(counters.lines);
  };
  return {{"adder", share(counters.adder_lines)},
          {"multiplier", share(counters.multiplier_lines)},
          {"alu", share(counters.alu_lines)},
          {"broadcast memory", share(counters.bm_lines)}};
}

Json events_of(const Device& device) {
  const RunEvents events = device.events();
  const emulator::FpEvents& counts = events.counts;
  Json first = Json::array();
  for (const emulator::PlacedEvent& event : events.first) {
    first.push_back(fmt::format(
        "{}: {}", emulator::source_place(device.program(), event.place.section, event.place.line, event.unit),
        emulator::text_of(event)));
  }
  return {
      {"invalid", counts.invalid}, {"overflow", counts.overflow}, {"underflow", counts.underflow}, {"first", first}};
}

std::string command_of(const RunRequest& request, const RunFiles& files) {
  std::string name = request.source.name;
  if (name.starts_with('-')) name.insert(0, "./");  // a file, not an option
  std::string command = "gdr run " + base::shell_word(name);
  if (!files.i.empty()) command += " --i i.csv";
  if (!files.j.empty()) command += " --j j.csv";
  for (const auto& [name, value] : request.parameters) {
    command += " --param " + base::shell_word(fmt::format("{}={}", name, value));
  }
  return command + " --output results.csv && sha256sum results.csv";
}

std::string csv_of(const hostlib::Table& table) {
  return table.columns().empty() ? std::string() : hostlib::to_csv(table);
}

}  // namespace

Json run(const RunRequest& request, RunFiles& files) {
  Device device(device_options());
  device.follow_events();
  device.load(*assembled(request.source).program);
  for (const auto& [name, value] : request.parameters) device.set_parameter(name, value);
  const isa::Program& program = device.program();
  const Data data = make_data(program, request.data);
  const std::size_t records = records_of(program, data.nj, device.chips());
  device.write_j(0, hostlib::fields_of(data.j));
  const std::vector<std::uint64_t> words = device.run(hostlib::fields_of(data.i), records);
  const hostlib::Table results = program.is_type2()
                                     ? hostlib::collected_table(program, records, words, device.chips())
                                     : hostlib::table_of(hostlib::columns_of(program, Transfer::rrn), words);
  files = {csv_of(data.i), csv_of(data.j), csv_of(results)};
  Json names = Json::array();
  for (const hostlib::Column& column : results.columns()) names.push_back(column.name);
  return {{"kernel", program.kernel},
          {"ni", data.ni},
          {"nj", data.nj},
          {"columns", names},
          {"rows", cells_of(results)},
          {"all_rows", results.rows()},
          {"hash", base::sha256_hex(std::as_bytes(std::span(files.results)))},
          {"command", command_of(request, files)},
          {"time", time_of(device, data.ni, data.nj)},
          {"units", units_of(device.counters())},
          {"events", events_of(device)}};
}

debugger::Debugger debug(const RunRequest& request) {
  assembler::AssembleResult result = assembled(request.source);
  const Data data = make_data(*result.program, request.data);
  debugger::Job job{*std::move(result.program), {}, device_options(), request.parameters, hostlib::fields_of(data.i),
                    hostlib::fields_of(data.j), 0};
  for (assembler::SourceFile& file : result.files) job.sources.push_back(std::move(file.text));
  job.records = records_of(job.program, data.nj, Device(device_options()).chips());
  return debugger::Debugger(std::move(job));
}

}  // namespace gdr::web
