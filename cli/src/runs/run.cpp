#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/commandline/terminal.h"
#include "gdr/debugger/dump.h"
#include "gdr/hostlib/run_events.h"
#include "gdr/hostlib/run_rules.h"
#include "gdr/hostlib/table.h"
#include "gdr/isa/experiment.h"
#include "observe.h"
#include "run_experiments.h"
#include "run_input.h"

namespace gdr::cli {
namespace {

using hostlib::Table;
using isa::Transfer;

struct RunOptions {
  BoardOptions board;
  ReportOptions report;
  ObserveOptions observe;
  RunInput input;
  ExperimentArguments experiments;
  std::string out;
  std::string break_at;
  std::string dump = "pe:0";
  unsigned long at = 1;
};

/// On a terminal the first rows; a pipe or a file gets all.
void print_table(const Table& table) {
  constexpr std::size_t kMostRows = 20;
  commandline::print_text(hostlib::first_rows(table, isatty(STDOUT_FILENO) == 1 ? kMostRows : table.rows()));
}

void write_results(const RunOptions& options, const Table& table) {
  if (options.out == "-") {
    write_text(options.out, hostlib::to_csv(table));
  } else if (!options.out.empty()) {
    hostlib::write_table(options.out, table);
  }
}

/// What every report of a run says.
Json run_json(const RunOptions& options, const Device& device, const emulator::Fault* fault) {
  Json json = options.report.begin(device.machine().name, options.board.engine, options.board.exact());
  add_device_results(json, device);
  json["kernel"] = device.program().kernel;
  json["compiled"] = compiled_json(options.input.kernel, options.input.assemble);
  const std::string assumed = device.emulated().assumed();
  json["emulated_assumed"] = assumed.empty() ? Json(nullptr) : Json(assumed);
  json["results"] = options.out.empty() || fault != nullptr ? Json(nullptr) : Json(options.out);
  json["events"] = device.computes() ? hostlib::events_json(device, fault) : Json(nullptr);
  return json;
}

void say_how_exact(const RunOptions& options, const Device& device) {
  if (!device.computes()) return;
  for (const std::string& text : hostlib::event_texts(device)) {
    commandline::print_message(fmt::format("{}{}\n", text.starts_with(' ') ? "" : "gdr run: ", text));
  }
  if (!options.board.exact() && !options.report.quiet) {
    commandline::print_message(
        fmt::format("gdr run: engine {}: results are {}\n", options.board.engine, options.board.exactness()));
  }
}

int run_experiments(const RunOptions& options, Device& device) {
  if (!options.break_at.empty()) {
    throw UsageError(fmt::format("--break: kernel {} is one of experiments; gdr debug --experiment N steps through one",
                                 device.program().kernel));
  }
  options.observe.begin(device);
  options.input.set_parameters(device);
  const std::vector<std::uint64_t> starts = read_starts(device.program(), options.input);
  const std::size_t experiments = starts.size() / hostlib::start_columns(device.program()).size();
  const hostlib::ExperimentOptions chosen = options.experiments.options();
  from_command_line("--round", [&] { return hostlib::round_steps_of(chosen, device.turn_capacity()); });
  const auto report_of = [&](const hostlib::ExperimentResults& results, const emulator::Fault* fault) {
    Json json = run_json(options, device, fault);
    json["ni"] = experiments;
    json["nj"] = 0;
    json["iterations"] = results.rounds * results.round_steps;
    json["experiments"] = hostlib::experiments_json(results);
    return json;
  };
  hostlib::ExperimentResults results;
  try {
    Progress progress("running", options.report.progress_shown());
    results = hostlib::run_experiments(device, starts, chosen, [&](std::size_t done, std::size_t all) {
      progress.show_count(done, all, "experiments");
    });
  } catch (const emulator::Fault& fault) {
    options.report.write(report_of(results, &fault));
    throw;
  }
  const Table table = device.computes() ? hostlib::experiment_table(device.program(), results) : Table();
  write_results(options, table);
  options.observe.finish(device, options.board.engine, options.report);
  options.report.write(report_of(results, nullptr));
  say_how_exact(options, device);
  if (!options.report.speaks()) return kSuccess;
  const std::string text = hostlib::experiments_text(experiments, results, chosen.most_steps);
  if (!device.computes()) {
    commandline::print_text(hostlib::timing_text(device));
    commandline::print_text(fmt::format("  assumed: every experiment takes all steps; {}\n", text));
    return kSuccess;
  }
  if (options.out.empty()) print_table(table);
  commandline::print_message(
      fmt::format("gdr run: {}; emulated time {:.6f} s\n", text, device.emulated().seconds().total()));
  return kSuccess;
}

int run(const RunOptions& options) {
  const bool timing = options.board.timing();
  if (timing && !options.out.empty()) throw UsageError("--output: engine timing computes no results");
  from_command_line("--output", [&] { hostlib::require_table_ending(options.out); });
  Device device(options.board.device_options());
  device.follow_events();
  LoadedKernel kernel = options.input.load();
  device.load(kernel.program);
  const bool type2 = device.program().is_type2();
  options.experiments.check(device.program(), options.input);
  if (isa::is_experiment(device.program())) return run_experiments(options, device);
  options.observe.begin(device);
  options.input.set_parameters(device);
  const RunData data = options.input.read(device);
  const std::size_t ni = data.ni;
  const std::size_t nj = data.nj;
  if (!options.break_at.empty()) {
    debugger::Job job{std::move(kernel.program),
                      kernel.texts(),
                      options.board.device_options(),
                      options.input.parameter_values(),
                      data.i_fields,
                      data.j_fields,
                      data.records};
    debugger::Debugger debugger(std::move(job));
    const auto chosen = from_command_line("--dump", [&] { return debugger::parse_dump(options.dump, device.chips()); });
    const auto lines = from_command_line("--break", [&] {
      if (options.break_at.find(':') == std::string::npos) {
        throw Error(fmt::format("'{}' is refused: it must be FILE:LINE", options.break_at));
      }
      return debugger.lines_at(options.break_at);
    });
    fmt::print(options.report.writes_to_stdout() || options.out == "-" ? stderr : stdout, "{}",
               debugger::dump_at(debugger, options.break_at, lines, chosen, options.at));
  }
  device.write_j(0, data.j_fields);
  const auto report_of = [&](const emulator::Fault* fault) {
    Json json = run_json(options, device, fault);
    json["ni"] = ni;
    json["nj"] = nj;
    json["iterations"] = type2 ? data.records : hostlib::iterations_of_slowest_chip(device, ni, nj);
    return json;
  };
  std::vector<std::uint64_t> results;
  try {
    Progress progress("running", options.report.progress_shown());
    device.on_progress([&](std::size_t done, std::size_t all) { progress.show_count(done, all, "i-particles"); });
    results = device.run(data.i_fields, data.records);
    device.on_progress({});
  } catch (const emulator::Fault& fault) {
    options.report.write(report_of(&fault));
    throw;
  }
  const Table table = !device.computes() ? Table()
                      : type2 ? hostlib::collected_table(device.program(), data.records, results, device.chips())
                              : hostlib::table_of(hostlib::columns_of(device.program(), Transfer::rrn), results);
  write_results(options, table);
  options.observe.finish(device, options.board.engine, options.report);
  options.report.write(report_of(nullptr));
  say_how_exact(options, device);
  if (!options.report.speaks()) return kSuccess;
  if (!device.computes()) {
    commandline::print_text(hostlib::timing_text(device));
  } else if (options.out.empty()) {
    print_table(table);
  }
  return kSuccess;
}

}  // namespace

void add_run(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<RunOptions>(
      name, "run any kernel on columns of numbers", "gdr run kernels/tutorial.vsm --i i.csv --j j.csv", run);
  options->input.add_to(command);
  options->experiments.add_to(command);
  const Option output =
      command.add_output_or_stdout("-o,--output", options->out,
                                   fmt::format("write all results to this file, {} by its ending, or with - as CSV to "
                                               "standard output; without it, the first results are printed",
                                               hostlib::table_formats()));
  command.keep_old_name("--out", output);
  const Option break_at =
      command.add_option("--break=FILE:LINE", options->break_at, "show the PEs of --dump when this line is executed");
  command.add_option("--dump=PES", options->dump, "PEs to show, such as pe:3,17 or chip:1,block:2,pe:0")
      .needs(break_at);
  command
      .add_option("--at", options->at, "show the PEs at this execution of the line, counted from 1",
                  whole_in_range(1, 1000000000000000))
      .needs(break_at);
  options->board.add_to(command);
  options->observe.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
