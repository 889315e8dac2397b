#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "breakpoint.h"
#include "command.h"
#include "events.h"
#include "gdr/hostlib/table.h"
#include "observe.h"

namespace gdr::cli {
namespace {

using hostlib::Table;
using isa::Transfer;

struct Options {
  BoardOptions board;
  ReportOptions report;
  ObserveOptions observe;
  std::string kernel;
  std::string i_file;
  std::string j_file;
  std::string out;
  std::vector<std::string> parameters;
  bool ignore_extra = false;
  std::string break_at;
  std::string dump = "pe:0";
  unsigned long at = 1;
};

void set_parameters(Device& device, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    double value = 0;
    const char* end = assignment.data() + assignment.size();
    bool number = equals != std::string::npos && equals > 0;
    if (number) {
      const auto [stop, error] = std::from_chars(assignment.data() + equals + 1, end, value);
      number = error == std::errc() && stop == end;
    }
    if (!number) {
      throw UsageError(fmt::format(
          "--param: '{}' is refused: it must be NAME=NUMBER with a number in the range of a double", assignment));
    }
    try {
      device.set_parameter(assignment.substr(0, equals), value);
    } catch (const Error& error) {
      throw UsageError(fmt::format("--param: {}", error.what()));
    }
  }
}

/// The records of a file, or none for a kernel that takes none.
std::vector<std::uint64_t> records(const Device& device, Transfer transfer, const std::string& file,
                                   std::string_view option, const hostlib::TableReadOptions& reading) {
  const auto columns = hostlib::columns_of(device.program(), transfer);
  if (columns.empty() != file.empty()) {
    throw UsageError(columns.empty() ? fmt::format("{}: kernel {} takes no such data", option, device.program().kernel)
                                     : fmt::format("{} is missing: kernel {} takes a file with such data", option,
                                                   device.program().kernel));
  }
  return columns.empty() ? std::vector<std::uint64_t>()
                         : hostlib::fields_of(hostlib::read_table(file, columns, reading));
}

void print_table(const Table& table) {
  constexpr std::size_t kMostRows = 20;  // on a terminal; a pipe or a file takes all
  const std::size_t shown = isatty(STDOUT_FILENO) == 1 ? std::min(table.rows(), kMostRows) : table.rows();
  std::vector<std::string> names;
  for (const hostlib::Column& column : table.columns()) names.push_back(column.name);
  fmt::print("{}\n", fmt::join(names, ","));
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells;
    for (const hostlib::Column& column : table.columns()) {
      std::visit([&](const auto& numbers) { cells.push_back(fmt::format("{}", numbers[row])); }, column.numbers);
    }
    fmt::print("{}\n", fmt::join(cells, ","));
  }
  if (table.rows() > shown) fmt::print("... {} more rows; --out FILE takes all\n", table.rows() - shown);
}

/// Iterations of the loop on the slowest chip, added up over runs; j-records are dealt out to chips, then to blocks.
std::uint64_t iterations_of_slowest_chip(const Device& device, std::size_t ni, std::size_t nj) {
  const auto parts = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
  const std::size_t runs = device.fields(Transfer::hlt) == 0 ? 1 : parts(ni, emulator::kParticlesPerRun);
  return runs * parts(parts(nj, device.chips()), emulator::kBlocks);
}

int run(Options options) {
  const Stopwatch watch;
  const bool timing = options.board.timing();
  if (timing && !options.out.empty()) throw UsageError("--out: engine timing computes no results");
  if (!options.break_at.empty()) {
    options.board.engine = emulator::Engine::reference;
    options.board.threads = 1;
  }
  Device device(options.board.device_options());
  device.load(load_program(options.kernel));
  options.observe.begin(device);
  set_parameters(device, options.parameters);

  hostlib::TableReadOptions reading{options.ignore_extra, hostlib::RowLimit{device.j_capacity(), "external memory"}};
  const auto j_fields = records(device, Transfer::elt, options.j_file, "--j", reading);
  reading.limit.reset();
  const auto i_fields = records(device, Transfer::hlt, options.i_file, "--i", reading);
  const std::size_t j_record = std::max<std::size_t>(device.fields(Transfer::elt), 1);
  const std::size_t nj = j_fields.size() / j_record;

  std::unique_ptr<Breakpoint> breakpoint;
  if (!options.break_at.empty()) {
    breakpoint = std::make_unique<Breakpoint>(device, options.break_at, parse_dump(options.dump, device.chips()),
                                              options.at, options.report.speaks() ? stdout : stderr);
  }
  device.write_j(0, j_fields);
  const std::size_t i_record = device.fields(Transfer::hlt);
  const std::size_t ni = i_record == 0 ? emulator::kParticlesPerRun : i_fields.size() / i_record;
  const auto report_of = [&](const emulator::Fault* fault) {
    Json json = envelope("run", device.machine().name, options.board.engine, options.board.exact());
    add_device_results(json, device);
    json["host_seconds"] = watch.seconds();
    json["kernel"] = device.program().kernel;
    json["ni"] = ni;
    json["nj"] = nj;
    json["iterations"] = iterations_of_slowest_chip(device, ni, nj);
    json["results"] = options.out.empty() || fault != nullptr ? Json(nullptr) : Json(options.out);
    json["events"] = device.computes() ? events_json(device, fault) : Json(nullptr);
    return json;
  };
  std::vector<std::uint64_t> results;
  try {
    Progress progress("running", options.report.progress_shown());
    device.on_progress([&](std::size_t done, std::size_t all) {
      progress.show(static_cast<double>(done) / static_cast<double>(all),
                    fmt::format("{} of {} i-particles", done, all));
    });
    results = device.run(i_fields, nj);
    device.on_progress({});
  } catch (const emulator::Fault& fault) {
    options.report.write(report_of(&fault));
    throw;
  }
  if (breakpoint && breakpoint->executions() < options.at) {
    throw Error(
        fmt::format("{} was executed {} times, never {}", options.break_at, breakpoint->executions(), options.at));
  }
  const Table table = hostlib::table_of(hostlib::columns_of(device.program(), Transfer::rrn), results);
  if (!options.out.empty()) hostlib::write_table(options.out, table);

  options.observe.finish(device, options.board.engine, options.report);
  options.report.write(report_of(nullptr));
  if (device.computes()) print_events(stderr, device);
  if (device.computes() && !options.board.exact()) {
    fmt::print(stderr, "gdr run: engine {}: results are {}\n", options.board.engine, options.board.exactness());
  }
  if (!options.report.speaks()) return kSuccess;
  if (!device.computes()) {
    const emulator::StageSeconds& stages = device.emulated().seconds();
    fmt::print(
        "engine timing computes no results; emulated time {:.6f} s: i send {:.6f}, j send {:.6f}, compute and collect "
        "{:.6f}, add {:.6f}\n",
        stages.total(), stages.i_send, stages.j_send, stages.compute, stages.add);
  } else if (options.out.empty()) {
    print_table(table);
  }
  return kSuccess;
}

}  // namespace

void add_run(Command program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("run", "run any kernel of Type I on columns of numbers",
                          "gdr run kernels/tutorial.vsm --i i.csv --j j.csv", [options] { return run(*options); });
  command.add_option("kernel", options->kernel, "a source (.vsm) or an object file (.gdro)").required();
  command.add_option("--i", options->i_file, "i-data: CSV or NPY with the kernel's hlt variables as columns");
  command.add_option("--j", options->j_file, "j-data: CSV or NPY with the kernel's elt variables as columns");
  command.add_option("--out", options->out, "write the results here, CSV or NPY; else they are printed");
  command.add_option("--param", options->parameters, "set a parameter of the kernel: NAME=NUMBER (repeatable)");
  command.add_flag("--ignore-extra", options->ignore_extra, "skip columns that the kernel does not know");
  const Option break_at =
      command.add_option("--break", options->break_at, "FILE:LINE at which chosen PEs are shown (reference engine)");
  command.add_option("--dump", options->dump, "the PEs shown, such as pe:3,17 or chip:1,block:2,pe:0")
      .needs(break_at)
      .capture_default_str();
  command.add_option("--at", options->at, "at which execution of the line")
      .check(whole_in_range(1, 1000000000000000))
      .needs(break_at)
      .capture_default_str();
  options->board.add_to(command);
  options->observe.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
